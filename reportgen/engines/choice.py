"""Which engine makes the numbers: exact in memory, or counted in cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import psutil

from reportgen.errors import Problem, SpecError
from reportgen.predictions.files import DataFile
from reportgen.predictions.load import rows_of
from reportgen.predictions.required_columns import required_columns
from reportgen.spec import Choice, Costs, Spec, class_names, task_of
from reportgen.spec.tasks import UNTOLD
from reportgen.tasks import TASKS, TaskName

EngineKind = Literal["exact", "streaming", "dask", "spark", "partials"]

FEW_ROWS = 10_000
"""With more rows than these the replicates of the bootstrap take no more memory."""

GROUPS, WEIGHTS, FURTHER_MEASURES = (3500, 250), (8000, 120), (3000, 100)
"""What a row takes more where rows come in groups, where they have weights, and where further
measures are compared: one of few rows, and any."""

TEXT_BYTES = 12
"""What a value takes in a text file, roughly."""

PACKED_TIMES = 5
"""How many times its size a compressed text is, roughly."""

SHARE = 0.5
"""Share of the free memory that the exact engine may fill."""


MOST_PAIRED = 30
"""Models that estimate a number at most: sums are made of every pair."""

MOST_CLASSES = 100
"""Classes with scores at most: each has cells of its own."""

_OF_ROWS = {
    "time": "losses are compared in order of time",
    "repeat": "rows that are evaluated once per repeat are identified by their ids",
}
"""Columns that counts cannot stand for, and why."""


@dataclass(frozen=True)
class EngineChoice:
    """The engine, why it is that one, and the address of its cluster."""

    kind: EngineKind
    why: str
    address: str | None = None


def chosen(spec: Spec, files: Sequence[DataFile]) -> EngineChoice:
    """Return the engine for a spec and its files.

    Raises ``SpecError`` where the spec asks for one that cannot do it.
    """
    if any(file.format == "counts" for file in files):
        return _of_counts(spec, files)
    return _of_rows(spec, files)


def _of_rows(spec: Spec, files: Sequence[DataFile]) -> EngineChoice:
    if spec.engine == "exact":
        return EngineChoice("exact", "as the spec says")
    reason = needs_rows(spec)
    if spec.engine == "auto":
        needed, free = (
            needed_bytes(spec, _rows(spec, files)),
            psutil.virtual_memory().available * SHARE,
        )
        if needed <= free:
            return EngineChoice("exact", "the data fit into memory")
        if reason is not None:
            return EngineChoice("exact", f"{reason[1]}, which no other engine does")
        message = f"sorting all scores would take about {needed / 1e9:,.1f} GB of memory"
        return EngineChoice("streaming", message)
    if reason is not None:
        message = f"engine: {reason[1]}, which only the exact engine does"
        raise SpecError(spec.problem("engine", "engine", message, "engine: exact"))
    if isinstance(spec.engine, str):
        return EngineChoice(spec.engine, "as the spec says")
    if (spec.engine.dask is None) == (spec.engine.spark is None):
        message = "engine: one cluster is expected, dask: or spark: with its address"
        raise SpecError(spec.problem("engine", "engine", message))
    kind: EngineKind = "dask" if spec.engine.dask is not None else "spark"
    return EngineChoice(kind, "as the spec says", spec.engine.dask or spec.engine.spark)


def _of_counts(spec: Spec, files: Sequence[DataFile]) -> EngineChoice:
    """The engine that adds up what was counted before; ``SpecError`` where rows are needed too."""
    others = [file.name for file in files if file.format != "counts"]
    if others:
        message = f"data: {others[0]} holds rows, other files hold counts"
        hint = "count it with `reportgen count`, or name all files of rows"
        raise SpecError(spec.problem("data", "conflict", message, hint))
    refuse_rows(spec)
    return EngineChoice("partials", "the data are counts of parts")


def refuse_rows(spec: Spec) -> None:
    """Raise ``SpecError`` where what a spec asks cannot be counted part by part, once."""
    reason = needs_rows(spec)
    if reason is not None:
        message = f"{reason[0]}: {reason[1]}, which counts of parts cannot stand for"
        raise SpecError(
            spec.problem(tuple(reason[0].split(".")), "engine", message, "build from rows")
        )
    if isinstance(spec.threshold, Choice):
        message = "threshold: one that is chosen takes a second pass over the rows"
        hint = "name the threshold, or build from rows"
        raise SpecError(spec.problem("threshold", "engine", message, hint))


def needs_rows(spec: Spec) -> tuple[str, str] | None:
    """Return what of a spec cannot be read off counts, as key and reason; None when all can."""
    task = task_of(spec)
    if task is not None and TASKS[task].several_labels and isinstance(spec.threshold, Choice):
        return "threshold", "thresholds of labels are chosen among the scores of rows"
    if (of_models := _of_models(spec, task)) is not None:
        return "models", of_models
    for role, reason in _OF_ROWS.items():
        if getattr(spec.columns, role) is not None:
            return f"columns.{role}", reason
    if spec.columns.group is not None and (of_groups := _of_groups(spec, task)) is not None:
        return "columns.group", of_groups
    return next(_of_options(spec), None)


def _of_options(spec: Spec) -> Iterator[tuple[str, str]]:
    if spec.reference is not None:
        yield "reference", "rows of two periods are compared"
    if spec.privacy.small_cells is not None and spec.columns.weight is not None:
        yield "privacy.small_cells", "small counts behind weights are counts of rows"
    if isinstance(spec.costs, Costs) and spec.costs.columns():
        yield "costs", "costs differ from row to row"


def _of_models(spec: Spec, task: TaskName | None) -> str | None:
    if not isinstance(spec.models, Mapping):
        return None if spec.columns.id else "models in long form without ids are not paired"
    if task is not None and TASKS[task].by_class and len(class_names(spec)) > MOST_CLASSES:
        return f"of more than {MOST_CLASSES} {TASKS[task].nouns} scores are not counted"
    if task is not None and TASKS[task].of_numbers and len(spec.models) > MOST_PAIRED:
        return f"of more than {MOST_PAIRED} models not every pair is counted"
    return None


def _of_groups(spec: Spec, task: TaskName | None) -> str | None:
    """Why rows in groups cannot be counted."""
    if spec.columns.weight is None or (task is not None and TASKS[task].of_numbers):
        return None
    return "of weighted rows in groups sums by group are counted of numbers alone"


def one_of_many(problem: Problem, spec: Spec) -> Problem:
    """The problem, with a hint for labels that may be meant to be of more than two classes."""
    if problem.code != "many-labels" or task_of(spec) is not None:
        return problem
    return replace(problem, hint="say task: multiclass where more than two classes are meant")


def needed_bytes(spec: Spec, rows: float) -> float:
    """How much memory the exact engine needs for so many rows: at most a third too much.

    Fitted to what evaluations of 1e3 to 1e7 rows took on four threads.
    """
    task = TASKS[task_of(spec) or UNTOLD[0]]
    of_row, of_column = task.row_bytes
    of_few, of_any = task.few_row_bytes, of_row + of_column * len(required_columns(spec))
    for is_given, (few, more) in (
        (spec.columns.group is not None, GROUPS),
        (spec.columns.weight is not None, WEIGHTS),
        (bool(spec.comparisons.measures), FURTHER_MEASURES),
    ):
        of_few, of_any = of_few + few * is_given, of_any + more * is_given
    return task.fixed_bytes + of_few * min(rows, FEW_ROWS) + of_any * rows


def _rows(spec: Spec, files: Sequence[DataFile]) -> float:
    """The rows of the files, as far as their size tells them where nothing else does."""
    columns, rows = len(required_columns(spec)), 0.0
    for file in files:
        row_count = rows_of(file)
        size = file.path.stat().st_size * (PACKED_TIMES if file.packed else 1)
        rows += size / (TEXT_BYTES * columns) if row_count is None else row_count
    return rows
