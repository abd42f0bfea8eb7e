"""Heavy-tailed errors far below those of the mean: ``python -m tests.simulations.gains_far_above``.

The truth has variance 1. Of the data sets whose errors show their tails, which
``_may_lack_errors`` would take the limits of the gain from: the share in which these limits are
above 0 (``FAR_ABOVE``, ``ERRORS_BEYOND``), and that in which R² has its lower limit above 0 where
they are withheld. A model is no better than the mean where the mean squared error is 1, and has the
R² that is printed with it otherwise.
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

SIZES = (60, 150, 400, 900)
Draw = Callable[[np.random.Generator, int], Floats]


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


def said_better(draw: Draw, rows: int, runs: int, r2: float = 0.0) -> tuple[float, float]:
    """How often limits of the gain are above 0, and those of R² where the gain has none.

    Of data sets whose errors show their tails; NaN where none does.
    """
    random = np.random.default_rng(rows)
    names = {"mean_squared_error", *GAINS, *GAINS.values()}
    metrics = [m for name, m in REGISTRY["regression"].items() if name in names]
    said, shown, each = np.zeros(2), 0, Groups(np.arange(rows), rows)
    for _ in range(runs):
        error = draw(random, rows) * np.sqrt(1 - r2)
        centred = error - error.mean()
        kurtosis = float((centred**4).mean() / (centred**2).mean() ** 2)
        if kurtosis <= 3 + 2 * np.sqrt(24 / rows):
            continue
        shown += 1
        if r2:
            estimate = np.sqrt(r2) * random.normal(size=rows)
            truth = estimate + error
        else:  # the errors say nothing of the truth
            truth = random.normal(size=rows)
            estimate = truth - error
        frame = pl.DataFrame({"truth": truth, "estimate": estimate, "weight": 1.0})
        numbers = rows_in_groups(MetricSubject("m"), frame, metrics, each)
        of = {row["metric"]: row for row in agreeing(MetricSubject("m"), numbers, frame, None)}
        low = of["mean_squared_error_gain"]["low"]
        of_share = of["r2"]["low"] if low is None else None
        said += [low is not None and low > 0, of_share is not None and of_share > 0]
    return tuple(said / shown) if shown else (np.nan, np.nan)


def main(runs: str = "1000") -> None:
    """Print the shares."""
    for name, draw in DRAWS.items():
        for r2 in (0.0, 0.5, 0.82):
            texts = (
                "{}: {:.3f}, {:.3f}".format(rows, *said_better(draw, rows, int(runs), r2))
                for rows in SIZES
            )
            print(f"- R² {r2}, {name}: {'; '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
