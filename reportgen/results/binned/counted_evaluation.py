"""From a spec to results by counts of parts, on this machine or on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reportgen.engines.cache import Cache, default
from reportgen.engines.choice import EngineChoice
from reportgen.engines.executors import Executor
from reportgen.engines.gather import Gathered, Planned, executor_of, gathered, planned
from reportgen.engines.partial import ALL
from reportgen.engines.plan import Partition, Plan
from reportgen.engines.shards import added_shards, plan_of_shards
from reportgen.measuring.context import TaskResults
from reportgen.measuring.costs import fixed_costs
from reportgen.measuring.thresholds import Threshold
from reportgen.metrics import METRICS
from reportgen.predictions import Check, ModelColumns
from reportgen.predictions.declared_models import models_of
from reportgen.predictions.files import DataFile
from reportgen.predictions.source import counted as count_text
from reportgen.progress import OnStep
from reportgen.records.model import Results
from reportgen.results.assembler import assemble
from reportgen.results.binned.bounds import upwards
from reportgen.results.binned.class_evaluation import class_task
from reportgen.results.binned.contrasts import AreaContrasts
from reportgen.results.binned.counted_task import CountedTask, distinct, parts_of_counts
from reportgen.results.binned.counts import (
    EvaluationCounts,
    evaluation_counts,
    with_decisions,
)
from reportgen.results.binned.fold_metrics import FoldCounts
from reportgen.results.binned.forecasts import APPROXIMATE
from reportgen.results.binned.group_counts import counted_places
from reportgen.results.binned.grouped_shares import errors_of, measures_of_groups, shares_of
from reportgen.results.binned.label_evaluation import label_task
from reportgen.results.binned.number_evaluation import number_task
from reportgen.results.binned.part_counts import slicings, title_of
from reportgen.results.binned.results import binned_results, thresholds
from reportgen.results.binned.sweeps import sweeps
from reportgen.spec import Spec

MOST_PLACES = 2**22
"""Cells of all slices at most whose places are counted by group."""

_TASKS = {"number": number_task, "classes": class_task, "labels": label_task}
"""What counts say of tasks without a positive class, by what their truth is."""


def evaluate_counts(
    spec: Spec,
    engine: EngineChoice,
    files: Sequence[DataFile],
    hashes: Sequence[str],
    on_step: OnStep,
) -> Results:
    """Evaluate a spec by counting the leaves of its files and adding the counts up.

    A threshold that is to be chosen takes a second pass, which counts decisions.
    """
    cache = default()
    if engine.kind == "partials":
        first = Planned(plan_of_shards(spec, files), ())
    else:
        first = planned(spec, files, hashes)
    plan, leaves, title = first.plan, first.partitions, title_of(files)
    models = models_of(plan.spec)
    with executor_of(engine, on_step) as executor:
        if leaves:
            pass_one = gathered(plan, leaves, executor, cache, on_step)
        else:
            pass_one = added_shards(plan, files)
        if first.rows is not None:
            pass_one = replace(pass_one, rows=first.rows)
        if plan.task.truth in _TASKS:
            on_step("adding up")
            task = _TASKS[plan.task.truth](plan, pass_one, title)
            return assemble(spec, parts_of_counts(plan, engine, (files, hashes), pass_one, task))
        counted = evaluation_counts(pass_one, plan, models, title)
        chosen = thresholds(counted, fixed_costs(spec), ids_once=distinct(spec, pass_one))
        if plan.thresholds is None:
            values = [t.value if t else None for t in chosen]
            decided = Plan(plan.spec, _of_models(models, values), cells=False, long=plan.long)
            counted = _decided(counted, decided, leaves, executor, cache, on_step, pass_one)
        pass_one = replace(pass_one, partial=pass_one.partial.without_groups())
        if leaves and counted.dependent is not None and plan.scores:
            counted = _placed(counted, plan, leaves, executor, cache, on_step)
    on_step("adding up")
    has_places = counted.dependent is None or engine.kind != "partials"
    task = _of_two_classes(counted, chosen, plan, pass_one, has_places=has_places)
    return assemble(spec, parts_of_counts(plan, engine, (files, hashes), pass_one, task))


def _of_two_classes(
    counted: EvaluationCounts,
    chosen: Sequence[Threshold | None],
    plan: Plan,
    pass_one: Gathered,
    *,
    has_places: bool,
) -> CountedTask:
    """What counts say of two classes."""
    folds = FoldCounts(counted, plan, distinct=distinct(counted.spec, pass_one))
    rows, positives = counted.size()
    return CountedTask(
        counted,
        folds,
        lambda settings: binned_results(counted, chosen, fixed_costs(counted.spec), settings, plan),
        {"error_rate": 1 - max(positives, rows - positives) / rows, "rank_loss": 0.5},
        "scores",
        _checks(counted),
        AreaContrasts(counted) if has_places else None,
        lambda results: measures_of_groups(counted, results),
        lambda results: _doubts(counted, results, folds),
        shares_of(counted, errors_of(counted)),
    )


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
    pass_one: Gathered,
) -> EvaluationCounts:
    """The counts with the decisions at thresholds that were chosen on them."""
    decided = gathered(plan, leaves, executor, cache, on_step).partial.tables
    return with_decisions(counted, decided, pass_one.partial.tables)


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


def _checks(counted: EvaluationCounts) -> list[Check]:
    facts, labels = counted.facts, counted.labels
    sizes = {label: facts["truth"].get(label, 0) for label in (labels.positive, labels.negative)}
    rows = count_text(facts["rows"], "row", "rows")
    checks = [
        Check("complete", f"no truth, score or label missing in {rows}"),
        Check("labels", " and ".join(f"{label} ({size:,})" for label, size in sizes.items())),
    ]
    if scores := sum(m.score is not None for m in counted.models):
        detail = f"{count_text(scores, 'column', 'columns')} of finite numbers"
        checks.append(Check("scores", detail))
    return checks


def _doubts(counted: EvaluationCounts, results: TaskResults, folds: FoldCounts) -> list[Check]:
    """What cells leave open, and that only one class is present."""
    checks = []
    if widest := max(folds.half_widths.values(), default=0.0):
        detail = f"counted in cells, within {upwards(widest)} of that of the scores"
        checks.append(Check("AUC of each part", detail))
    if approximate := _approximate(counted, results):
        detail = f"{', '.join(approximate)}: from the mean scores of cells, without a bound"
        checks.append(Check("approximate measures", detail))
    return checks + _one_class(counted, results)


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
