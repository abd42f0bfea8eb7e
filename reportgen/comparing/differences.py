"""How far two models differ in each main measure, with intervals of paired rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import cast

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.comparisons import (
    Comparison,
    differences_of,
    joint_counts,
    probability_losses,
)
from reportgen.comparisons.balanced_decisions import RARE
from reportgen.comparisons.joint_cells import joint_counts_by_group
from reportgen.comparisons.paired import Mean
from reportgen.measuring.binary_model import BinaryModel, predicted_positive
from reportgen.measuring.bootstrap_intervals import bootstrap_settings
from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.costs import OWN_COSTS
from reportgen.measuring.decision_bits import DecisionBits
from reportgen.measuring.mean_losses import mean_losses
from reportgen.measuring.overlapping_folds import OverlappingFolds, overlapping_folds
from reportgen.measuring.precision_differences import PrecisionDifferences
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.row_losses import LOSSES
from reportgen.metrics.settings import ErrorCosts
from reportgen.predictions.fit_columns import fit_columns
from reportgen.resampling import bootstrap_pair
from reportgen.sample_design import SampleDesign
from reportgen.spec import Spec
from reportgen.spec.gates import parse
from reportgen.tables.comparisons import DifferenceRow
from reportgen.text.reasons import NO_SCORES

TwoModels = tuple[BinaryModel, BinaryModel]

REPEATED = "rows are evaluated more than once; the tests over folds and repeats allow for that"
OVERLAPPING = "only the exact engine has limits that allow for overlapping training sets"
AVERAGE_PRECISION = "average_precision"

FEW_PAIRS = 3
"""Of more pairs those with the best average precision alone have their difference in it."""

MOST_ROWS = 60_000
"""Of more rows, times pairs, only gates have the limits of the test of probability losses."""

NO_CLOSED_FORM = "no closed form; a gate on the difference uses the bootstrap"
NOT_RESAMPLED = "no closed form, and it is not resampled, as it is fitted to these rows"


def of_rows(
    context: EvaluationContext,
    models: Sequence[BinaryModel],
    decisions: DecisionBits | None,
) -> list[DifferenceRow]:
    """A row per pair and main measure: the baseline comes second.

    Measures of decisions have intervals from the joint counts, means over rows
    from the rows, and what else a gate asks for by the paired bootstrap: of
    whole groups, where rows have them. Average precision has limits by its influences where
    positives are rare, or a gate asks for it. Over folds whose training parts overlap
    the fits take the place of the groups, and the limits are stretched as those
    of the corrected t. ``decisions`` are those, of rows without weights.
    """
    both = list(pairs(models, context.baseline))
    gate_measures = [measures_of_gates(context.spec.gates, (a.name, b.name)) for a, b in both]
    named = frozenset().union(*gate_measures)
    requested = [m for m in METRICS.values() if m.core or m.name in named]
    requested += [METRICS[name] for name in sorted(named) if name not in set(METRICS)]
    reason = _reason(context)
    fits = overlapping_folds(context)
    closed = not reason or fits is not None
    by_pair = _closed_form(context, both, requested, decisions, fits) if closed else {}
    precisions = {} if reason or fits else _precisions(context, models, both, gate_measures)
    records = []
    for pair, gate_metrics in zip(both, gate_measures, strict=True):
        names = (pair[0].name, pair[1].name)
        for metric in (m for m in requested if m.core or m.name in gate_metrics):
            difference = by_pair.get(names, {}).get(metric.name)
            if metric.name == AVERAGE_PRECISION:
                difference = precisions.get(names, difference)
            if difference is None and reason:
                difference = {"undefined": reason}
            if difference is None:
                resampled = metric.name in gate_metrics
                difference = _without_closed_form(context, pair, metric, resampled=resampled)
            records.append(record(metric.name, names) | difference)
    return records


def _reads_the_top(context: EvaluationContext, models: Sequence[BinaryModel]) -> bool:
    """Whether positives are rare among rows of one fit, so that the top of the list counts."""
    positives, negatives = models[0].class_sizes if models else (0.0, 0.0)
    one_fit = not fit_columns(context.rows.columns)
    return one_fit and 0 < positives < RARE * (positives + negatives)


def _precisions(
    context: EvaluationContext,
    models: Sequence[BinaryModel],
    both: Sequence[TwoModels],
    gate_measures: Sequence[Collection[str]],
) -> dict[tuple[str, str], DifferenceRow]:
    """The differences in average precision that are asked for, of rows of one fit."""
    scored = [m for m in models if m.ranking is not None and m.both_classes]
    if fit_columns(context.rows.columns) or len(scored) < 2:
        return {}
    names = {m.name for m in scored}
    asked = [AVERAGE_PRECISION in named for named in gate_measures]
    differences = PrecisionDifferences(
        context.rows["truth"].to_numpy(),
        {m.name: context.rows[str(m.columns.score)].cast(pl.Float64).to_numpy() for m in scored},
        weights=context.weights_of(context.rows),
        groups=context.groups,
    )
    if _reads_the_top(context, scored):
        few = len(both) <= FEW_PAIRS
        best = None if few else max(sorted(names), key=lambda name: differences.of(name).value)
        named = [few or best in (a.name, b.name) for a, b in both]
        asked = [one or other for one, other in zip(asked, named, strict=True)]
    by_pair = {}
    for (a, b), is_asked in zip(both, asked, strict=True):
        if is_asked and {a.name, b.name} <= names:
            mean = differences.between(a.name, b.name)
            by_pair[a.name, b.name] = mean_record(mean, context.spec)
    return by_pair


def pairs(models: Sequence[BinaryModel], baseline: str | None) -> Iterator[TwoModels]:
    """Every pair in the order of the tests: differences are from the baseline."""
    yield from combinations(sorted(models, key=lambda model: model.name == baseline), 2)


def record(metric: str, models: Sequence[str]) -> DifferenceRow:
    """A row without a value."""
    return {
        "metric": metric,
        "models": list(models),
        "value": None,
        "low": None,
        "high": None,
        "interval": None,
        "undefined": None,
    }


def measures_of_gates(gates: Iterable[str], models: tuple[str, str]) -> set[str]:
    """The measures whose difference between two models is a gate."""
    parsed_gates = [parse(gate) for gate in gates]
    return {
        gate.left.metric
        for gate in parsed_gates
        if gate.right is not None
        and gate.left.metric == gate.right.metric
        and {gate.left.model, gate.right.model} == set(models)
    }


def _reason(context: EvaluationContext) -> str | None:
    """Why rows cannot be paired one by one."""
    if context.test_settings.unpaired:
        return context.test_settings.unpaired
    if context.repeats > 1:
        return REPEATED
    return None


def _closed_form(
    context: EvaluationContext,
    both: Sequence[TwoModels],
    metrics: Sequence[Metric],
    decisions: DecisionBits | None,
    fits: OverlappingFolds | None,
) -> dict[tuple[str, str], dict[str, DifferenceRow]]:
    """The measures of each pair that are had without resampling rows."""
    groups = context.groups if fits is None else fits.groups
    if OWN_COSTS & set(context.rows.columns):
        metrics = [m for m in metrics if m.group != "cost"]
    joint = [
        _joint(context, a, b) if decisions is None else decisions.joint(a.name, b.name)
        for a, b in both
    ]
    by_group = None
    if groups is not None:
        by_group = (_by_group(context, a, b, groups) for a, b in both)  # one pair's at a time
    counted = _of_counts(joint, metrics, context.spec, context.error_costs, by_group)
    means = {} if context.weight else _means(context, both, metrics, groups, fits)
    by_pair = {
        (a.name, b.name): by_metric | means.get((a.name, b.name), {})
        for (a, b), by_metric in zip(both, counted, strict=True)
    }
    if fits is None:
        return by_pair
    by_name = {(a.name, b.name): (a, b) for a, b in both}
    return {
        pair: {
            name: _over_fits(context, by_name[pair], name, fits.widened(row), len(both))
            for name, row in by_metric.items()
        }
        for pair, by_metric in by_pair.items()
    }


def _joint(context: EvaluationContext, first: BinaryModel, second: BinaryModel) -> pl.DataFrame:
    predicted = (predicted_positive(model.columns, model.threshold) for model in (first, second))
    return joint_counts(context.rows, *predicted, weight=context.weight)


def _by_group(context: EvaluationContext, a: BinaryModel, b: BinaryModel, groups: Groups) -> Floats:
    first, second = (
        predicted_positive(a.columns, a.threshold),
        predicted_positive(b.columns, b.threshold),
    )
    return joint_counts_by_group(context.rows, first, second, groups, weight=context.weight)


def _means(
    context: EvaluationContext,
    both: Sequence[TwoModels],
    metrics: Sequence[Metric],
    groups: Groups | None,
    fits: OverlappingFolds | None,
) -> dict[tuple[str, str], dict[str, DifferenceRow]]:
    """The measures that are means of a loss of each row.

    Of few rows, and where a gate asks, with limits that allow for sure and wrong predictions which
    these rows may lack: those of the test that page one has.
    """
    by_pair: dict[tuple[str, str], dict[str, DifferenceRow]] = {}
    scored = [p for p in both if all(m.columns.score is not None for m in p)]
    probable = {m.name: str(m.columns.score) for p in scored for m in p if m.probability}
    pairs_of = [(a.name, b.name) for a, b in scored if {a.name, b.name} <= probable.keys()]
    for metric in metrics:
        if metric.name not in LOSSES:
            continue
        means = mean_losses(context.rows, probable, pairs_of, metric.name, groups)
        for a, b in scored:
            mean = means.get((a.name, b.name))
            known = metric.otherwise if (a.name, b.name) in pairs_of else None
            difference: DifferenceRow = {"undefined": known or metric.undefined}
            if mean is not None:
                difference = mean_record(mean, context.spec)
                if fits is None and _allows_unseen(context, (a, b), metric.name, len(both)):
                    difference |= _with_unseen(context, (a, b), metric.name)
            by_pair.setdefault((a.name, b.name), {})[metric.name] = difference
    return by_pair


def _allows_unseen(context: EvaluationContext, pair: TwoModels, metric: str, pairs: int) -> bool:
    """Whether limits are those of the test: of few rows or of a gate, but not in order of time."""
    if "time" in context.rows.columns:
        return False
    asked = metric in measures_of_gates(context.spec.gates, (pair[0].name, pair[1].name))
    return asked or context.rows.height * pairs <= MOST_ROWS


def _over_fits(
    context: EvaluationContext, pair: TwoModels, metric: str, row: DifferenceRow, pairs: int
) -> DifferenceRow:
    """A row over folds; of probability losses with limits that allow for errors not seen, too."""
    probable = all(model.probability for model in pair)
    low, high = row.get("low"), row.get("high")
    if metric not in LOSSES or not probable or low is None or high is None:
        return row
    if not _allows_unseen(context, pair, metric, pairs):
        return row
    test = _test_of_losses(context, pair, metric)
    if test.low is None or test.high is None:
        return row | {"low": None, "high": None, "undefined": test.undefined}
    return row | {"low": min(low, test.low), "high": max(high, test.high)}


def _with_unseen(context: EvaluationContext, pair: TwoModels, metric: str) -> DifferenceRow:
    """The limits of the test of probability losses; none of losses that have no largest one."""
    test = _test_of_losses(context, pair, metric)
    of_test: DifferenceRow = {"low": test.low, "high": test.high, "interval": test.interval}
    return of_test | {"undefined": test.undefined}


def _test_of_losses(context: EvaluationContext, pair: TwoModels, metric: str) -> Comparison:
    first, second = (str(model.columns.score) for model in pair)
    question = context.test_settings.question((pair[0].name, pair[1].name), metric)
    weights = context.weights_of(context.rows)
    if weights is not None and float(np.ptp(weights)) == 0:
        weights = None
    frame = context.rows.select("truth", a=first, b=second)
    return probability_losses(frame, question, SampleDesign(weights, context.groups))


def mean_record(mean: Mean, spec: Spec) -> DifferenceRow:
    """A mean difference with its limits by t."""
    if mean.reason:
        return {"value": mean.value}
    test = mean.test(spec.confidence)
    return {
        "value": test["estimate"],
        "low": test["low"],
        "high": test["high"],
        "interval": test["interval"],
    }


def _without_closed_form(
    context: EvaluationContext, pair: TwoModels, metric: Metric, *, resampled: bool
) -> DifferenceRow:
    """What is not known without resampled rows: drawn where a gate asks, or why it is not."""
    if metric.group == "cost" and OWN_COSTS & set(context.rows.columns):
        return {"undefined": "costs differ by row"}
    probable = all(model.probability for model in pair)
    if resampled and context.weight and probable and metric.name in LOSSES:
        test = _test_of_losses(context, pair, metric.name)
        of_test: DifferenceRow = {"low": test.low, "high": test.high, "interval": test.interval}
        return {"value": test.estimate, **of_test, "undefined": test.undefined}
    if resampled and context.spec.bootstrap.replicates:
        return _resampled(context, pair, metric)
    no_scores = any(model.columns.score is None for model in pair)
    return {"undefined": NO_SCORES if no_scores else NO_CLOSED_FORM}


def _resampled(context: EvaluationContext, pair: TwoModels, metric: Metric) -> DifferenceRow:
    spec, score = context.spec, [model.columns.score for model in pair]
    scores = None if None in score else (str(score[0]), str(score[1]))
    if metric.on != "counts" and scores is None:
        return {"undefined": NO_SCORES}
    first, second = (predicted_positive(model.columns, model.threshold) for model in pair)
    table = bootstrap_pair(
        context.rows,
        [metric],
        scores=scores,
        predicted=(first, second),
        weight=context.weight,
        group=None if context.groups is None else "group",
        settings=context.error_costs,
        options=replace(bootstrap_settings(spec), methods=("percentile",)),
    )
    if table.is_empty():  # of a calibration that is fitted to the rows
        return {"undefined": NOT_RESAMPLED}
    row = table.row(0, named=True)
    undefined = None if row["value"] is not None else metric.undefined
    return {
        "value": row["value"],
        "low": row["low"],
        "high": row["high"],
        "interval": row["interval"],
        "undefined": undefined,
    }


def of_counts(
    joint: pl.DataFrame,
    metrics: Iterable[Metric],
    spec: Spec,
    costs: ErrorCosts,
    by_group: Floats | None = None,
) -> dict[str, DifferenceRow]:
    """Differences of those of the measures that are of decisions, by name."""
    groups = None if by_group is None else [by_group]
    return _of_counts([joint], metrics, spec, costs, groups)[0]


def _of_counts(
    joints: Sequence[pl.DataFrame],
    metrics: Iterable[Metric],
    spec: Spec,
    costs: ErrorCosts,
    by_group: Iterable[Floats] | None = None,
) -> list[dict[str, DifferenceRow]]:
    tables = differences_of(
        joints,
        metrics,
        confidence=spec.confidence,
        shares=spec.intervals.differences,
        settings=costs,
        by_group=by_group,
    )
    return [
        {str(row.pop("metric")): cast("DifferenceRow", row) for row in table.to_dicts()}
        for table in tables
    ]
