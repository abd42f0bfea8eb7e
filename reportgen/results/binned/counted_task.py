"""The evaluation of a task without a positive class, from counts of parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.clusters import Groups
from reportgen.comparing.slice_contrasts import SliceContrasts
from reportgen.engines.choice import EngineChoice
from reportgen.engines.gather import Gathered
from reportgen.engines.number_bins import CELLS
from reportgen.engines.plan import Plan
from reportgen.engines.score_bins import UNIT
from reportgen.measuring.context import TaskResults, TestSettings, no_margin, settings_of
from reportgen.measuring.dependence import record_of_sizes
from reportgen.measuring.fold_means import fold_averages, fold_means
from reportgen.measuring.generalisation import errors
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.measuring.unlike_rows import in_few_groups
from reportgen.predictions import Check, InputFile
from reportgen.predictions.evaluation_scheme import facts as evaluation_facts
from reportgen.predictions.evaluation_scheme import over_folds
from reportgen.predictions.files import DataFile, scan
from reportgen.predictions.inputs import file_checks, listed
from reportgen.predictions.passed_checks import unchanged
from reportgen.predictions.required_columns import required_columns
from reportgen.predictions.truth_left_out import TruthLeftOut, left_out_rows
from reportgen.records.data_summary import DataSummary, MissingValues, SliceBase
from reportgen.records.groups import GroupMeasure
from reportgen.records.model import typed
from reportgen.records.rows import DataRecord, SkippedRecord, SliceRecord
from reportgen.results.assembler import EvaluationParts, SliceTests
from reportgen.results.binned.bounds import of_parts
from reportgen.results.binned.fold_metrics import Folds
from reportgen.results.binned.forecasts import within
from reportgen.results.binned.part_counts import PartCounts, slice_sizes
from reportgen.results.notable_rows import left_out
from reportgen.results.provenance import (
    check_records,
    engine_record,
    file_records,
    left_out_record,
)
from reportgen.spec import Spec
from reportgen.spec.measures import further_measures, margin_in
from reportgen.tables import Generalisation, Slices
from reportgen.tables.results import MetricRow
from reportgen.tasks import TaskInfo, TaskName
from reportgen.text.reasons import WEIGHTED


@dataclass(frozen=True)
class CountedTask:
    """What a task makes of its counts.

    ``folds`` are the parts of the evaluation; ``trivial`` are the errors of always saying the same.
    ``numbers`` names what models give; ``checks`` are those of the data, ``doubts`` those of what
    was computed. ``contrasts`` test gaps between slices in what is no share, ``of_groups`` says
    what groups do to measures, ``shares`` tests those of rows in groups.
    """

    counted: PartCounts
    folds: Folds
    results: Callable[[TestSettings], TaskResults]
    trivial: Mapping[str, float]
    numbers: str
    checks: Sequence[Check]
    contrasts: SliceContrasts | None = None
    of_groups: Callable[[TaskResults], Sequence[GroupMeasure]] = lambda _: ()
    doubts: Callable[[TaskResults], Sequence[Check]] = lambda _: ()
    shares: GroupedShares | None = None


def parts_of_counts(
    plan: Plan,
    engine: EngineChoice,
    data: tuple[Sequence[DataFile], Sequence[str]],
    totals: Gathered,
    task: CountedTask,
) -> EvaluationParts:
    """The parts of an evaluation; ``data`` are the files with their hashes."""
    (files, hashes), spec, counted, folds = data, plan.spec, task.counted, task.folds
    settings = _settings(spec, counted, folds)
    left = left_out_rows(spec, counted.facts.get("left_out", {}))
    results = task.results(settings)
    evaluation, name = folds.evaluation, plan.task.name
    inputs = listed(files, hashes, [totals.rows.get(file.name, 0) for file in files])
    checks = [
        *unchanged(inputs),
        *task.checks,
        *_checks(spec, totals, engine, task.numbers),
        *task.doubts(results),
        *file_checks(files, required_columns(plan.written)),
    ]
    generalisation = errors(
        folds.metrics,
        evaluation,
        task.trivial,
        spec,
        task=name,
    )
    sizes = typed(Slices, slice_sizes(counted))
    groups = None if counted.groups is None else counted.groups.lines_of().groups
    return EvaluationParts(
        task_results=results,
        data={
            **_data(counted, results, inputs, engine, totals, folds, plan.task, checks),
            **left_out_record(left),
            "groups": None
            if groups is None
            else record_of_sizes(groups.sizes.astype(np.float64), task.of_groups(results)),
            **_in_few_groups(groups, spec, results),
        },
        engine=engine,
        hashes=hashes,
        settings=settings,
        evaluation=evaluation,
        folds=folds.metrics,
        averages=[*_means(folds, spec, name), *_averages(folds)],
        generalisation=typed(Generalisation, generalisation),
        slices=sizes,
        slice_tests=SliceTests(
            untested=WEIGHTED if counted.weighted else None,
            shares=task.shares,
            contrasts=task.contrasts,
        ),
        shares=task.shares,
        bounded=lambda tests: of_parts(tests, folds.half_widths),
        skipped=[*_untested(spec), *left_out(spec, counted=True), *_of_rows(spec, plan.task)],
        data_summary=DataSummary(
            tuple(_missing(plan.written, files, left)), tuple(_base_rates(sizes)), ()
        ),
    )


def _data(
    counted: PartCounts,
    results: TaskResults,
    files: Sequence[InputFile],
    engine: EngineChoice,
    totals: Gathered,
    folds: Folds,
    task: TaskInfo,
    checks: Sequence[Check],
) -> DataRecord:
    """The data section, as from rows in memory, and what the engine did."""
    facts = counted.facts
    cells = CELLS if task.of_numbers else UNIT
    return {
        "task": task.name,
        "files": file_records(files),
        "rows": facts["rows"],
        "rows_evaluated": facts["evaluated"],
        "roles": facts.get("roles"),
        "truth": counted.spec.truth,
        **results.truth,
        "weighted": counted.weighted,
        "weight_total": counted.weight_total,
        "weights": None,
        "evaluation": evaluation_facts(folds.evaluation),
        "folds": folds.folds,
        "repeats": None,
        "timed": False,
        "slices": _slices(facts["slices"]),
        "slice_levels": None,
        "pairs_by_slice": [],
        "groups": None,
        "identical_rows": None,
        "same_outputs": None,
        "checks": check_records(checks),
        "unpaired": None,
        "models": list(results.models),
        "engine": engine_record(engine, cells=cells, leaves=totals.partitions),
    }


def _in_few_groups(groups: Groups | None, spec: Spec, results: TaskResults) -> DataRecord:
    """The pairs of models that few groups alone may decide; none of withheld counts."""
    if groups is None or spec.privacy.small_cells:
        return {}
    pairs = in_few_groups(groups, [model["name"] for model in results.models])
    return {"unlike_rows": pairs} if pairs else {}


def _of_rows(spec: Spec, task: TaskInfo) -> Iterator[SkippedRecord]:
    """What needs the rows: scores over folds, and slices against what models predict."""
    reason = "they need the rows: engine: exact"
    if spec.columns.fold is not None:
        yield {"what": "scores over folds", "model": None, "reason": reason}
    if spec.slices and (task.two_classes or task.of_numbers):
        yield {
            "what": "tests of truth against prediction by slice",
            "model": None,
            "reason": reason,
        }


def _missing(
    spec: Spec, files: Sequence[DataFile], left: TruthLeftOut | None
) -> Iterator[MissingValues]:
    if any(file.format == "counts" for file in files):
        return
    roles = {field.column: field.role for field in required_columns(spec)}
    total: Counter[str] = Counter()
    for file in files:
        counts = scan(file).select(pl.col(column).null_count() for column in roles)
        total.update(counts.collect(engine="streaming").row(0, named=True))
    for column, role in roles.items():
        yield MissingValues(column, role, total[column] - (left.missing[column] if left else 0))


def _base_rates(slices: DataFrame[Slices]) -> Iterator[SliceBase]:
    for row in slices.to_dicts():
        positives, rows = row["positives"], int(row["rows"])
        rates = () if positives is None or not rows else (positives / rows,)
        yield SliceBase(" × ".join(row["slicing"]), row["slice"], rows, rates)


def _settings(spec: Spec, counted: PartCounts, folds: Folds) -> TestSettings:
    """What the tests are made under, as for rows in memory."""
    settings = settings_of(spec, spec.baseline or counted.models[0].name)
    lines = counted.lines_of()
    return replace(
        settings,
        margin_in=no_margin if over_folds(folds.evaluation) else partial(margin_in, spec=spec),
        primary=spec.comparisons.primary,
        weight=None if spec.columns.weight is None else "weight",
        groups=settings.groups if lines is None else lines.groups,
    )


def _means(folds: Folds, spec: Spec, task: TaskName) -> list[MetricRow]:
    """The means over folds; an area is as far off at most as that of any fold."""
    return [
        within(row, max(row["value"] - off, 0.0), min(row["value"] + off, 1.0))
        if row["metric"] == "auc"
        and row["value"] is not None
        and (off := folds.half_widths.get(row["model"], 0.0))
        else row
        for row in fold_means(folds.metrics, folds.evaluation, task, spec)
    ]


def _averages(folds: Folds) -> list[MetricRow]:
    """Macro and micro averages over several tests of two classes."""
    evaluation = folds.evaluation
    if not evaluation.pooled_fits or evaluation.scheme == "leave_one_out":
        return []
    counts = folds.counts
    return [] if counts is None else fold_averages(counts, evaluation)


def _checks(spec: Spec, totals: Gathered, engine: EngineChoice, what: str) -> list[Check]:
    """The checks of ids, weights and roles that were passed, and those that counts cannot make."""
    passed = [
        (distinct(spec, totals), "ids", "no duplicates"),
        (spec.columns.weight, "weights", "finite, none negative, not all zero"),
        (spec.columns.role, "roles", "train, validation or test in every row"),
    ]
    checks = [Check(name, detail) for applies, name, detail in passed if applies]
    if spec.columns.id and not totals.ids_once:
        apart = engine.kind == "partials"
        why = "ids stay where the rows are" if apart else "ids are not in increasing order"
        detail = f"{why}; duplicates were not checked"
        checks.append(Check("ids", detail, warning=True))
    detail = f"not checked: {what} are counted, rows are not compared"
    return [*checks, Check("identical rows", detail)]


def _slices(value_counts: Mapping[str, Mapping[str, int] | None]) -> list[SliceRecord]:
    """The values of each slice column with their rows."""
    return [
        {
            "name": column,
            "values": [
                {"value": value, "rows": rows}
                for value, rows in sorted(
                    ((json.loads(text), rows) for text, rows in values.items()),
                    key=lambda pair: (pair[0] is not None, pair[0] or ""),
                )
            ],
        }
        for column, values in value_counts.items()
        if values is not None
    ]


def _untested(spec: Spec) -> list[SkippedRecord]:
    """The measures that pairs are to be compared in, which counts cannot be exchanged for."""
    return [
        {"what": f"tests of {name}", "model": None, "reason": "they need the rows: engine: exact"}
        for name in further_measures(spec)
    ]


def distinct(spec: Spec, totals: Gathered) -> bool:
    """Whether it is known that no id returns."""
    return spec.columns.id is not None and totals.ids_once
