"""Two classes, from counts: what the results hold."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing import differences
from reportgen.comparing.compare import PairData, compared, several
from reportgen.comparing.dominances import dominances
from reportgen.comparisons import AreaCovariance, Comparison, ExpectedCosts, Pairs
from reportgen.engines.partial import ALL, VALIDATION
from reportgen.engines.plan import MOST_VALUES, Plan
from reportgen.intervals.method_names import Allowance
from reportgen.measuring import slices
from reportgen.measuring.binary_model import BinaryModel, evaluate_metrics
from reportgen.measuring.bootstrap_intervals import bootstrap_settings, filled, resampled_measures
from reportgen.measuring.context import TaskResults
from reportgen.measuring.curve_tables import curves
from reportgen.measuring.losses import Losses
from reportgen.measuring.ranking_limits import in_closed_form, limits_of_ranking
from reportgen.measuring.region_limits import limits_of_regions, regional
from reportgen.measuring.significance_settings import TestSettings
from reportgen.measuring.threshold_change import of_counts
from reportgen.measuring.thresholds import Threshold, choose
from reportgen.metrics import METRICS
from reportgen.metrics.settings import ErrorCosts
from reportgen.predictions import ModelColumns
from reportgen.records.decision import ThresholdChange
from reportgen.records.model import typed
from reportgen.records.rows import SkippedRecord
from reportgen.resampling import bootstrap_counts, bootstrap_sweep
from reportgen.results import binary
from reportgen.results.binary_records import (
    DEPENDENT,
    model_record,
    skipped_parts,
    truth_record,
)
from reportgen.results.binned.bounds import bounded, with_half_widths
from reportgen.results.binned.counts import EvaluationCounts
from reportgen.results.binned.covariance import area_covariance, cost_covariance, placements
from reportgen.results.binned.covariance import costs as cost_parts
from reportgen.results.binned.forecasts import forecasts
from reportgen.results.binned.group_counts import Placed
from reportgen.results.binned.grouped_models import (
    effects_of_groups,
    joint_by_group,
    loss_differences,
)
from reportgen.results.binned.grouped_shares import evidence_by_weight, evidence_in_groups
from reportgen.results.binned.slicings import slicings
from reportgen.results.binned.sweeps import Sweeps, sweeps
from reportgen.spec import Choice, Spec
from reportgen.spec.option_groups import Resampling
from reportgen.sweeping import as_ranking, bins
from reportgen.tables import Slices
from reportgen.tables.comparisons import DifferenceRow
from reportgen.tables.results import MetricRow, SliceSizeRow

UNLIMITED = "intervals of calibration lines, best thresholds and expected total costs"
NOT_BY_GROUP = "they need the scores of each group, of which only sums are counted"
"""What has no limits where rows come in groups."""

COUNTED = "it needs the rows, of which only counts are available"


@dataclass(frozen=True)
class BinnedModel:
    """A model evaluated on some rows, with its sweeps where it has scores.

    ``placed`` are the places of its scores by group, where they were counted.
    """

    binary_model: BinaryModel
    sweeps: Sweeps | None
    placed: Placed | None = None


def thresholds(counted: EvaluationCounts, costs: ErrorCosts) -> list[Threshold | None]:
    """The threshold of each model: fixed, or chosen among the cells' lowest scores."""
    rule = counted.spec.threshold
    result: list[Threshold | None] = []
    for k, model in enumerate(counted.models):
        if model.score is None:
            result.append(None)
        elif isinstance(rule, Choice):
            basis, role = counted.cells_of(k, VALIDATION), "validation"
            if basis.is_empty():
                basis, role = counted.cells_of(k), "same rows"
            result.append(
                choose(
                    sweeps(basis).at,
                    counted.spec,
                    rule,
                    role,
                    costs,
                    of=repr(model.name),
                    bootstrap=drawable(counted.spec),
                    undrawable=no_bootstrap_reason(counted.spec),
                )
            )
        else:
            result.append(Threshold(float(rule), "fixed in the spec"))
    return result


def binned_results(
    counted: EvaluationCounts,
    chosen: Sequence[Threshold | None],
    costs: ErrorCosts,
    settings: TestSettings,
    plan: Plan,
) -> TaskResults:
    """Everything that two classes have, as from rows in memory."""
    spec = counted.spec
    labels = (counted.labels.positive, counted.labels.negative)
    models = [_model(counted, k, t) for k, t in enumerate(chosen)]
    numbers = [
        row for m in models for row in _numbers(m, spec, costs, binary.evaluated_measures(spec))
    ]
    in_slices, unsliced = _sliced(counted, chosen, costs)
    binary_models = [m.binary_model for m in models]
    settings = binary.with_threshold_caveats(settings, binary_models, spec, costs)
    weighted = counted.weighted
    single = not weighted and counted.dependent is None
    drawing = binary.curve_options(spec, labels, costs, single=single, weighted=weighted)
    return TaskResults(
        metrics=[*numbers, *in_slices],
        curves=curves(binary_models, drawing),
        comparisons=_comparisons(counted, models, settings, plan, numbers),
        differences=_differences(counted, binary_models, settings, costs),
        dominance=dominances(binary_models),
        models=[model_record(m, counted.disagreements(m.columns)) for m in binary_models],
        truth=truth_record(labels, counted.size()[1], counted.facts["evaluated"]),
        skipped=[
            *skipped_parts(binary_models),
            *unsliced,
            *_not_resampled(binary_models, spec),
        ],
        losses=Losses("accuracy", "error_rate", "zero_one", of={}),
        area_effects={m.binary_model.name: m.placed.effect for m in models if m.placed},
        threshold_changes=[] if spec.costs is None else _threshold_changes(models, spec, costs),
    )


def _comparisons(
    counted: EvaluationCounts,
    models: Sequence[BinnedModel],
    settings: TestSettings,
    plan: Plan,
    numbers: Sequence[MetricRow],
) -> list[Comparison]:
    """The tests; where scores share bins, the half-widths of ``numbers`` cover what bins hide."""
    binary_models = [m.binary_model for m in models]
    decisions, lines = counted.decisions.filter(scope=ALL), counted.lines_of()
    merged = [m.binary_model.name for m in models if m.sweeps is not None and m.sweeps.merged]
    tests = compared(binary_models, settings, _evidence(counted, models, plan))
    return [
        *several(
            decisions if lines is None else lines.frame,
            _correct(binary_models, settings),
            settings,
            count="rows",
        ),
        *with_half_widths(tests, numbers, counted.spec.confidence, merged),
    ]


def _threshold_changes(
    models: Sequence[BinnedModel], spec: Spec, costs: ErrorCosts
) -> list[ThresholdChange]:
    """What the threshold of least cost would save, of rows that count once.

    Where the threshold in use falls within a cell, its counts are not those of
    the cells and is not reported.
    """
    changes = []
    for model in models:
        threshold = model.binary_model.threshold
        if threshold is None or model.sweeps is None or spec.columns.weight is not None:
            continue
        at = model.sweeps.at
        reached = at.filter(pl.col("threshold") >= threshold.value).select("tp", "fp").tail(1)
        decided = model.binary_model.counts.select("tp", "fp").row(0)
        if model.binary_model.columns.label or reached.rows() != [decided]:
            continue
        cells = at.select("threshold", positives=pl.col("tp").diff(), negatives=pl.col("fp").diff())
        score, *counts = (column.to_numpy() for column in cells.tail(-1).cast(pl.Float64))
        change = of_counts(
            model.binary_model.name,
            score,
            (counts[0], counts[1]),
            (costs["false_negative"], costs["false_positive"]),
            threshold.value,
            spec.confidence,
            spec.bootstrap.seed,
        )
        changes += [change] if change is not None else []
    return changes


def no_bootstrap_reason(spec: Spec) -> str | None:
    """Why rows cannot be resampled from counts: cells mix weights, and groups."""
    if spec.columns.weight is not None:
        return "rows are weighted"
    return None if spec.columns.group is None else "rows come in groups"


def drawable(spec: Spec) -> Resampling | None:
    """How rows are resampled; null where they cannot be."""
    return spec.bootstrap if no_bootstrap_reason(spec) is None else None


def _not_resampled(models: Sequence[BinaryModel], spec: Spec) -> list[SkippedRecord]:
    reason = no_bootstrap_reason(spec)
    if reason is None or not any(m.ranking is not None for m in models):
        return []
    message = f"{reason}, which counts do not distinguish"
    records: list[SkippedRecord] = [
        {"what": "intervals by resampling", "model": None, "reason": message}
    ]
    if any(m.grouped is not None for m in models):
        records += [
            {"what": "bands of ROC curves", "model": None, "reason": DEPENDENT},
            {"what": UNLIMITED, "model": None, "reason": NOT_BY_GROUP},
        ]
    return records


def _correct(models: Sequence[BinaryModel], settings: TestSettings) -> dict[str, pl.Expr]:
    """Whether each model is right about a row, the baseline last."""
    ordered = sorted(models, key=lambda model: model.name == settings.baseline)
    predicted = {m.name: pl.col(str(m.columns.label or m.columns.score)) for m in ordered}
    return {name: prediction == pl.col("positive") for name, prediction in predicted.items()}


def _differences(
    counted: EvaluationCounts,
    models: Sequence[BinaryModel],
    settings: TestSettings,
    costs: ErrorCosts,
) -> list[DifferenceRow]:
    """Of measures of decisions, exactly; others need the rows."""
    columns = counted.spec.columns
    rows: list[DifferenceRow] = []
    core = [metric for metric in METRICS.values() if metric.core]
    reason = settings.unpaired or (differences.REPEATED if columns.repeat else None)
    reason = reason or (differences.OVERLAPPING if columns.fold else None)
    positions = {model.name: k for k, model in enumerate(counted.models)}
    for first, second in differences.pairs(models, settings.baseline):
        joint = counted.joint_predictions(first.columns, second.columns)
        by_group = joint_by_group(counted, first, second)
        by_metric = (
            {} if reason else differences.of_counts(joint, core, counted.spec, costs, by_group)
        )
        if not reason:
            by_metric |= loss_differences(counted, positions[first.name], positions[second.name])
        for metric in core:
            row = differences.record(metric.name, (first.name, second.name))
            rows.append(row | by_metric.get(metric.name, {"undefined": reason or COUNTED}))
    return rows


def _model(
    counted: EvaluationCounts,
    index: int,
    threshold: Threshold | None,
    scope: int = ALL,
    part: str = "[]",
) -> BinnedModel:
    columns: ModelColumns = counted.models[index]
    cell_sweeps = (
        sweeps(counted.cells_of(index, scope, part)) if columns.score is not None else None
    )
    placed = None
    if cell_sweeps is not None and counted.dependent is not None and scope == ALL:
        placed = counted.dependent.placed(index, cell_sweeps)
    binary_model = BinaryModel(
        columns,
        None,
        threshold,
        counted.counts(columns, scope, part),
        None if cell_sweeps is None else as_ranking(cell_sweeps.at),
        None if cell_sweeps is None else bins(cell_sweeps.middle),
        grouped=effects_of_groups(counted, index, cell_sweeps, (scope, part), placed),
        by_group=counted.decided_in_groups(columns, scope, part),
    )
    return BinnedModel(binary_model, cell_sweeps, placed)


def _numbers(
    model: BinnedModel,
    spec: Spec,
    costs: ErrorCosts,
    only: Collection[str] = METRICS.keys(),
) -> list[MetricRow]:
    """The measures of a model with their certified bounds; of all rows, resampled ones too."""

    def measure(binary_model: BinaryModel, names: Collection[str]) -> dict[str, MetricRow]:
        rows = evaluate_metrics([binary_model], spec.confidence, costs, names, spec.intervals)[0]
        return {str(row["metric"]): row for row in rows}

    binary_model = model.binary_model
    numbers = list(measure(binary_model, only).values())
    resampled = (
        binary_model.slice is None and spec.bootstrap.replicates and drawable(spec) is not None
    )
    decided = resampled_measures("binary", spec, "counts")
    of_regions = regional(decided, spec)
    if binary_model.slice is None:
        (limits,) = limits_of_regions([binary_model], of_regions, spec, costs)
        numbers = filled(numbers, limits, _allowance(binary_model, spec))
    if resampled:
        decided, options = [m for m in decided if m not in of_regions], bootstrap_settings(spec)
        (limits,) = bootstrap_counts(binary_model.counts, decided, settings=costs, options=options)
        numbers = filled(numbers, limits)
    if model.sweeps is None:
        return numbers
    mixed = model.sweeps.merged  # otherwise the cells are the scores
    by_metric = forecasts(binary_model, model.sweeps, measure, only) if mixed else {}
    numbers = [by_metric.get(str(row["metric"]), row) for row in numbers]
    if binary_model.slice is None and binary_model.grouped is None:
        of_ranking = in_closed_form(resampled_measures("binary", spec, "sweep"))
        limits = limits_of_ranking(binary_model.ranking, of_ranking, spec.confidence)
        numbers = filled(numbers, limits, "effective size" if spec.columns.weight else None)
    if resampled:
        numbers = _resampled(numbers, model.sweeps, spec)
    return bounded(numbers, binary_model, model.sweeps, measure) if mixed else numbers


def _allowance(model: BinaryModel, spec: Spec) -> Allowance | None:
    if model.grouped is not None:
        return "groups"
    return "effective size" if spec.columns.weight else None


def _resampled(numbers: list[MetricRow], cell_sweeps: Sweeps, spec: Spec) -> list[MetricRow]:
    """The core measures of scores without a closed interval, drawn from the counts."""
    requested = resampled_measures("binary", spec, "sweep", "hull", "bins")
    requested = [m for m in requested if m not in in_closed_form(requested)]
    of_forecasts = [m for m in requested if METRICS[m.name].group == "probability"]
    of_order = [m for m in requested if m not in of_forecasts]
    for sweep, measures in ((cell_sweeps.at, of_order), (cell_sweeps.near(), of_forecasts)):
        limits = bootstrap_sweep(sweep, measures, options=bootstrap_settings(spec))
        numbers = filled(numbers, limits)
    return numbers


def _sliced(
    counted: EvaluationCounts, chosen: Sequence[Threshold | None], costs: ErrorCosts
) -> tuple[list[MetricRow], list[SkippedRecord]]:
    """The numbers of each part of each slice, and the slices that have too many."""
    numbers: list[MetricRow] = []
    skipped: list[SkippedRecord] = []
    for scope, columns, parts in slicings(counted):
        if parts is None:
            what = f"slice {', '.join(columns)}"
            reason = f"more than {MOST_VALUES} values"
            skipped.append({"what": what, "model": None, "reason": reason})
            continue
        for part, values in parts:
            label = slices.label(columns, values)
            for k, threshold in enumerate(chosen):
                model = _model(counted, k, threshold, scope, part)
                model = replace(model, binary_model=replace(model.binary_model, slice=label))
                numbers += _numbers(model, counted.spec, costs, binary.IN_SLICES)
    return numbers, skipped


def sliced(counted: EvaluationCounts) -> DataFrame[Slices]:
    """The slices with their sizes; of every model the same rows are counted."""
    rows: list[SliceSizeRow] = []
    for scope, columns, parts in slicings(counted):
        for part, values in parts or ():
            rows.append(slices.record(columns, values, *map(float, counted.size(scope, part))))
    return typed(Slices, rows)


def _evidence(counted: EvaluationCounts, models: Sequence[BinnedModel], plan: Plan) -> PairData:
    """The evidence of counts: decisions exactly, areas by joint cells."""
    position = {m.binary_model.name: k for k, m in enumerate(models)}

    def pairs(a: BinaryModel, b: BinaryModel) -> Pairs:
        return counted.pairs(a.columns, b.columns)

    def losses(a: BinaryModel, b: BinaryModel, costs: ErrorCosts) -> pl.DataFrame:
        return counted.losses(a.columns, b.columns, costs)

    def joint(chosen: Sequence[BinaryModel]) -> dict[tuple[int, int], Any]:
        at = [position[m.name] for m in chosen]
        tables = {}
        for i, a in enumerate(at):
            for j in range(i + 1, len(at)):
                first, second = sorted((a, at[j]))
                rows = counted.joint.filter(a=first, b=second)
                if a > at[j]:
                    rows = rows.rename({"key_a": "key_b", "key_b": "key_a"})
                tables[i, j] = rows
        return tables

    def areas(chosen: Sequence[BinaryModel]) -> AreaCovariance:
        cell_sweeps = [_sweeps(models[position[m.name]]) for m in chosen]
        parts = [placements(s) for s in cell_sweeps]
        areas_of = area_covariance(parts, joint(chosen), plan.joint_bits)
        return replace(areas_of, sizes=chosen[0].class_sizes)

    def envelopes(chosen: Sequence[BinaryModel]) -> ExpectedCosts:
        parts = [cost_parts(_sweeps(models[position[m.name]])) for m in chosen]
        return cost_covariance(parts, joint(chosen), plan.joint_bits)

    def decided(chosen: Sequence[BinaryModel]) -> AreaCovariance:
        return counted.decided([m.columns for m in chosen])

    weighted = any(m.binary_model.weighted for m in models)
    plain = PairData(pairs, losses, areas, envelopes, decided=None if weighted else decided)
    placed = {m.binary_model.name: m.placed for m in models if m.placed is not None}
    return evidence_in_groups(counted, placed, evidence_by_weight(counted.by_weight, plain))


def _sweeps(model: BinnedModel) -> Sweeps:
    if model.sweeps is None:
        raise ValueError(f"model {model.binary_model.name!r} has no scores")
    return model.sweeps
