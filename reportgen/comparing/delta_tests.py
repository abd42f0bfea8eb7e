"""The test by the delta method of a measure of counts: where enough rows are unlike for it.

The rates are those of ``tests.simulations.unlike_decisions`` (``docs/levels.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparing.exchanged_outputs import OF_CHANCE
from reportgen.comparing.values_of_counts import (
    TWO,
    cells_of_labels,
    contributions,
    of_decisions,
    of_label_counts,
    of_table,
)
from reportgen.comparisons import Comparison, Question
from reportgen.comparisons.delta_method import NAME, delta_method
from reportgen.comparisons.row_contributions import Contributions
from reportgen.measuring.cell_slopes import BALANCE, GAIN, SMOOTH
from reportgen.measuring.context import EvaluationContext
from reportgen.metric_names import CELLS, parted
from reportgen.metrics import Metric, cells_of_share
from reportgen.metrics.settings import MetricArguments, MetricSettings
from reportgen.predictions.column_names import columns_of

OF_TWO = (0, 1)
"""The places of two classes."""

LEAST_UNLIKE_OF_CLASS = 20
"""With fewer rows of either of two classes that are unlike, those of a kind may all be missing.

Of one score cut at two thresholds 0.1 to 0.6 of true nulls were rejected where there were under 5.
"""

LEAST_UNLIKE = 30
"""The same of all rows, of several classes or labels."""

LEAST_OF_CLASS = 8
"""A class, or label, with fewer rows or predictions is sparse."""

LEAST_GROUPS = 15
"""The same of groups with such rows or predictions."""

MOST_SPARSE = 0.2
"""A mean over classes may have so many sparse ones: of half of them it rejected up to 0.11."""

FEW_IN_CELL = 10
"""With fewer rows in a cell of two classes ratios and roots of it are far from straight lines.

The prevalence threshold rejected 0.11 and 0.17 of true nulls of models with two false positives.
"""

NEARLY_STRAIGHT = OF_CHANCE | {"markedness", "informedness", "jaccard", "lift", "braun_blanquet"}
"""Measures beside shares and means of rates that are no such functions."""

MOST_CELLS = 2_000
"""Of more cells the slopes are not computed."""

NOT_SMOOTH = "the measure is not a smooth function of counts"
NO_SLOPE = "the measure is undefined for a model, or has no slope"
TOO_MANY = f"more than {MOST_CELLS:,} cells of the confusion matrix have rows"
FEW_UNLIKE = f"the models differ in fewer than {LEAST_UNLIKE} {{}}"
FEW_UNLIKE_OF_CLASS = f"the models differ in fewer than {LEAST_UNLIKE_OF_CLASS} {{}} of a class"
FEW_OF_A_KIND = f"a model has fewer than {FEW_IN_CELL} rows of one of the four outcomes"
SPARSE = "more than a fifth of the classes or labels have fewer than {} {}"


def is_smooth(metric: Metric) -> bool:
    """Whether a measure is a smooth function of counts, away from the ends of its range.

    >>> from reportgen.metrics import METRICS
    >>> [is_smooth(METRICS[name]) for name in ("f1", "accuracy_gain", "mutual_information")]
    [True, False, False]
    """
    if metric.at_kink or metric.name in (GAIN, BALANCE):
        return False
    return metric.name in SMOOTH or (metric.group == "decision" and metric.interval is not None)


@dataclass(frozen=True)
class DecidedRows:
    """The truth of each row and what a model predicts: the place of a class, or row × label.

    Of two classes the positive one is 1. ``classes`` is the number of classes; null of labels.
    """

    truth: Integers
    predicted: Integers
    classes: int | None
    weights: Floats | None = None

    def fewest(self, groups: Groups | None) -> Integers:
        """Of each class, or label, the fewer of its rows and of those predicted to be of it.

        Of rows in groups of the groups that have some.
        """
        sides = (self._holding(side, groups) for side in (self.truth, self.predicted))
        fewest: Integers = np.minimum(*sides)
        return fewest

    def _holding(self, side: Integers, groups: Groups | None) -> Integers:
        """How many rows, or groups, have each class or label."""
        code = np.arange(len(side)) if groups is None else groups.code
        if self.classes is None:
            row, place = np.nonzero(side)
            code, size = code[row], side.shape[1]
        else:
            place, size = side, self.classes
        of_class: Integers = np.bincount(np.unique(code * size + place) % size, minlength=size)
        return of_class

    def contributions(self, metric: Metric, costs: MetricSettings) -> Contributions | None:
        """What each row contributes to a measure; null of too many cells."""
        if self.classes is None:
            size = self.truth.shape[1]
            cells = cells_of_labels(self.truth, self.predicted)
            added, value = np.full(len(CELLS) * size, TWO), of_label_counts(metric, size)
        elif metric.task == "binary" and metric.on == "counts":
            cells = cells_of_labels(self.truth[:, None], self.predicted[:, None])
            added, value = np.full(len(CELLS), TWO), of_decisions(metric, costs)
        else:
            occupied, added = self._occupied(self.classes)
            cells = np.searchsorted(occupied, self.truth * self.classes + self.predicted)[:, None]
            value = of_table(metric, self.classes, occupied, costs)
        few = len(added) <= MOST_CELLS
        return contributions(value, cells, added, self.weights) if few else None

    def _occupied(self, size: int) -> tuple[Integers, Floats]:
        """The cells of the table with rows, and what is added to each: two rows right and wrong.

        Of each class that is predicted; the wrong ones are spread over its errors, and without any
        they are of the most frequent other class.
        """
        truth = np.bincount(self.truth, minlength=size)
        table = np.bincount(self.truth * size + self.predicted, minlength=size**2)
        table = table.reshape(size, size)
        errors = np.where(np.eye(size, dtype=bool), 0, table)
        for k in np.flatnonzero((errors.sum(axis=0) == 0) & (table.sum(axis=0) > 0)):
            errors[np.argmax(np.where(np.arange(size) == k, -1, truth)), k] = 1
        added = TWO * errors / np.maximum(errors.sum(axis=0), 1)
        added[np.diag_indices(size)] = TWO * (np.diag(table) > 0)
        occupied = np.flatnonzero((table + errors).ravel())
        return occupied, added.ravel()[occupied]


class DecidedModels:
    """The decisions of the models of an evaluation, and what is computed once for all pairs.

    ``decided`` gives the rows of a model: of many labels they take more memory than the report.
    """

    def __init__(
        self,
        decided: Callable[[str], DecidedRows],
        groups: Groups | None,
        costs: MetricSettings | None = None,
    ) -> None:
        self._decided = cache(decided)
        self._groups = None if groups is None or groups.single else groups
        self._costs: MetricSettings = costs or MetricArguments()
        self._known: dict[tuple[str, str], Contributions | None] = {}
        self._fewest: dict[str, Integers] = {}

    def test(self, metric: Metric, question: Question) -> Comparison:
        """The test of the difference; undefined where it would not hold its level."""
        first, second = (self._decided(name) for name in question.models)
        against = self._few_unlike(first, second) or self._sparse(metric.name, question.models)
        against = against or _few_in_cell(metric, first, second)
        if reason := against if is_smooth(metric) else NOT_SMOOTH:
            return question.record(NAME, undefined=reason)
        a, b = (self._of(name, metric) for name in question.models)
        if a is None or b is None:
            return question.record(NAME, undefined=TOO_MANY)
        both = np.concatenate([a.of_rows, b.of_rows, [a.value, b.value]])
        if not np.isfinite(both).all():
            return question.record(NAME, undefined=NO_SLOPE)
        return delta_method(a, b, question, self._groups)

    def _of(self, name: str, metric: Metric) -> Contributions | None:
        key = name, metric.name
        if key not in self._known:
            self._known[key] = self._decided(name).contributions(metric, self._costs)
        return self._known[key]

    def _few_unlike(self, first: DecidedRows, second: DecidedRows) -> str | None:
        """That the models differ in too few rows, or groups; of two classes in those of either."""
        unlike = first.predicted != second.predicted
        unlike = unlike.reshape(len(unlike), -1).any(axis=1)
        unit = "rows" if self._groups is None else "groups"
        if first.classes != len(OF_TWO):
            few = self._worth(unlike, first.weights) < LEAST_UNLIKE
            return FEW_UNLIKE.format(unit) if few else None
        least = min(self._worth(unlike & (first.truth == k), first.weights) for k in OF_TWO)
        return FEW_UNLIKE_OF_CLASS.format(unit) if least < LEAST_UNLIKE_OF_CLASS else None

    def _sparse(self, metric: str, models: Sequence[str]) -> str | None:
        """That too many classes or labels that a mean is over have few rows or predictions."""
        if parted(metric)[1] in ("weighted", "micro") or parted(metric)[0] in OF_CHANCE:
            return None
        for name in models:
            if name not in self._fewest:
                self._fewest[name] = self._decided(name).fewest(self._groups)
        fewest = np.minimum(*(self._fewest[name] for name in models))
        least, unit = LEAST_OF_CLASS, "rows or predictions"
        if self._groups is not None:
            least, unit = LEAST_GROUPS, "groups with rows or predictions"
        return SPARSE.format(least, unit) if (fewest < least).mean() > MOST_SPARSE else None

    def _worth(self, rows: Flags, weights: Floats | None) -> float:
        """How many rows of equal weight, or how many groups, these rows are worth."""
        if self._groups is not None:
            return len(np.unique(self._groups.code[rows]))
        if weights is None or not rows.any():
            return int(rows.sum())
        return float(weights[rows].sum() ** 2 / np.square(weights[rows]).sum())


def _few_in_cell(metric: Metric, first: DecidedRows, second: DecidedRows) -> str | None:
    """That a cell of a model has too few rows for a ratio or a root of it."""
    straight = metric.mean_of_rates or cells_of_share(metric.name) is not None
    if first.classes != len(OF_TWO) or straight or metric.name in NEARLY_STRAIGHT:
        return None
    tables = (np.bincount(2 * one.truth + one.predicted, minlength=4) for one in (first, second))
    return FEW_OF_A_KIND if min(table.min() for table in tables) < FEW_IN_CELL else None


def of_two_classes(
    context: EvaluationContext, frame: pl.DataFrame, models: Sequence[str]
) -> DecidedModels:
    """Two models of two classes, whose decisions a frame has as ``a`` and ``b``."""
    truth, *places = (frame[c].cast(pl.Int64).to_numpy() for c in ("truth", "a", "b"))
    weights, costs = context.weights_of(frame), context.error_costs
    decisions = {m: DecidedRows(truth, p, 2, weights) for m, p in zip(models, places, strict=True)}
    return DecidedModels(decisions.__getitem__, context.groups, costs)


def of_classes(context: EvaluationContext, predicted: Mapping[str, pl.Expr]) -> DecidedModels:
    """Models that give each row one of several classes."""
    rows, size = context.rows, len(context.predictions.classes)
    weights = context.weights_of(rows)
    truth = rows["truth"].cast(pl.Int64).to_numpy()

    def decided(model: str) -> DecidedRows:
        given = rows.select(m=predicted[model].cast(pl.Int64))["m"].to_numpy()
        return DecidedRows(truth, given, size, weights)

    return DecidedModels(decided, context.groups, {"costs": context.class_costs})


def of_labels(
    context: EvaluationContext, predicted: Mapping[str, Sequence[pl.Expr]]
) -> DecidedModels:
    """Models that give each row any labels."""
    rows = context.rows

    @cache
    def truth() -> Integers:
        given: Integers = rows.select(columns_of(rows.columns, "truth")).cast(pl.Int8).to_numpy()
        return given

    def decided(model: str) -> DecidedRows:
        labels = enumerate(predicted[model])
        given = rows.select(e.cast(pl.Int8).alias(str(k)) for k, e in labels).to_numpy()
        return DecidedRows(truth(), given, None, context.weights_of(rows))

    return DecidedModels(decided, context.groups)
