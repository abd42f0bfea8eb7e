"""Regressions said to be better than the best constant: ``python -m
tests.simulations.better_than_constant``.

The share of data sets in which the limits of ``mean_squared_error_gain`` (first) and
``mean_absolute_error_gain`` are above 0: at most 0.025 where a model is no better than the mean of
the truth (all but the last), and the power where it explains half of the variance. Then the share
of series in each quarter of which a model that knows nothing is closer than the mean, with less
than half of its squared errors (``is_in_every_part``), and of those of one that knows the level.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.measuring.gains import GAINS, agreeing, is_in_every_group, is_in_every_part
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import rows_in_groups
from reportgen.metrics import REGISTRY
from tests.coverage.designs import Floats

SIZES = ((20, 1), (100, 1), (1000, 1), (6, 10), (8, 10), (20, 10), (40, 10))
"""Groups, and rows in each."""

SPREADS = {"normal": 1.0, "t, 3 df": np.sqrt(3.0), "lognormal": np.sqrt((np.e - 1) * np.e)}
"""The standard deviations of ``TAILS``."""

Draw = Callable[[np.random.Generator, int], Floats]
TAILS: dict[str, Draw] = {
    "normal": lambda random, size: random.normal(size=size),
    "t, 3 df": lambda random, size: random.standard_t(3, size),
    "lognormal": lambda random, size: np.exp(random.normal(size=size)) - np.exp(0.5),
}


def shrunk(part: Floats, rest: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Truth, and estimates that are nearly its mean: noise of a twentieth of its size."""
    return part + rest, 0.05 * random.normal(size=len(part))


def doubled(part: Floats, rest: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Estimates that vary twice as much as what they explain: no better than the mean."""
    return part + rest, 2 * part


def alike(part: Floats, rest: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Errors of the distribution of the truth, independent of it."""
    return part, part - rest


def heavy(spread: float) -> Callable[..., tuple[Floats, Floats]]:
    """A normal truth, and estimates whose errors alone have the tails, of the same variance.

    ``spread`` is the standard deviation of what is drawn.
    """

    def model(part: Floats, rest: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
        truth = random.normal(size=len(part))
        return truth, truth - rest / spread

    return model


def useful(part: Floats, rest: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Half of the variance is explained."""
    return part + rest, part


def said_better(
    model: Callable[..., tuple[Floats, Floats]],
    draw: Draw,
    size: tuple[int, int],
    runs: int,
    intraclass: float = 0.5,
) -> tuple[float, float]:
    """How often a model is said to have a lower MSE than the mean, and MAE than the median."""
    groups, rows = size
    random, code = np.random.default_rng(groups), np.repeat(np.arange(groups), rows)
    of_groups = Groups(code, groups)
    metrics = [m for n, m in REGISTRY["regression"].items() if n in {*GAINS, *GAINS.values()}]

    def part() -> Floats:
        if rows == 1:
            return draw(random, groups)
        within, between = draw(random, groups * rows), draw(random, groups)
        mixed: Floats = np.sqrt(intraclass) * between[code] + np.sqrt(1 - intraclass) * within
        return mixed

    said = np.zeros(2)
    for _ in range(runs):
        truth, estimate = model(part(), part(), random)
        frame = pl.DataFrame({"truth": truth, "estimate": estimate, "weight": 1.0})
        numbers = rows_in_groups(MetricSubject("m"), frame, metrics, of_groups)
        of_rows = agreeing(MetricSubject("m"), numbers, frame, of_groups)
        low = {row["metric"]: row["low"] for row in of_rows}
        if is_in_every_group(frame, of_groups) and low["mean_squared_error_gain"] is None:
            low["mean_squared_error_gain"] = low["r2"]
        said += [(low[name] or -1.0) > 0 for name in GAINS.values()]
    return tuple(said / runs)


def series(random: np.random.Generator, points: int, autocorrelation: float) -> Floats:
    """One of variance 1 about 0, or a random walk from 0."""
    steps = random.normal(size=points)
    values, spread = np.zeros(points), np.sqrt(1 - autocorrelation**2) or 1.0
    values[0] = 0.0 if autocorrelation == 1 else steps[0]
    for point in range(1, points):
        values[point] = autocorrelation * values[point - 1] + spread * steps[point]
    return values


def in_every_quarter(
    points: int, autocorrelation: float, scale: float | None, runs: int, seed: int = 0
) -> float:
    """How often a series is in every quarter better than the mean.

    Its estimates are another series times ``scale``; null: the level before, of a walk by steps of
    0.5, with errors of 1 about it.
    """
    random, of_points = np.random.default_rng(seed), pl.Series(range(points))
    said = 0
    for _ in range(runs):
        truth = series(random, points, autocorrelation)
        if scale is None:
            level = 0.5 * truth
            truth, estimate = level + random.normal(size=points), np.roll(level, 1)
            estimate[0] = level[0]
        else:
            estimate = scale * series(random, points, autocorrelation)
        frame = pl.DataFrame({"truth": truth, "estimate": estimate, "weight": 1.0})
        said += is_in_every_part(frame, None, of_points)
    return said / runs


def main(runs: str = "500") -> None:
    """Print the shares."""
    for points in (12, 30, 84, 200):
        most = max(
            in_every_quarter(points, autocorrelation, scale, 4 * int(runs))
            for autocorrelation in (0.0, 0.8, 0.95, 0.99, 1.0)
            for scale in (0.3, 0.6, 1.0)
        )
        power = in_every_quarter(points, 1.0, None, int(runs))
        print(f"- {points} points: {most:.4f} at most; of the level {power:.2f}", flush=True)
    for name, draw in TAILS.items():
        for model in (shrunk, doubled, alike, heavy(SPREADS[name]), useful):
            texts = []
            for size in SIZES:
                shares = said_better(model, draw, size, int(runs))
                texts.append(f"{size[0]} × {size[1]}: {shares[0]:.3f}, {shares[1]:.3f}")
            print(f"- {model.__name__}, {name}: {'; '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
