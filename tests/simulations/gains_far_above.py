"""Heavy-tailed errors far below those of the mean: ``python -m tests.simulations.gains_far_above``.

Of the data sets whose errors show their tails, from which ``_may_lack_errors`` would take the
limits of the gain: the share in which these limits are above 0 (``FAR_ABOVE``, ``ERRORS_BEYOND``,
``RAISED``), and that in which R² has its lower limit above 0 where they are withheld. R² 0: models
that are no better than the mean.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.measuring.gains import GAINS, agreeing
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import rows_in_groups
from reportgen.metrics import REGISTRY
from tests.coverage.designs import Floats

SIZES = (60, 120, 250, 900)
Draw = Callable[[np.random.Generator, int], Floats]
Model = Callable[[np.random.Generator, int], tuple[Floats, Floats]]


def rare(share: float, times: float) -> Draw:
    """Normal errors of mean square 1, of which a share is so many times as large."""
    spread = np.sqrt(1 + share * (times**2 - 1))

    def draw(random: np.random.Generator, size: int) -> Floats:
        larger = np.where(random.random(size) < share, times, 1.0)
        return random.normal(size=size) * larger / spread

    return draw


def lognormal(spread: float) -> Draw:
    """Errors of either sign and mean square 1 whose logarithms are normal."""
    return lambda random, size: (
        random.choice((-1.0, 1.0), size) * np.exp(random.normal(0, spread, size) - spread**2)
    )


def of_t(df: float) -> Draw:
    """Errors of mean square 1 of Student's t."""
    return lambda random, size: random.standard_t(df, size) * np.sqrt((df - 2) / df)


DRAWS: dict[str, Draw] = {
    "t, 3 df": of_t(3),
    "t, 5 df": of_t(5),
    "lognormal, 1": lognormal(1.0),
    "3 % 8 times": rare(0.03, 8),
    "1 % 10 times": rare(0.01, 10),
    "0.4 % 15 times": rare(0.004, 15),
    "0.5 % 30 times": rare(0.005, 30),
    "t, 2.2 df": of_t(2.2),
    "lognormal, 1.5": lognormal(1.5),
}
"""The last two have hardly a variance: no rule holds the level of these."""


def of_errors(draw: Draw, r2: float = 0.0) -> Model:
    """Estimates that explain so much of a normal truth; of none they are the truth less errors."""

    def model(random: np.random.Generator, size: int) -> tuple[Floats, Floats]:
        error = draw(random, size) * np.sqrt(1 - r2)
        if not r2:
            truth = random.normal(size=size)
            return truth, truth - error
        known = np.sqrt(r2) * random.normal(size=size)
        return known + error, known

    return model


def counts(mean: float, shape: float, times: float = 1.0) -> Model:
    """Counts, each with a mean of its own from a gamma distribution, and that times noise.

    Where lognormal noise is 1 ``times`` as strong as here the mean squared error is the variance of
    the counts: (e^σ² − 1) E μ² = Var μ.
    """
    noise = times * np.sqrt(np.log(1 + 1 / (1 + shape)))

    def model(random: np.random.Generator, size: int) -> tuple[Floats, Floats]:
        own = random.gamma(shape, mean / shape, size)
        estimate = own * np.exp(noise * random.normal(size=size) - noise**2 / 2)
        return random.poisson(own).astype(np.float64), estimate

    return model


MODELS = {
    f"R² {r2}, {name}": of_errors(draw, r2)
    for name, draw in DRAWS.items()
    for r2 in (0.0, 0.5, 0.82)
} | {
    f"{what}, counts of mean {mean}, gamma {shape}": counts(mean, shape, times)
    for mean, shape in ((10.0, 0.5), (2.0, 0.5), (10.0, 1.0))
    for what, times in (("R² 0", 1.0), ("useful", 0.6))
}


def said_better(model: Model, rows: int, runs: int) -> tuple[float, float]:
    """How often limits of the gain are above 0, and those of R² where the gain has none.

    Of data sets whose errors show their tails; NaN where none does.
    """
    random = np.random.default_rng(rows)
    names = {"mean_squared_error", *GAINS, *GAINS.values()}
    metrics = [m for name, m in REGISTRY["regression"].items() if name in names]
    said, shown, each = np.zeros(2), 0, Groups(np.arange(rows), rows)
    for _ in range(runs):
        truth, estimate = model(random, rows)
        centred = truth - estimate - (truth - estimate).mean()
        kurtosis = float((centred**4).mean() / (centred**2).mean() ** 2)
        if kurtosis <= 3 + 2 * np.sqrt(24 / rows):
            continue
        shown += 1
        frame = pl.DataFrame({"truth": truth, "estimate": estimate, "weight": 1.0})
        numbers = rows_in_groups(MetricSubject("m"), frame, metrics, each)
        of = {row["metric"]: row for row in agreeing(MetricSubject("m"), numbers, frame, None)}
        low = of["mean_squared_error_gain"]["low"]
        of_share = of["r2"]["low"] if low is None else None
        said += [low is not None and low > 0, of_share is not None and of_share > 0]
    return tuple(said / shown) if shown else (np.nan, np.nan)


def main(runs: str = "1000") -> None:
    """Print the shares."""
    for name, model in MODELS.items():
        texts = (
            "{}: {:.3f}, {:.3f}".format(rows, *said_better(model, rows, int(runs)))
            for rows in SIZES
        )
        print(f"- {name}: {'; '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
