"""The assembler: whatever the engine, the parts of an evaluation become results here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import cast

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing.claims import claimed
from reportgen.comparing.exchanged_outputs import predicted_positives, score_counts
from reportgen.comparing.favoured_median import favoured_medians, mean_errors
from reportgen.comparing.few_unlike import unlike_units
from reportgen.comparing.gaps import gaps
from reportgen.comparing.ledger import with_ledger
from reportgen.comparing.near_guessing import Classes
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparing.resolved_differences import resolved_differences
from reportgen.comparing.significance import significance_tests
from reportgen.comparing.slice_contrasts import SliceContrasts
from reportgen.comparing.stated_share import shares_of_rows
from reportgen.comparing.undeclared_limits import with_undone
from reportgen.comparing.unfit_thresholds import unfit_thresholds
from reportgen.comparing.unlike_mix import with_one_mix
from reportgen.comparing.unseen_costs import UnseenCost
from reportgen.comparisons import Comparison
from reportgen.comparisons.paired_losses import ABSOLUTE, SQUARED
from reportgen.concluding.conclusion import with_decision
from reportgen.curves import predictive_values
from reportgen.engines import EngineChoice
from reportgen.leverage import effective_groups
from reportgen.measuring.chosen_thresholds import differences_of_sides, for_every_threshold
from reportgen.measuring.context import TaskResults, TestSettings
from reportgen.measuring.costs import with_error_differences, with_error_rate
from reportgen.measuring.no_interval import (
    Sampling,
    with_reasons,
    without_empty_limits,
    without_limits,
    without_limits_of_one_error,
)
from reportgen.measuring.related_limits import with_coherent_errors, with_limits_of_constants
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.metrics import METRICS
from reportgen.metrics.registry import NOT_PROBABILITIES, REGISTRY
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.records.build_identity import identity, versions
from reportgen.records.data_summary import DataSummary
from reportgen.records.limit_widths import OF_MANY_FITS
from reportgen.records.model import Results, ResultTables, typed
from reportgen.records.rows import (
    DataRecord,
    ModelRecord,
    Record,
    SkippedRecord,
    chosen_on_tested_rows,
    fitted_levels,
    shared_in_time,
    too_unequal,
)
from reportgen.records.shift import Shift
from reportgen.results.definitions import definitions
from reportgen.results.notable_rows import NotableRowSet
from reportgen.results.privacy import without_small_cells
from reportgen.results.privacy.cells import Cells
from reportgen.results.privacy.score_levels import ScoreLevels
from reportgen.spec import Spec
from reportgen.tables import (
    Comparisons,
    Curve,
    Differences,
    FoldMetrics,
    Generalisation,
    Metrics,
    Slices,
)
from reportgen.tables.comparisons import DifferenceRow
from reportgen.tables.results import MetricRow
from reportgen.tasks import TASKS
from reportgen.tasks.binary import GRADED


@dataclass(frozen=True, kw_only=True)
class SliceTests:
    """What gaps between slices are tested by, or why shares of rows are not."""

    untested: str | None = None
    shares: GroupedShares | None = None
    contrasts: SliceContrasts | None = None


@dataclass(frozen=True, kw_only=True)
class EvaluationParts:
    """What an engine computes of predictions.

    ``averages`` are the means and averages over folds, ``in_time`` the tests in order of time,
    ``shares`` those of rows in groups. ``bounded`` says how far off tests may be that an engine
    approximates; ``cells`` counts the rows behind sums of weights, ``levels`` the values that
    the scores or errors of each model take. ``complete`` are those of the models that have every
    row, where not all have, paired.
    """

    task_results: TaskResults
    data: DataRecord
    engine: EngineChoice | None
    hashes: Sequence[str]
    settings: TestSettings
    evaluation: Evaluation
    folds: DataFrame[FoldMetrics]
    averages: Sequence[MetricRow]
    generalisation: DataFrame[Generalisation]
    slices: DataFrame[Slices]
    slice_tests: SliceTests
    in_time: Sequence[Comparison] = ()
    shares: GroupedShares | None = None
    bounded: Callable[[DataFrame[Comparisons]], DataFrame[Comparisons]] = lambda tests: tests
    skipped: Sequence[SkippedRecord] = ()
    cells: Callable[[], Cells] | None = None
    levels: Callable[[], ScoreLevels] | None = None
    rows: pl.DataFrame | None = None
    notable: NotableRowSet | None = None
    data_summary: DataSummary | None = None
    shift: Shift | None = None
    complete: EvaluationParts | None = None


def assemble(spec: Spec, parts: EvaluationParts) -> Results:
    """The results of predictions: every test advised on and corrected, gaps, the decision."""
    task_results, data = parts.task_results, parts.data
    measured, weighted = [*task_results.metrics, *parts.averages], bool(data.get("weighted"))
    rows = with_one_reason(measured, data["models"], weighted=weighted)
    metrics = typed(Metrics, with_error_rate(rows, spec, data["task"]))
    limited = for_every_threshold(metrics, data["models"], data["task"], spec)
    if TASKS[data["task"]].of_numbers:
        limited = with_limits_of_constants(with_coherent_errors(limited))
    tests = parts.bounded(_tests(spec, parts, limited))
    models = [model["name"] for model in data["models"]]
    of_slices = parts.slice_tests
    differing = gaps(
        metrics,
        parts.slices,
        data["task"],
        models,
        of_slices.untested or too_unequal(data),
        of_slices.shares,
        of_slices.contrasts,
        graded=spec.graded,
    )
    levels = data.get("slice_levels")
    pairs = data.get("pairs_by_slice", ())
    comparisons, differing, data["slice_levels"], data["pairs_by_slice"] = with_ledger(
        tests, differing, levels, pairs
    )
    differences = resolved_differences(
        _differences(parts), comparisons, set(metrics["metric"]), data
    )
    metrics = with_reasons(limited, _sampling(spec, parts))
    if (narrow := shared_in_time(data)) is not None:
        metrics = without_limits(metrics, narrow)
    if parts.evaluation.scheme == "leave_one_out":
        ranking = [name for name, metric in METRICS.items() if metric.group == "ranking"]
        metrics = without_limits(metrics, OF_MANY_FITS, pl.col("metric").is_in(ranking))
    if TASKS[data["task"]].of_numbers and not data.get("weighted"):
        metrics = without_limits_of_one_error(metrics, _rows_of(data, parts.slices))
    if TASKS[data["task"]].of_numbers:
        metrics = without_empty_limits(metrics)
    differences = with_error_differences(differences, spec, data["task"])
    if spec.graded:
        metrics = Metrics.validate(_of_answers(metrics))
        differences = Differences.validate(_of_answers(differences))
    tables = ResultTables(
        metrics=metrics,
        comparisons=comparisons,
        folds=parts.folds,
        curves=_curves(spec, task_results.curves, metrics),
        differences=differences_of_sides(differences, metrics, data["models"]),
        dominance=task_results.dominance,
        generalisation=parts.generalisation,
        slices=parts.slices,
        gaps=differing,
    )
    skipped = [*task_results.skipped, *parts.skipped]
    results = results_of(spec, tables, data, parts.hashes, skipped, parts.engine, parts.rows)
    results = replace(results, data_summary=parts.data_summary, shift=parts.shift)
    if parts.notable is not None:
        results = replace(results, notable_rows=parts.notable.table, row_ids=parts.notable.ids)
    published = without_small_cells(results, spec, parts.cells, parts.levels)
    return with_decision(published, spec, task_results.threshold_changes)


def _differences(parts: EvaluationParts) -> Sequence[DifferenceRow]:
    """The differences between models: of those that have every row on the rows of both."""
    if (complete := parts.complete) is None:
        return parts.task_results.differences
    apart = (r for r in parts.task_results.differences if not _are_complete(r["models"], complete))
    return [*apart, *complete.task_results.differences]


def _of_answers(table: pl.DataFrame) -> pl.DataFrame:
    """The rows of what graded answers have: without a truth other measures mean nothing."""
    return table.filter(pl.col("metric").is_in([name for name, _ in GRADED.summary_measures]))


def _rows_of(data: DataRecord, slices: pl.DataFrame) -> dict[str | None, float]:
    """The number of rows by slice, and of all rows by null."""
    return {None: data["rows_evaluated"], **dict(slices.select("slice", "rows").iter_rows())}


def _sampling(spec: Spec, parts: EvaluationParts) -> Sampling:
    """How measures of these rows can be resampled."""
    by_id = parts.settings.groups is not None and parts.data.get("groups") is None
    returning = by_id or (parts.data.get("repeats") or 0) > 1
    counted = parts.engine is not None and parts.engine.kind != "exact"
    return Sampling.of(spec, parts.data, returning=returning, counted=counted)


def _curves(
    spec: Spec, curves: Mapping[str, DataFrame[Curve]], metrics: DataFrame[Metrics]
) -> Mapping[str, DataFrame[Curve]]:
    """The curves, with the predictive values where the spec states a prevalence."""
    if spec.prevalence is None:
        return curves
    values = predictive_values(metrics, float(spec.prevalence))
    return {**curves, "predictive_values": cast("DataFrame[Curve]", values)}


def _tests(
    spec: Spec, parts: EvaluationParts, metrics: DataFrame[Metrics]
) -> DataFrame[Comparisons]:
    """The tests over rows, in order of time, over folds and of claims."""
    settings = parts.settings
    claims = claimed(
        spec.comparisons.claims, metrics, parts.folds, parts.evaluation, settings, parts.shares
    )
    if shared_in_time(parts.data) is not None:  # as of all numbers of single models
        claims = [claim.with_fields(low=None, high=None, interval=None) for claim in claims]
    rows, others = [*parts.in_time, *parts.task_results.comparisons], []
    if parts.complete is not None:
        rows = [row for row in rows if not _are_complete(row.models, parts.complete)]
        situation = _situation(spec, parts.complete, metrics)
        pairs = [r for r in parts.complete.task_results.comparisons if len(r.models) == 2]
        others = with_recommendation(pairs, situation)
    situation = _situation(spec, parts, metrics)
    tests = significance_tests(spec, situation, settings, rows, parts.folds, claims, others)
    return with_one_mix(with_undone(tests, parts.data), metrics, parts.slices, parts.data)


def _are_complete(models: Sequence[str], complete: EvaluationParts) -> bool:
    """Whether a pair of models is compared on the rows that both have."""
    names = {model["name"] for model in complete.data["models"]}
    return len(models) == 2 and names.issuperset(models)


def _situation(spec: Spec, parts: EvaluationParts, metrics: DataFrame[Metrics]) -> Situation:
    """What recommends tests of these rows, or speaks against them."""
    settings, evaluation, truth = parts.settings, parts.evaluation, parts.task_results.truth
    weighted = bool(parts.data.get("weighted"))
    levels = [model.get("level") for model in parts.data["models"]]
    return Situation(
        _of_weight(evaluation, parts.data),
        timed=bool(parts.data.get("timed")),
        rarer_class=int(min(truth["positives"], truth["negatives"]))
        if "positives" in truth
        else None,
        classes=Classes.of(truth),
        identical_rows=parts.data.get("identical_rows"),
        effective_groups=_effective_groups(settings, parts.shares if weighted else None),
        weighted=weighted,
        chosen_thresholds=chosen_on_tested_rows(parts.data["models"]),
        favoured_medians=None
        if spec.comparisons.primary == ABSOLUTE
        else favoured_medians(metrics, parts.data),
        absolute_errors=mean_errors(metrics, ABSOLUTE),
        squared_errors=mean_errors(metrics, SQUARED),
        unfit_thresholds=unfit_thresholds(metrics, parts.data["models"]),
        fitted=frozenset(fitted_levels(parts.data["models"])),
        scores=score_counts(parts.data["models"]),
        positives=predicted_positives(metrics),
        total=_total(parts.data),
        of_quantiles={
            model["name"]: level
            for model in parts.data["models"]
            if (level := model.get("quantile")) is not None
        },
        unlike=unlike_units(parts.data.get("unlike_rows", ()), _groups(parts.data)),
        shares=shares_of_rows(parts.data, metrics, settings.prevalence),
        unseen_cost=UnseenCost.of(parts.data, spec.costs if isinstance(spec.costs, dict) else None),
        outside=min((1 - level for level in levels if level is not None), default=None),
    )


def _groups(data: DataRecord) -> int | None:
    groups = data.get("groups")
    return None if groups is None else groups["number"]


def _of_weight(evaluation: Evaluation, data: DataRecord) -> Evaluation:
    """The evaluation with the rows, and groups, that have weight: others say nothing."""
    rows, groups = data["rows_evaluated"], data.get("groups")
    if not data.get("weighted"):
        return evaluation

    def most(counted: int | None, left: int | None) -> int | None:
        return counted if counted is None or left is None else min(counted, left)

    return replace(
        evaluation,
        test_rows=most(evaluation.test_rows, rows),
        test_examples=most(evaluation.test_examples, rows),
        groups=most(evaluation.groups, None if groups is None else groups["number"]),
    )


def _total(data: DataRecord) -> float | None:
    """What the true values of a number add up to."""
    mean = (data.get("distribution") or {}).get("mean")
    return None if mean is None else mean * data["rows_evaluated"]


def _effective_groups(settings: TestSettings, weighted: GroupedShares | None) -> float | None:
    """How many groups of one size, or of one weight, those of the tests are worth."""
    if settings.groups is None:
        return None
    if weighted is None or weighted.weight is None:
        return effective_groups(settings.groups.sizes)
    return effective_groups(weighted.groups.sums(weighted.rows[weighted.weight].to_numpy()))


def results_of(
    spec: Spec,
    tables: ResultTables,
    data: DataRecord,
    hashes: Iterable[str],
    skipped: Sequence[SkippedRecord] = (),
    engine: EngineChoice | None = None,
    rows: pl.DataFrame | None = None,
) -> Results:
    """The results of these tables, with the spec, the software and the time; not yet decided."""
    written: Record = {**spec.to_dict(), "text": spec.text or None}
    if engine is not None and engine.kind != "exact":
        written["engine"] = engine.kind  # not its address, which may hold a token
    results = Results(
        **vars(tables),
        title=spec.title,
        data=data,
        spec=written,
        versions=versions(),
        build=identity(spec, hashes),
        skipped=skipped,
        rows=rows,
    )
    return replace(results, definitions=definitions(results))


CONSTANT, WEIGHTED = "truth or estimate is constant", "rows are weighted"
EITHER = f"{CONSTANT}, or {WEIGHTED}"
"""What rank correlations cannot have."""


def with_one_reason(
    rows: Sequence[MetricRow], models: Sequence[ModelRecord], *, weighted: bool
) -> list[MetricRow]:
    """The rows, each with the reason that is left once scores and weights are known.

    Of several labels some may have probabilities: there both reasons stand, unless all have them.
    """
    probability = {model["name"]: model["probability"] for model in models}
    result: list[MetricRow] = []
    for row in rows:
        otherwise = _otherwise().get(row["undefined"] or "")
        if row["undefined"] == EITHER:
            result.append({**row, "undefined": WEIGHTED if weighted else CONSTANT})
        elif otherwise is None:
            result.append(row)
        elif probability.get(row["model"]):
            result.append({**row, "undefined": otherwise})
        else:
            result.append({**row, "undefined": NOT_PROBABILITIES} if row["class"] is None else row)
    return result


@cache
def _otherwise() -> Mapping[str, str]:
    """What is left of each reason of a measure where the scores are probabilities."""
    every = (metric for metrics in REGISTRY.values() for metric in metrics.values())
    return {metric.undefined: metric.otherwise for metric in every if metric.otherwise}
