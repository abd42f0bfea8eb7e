"""How often limits of Spearman's ρ and Kendall's τ-b hold the true value: rows, groups, time.

``python -m tests.simulations.rank_correlations 1000``; a number of rows after it, such as 12000,
measures independent rows of this number alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import atanh, sqrt, tanh

import numpy as np
import polars as pl
from scipy.signal import lfilter

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import rows_in_groups
from reportgen.measuring.time_blocks import time_blocks, wider
from reportgen.metrics import REGISTRY
from reportgen.tables.results import MetricRow

NAMES = ("spearman_rho", "kendall_tau")
METRICS = [REGISTRY["regression"][name] for name in NAMES]

Pairs = tuple[Floats, Floats]
Draw = Callable[[np.random.Generator, int], Pairs]


def _normal(correlation: float) -> Draw:
    def draw(random: np.random.Generator, rows: int) -> Pairs:
        y, noise = random.normal(size=(2, rows))
        return y, correlation * y + sqrt(1 - correlation**2) * noise

    return draw


def _uneven(random: np.random.Generator, rows: int) -> Pairs:
    y, noise = random.normal(size=(2, rows))
    return np.exp(y), np.exp(y) + np.exp(y) * noise


def _heavy(random: np.random.Generator, rows: int) -> Pairs:
    y, noise = random.standard_t(2, size=(2, rows))
    return y, y + noise


def _counts(random: np.random.Generator, rows: int) -> Pairs:
    mean = np.exp(random.normal(size=rows))
    return random.poisson(mean).astype(float), mean.round(1)


def _steps(random: np.random.Generator, rows: int) -> Pairs:
    y, noise = random.normal(size=(2, rows))
    return y, (y + noise > 0).astype(float)


def _grades(random: np.random.Generator, rows: int) -> Pairs:
    y, noise = random.normal(size=(2, rows))
    truth = np.searchsorted((-1.2, -0.4, 0.4, 1.2), y) + 1.0
    return truth, np.clip(np.round(truth + noise * truth / 3), 1, 5)


DESIGNS: dict[str, Draw] = {
    "normal, 0": _normal(0.0),
    "normal, 0.5": _normal(0.5),
    "normal, 0.9": _normal(0.9),
    "normal, 0.99": _normal(0.99),
    "errors that grow": _uneven,
    "heavy tails": _heavy,
    "counts, most of them 0 to 2": _counts,
    "two estimates": _steps,
    "five grades, noise that grows": _grades,
}
"""Truth and estimate of rows."""


def in_groups(draw: Draw, shared: float) -> Draw:
    """Pairs in groups of ten rows that share a part of their values and of their errors."""

    def drawn(random: np.random.Generator, rows: int) -> Pairs:
        of_groups, of_rows = draw(random, rows // 10), draw(random, rows)
        y, f = (
            sqrt(shared) * np.repeat(of_group, 10) + sqrt(1 - shared) * of_row
            for of_group, of_row in zip(of_groups, of_rows, strict=True)
        )
        return y, f

    return drawn


def series(memory: float) -> Draw:
    """Truth and error of points of time, both with this autocorrelation."""

    def draw(random: np.random.Generator, rows: int) -> Pairs:
        noise = random.normal(size=(2, rows + 100)) * sqrt(1 - memory**2)
        y, error = lfilter([1.0], [1.0, -memory], noise, axis=1)[:, 100:]
        return y, y + error

    return draw


def limits(pairs: Pairs, groups: Groups | None) -> list[tuple[float | None, float | None]]:
    """The limits of both correlations by their influences; without groups in order of time."""
    y, f = pairs
    frame = pl.DataFrame({"truth": y, "estimate": f}).with_columns(weight=pl.lit(1.0))

    def rows(of: Groups) -> list[MetricRow]:
        return rows_in_groups(MetricSubject("a", None, confidence=0.95), frame, METRICS, of)

    if groups is None:
        blocks = Groups.of(time_blocks(pl.Series(range(len(y)))))
        numbers = wider(rows(blocks), rows(Groups(np.arange(len(y)), len(y))))
    else:
        numbers = rows(groups)
    return [(row["low"], row["high"]) for row in numbers]


def by_normal(value: float, rows: int, name: str) -> tuple[float, float]:
    """Those of Bonett & Wright (2000), doi:10.1007/BF02294183, of normal values."""
    kendall = name == "kendall_tau"
    error = sqrt(0.437 / (rows - 4)) if kendall else sqrt((1 + value**2 / 2) / (rows - 3))
    if abs(value) >= 1:
        return value, value
    return tanh(atanh(value) - 1.959964 * error), tanh(atanh(value) + 1.959964 * error)


def values(pairs: Pairs) -> list[float]:
    frame = pl.DataFrame({"truth": pairs[0], "estimate": pairs[1]}).with_columns(weight=pl.lit(1.0))
    row = frame.select(m.expression() for m in METRICS).row(0)
    return [float("nan") if value is None else value for value in row]


def coverage(draw: Draw, rows: int, size: int, sets: int, seed: int) -> Iterator[tuple[float, ...]]:
    """Of each correlation: limits that exist, hold, those too high, too low, by the normal."""
    random = np.random.default_rng(seed)
    truth = np.mean([values(draw(random, 400_000)) for _ in range(1 + rows // 1000)], axis=0)
    groups = Groups(np.arange(rows) // size, rows // size) if size else None
    held = np.zeros((2, 5))
    for _ in range(sets):
        pairs = draw(random, rows)
        of_sample = values(pairs)
        for k, (low, high) in enumerate(limits(pairs, groups)):
            if low is None or high is None:
                continue
            normal = by_normal(of_sample[k], rows, NAMES[k])
            held[k] += (
                1,
                low <= truth[k] <= high,
                low > truth[k],
                high < truth[k],
                normal[0] <= truth[k] <= normal[1],
            )
    for existing, *counts in held:
        yield existing / sets, *(count / existing for count in counts)


def of_independent_rows(sets: int, *numbers: int) -> None:
    for name, draw in DESIGNS.items():
        for rows in numbers:
            for label, row in zip(NAMES, coverage(draw, rows, 1, sets, rows), strict=True):
                print(label, name, rows, 1, *(f"{number:.3f}" for number in row), flush=True)


def of_dependent_rows(sets: int) -> None:
    for memory in (0.0, 0.5, 0.8):
        for points in (30, 60, 120, 400):
            table = coverage(series(memory), points, 0, sets, points)
            for label, row in zip(NAMES, table, strict=True):
                print(label, f"time, {memory}", points, *(f"{n:.3f}" for n in row), flush=True)
    for name in ("normal, 0.5", "normal, 0.9", "heavy tails"):
        for rows in (100, 200, 400):
            table = coverage(in_groups(DESIGNS[name], 0.4), rows, 10, sets, rows)
            for label, row in zip(NAMES, table, strict=True):
                print(label, name, rows, 10, *(f"{number:.3f}" for number in row), flush=True)


def main(sets: str = "1000", *numbers: str) -> None:
    print("design, rows, rows of a group: exist, hold, too high, too low, hold by the normal")
    of_independent_rows(int(sets), *(map(int, numbers) if numbers else (10, 30, 120, 300, 1000)))
    if not numbers:
        of_dependent_rows(int(sets))


if __name__ == "__main__":
    main(*sys.argv[1:])
