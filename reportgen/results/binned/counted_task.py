"""The evaluation of a task without a positive class, from counts of parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing.gap_influences import SliceContrasts
from reportgen.engines.choice import EngineChoice
from reportgen.engines.gather import Gathered
from reportgen.engines.number_bins import CELLS
from reportgen.engines.plan import Plan
from reportgen.engines.score_bins import UNIT
from reportgen.measuring.context import TaskResults
from reportgen.measuring.dependence import record_of_sizes
from reportgen.measuring.fold_means import fold_means
from reportgen.measuring.generalisation import errors
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.measuring.significance_settings import WEIGHTED, TestSettings
from reportgen.predictions import Check, InputFile
from reportgen.predictions.evaluation import facts as evaluation_facts
from reportgen.predictions.files import DataFile, scan
from reportgen.predictions.inputs import file_checks, listed
from reportgen.predictions.passed_checks import unchanged
from reportgen.predictions.required_columns import required_columns
from reportgen.records.data_summary import DataSummary, MissingValues, SliceBase
from reportgen.records.model import typed
from reportgen.records.rows import DataRecord, GroupMeasure, GroupsRecord, SkippedRecord
from reportgen.results.assembler import EvaluationParts, SliceTests
from reportgen.results.binned.fold_metrics import Folds
from reportgen.results.binned.part_counts import PartCounts
from reportgen.results.binned.shared import (
    counted_checks,
    distinct,
    slice_records,
    terms_of,
    untested,
)
from reportgen.results.binned.slicings import slice_sizes
from reportgen.results.notable_rows import left_out
from reportgen.results.provenance import check_records, engine_record, file_records
from reportgen.spec import Spec
from reportgen.tables import Generalisation, Slices
from reportgen.tasks import TASKS


@dataclass(frozen=True)
class CountedTask:
    """What a task makes of its counts.

    ``measure`` is computed of every part of an evaluation, by model; ``trivial`` are the errors
    of always saying the same. ``numbers`` names what models give, ``contrasts`` test gaps between
    slices in what is no share, ``of_groups`` says what groups do to measures, ``shares``
    tests those of rows in groups.
    """

    counted: PartCounts
    results: Callable[[TestSettings], TaskResults]
    measure: str
    of_parts: Callable[[Sequence[str]], Mapping[str, list[float | None]]]
    trivial: Mapping[str, float]
    numbers: str
    checks: Sequence[Check]
    contrasts: SliceContrasts | None = None
    of_groups: Sequence[GroupMeasure] = ()
    shares: GroupedShares | None = None


def parts_of_counts(
    plan: Plan,
    engine: EngineChoice,
    data: tuple[Sequence[DataFile], Sequence[str]],
    totals: Gathered,
    task: CountedTask,
) -> EvaluationParts:
    """The parts of an evaluation; ``data`` are the files with their hashes."""
    (files, hashes), spec, counted = data, plan.spec, task.counted
    folds = Folds(counted, plan, distinct=distinct(spec, totals))
    settings = terms_of(spec, spec.baseline or counted.models[0].name, folds)
    lines = counted.lines_of()
    settings = settings if lines is None else replace(settings, groups=lines.groups)
    results = task.results(settings)
    by_model = task.of_parts(folds.names) if folds.several else {}
    fold_table = folds.table({(task.measure, name): v for name, v in by_model.items()})
    evaluation, name = folds.evaluation, plan.task.name
    inputs = listed(files, hashes, [totals.rows.get(file.name, 0) for file in files])
    checks = [
        *unchanged(inputs),
        *task.checks,
        *counted_checks(spec, totals, engine, task.numbers),
        *file_checks(files, required_columns(plan.written)),
    ]
    generalisation = errors(
        fold_table,
        evaluation,
        task.trivial,
        spec.confidence,
        task=name,
        weighted=counted.weighted,
    )
    sizes = typed(Slices, slice_sizes(counted))
    return EvaluationParts(
        task_results=results,
        data={
            **data_of_counts(counted, results, inputs, engine, totals, folds, name, checks),
            "groups": groups_of_counts(counted, task.of_groups),
        },
        engine=engine,
        hashes=hashes,
        settings=settings,
        evaluation=evaluation,
        folds=fold_table,
        averages=fold_means(fold_table, evaluation, name, spec.confidence),
        generalisation=typed(Generalisation, generalisation),
        slices=sizes,
        slice_tests=SliceTests(
            untested=WEIGHTED if counted.weighted else None,
            shares=task.shares,
            contrasts=task.contrasts,
        ),
        shares=task.shares,
        skipped=[*untested(spec), *left_out(spec, counted=True), *without_distributions(spec)],
        data_summary=counted_summary(plan.written, files, sizes),
    )


def groups_of_counts(counted: PartCounts, measures: Sequence[GroupMeasure]) -> GroupsRecord | None:
    """The groups of the evaluated rows and what they do to the measures."""
    if counted.groups is None:
        return None
    sizes = counted.groups.lines_of().groups.sizes.astype(np.float64)
    return record_of_sizes(sizes, measures)


def data_of_counts(
    counted: PartCounts,
    results: TaskResults,
    files: Sequence[InputFile],
    engine: EngineChoice,
    totals: Gathered,
    folds: Folds,
    task: str,
    checks: Sequence[Check],
) -> DataRecord:
    """The data section, as from rows in memory, and what the engine did."""
    facts = counted.facts
    return {
        "task": task,
        "files": file_records(files),
        "rows": facts["rows"],
        "rows_evaluated": facts["evaluated"],
        "roles": facts.get("roles"),
        "truth": counted.spec.truth,
        **results.truth,
        "weighted": counted.weighted,
        "weight_total": counted.weight_total,
        "evaluation": evaluation_facts(folds.evaluation),
        "folds": folds.folds,
        "repeats": None,
        "timed": False,
        "slices": slice_records(facts["slices"]),
        "groups": None,
        "identical_rows": None,
        "same_outputs": None,
        "checks": check_records(checks),
        "unpaired": None,
        "models": list(results.models),
        "engine": engine_record(
            engine,
            cells=CELLS if TASKS[task].of_numbers else UNIT,
            leaves=totals.partitions,
        ),
    }


def counted_summary(
    spec: Spec, files: Sequence[DataFile], slices: DataFrame[Slices]
) -> DataSummary:
    """Missing values of the files, of counts of parts none; base rates from the counted slices."""
    return DataSummary(tuple(_missing(spec, files)), tuple(_base_rates(slices)), ())


def without_distributions(spec: Spec) -> list[SkippedRecord]:
    """Why scores are not shown over folds."""
    if spec.columns.fold is None:
        return []
    reason = "they need the rows: engine: exact"
    return [{"what": "scores over folds", "model": None, "reason": reason}]


def _missing(spec: Spec, files: Sequence[DataFile]) -> Iterator[MissingValues]:
    if any(file.format == "counts" for file in files):
        return
    roles = {field.column: field.role for field in required_columns(spec)}
    total: Counter[str] = Counter()
    for file in files:
        counts = scan(file).select(pl.col(column).null_count() for column in roles)
        total.update(counts.collect(engine="streaming").row(0, named=True))
    for column, role in roles.items():
        yield MissingValues(column, role, total[column])


def _base_rates(slices: DataFrame[Slices]) -> Iterator[SliceBase]:
    for row in slices.to_dicts():
        positives, rows = row["positives"], int(row["rows"])
        rates = () if positives is None or not rows else (positives / rows,)
        yield SliceBase(" × ".join(row["slicing"]), row["slice"], rows, rates)
