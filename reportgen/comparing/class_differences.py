"""Differences in macro F1 between models of several classes or labels, in the main results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import (
    Groups,
    correction,
    degrees_of_freedom,
    effect_of_sums,
    sum_of_squares,
    variance_of_sum,
)
from reportgen.comparing.differences import FEW_PAIRS, mean_record, record
from reportgen.comparisons.paired import Mean
from reportgen.intervals.method_names import MethodName
from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.overlapping_folds import overlapping_folds
from reportgen.measuring.precision_differences import METHOD
from reportgen.measuring.time_blocks import by_block, in_blocks
from reportgen.predictions.column_names import columns_of
from reportgen.tables.comparisons import DifferenceRow

MACRO_F1 = "macro_f1"


def of_classes(context: EvaluationContext, predicted: Mapping[str, pl.Expr]) -> list[DifferenceRow]:
    """The rows of models that give each row one class; none where rows cannot be paired."""
    if not _are_paired(context, predicted):
        return []
    rows = context.rows
    truth = rows["truth"].cast(pl.Int64).to_numpy()
    given = rows.select(e.cast(pl.Int64).alias(m) for m, e in predicted.items())
    size, weights = len(context.predictions.classes), context.weights_of(rows)
    models = {m: MacroF1.of_classes(truth, given[m].to_numpy(), size, weights) for m in predicted}
    return _between(context, models)


def of_labels(
    context: EvaluationContext, predicted: Mapping[str, Sequence[pl.Expr]]
) -> list[DifferenceRow]:
    """The rows of models that give each row any labels; none where rows cannot be paired."""
    if not _are_paired(context, predicted):
        return []
    rows = context.rows
    truth = rows.select(columns_of(rows.columns, "truth")).cast(pl.Boolean)
    models, weights = {}, context.weights_of(rows)
    for model, labels in predicted.items():
        given = rows.select(e.cast(pl.Boolean).alias(str(k)) for k, e in enumerate(labels))
        models[model] = MacroF1.of_labels(truth.to_numpy(), given.to_numpy(), weights)
    return _between(context, models)


def _are_paired(context: EvaluationContext, models: Mapping[str, object]) -> bool:
    """Whether all models have an output for the same rows, each of which stands once."""
    return len(models) > 1 and not context.test_settings.unpaired and context.repeats == 1


def _between(context: EvaluationContext, models: Mapping[str, MacroF1]) -> list[DifferenceRow]:
    """A row per pair, of many those with the best model: the baseline comes second.

    Over folds whose training parts overlap the fits take the place of the groups.
    """
    fits = overlapping_folds(context)
    groups = in_blocks(context).groups if fits is None else fits.groups
    both = [*combinations(sorted(models, key=lambda name: name == context.baseline), 2)]
    if len(both) > FEW_PAIRS:
        best = max(models, key=lambda name: np.nan_to_num(models[name].value, nan=-1.0))
        both = [pair for pair in both if best in pair]
    rows = []
    for pair in both:
        mean = between(models[pair[0]], models[pair[1]], groups)
        row = record(MACRO_F1, pair)
        row |= mean_record(mean, context.spec)
        if mean.value is None:
            row["undefined"] = mean.reason
        row = row if fits is None else fits.widened(row)
        rows.append(row | {"interval": by_block(row["interval"], context)})
    return rows


LEAST_ROWS = 15
"""Of fewer rows limits leave out 0 too often where models are alike: of 5 in 0.09 to 0.13 of the
samples, of 8 to 12 in up to 0.072, of 15 to 30 in up to 0.065."""

NO_VALUE = "a class or label has no value"
ALIKE = "the difference in macro F1 does not vary"
FEW_ROWS = f"there are fewer than {LEAST_ROWS} rows"

LEAST_OF_CLASS = 8
"""Where a class or label has 1 row, limits leave out 0 in up to 0.28 of the samples of models that
are alike, of 2 rows in 0.16, of 4 in 0.10, of 6 in 0.07, of 8 and more in 0.04 to 0.06."""

FEW_OF_CLASS = f"a class or label has fewer than {LEAST_OF_CLASS} rows"

_ROUNDING = 1e-14


@dataclass(frozen=True)
class MacroF1:
    """The macro F1 of a model, and what each row adds to it, weights included.

    ``fewest`` are the rows of the rarest class or label, at least 1.
    """

    value: float
    adds: Floats
    fewest: int = LEAST_OF_CLASS

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
        return cls(float(values.mean()), weight * adds / classes, _fewest(np.bincount(truth)))

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
        adds = weight * adds.sum(axis=1) / truth.shape[1]
        return cls(float(values.mean()), adds, _fewest(truth.sum(axis=0)))


def _fewest(rows: Integers) -> int:
    """The rows of the rarest class that has any."""
    return int(min((count for count in rows.tolist() if count), default=0))


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
    Undefined where a class has neither rows nor predictions, or nothing varies, and without limits
    of fewer than ``LEAST_ROWS`` rows, or ``LEAST_OF_CLASS`` of a class or label. Hampel (1974),
    doi:10.1080/01621459.1974.10482962; Pan & Wall (2002), doi:10.1002/sim.1142.
    """
    value = first.value - second.value
    if math.isnan(value):
        return Mean(None, 0.0, 0.0, NO_VALUE)
    if len(first.adds) < LEAST_ROWS:
        return Mean(value, 0.0, 0.0, FEW_ROWS)
    if first.fewest < LEAST_OF_CLASS:
        return Mean(value, 0.0, 0.0, FEW_OF_CLASS)
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
