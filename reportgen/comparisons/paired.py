"""What the tests of paired numbers share: differences, and ties as they were meant.

Decimal numbers that differ by the same amount on paper differ by rounding in
binary. Ranks and signs are therefore those of whole steps of 1e-12 of the
largest number: equal differences are equal again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import numpy as np
import polars as pl
from scipy.special import stdtr, stdtrit

from reportgen.array_types import Floats
from reportgen.small_queries import selected

NOISE = 1e-12
"""Differences below this share of the largest number are rounding."""

DIFFERENCE = pl.col("first") - pl.col("second")
"""First minus second of a pair."""

_LARGEST = pl.max_horizontal(pl.col("first").abs().max(), pl.col("second").abs().max())


class PairedDifferences(NamedTuple):
    """Differences of pairs, and the same as whole steps of ``NOISE`` of the largest number.

    The steps are 0 where all numbers are.
    """

    values: Floats
    steps: Floats


def paired_differences(pairs: pl.DataFrame) -> PairedDifferences:
    """First minus second, in the order of the pairs; NaN where a value is missing."""
    first, second = (pairs[name].cast(pl.Float64).to_numpy() for name in ("first", "second"))
    values = first - second
    step = NOISE * max(float(np.fmax.reduce(np.abs(a), initial=0.0)) for a in (first, second))
    if not step > 0:
        return PairedDifferences(values, np.zeros(len(values)))
    steps = values / step
    return PairedDifferences(values, np.round(steps, out=steps))


class MeanTest(TypedDict):
    """Fields of a comparison: a two-sided t-test of 0 with the t interval of the mean."""

    statistic: float
    df: float
    p_value: float
    estimate: float
    low: float
    high: float
    interval: str


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean difference with its standard error and degrees of freedom.

    ``reason`` says why the error cannot be had, ``interval`` the name of its limits. ``observed``
    is the mean of the rows, where limits lie around one that further rows moved.
    """

    value: float | None
    error: float
    df: float
    reason: str | None = None
    interval: str = "t"
    observed: float | None = None

    @property
    def estimate(self) -> float:
        """What is printed: the mean of the rows."""
        return (self.value or 0.0) if self.observed is None else self.observed

    def test(self, confidence: float) -> MeanTest:
        """Fields of a two-sided t-test of 0 with the t interval of the mean."""
        mean = self.value or 0.0
        low, high = self.limits(confidence)
        return {
            "statistic": mean / self.error,
            "df": self.df,
            "p_value": 2 * float(stdtr(self.df, -abs(mean) / self.error)),
            "estimate": self.estimate,
            "low": low,
            "high": high,
            "interval": self.interval,
        }

    def limits(self, confidence: float) -> tuple[float, float]:
        """The t interval, which lies around the mean that further rows moved."""
        mean = self.value or 0.0
        half_width = float(stdtrit(self.df, (1 + confidence) / 2)) * self.error
        return mean - half_width, mean + half_width


def mean_difference(pairs: pl.DataFrame, inflation: float = 0.0, what: str = "differences") -> Mean:
    """Mean of first minus second with √(s²(1/n + inflation)) and n − 1 degrees of freedom.

    ``inflation`` is what overlapping training sets add (Nadeau & Bengio: test
    rows over training rows). A line stands for ``rows`` rows where there is such a column.
    """
    pairs = pairs.rechunk()  # sums are made by chunk, and threads leave chunks
    mean_of, spread_of = DIFFERENCE.mean(), DIFFERENCE.std(ddof=1)
    rows = pl.len()
    if "rows" in pairs.columns:
        rows = pl.col("rows").sum()
        mean_of = (DIFFERENCE * pl.col("rows")).sum() / rows
        away = (DIFFERENCE - mean_of) ** 2 * pl.col("rows")
        spread_of = pl.when(rows > 1).then((away.sum() / (rows - 1)).sqrt())
    columns = {"rows": rows, "mean": mean_of, "spread": spread_of, "largest": _LARGEST}
    n, mean, spread, largest = selected(pairs, columns).row(0)
    return mean_from(n, mean, spread, largest, inflation, what)


def mean_from(
    n: float,
    mean: float | None,
    spread: float | None,
    largest: float,
    inflation: float = 0.0,
    what: str = "differences",
) -> Mean:
    """The same from the number of differences, their mean and spread, and the largest number."""
    if n < 2 or mean is None or spread is None:
        return Mean(mean, 0.0, 0.0, f"fewer than two {what}")
    if spread <= NOISE * largest:
        same = "are all 0" if abs(mean) <= NOISE * largest else "do not vary"
        return Mean(mean, 0.0, n - 1.0, f"the {what} {same}")
    interval = "corrected t" if inflation else "t"
    return Mean(mean, spread * math.sqrt(1 / n + inflation), n - 1.0, interval=interval)
