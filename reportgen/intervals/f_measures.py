"""Score limits of F-beta, from the three cells that it depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import EffectAt
from reportgen.intervals.modified_wilson import one_sided
from reportgen.intervals.shapes import (
    FEW_OF_A_SIDE,
    ArrayInterval,
    ArrayLimits,
    EstimateArrays,
    FromFrame,
    Interval,
    kish_size,
    normal_quantile,
)

CELLS = ("tp", "fp", "fn")
_BISECTIONS = 50


@dataclass(frozen=True, slots=True)
class FMeasure(ArrayInterval, FromFrame):
    """``f_measure_limits`` of the counts; ``classical`` is the interval of ``ratios: delta``.

    Rows with unequal weights are worth as many as have the variance of ln(F / (1 − F)), which
    needs the columns ``tp2`` … of squared weights, and where either side is worth fewer than
    ``FEW_OF_A_SIDE`` rows at most Kish's (Σw)² / Σw².
    Kish (1965), *Survey Sampling*, 11.7; Korn & Graubard (1998), *Survey Methodology* 24, 193-201.
    """

    items: ClassVar[int] = 4
    beta: float
    classical: Interval
    name: str = "f measure score"

    @property
    def spread_type(self) -> pl.DataType:
        """The three counts, and β²."""
        return pl.List(pl.Float64)

    @property
    def spread(self) -> pl.Expr:
        """The rows of equal weight in the three cells, and β²."""
        items = self.spread_items
        return pl.when(items[0].is_not_null()).then(pl.concat_list(*items))

    @property
    def spread_items(self) -> tuple[pl.Expr, ...]:
        """The items of the spread; null where there are no rows."""
        tp, fp, fn = (pl.col(cell).cast(pl.Float64) for cell in CELLS)
        tp2, fp2, fn2 = (pl.col(f"{cell}2").cast(pl.Float64) for cell in CELLS)
        squared = self.beta**2
        errors = squared * fn + fp
        alike, weighted = ((squared**2 * n + p) / errors**2 for n, p in ((fn, fp), (fn2, fp2)))
        robust = (1 / tp + alike) / (tp2 / tp**2 + weighted)
        few = pl.min_horizontal(tp**2 / tp2, 1 / weighted) < FEW_OF_A_SIDE
        kish = kish_size(CELLS) / pl.sum_horizontal(*CELLS)
        factor = (
            pl.when((tp <= 0) | (errors <= 0))
            .then(kish)
            .when(few)
            .then(pl.min_horizontal(kish, robust))
            .otherwise(robust)
        )
        return tp * factor, fp * factor, fn * factor, pl.lit(squared)

    def inflated(self, spread: Any, effect: EffectAt) -> Any:
        """So many independent rows are worth as much."""
        return [*(count / effect.inflation for count in spread[:3]), spread[3]]

    def ends(self, estimates: EstimateArrays) -> ArrayLimits:
        """Lower and upper limit, which the counts of the spread alone decide."""
        tp, fp, fn, squared = estimates.spread
        return f_measure_limits(tp, fp, fn, squared, estimates.confidence)


def f_measure_limits(
    tp: Floats, fp: Floats, fn: Floats, squared: Floats, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Score limits of F-beta, ``squared`` being β²; NaN where it is undefined.

    All f with Sλ ≤ z², where S = a·TP − b·FN − c·FP with a = (1 + β²)(1 − f), b = β²f and
    c = f, whose mean is 0 where F is f, and λ = S / (n·V) with V the variance of a row at the
    most likely cells of that mean: the smaller root of
    abc(TP + FP + FN)·λ² − (a(b + c)TP + b(a − c)FN + c(a − b)FP)·λ + S = 0. For β = 1 these are
    Wilson's limits of TP / (TP + FP + FN), turned into those of F. They are moved out as those of
    ``modified_wilson`` are, with the errors by Kish's number.
    Owen (1988), doi:10.1093/biomet/75.2.237; Wilson (1927), doi:10.1080/01621459.1927.10502953;
    Brown, Cai & DasGupta (2001), 4.1.1, doi:10.1214/ss/1009213286.

    >>> low, high = f_measure_limits(*np.array([[8.0], [2.0], [2.0], [1.0]]))
    >>> low.round(3), high.round(3)  # modified Wilson's of 8 of 12 are 0.391 and 0.878
    (array([0.562]), array([0.935]))
    """
    weight, tail = 1 + squared, 1 - confidence
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = squared * fn + fp
        value = weight * tp / (weight * tp + errors)
        low, high = _score(tp, fp, fn, squared, value, normal_quantile(confidence) ** 2)
        number = np.where(errors > 0, errors**2 / (squared**2 * fn + fp), 0.0)
        ratio = np.where(errors > 0, errors / number, 1.0) / weight
        rows = tp + number  # of which the true positives are a share, with odds of ratio · F's
        share, rest = _scaled(low, ratio), _scaled(1 - high, 1 / ratio)
        low = _scaled(one_sided(share, tp, rows, tail), 1 / ratio)
        high = 1 - _scaled(one_sided(rest, number, rows, tail), ratio)
    low, high = np.where(value <= 0, 0.0, low), np.where(value >= 1, 1.0, high)
    return np.where(np.isnan(value), np.nan, low), np.where(np.isnan(value), np.nan, high)


def _scaled(share: Floats, ratio: Floats) -> Floats:
    """The share whose odds are those of this one times the ratio."""
    return ratio * share / (ratio * share + 1 - share)


def _score(
    tp: Floats, fp: Floats, fn: Floats, squared: Floats, value: Floats, most: float
) -> tuple[Floats, Floats]:
    """The least and the largest f whose score is at most ``most``, by bisection."""
    inside, outside = (
        np.stack([value, value]),
        np.stack([np.zeros_like(value), np.ones_like(value)]),
    )
    weight, rows = 1 + squared, tp + fp + fn
    linear, slope = weight * tp, weight * tp + squared * fn + fp
    for _ in range(_BISECTIONS):
        middle = (inside + outside) / 2
        a, b = weight * (1 - middle), squared * middle
        score = linear - middle * slope
        first = a * weight * middle * tp + b * (a - middle) * fn + middle * (a - b) * fp
        root = np.sqrt(np.maximum(first**2 - 4 * a * b * middle * rows * score, 0.0))
        held = 2 * score**2 <= most * (first + root)
        inside, outside = np.where(held, middle, inside), np.where(held, outside, middle)
    low, high = (inside + outside) / 2
    return low, high
