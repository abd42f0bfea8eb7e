"""Two classes, from counts: what the results hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from reportgen.array_types import Floats
from reportgen.comparing import differences
from reportgen.comparing.compare import PairData, compared, several
from reportgen.comparing.dominances import dominances
from reportgen.comparing.share_of_positives import of_independent_rows
from reportgen.comparisons import AreaCovariance, Comparison, ExpectedCosts, Pairs
from reportgen.comparisons.joint_cells import joint_counts_by_group
from reportgen.engines.partial import ALL, VALIDATION
from reportgen.engines.plan import Plan
from reportgen.measuring.binary_model import BinaryModel
from reportgen.measuring.bootstrap_intervals import bootstrap_settings
from reportgen.measuring.context import Losses, TaskResults, TestSettings
from reportgen.measuring.costed_rows import CostRows, counted_cells
from reportgen.measuring.curve_tables import curves
from reportgen.measuring.threshold_change import of_counts
from reportgen.measuring.thresholds import Threshold, choose
from reportgen.measuring.validation_rows import unlike_shares
from reportgen.metrics import METRICS
from reportgen.metrics.row_losses import LOSSES
from reportgen.metrics.settings import ErrorCosts
from reportgen.predictions.fit_columns import fit_columns
from reportgen.records.decision import ThresholdChange
from reportgen.records.rows import (
    OTHER_FITS,
    SAME_ROWS,
    VALIDATION_ROWS,
    DataRecord,
    SkippedRecord,
)
from reportgen.results import binary
from reportgen.results.binary_parts import IN_SLICES
from reportgen.results.binary_records import (
    DEPENDENT,
    model_record,
    skipped_parts,
    truth_record,
)
from reportgen.results.binned.bounds import with_half_widths
from reportgen.results.binned.counted_models import (
    BinnedModel,
    binned_model,
    no_bootstrap_reason,
    numbers_of,
)
from reportgen.results.binned.counts import EvaluationCounts
from reportgen.results.binned.covariance import area_covariance, cost_covariance, placements
from reportgen.results.binned.covariance import costs as cost_parts
from reportgen.results.binned.group_counts import finite_losses
from reportgen.results.binned.grouped_shares import evidence_by_weight, evidence_in_groups
from reportgen.results.binned.part_counts import numbers_of_slices
from reportgen.results.binned.sweeps import sweeps
from reportgen.spec import Choice, Spec
from reportgen.spec.measures import evaluated
from reportgen.sweeping import as_ranking
from reportgen.tables.comparisons import DifferenceRow
from reportgen.tables.results import MetricRow

UNLIMITED = "intervals of calibration lines, best thresholds and areas under the cost curve"
NOT_BY_GROUP = "they need the scores of each group, but only sums are available"
"""What has no limits where rows come in groups."""

COUNTED = "it needs the rows, of which only counts are available"


def thresholds(
    counted: EvaluationCounts, costs: ErrorCosts, *, ids_once: bool
) -> list[Threshold | None]:
    """The threshold of each model: fixed, or chosen among the cells' lowest scores.

    Unless no id returns (``ids_once``), other fits may test the validation rows of a fit.
    """
    rule = counted.spec.threshold
    several = fit_columns([n for n, c in counted.spec.columns if c is not None])
    result: list[Threshold | None] = []
    for k, model in enumerate(counted.models):
        if model.score is None:
            result.append(None)
        elif isinstance(rule, Choice):
            basis = counted.cells_of(k, VALIDATION)
            role = OTHER_FITS if several and not ids_once else VALIDATION_ROWS
            if basis.is_empty():
                basis, role = counted.cells_of(k), SAME_ROWS
            result.append(
                choose(
                    sweeps(basis).at,
                    counted.spec,
                    rule,
                    role,
                    costs,
                    of=repr(model.name),
                    bootstrap=no_bootstrap_reason(counted.spec) or counted.spec.bootstrap,
                )
            )
        else:
            result.append(Threshold.in_spec(counted.spec))
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
    models = [binned_model(counted, k, t) for k, t in enumerate(chosen)]
    measures = [m.name for m in evaluated(spec, "binary")]
    numbers = [row for m in models for row in numbers_of(m, spec, costs, measures)]

    def in_slice(k: int, scope: int, part: str, label: str) -> list[MetricRow]:
        model = binned_model(counted, k, chosen[k], scope, part)
        model = replace(model, binary_model=replace(model.binary_model, slice=label))
        return numbers_of(model, spec, costs, IN_SLICES)

    in_slices, unsliced = numbers_of_slices(counted, in_slice)
    binary_models = [m.binary_model for m in models]
    settings = binary.with_declared_costs(settings, spec, costs)
    weighted = counted.weighted
    single = not weighted and counted.dependent is None
    drawing = binary.curve_options(spec, labels, costs, single=single, weighted=weighted)
    return TaskResults(
        metrics=[*numbers, *in_slices],
        curves=curves(binary_models, drawing),
        comparisons=_comparisons(counted, models, settings, plan, numbers),
        differences=_differences(counted, binary_models, settings, costs),
        dominance=dominances(binary_models),
        models=[
            model_record(m, counted.disagreements(m.columns))
            | {"brier_above_share": of_independent_rows(spec, m)}
            for m in binary_models
        ],
        truth={
            **truth_record(labels, counted.size()[1], counted.facts["evaluated"]),
            **_shares_of_positives(counted, chosen),
        },
        skipped=[
            *skipped_parts(binary_models),
            *unsliced,
            *_not_resampled(binary_models, spec),
        ],
        losses=Losses("accuracy", "error_rate", "zero_one", of={}),
        area_effects={m.binary_model.name: m.placed.effect for m in models if m.placed},
        threshold_changes=[] if spec.costs is None else _threshold_changes(counted, models, costs),
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
    merged = [
        m.binary_model.name
        for m in models
        if m.sweeps is not None and m.sweeps.merged_in(plan.joint_bits)
    ]
    tests = compared(binary_models, settings, _evidence(counted, models, plan))
    return [
        *several(
            decisions if lines is None else lines.frame,
            _correct(binary_models, settings),
            settings,
            count="rows",
        ),
        *with_half_widths(tests, numbers, merged),
    ]


def _threshold_changes(
    counted: EvaluationCounts, models: Sequence[BinnedModel], costs: ErrorCosts
) -> list[ThresholdChange]:
    """What the threshold of least cost would save, of rows that count once.

    Where the threshold in use falls within a cell, its counts are not those of
    the cells and is not reported.
    """
    spec, changes = counted.spec, []
    for k, model in enumerate(models):
        threshold = model.binary_model.threshold
        if threshold is None or model.sweeps is None or spec.columns.weight is not None:
            continue
        at = model.sweeps.at
        reached = at.filter(pl.col("threshold") >= threshold.value).select("tp", "fp").tail(1)
        decided = model.binary_model.counts.select("tp", "fp").row(0)
        if model.binary_model.columns.label or reached.rows() != [decided]:
            continue
        change = of_counts(
            model.binary_model.name,
            _costed(at, spec, costs),
            threshold.value,
            bootstrap_settings(spec),
            validation=_validation(counted, k, threshold, costs),
            in_groups=counted.dependent is not None,
        )
        changes += [change] if change is not None else []
    return changes


def _validation(
    counted: EvaluationCounts, index: int, threshold: Threshold, costs: ErrorCosts
) -> CostRows | None:
    """The validation rows; none where there are none, or other fits may test them."""
    fits = fit_columns([n for n, c in counted.spec.columns if c is not None])
    cells = counted.cells_of(index, VALIDATION)
    if cells.is_empty() or threshold.role == OTHER_FITS or (fits and threshold.role is None):
        return None
    return _costed(sweeps(cells).at, counted.spec, costs)


def _shares_of_positives(
    counted: EvaluationCounts, chosen: Sequence[Threshold | None]
) -> DataRecord:
    """That of the rows which chose thresholds and of the test rows, where it differs."""
    spec = counted.spec
    dependent = counted.weighted or counted.dependent is not None or spec.privacy.small_cells
    by_model = [k for k, one in enumerate(chosen) if one is not None and one.role is not None]
    cells = counted.cells_of(by_model[0], VALIDATION) if by_model and not dependent else None
    if cells is None or cells.is_empty():
        return {}
    of_validation = int(cells.filter("positive")["rows"].sum()), int(cells["rows"].sum())
    rows, positives = counted.size()
    shares = unlike_shares(of_validation, (positives, rows))
    return {} if shares is None else {"shares_of_positives": shares}


def _costed(at: pl.DataFrame, spec: Spec, costs: ErrorCosts) -> CostRows:
    """The rows of each cell at its lowest score, with what their errors cost."""
    cells = at.select("threshold", positives=pl.col("tp").diff(), negatives=pl.col("fp").diff())
    score, *counts = (column.to_numpy() for column in cells.tail(-1).cast(pl.Float64))
    return counted_cells(
        score,
        (counts[0], counts[1]),
        (costs["false_negative"], costs["false_positive"]),
        None if spec.prevalence is None else float(spec.prevalence),
    )


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
        by_group = _joint_by_group(counted, first, second)
        by_metric = (
            {} if reason else differences.of_counts(joint, core, counted.spec, costs, by_group)
        )
        if not reason:
            by_metric |= _loss_differences(counted, positions[first.name], positions[second.name])
        for metric in core:
            row = differences.record(metric.name, (first.name, second.name))
            rows.append(row | by_metric.get(metric.name, {"undefined": reason or COUNTED}))
    return rows


def _joint_by_group(
    counted: EvaluationCounts, first: BinaryModel, second: BinaryModel
) -> Floats | None:
    """The rows of each group by truth and by the decisions of two models."""
    lines = counted.lines_of()
    if lines is None:
        return None
    predicted = [str(m.columns.label or m.columns.score) for m in (first, second)]
    return joint_counts_by_group(
        lines.frame, predicted[0], predicted[1], lines.groups, truth="positive"
    )


def _loss_differences(
    counted: EvaluationCounts, first: int, second: int
) -> dict[str, DifferenceRow]:
    """Differences of mean losses of rows in groups, from what each group loses."""
    groups = counted.dependent
    scored = [k for k in (first, second) if counted.models[k].score is not None]
    if groups is None or len(scored) < 2:
        return {}
    both = [sweeps(counted.cells_of(k)) for k in scored]
    if not all(as_ranking(one.at).probabilities for one in both):
        return {}
    finite = set(finite_losses(both[0])) & set(finite_losses(both[1]))
    return {
        name: differences.mean_record(groups.mean_difference(first, second, name), counted.spec)
        if name in finite
        else {"undefined": METRICS[name].undefined}
        for name in LOSSES
    }


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
        cell_sweeps = [models[position[m.name]].scored for m in chosen]
        parts = [placements(s) for s in cell_sweeps]
        areas_of = area_covariance(parts, joint(chosen), plan.joint_bits)
        return replace(areas_of, sizes=chosen[0].class_sizes)

    def envelopes(chosen: Sequence[BinaryModel]) -> ExpectedCosts:
        parts = [cost_parts(models[position[m.name]].scored) for m in chosen]
        return cost_covariance(parts, joint(chosen), plan.joint_bits)

    def decided(chosen: Sequence[BinaryModel]) -> AreaCovariance:
        return counted.decided([m.columns for m in chosen])

    weighted = any(m.binary_model.weighted for m in models)
    plain = PairData(pairs, losses, areas, envelopes, decided=None if weighted else decided)
    placed = {m.binary_model.name: m.placed for m in models if m.placed is not None}
    return evidence_in_groups(counted, placed, evidence_by_weight(counted.by_weight, plain))
