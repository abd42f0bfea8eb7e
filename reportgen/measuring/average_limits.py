"""Limits of averages over classes: square-and-add of those of classes, Wilson of pooled counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Effect
from reportgen.intervals import normal_quantile
from reportgen.intervals.delta import SQUARES, evaluating, influences, relative_slopes
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.metric_names import CELLS
from reportgen.metrics import METRICS
from reportgen.metrics.class_means import AVERAGED
from reportgen.tables.results import MetricRow

Variance = Callable[[Floats], Floats]
"""From gradients by the counts (average × class × cell) to the variance of each average.

That of rows in groups is inflated by Student's t for limits of one confidence.
"""

_NO_VARIANCE = 1e-20
"""Variances of measures, which are at most 1, that are rounding."""

_EVALUATE = evaluating({name: METRICS[name].build() for name in AVERAGED})


@dataclass(frozen=True)
class ClassLimits:
    """How far the limits of each class are from its value, and its variance: measure × class.

    ``inflation`` is what groups do to the variance of each, 1 of independent rows;
    ``confidence`` that of the limits.
    """

    below: Floats
    above: Floats
    variance: Floats
    inflation: Floats
    confidence: float

    @classmethod
    def of(
        cls,
        number: MetricSubject,
        counts: pl.DataFrame,
        rows: Sequence[MetricRow],
        effects: Sequence[Mapping[str, Effect]],
    ) -> ClassLimits:
        """From the counts of each class, and its measures with their limits."""
        by_class = {(row["metric"], row["class"]): row for row in rows}
        of_measure = [[by_class[name, label] for label in counts["class"]] for name in AVERAGED]
        value, low, high = (
            np.array([[row[key] for row in of] for of in of_measure], dtype=np.float64)
            for key in ("value", "low", "high")
        )
        table = counts.select(CELLS).cast(pl.Float64).to_numpy()
        squares = table
        if set(SQUARES) <= set(counts.columns):
            squares = counts.select(SQUARES).cast(pl.Float64).to_numpy()
        with np.errstate(invalid="ignore"):
            variance = (squares[:, None] * influences(_EVALUATE, table) ** 2).sum(axis=2).T
        inflation, confidence = np.ones_like(variance), number.confidence
        if effects:
            inflation = np.array([[e[n].inflation(confidence) for e in effects] for n in AVERAGED])
        return cls(value - low, high - value, variance * inflation, inflation, confidence)


def average_limits(
    counts: pl.DataFrame,
    values: Floats,
    variance: Variance,
    classes: ClassLimits,
) -> tuple[Floats, Floats]:
    """Lower and upper limit of each average: measure × (macro, weighted, micro).

    Macro and weighted: square-and-add with the correlations of the classes. Of
    θ = Σ w_i m_i the lower limit is θ − √(Σ_ij w_i w_j ρ_ij (m_i − l_i)(m_j − l_j)),
    with l_i the lower limit of class i and ρ from the delta method; a class without
    variance, whose m_i is 0 or 1, adds its distance alone. As a mean of more classes is
    less skewed, what a distance differs from z standard errors is divided by the root of
    the number of classes, counted by their parts of the variance. The upper limit is alike.
    What the weights vary adds its variance. Micro: Wilson's limits of a share of as
    many rows as have the variance of the delta method. NaN where it is undefined.
    Zou & Donner (2008), doi:10.1002/sim.3095; Takahashi et al. (2022),
    doi:10.1007/s10489-021-02635-5.
    """
    table = counts.select(CELLS).cast(pl.Float64).to_numpy()
    support = table[:, 0] + table[:, 2]
    total, number = support.sum() or np.nan, len(table)
    class_gradients = _gradients(table, relative_slopes(_EVALUATE, table).transpose(1, 0, 2))
    shares = np.array([np.full(number, 1 / number), support / total])
    # A weighted average varies by the supports of its classes, too: true positives and false
    # negatives.
    support_gradients = np.zeros((len(AVERAGED), 2, number, len(CELLS)))
    by_support = np.nan_to_num((_EVALUATE(table).T - values[:, 1, None]) / total)
    support_gradients[:, 1, :, 0] = support_gradients[:, 1, :, 2] = by_support
    half_widths = [
        _half_widths(of_classes, class_gradients, support_gradients, shares, variance, classes)
        for of_classes in (classes.below, classes.above)
    ]
    pooled = _micro(table, counts, values[:, 2], variance, classes)
    low, high = (
        np.column_stack([values[:, :2] + side * half_width, end])
        for side, half_width, end in zip((-1, 1), half_widths, pooled, strict=True)
    )
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def _gradients(table: Floats, slopes: Floats) -> Floats:
    """Slopes by counts from those by their logarithms; 0 by empty cells."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(table > 0, slopes / table, 0.0)


def _half_widths(
    of_classes: Floats,
    class_gradients: Floats,
    support_gradients: Floats,
    shares: Floats,
    variance: Variance,
    classes: ClassLimits,
) -> Floats:
    """How far a limit of each average is from it, from those of the classes (measure × class)."""
    z, varies = normal_quantile(classes.confidence), classes.variance > _NO_VARIANCE
    included = shares[:, None] * np.ones_like(of_classes) > 0  # average × measure × class
    with np.errstate(invalid="ignore", divide="ignore"):
        skewness = np.where(varies, of_classes / (z * np.sqrt(classes.variance)) - 1, 0.0)
        parts = np.where(included, np.square(shares[:, None]) * classes.variance, 0.0)
        effective_classes = parts.sum(axis=2) ** 2 / np.square(parts).sum(axis=2)
    root = np.sqrt(np.maximum(np.nan_to_num(effective_classes), 1))[..., None]
    scale = np.where(varies, 1 + skewness / root, 0.0)
    gradients = class_gradients * (scale * shares[:, None])[..., None]
    gradients = np.where(included[..., None], gradients, 0.0).transpose(1, 0, 2, 3)
    gradients += support_gradients
    flat = gradients.reshape(-1, *gradients.shape[2:])
    spread = variance(flat).reshape(gradients.shape[:2])
    without_variance = np.where(included & ~varies, shares[:, None] * of_classes, 0.0)
    with np.errstate(invalid="ignore"):
        result: Floats = np.sqrt(z**2 * spread + (without_variance**2).sum(axis=2).T)
    return result


def _micro(
    table: Floats,
    counts: pl.DataFrame,
    values: Floats,
    variance: Variance,
    classes: ClassLimits,
) -> tuple[Floats, Floats]:
    """Limits of measures of pooled counts, as of shares of so many rows."""
    pooled = table.sum(axis=0)
    slopes = relative_slopes(_EVALUATE, pooled[None])[0]
    of_count = np.repeat(_gradients(pooled, slopes)[:, None], len(table), axis=1)
    of_count = np.where(table > 0, of_count, 0.0)
    spread = variance(of_count)
    rows = table[0].sum()
    if set(SQUARES) <= set(counts.columns):
        rows = rows**2 / counts.select(pl.sum_horizontal(SQUARES)).row(0)[0]
    of_measure = np.array([_denominator(pooled, name) for name in AVERAGED])
    with np.errstate(invalid="ignore", divide="ignore"):
        equivalent = values * (1 - values) / spread
        fewest = np.minimum(rows, of_measure) / classes.inflation.max(axis=1)
    edge = (values <= 0) | (values >= 1) | ~(spread > _NO_VARIANCE)
    trials = np.where(np.isnan(spread), np.nan, np.where(edge, fewest, equivalent))
    trials = np.where(np.isfinite(trials), trials, np.nan)
    return modified_wilson(np.clip(values, 0, 1), trials, classes.confidence)


def _denominator(pooled: Floats, name: str) -> float:
    """The pooled counts that a measure is a share of: all but true negatives, or some of them."""
    cells = getattr(METRICS[name].interval, "cells", ("tp", "fp", "fn"))
    return float(sum(pooled[CELLS.index(cell)] for cell in cells))
