"""Differences in macro F1 of two models on the same rows, with limits by what each row adds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import (
    Groups,
    correction,
    degrees_of_freedom,
    effect_of_sums,
    sum_of_squares,
    variance_of_sum,
)
from reportgen.comparisons.paired import Mean
from reportgen.intervals.method_names import MethodName

METHOD = "influence t"

NO_VALUE = "a class has no value"
ALIKE = "the difference in macro F1 does not vary"

_ROUNDING = 1e-14


@dataclass(frozen=True)
class MacroF1:
    """The macro F1 of a model, and what each row adds to it, weights included."""

    value: float
    adds: Floats

    @classmethod
    def of_classes(
        cls, truth: Integers, predicted: Integers, classes: int, weights: Floats | None = None
    ) -> MacroF1:
        """Of rows that have one class, and are given one."""
        weight = np.ones(len(truth)) if weights is None else weights
        right = truth == predicted
        both, of_truth, of_predicted = (
            np.bincount(place, counts, classes).astype(np.float64)
            for place, counts in ((truth, weight * right), (truth, weight), (predicted, weight))
        )
        values, gained, lost = _of_classes(both, of_truth + of_predicted)
        adds = np.where(right, gained[truth], lost[truth] + lost[predicted])
        return cls(float(values.mean()), weight * adds / classes)

    @classmethod
    def of_labels(cls, truth: Flags, given: Flags, weights: Floats | None = None) -> MacroF1:
        """Of rows that have any labels, and are given any: row × label."""
        weight = np.ones(len(truth)) if weights is None else weights
        both, size = (
            (weight[:, None] * part).sum(axis=0)
            for part in (truth & given, truth.astype(np.float64) + given)
        )
        values, gained, lost = _of_classes(both, size)
        adds = np.where(truth & given, gained, 0.0) + np.where(truth ^ given, lost, 0.0)
        return cls(float(values.mean()), weight * adds.sum(axis=1) / truth.shape[1])


def _of_classes(both: Floats, size: Floats) -> tuple[Floats, Floats, Floats]:
    """F1 of each class, and its slopes by a true positive and by an error of either kind.

    F = 2·tp/D with D = 2·tp + fp + fn, which is NaN where the class has no rows and is given to
    none; the slopes are 2·(1 − F)/D and −F/D.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 2 * both / size
        return values, 2 * (1 - values) / size, -values / size


def between(first: MacroF1, second: MacroF1, groups: Groups | None = None) -> Mean:
    """The first macro F1 less the second, with its standard error.

    Formula: t standard errors, with error² the variance of the sum of what the rows add to the
    difference, of groups their sums, and as many degrees of freedom as the fourth powers say of
    the difference or of either model, whichever are fewest: few where the models rarely differ.
    Undefined where a class has neither rows nor predictions, or nothing varies. Hampel (1974),
    doi:10.1080/01621459.1974.10482962; Pan & Wall (2002), doi:10.1002/sim.1142.
    """
    value = first.value - second.value
    if math.isnan(value):
        return Mean(None, 0.0, 0.0, NO_VALUE)
    columns = of_rows = [first.adds - second.adds, first.adds, second.adds]
    if groups is not None:
        columns = [groups.sums(adds) for adds in columns]
    noise = _ROUNDING * max(np.abs(adds).max() for adds in columns)
    if len(columns[0]) < 2 or not np.abs(columns[0]).max() > noise:
        return Mean(value, 0.0, 0.0, ALIKE)
    freedom = min(degrees_of_freedom(adds) for adds in columns if adds.any())
    method = str(MethodName(METHOD, None if groups is None else "groups"))
    variance = variance_of_sum(columns[0])
    if groups is not None:
        squares, rows = sum_of_squares(of_rows[0]), groups.rows
        effect = effect_of_sums(columns[0], squares, rows, groups.sizes)
        variance = effect.design * squares * correction(rows)
        freedom = min(freedom, effect.degrees_of_freedom)
    return Mean(value, math.sqrt(variance), freedom, interval=method)
