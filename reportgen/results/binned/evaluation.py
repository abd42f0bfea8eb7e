"""From a spec to results by counts of parts, on this machine or on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from reportgen.engines.cache import Cache, default
from reportgen.engines.choice import EngineChoice
from reportgen.engines.cluster import executor_of
from reportgen.engines.executors import Executor
from reportgen.engines.gather import Gathered, gathered
from reportgen.engines.partial import ALL
from reportgen.engines.plan import Partition, Plan
from reportgen.engines.planning import Planned, planned
from reportgen.engines.shards import added_shards, plan_of_shards
from reportgen.measuring.context import TaskResults
from reportgen.measuring.costs import fixed_costs
from reportgen.measuring.fold_averages import fold_averages
from reportgen.measuring.fold_means import fold_means
from reportgen.measuring.significance_settings import WEIGHTED
from reportgen.measuring.thresholds import Threshold
from reportgen.metrics import METRICS
from reportgen.predictions import Check, ModelColumns
from reportgen.predictions.column_names import label_column, score_column
from reportgen.predictions.files import DataFile
from reportgen.predictions.inputs import file_checks, listed
from reportgen.predictions.passed_checks import unchanged
from reportgen.predictions.required_columns import required_columns
from reportgen.predictions.source import counted as count_text
from reportgen.progress import OnStep
from reportgen.records.model import Results
from reportgen.results.assembler import EvaluationParts, SliceTests, assemble
from reportgen.results.binned.bounds import of_parts, upwards
from reportgen.results.binned.class_evaluation import class_parts
from reportgen.results.binned.contrasts import AreaContrasts
from reportgen.results.binned.counted_task import (
    counted_summary,
    data_of_counts,
    groups_of_counts,
    without_distributions,
)
from reportgen.results.binned.counts import (
    EvaluationCounts,
    evaluation_counts,
    with_decisions,
)
from reportgen.results.binned.fold_metrics import FoldCounts
from reportgen.results.binned.forecasts import APPROXIMATE, within
from reportgen.results.binned.group_counts import counted_places
from reportgen.results.binned.grouped_shares import errors_of, measures_of_groups, shares_of
from reportgen.results.binned.label_evaluation import label_parts
from reportgen.results.binned.number_evaluation import number_parts
from reportgen.results.binned.results import binned_results, sliced, thresholds
from reportgen.results.binned.shared import (
    counted_checks,
    distinct,
    terms_of,
    title_of,
    untested,
)
from reportgen.results.binned.slicings import slicings
from reportgen.results.binned.sweeps import sweeps
from reportgen.results.notable_rows import left_out
from reportgen.spec import Spec
from reportgen.spec.tasks import entries
from reportgen.tables.results import MetricRow

MOST_PLACES = 2**22
"""Cells of all slices at most whose places are counted by group."""

_PARTS = {"number": number_parts, "classes": class_parts, "labels": label_parts}
"""What counts say of tasks without a positive class, by what their truth is."""


def evaluate_counts(
    spec: Spec,
    engine: EngineChoice,
    files: Sequence[DataFile],
    hashes: Sequence[str],
    on_step: OnStep = lambda step: None,  # noqa: ARG005
    cache: Cache | None = None,
) -> Results:
    """Evaluate a spec by counting the leaves of its files and adding the counts up.

    A threshold that is to be chosen takes a second pass, which counts decisions.
    """
    cache = default() if cache is None else cache
    if engine.kind == "partials":
        first = Planned(plan_of_shards(spec, files), ())
    else:
        first = planned(spec, files, hashes)
    plan, leaves = first.plan, first.partitions
    models = _models(plan.spec)
    with executor_of(engine, on_step) as executor:
        if leaves:
            pass_one = gathered(plan, leaves, executor, cache, on_step)
        else:
            pass_one = added_shards(plan, files)
        if first.rows is not None:
            pass_one = replace(pass_one, rows=first.rows)
        if plan.task.truth in _PARTS:
            on_step("adding up")
            return assemble(spec, _PARTS[plan.task.truth](plan, engine, files, hashes, pass_one))
        counted = evaluation_counts(pass_one, plan, models, title_of(files))
        chosen = thresholds(counted, fixed_costs(spec))
        if plan.thresholds is None:
            values = [t.value if t else None for t in chosen]
            decided = Plan(plan.spec, _of_models(models, values), cells=False, long=plan.long)
            tables = pass_one.partial.tables
            counted = _decided(counted, decided, leaves, executor, cache, on_step, tables)
        if leaves and counted.dependent is not None and plan.scores:
            counted = _placed(counted, plan, leaves, executor, cache, on_step)
    on_step("adding up")
    return assemble(spec, _parts(counted, chosen, plan, engine, files, hashes, pass_one))


def _parts(
    counted: EvaluationCounts,
    chosen: Sequence[Threshold | None],
    plan: Plan,
    engine: EngineChoice,
    files: Sequence[DataFile],
    hashes: Sequence[str],
    pass_one: Gathered,
) -> EvaluationParts:
    """What counts say of two classes."""
    spec = counted.spec
    fits = FoldCounts(counted, plan, distinct=distinct(spec, pass_one))
    terms = terms_of(spec, spec.baseline or counted.models[0].name, fits)
    lines = counted.lines_of()
    terms = terms if lines is None else replace(terms, groups=lines.groups)
    what = binned_results(counted, chosen, fixed_costs(spec), terms, plan)
    inputs = listed(files, hashes, [pass_one.rows.get(file.name, 0) for file in files])
    checks = [
        *unchanged(inputs),
        *_checks(counted, what, pass_one, fits, engine),
        *file_checks(files, required_columns(plan.written)),
    ]
    sizes = sliced(counted)
    has_places = counted.dependent is None or engine.kind != "partials"
    data = data_of_counts(counted, what, inputs, engine, pass_one, fits, "binary", checks)
    return EvaluationParts(
        task_results=what,
        data={**data, "groups": groups_of_counts(counted, measures_of_groups(counted, what))},
        engine=engine,
        hashes=hashes,
        settings=terms,
        evaluation=fits.evaluation,
        folds=fits.metrics,
        averages=[*_means(fits, spec), *_averages(fits)],
        generalisation=fits.generalisation(what.truth),
        slices=sizes,
        slice_tests=SliceTests(
            untested=WEIGHTED if counted.weighted else None,
            shares=shares_of(counted, errors_of(counted)),
            contrasts=AreaContrasts(counted) if has_places else None,
        ),
        shares=shares_of(counted, errors_of(counted)),
        bounded=lambda tests: of_parts(tests, fits.half_widths),
        skipped=[*untested(spec), *left_out(spec, counted=True), *without_distributions(spec)],
        data_summary=counted_summary(plan.written, files, sizes),
    )


def _averages(fits: FoldCounts) -> list[MetricRow]:
    """Macro and micro averages over several tests."""
    several = fits.evaluation.resampled and fits.evaluation.scheme != "leave_one_out"
    return fold_averages(fits.counts, fits.evaluation) if several else []


def _means(fits: FoldCounts, spec: Spec) -> list[MetricRow]:
    """The means over folds; an area is as far off at most as that of any fold."""
    half_widths = fits.half_widths
    means = fold_means(fits.metrics, fits.evaluation, "binary", spec.confidence)
    return [
        within(row, max(row["value"] - off, 0.0), min(row["value"] + off, 1.0))
        if row["metric"] == "auc"
        and row["value"] is not None
        and (off := half_widths[row["model"]])
        else row
        for row in means
    ]


def _models(spec: Spec) -> list[ModelColumns]:
    return [
        ModelColumns(
            str(steps[-1]),
            score=score_column(k) if getattr(model, "score", None) else None,
            label=label_column(k) if getattr(model, "label", None) else None,
        )
        for k, (steps, model) in enumerate(entries(spec))
    ]


def _of_models(
    models: Sequence[ModelColumns], values: Sequence[float | None]
) -> tuple[float | None, ...]:
    return tuple(v if m.score else None for m, v in zip(models, values, strict=True))


def _decided(
    counted: EvaluationCounts,
    plan: Plan,
    leaves: Sequence[Partition],
    executor: Executor,
    cache: Cache,
    on_step: OnStep,
    tables: Mapping[str, pl.DataFrame],
) -> EvaluationCounts:
    """The counts with the decisions at thresholds that were chosen on them."""
    decided = gathered(plan, leaves, executor, cache, on_step).partial.tables
    return with_decisions(counted, decided, tables)


def _placed(
    counted: EvaluationCounts,
    plan: Plan,
    leaves: Sequence[Partition],
    executor: Executor,
    cache: Cache,
    on_step: OnStep,
) -> EvaluationCounts:
    """The counts with the places of the scores of each group among all, from another pass."""
    if counted.dependent is None:
        return counted
    parts = [(ALL, "[]")]
    for scope, _, of_scope in slicings(counted):
        parts += [(scope, part) for part, _ in of_scope or ()]
    sizes = {at: counted.size(*at) for at in parts}
    parts = [at for at, (rows, positives) in sizes.items() if 0 < positives < rows]
    cells = {(k, *at): sweeps(counted.cells_of(k, *at)) for k in plan.scores for at in parts}
    if sum(len(of_part.keys) for of_part in cells.values()) > MOST_PLACES:
        cells = {at: of_part for at, of_part in cells.items() if at[1] == ALL}
    places = tuple(
        counted_places(of_part, k, counted.labels.positive, (scope, part))
        for (k, scope, part), of_part in cells.items()
    )
    second = Plan(plan.spec, None, cells=False, long=plan.long, placements=places)
    sums = gathered(second, leaves, executor, cache, on_step).partial.tables["group_sums"]
    return replace(counted, groups=counted.dependent.with_sums(sums))


def _checks(
    counted: EvaluationCounts,
    what: TaskResults,
    totals: Gathered,
    fits: FoldCounts,
    engine: EngineChoice,
) -> list[Check]:
    spec, facts, labels = counted.spec, counted.facts, counted.labels
    scores = sum(m.score is not None for m in counted.models)
    complete = f"no truth, score or label missing in {count_text(facts['rows'], 'row', 'rows')}"
    listed = [
        (True, "complete", complete),
        (
            True,
            "labels",
            " and ".join(
                f"{label} ({facts['truth'].get(label, 0):,})"
                for label in (labels.positive, labels.negative)
            ),
        ),
        (scores, "scores", f"{count_text(scores, 'column', 'columns')} of finite numbers"),
    ]
    checks = [Check(name, detail) for applies, name, detail in listed if applies]
    checks += counted_checks(spec, totals, engine, "scores")
    if widest := max(fits.half_widths.values(), default=0.0):
        detail = f"counted in cells, within {upwards(widest)} of that of the scores"
        checks.append(Check("AUC of each part", detail))
    approximate = _approximate(counted, what)
    if approximate:
        detail = f"{', '.join(approximate)}: from the mean scores of cells, without a bound"
        checks.append(Check("approximate measures", detail))
    return checks + _one_class(counted, what)


def _one_class(counted: EvaluationCounts, what: TaskResults) -> list[Check]:
    """The warning that only one class is present; empty where both are."""
    if what.truth["positives"] and what.truth["negatives"]:
        return []
    present = counted.labels.positive if what.truth["positives"] else counted.labels.negative
    rows = count_text(counted.facts["evaluated"], "row is", "rows are")
    detail = (
        f"{rows} {present}, and no other class is present, so discrimination cannot be evaluated"
    )
    return [Check("one class", detail, warning=True)]


def _approximate(counted: EvaluationCounts, what: TaskResults) -> list[str]:
    """The measures that are those of the cells, by their labels; none where no cell is mixed."""
    cells = [counted.cells_of(k) for k, m in enumerate(counted.models) if m.score is not None]
    defined = {row["metric"] for row in what.metrics if row["value"] is not None}
    mixed = any(sweeps(table).merged for table in cells)
    return [METRICS[name].label for name in APPROXIMATE if mixed and name in defined]
