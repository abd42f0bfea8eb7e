"""Which engine makes the numbers: exact in memory, or counted in cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import psutil

from reportgen.engines.refusals import needs_rows
from reportgen.errors import Problem, SpecError
from reportgen.predictions.files import DataFile
from reportgen.predictions.load import rows_of
from reportgen.predictions.required_columns import required_columns
from reportgen.spec import Choice, Spec, class_names, task_of
from reportgen.spec.measures import further_measures
from reportgen.spec.tasks import UNTOLD
from reportgen.tasks import TASKS

EngineKind = Literal["exact", "streaming", "dask", "spark", "partials"]

FEW_ROWS = 10_000
"""With more rows than these the replicates of the bootstrap take no more memory."""

GROUPS, WEIGHTS, FURTHER_MEASURES = (3500, 250), (8000, 120), (3000, 100)
"""What a row takes more where rows come in groups, where they have weights, and where further
measures are compared: one of few rows, and any."""

OF_NUMBERS = (0, 180), (0, 0)
"""The same of groups and of weights where the truth is a number."""

TIMES = 60, 22
"""What any row and each of its columns take more in order of time, but for rows in groups."""

TIMES_OF_NUMBERS = 150
"""What any row takes more of the same where the truth is a number."""

OF_PARTS = {"fold": 100, "dataset": 100, "role": 100, "repeat": 200}
"""What any row takes more where the rows come in parts by these columns: the largest of them."""

EVERY_MEASURE = 60, 160
"""What any row takes more with every measure, and where the truth is a number."""

COLUMNS_OF_CLASSES = 22
"""Columns of more classes take no more in order of time."""

OF_COMBINATION = 150
"""What a row takes more for each combination of columns by which rows are sliced."""

OF_CELLS = 100
"""What a cell of the table of truth and prediction of one model takes."""

TEXT_BYTES = 12
"""What a value takes in a text file, roughly."""

PACKED_TIMES = 5
"""How many times its size a compressed text is, roughly."""

SHARE = 0.5
"""Share of the free memory that the exact engine may fill."""


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
    refusal = needs_rows(spec)
    if spec.engine == "auto":
        needed, free = (
            needed_bytes(spec, _rows(spec, files)),
            psutil.virtual_memory().available * SHARE,
        )
        if needed <= free:
            return EngineChoice("exact", "the data fit into memory")
        if refusal is not None:
            return EngineChoice("exact", f"{refusal.reason}, which no other engine does")
        message = f"sorting all scores would take about {needed / 1e9:,.1f} GB of memory"
        return EngineChoice("streaming", message)
    if refusal is not None:
        message = f"{refusal.reason}, which only the exact engine does"
        raise SpecError(spec.problem("engine", "engine", message, "engine: exact"))
    if isinstance(spec.engine, str):
        return EngineChoice(spec.engine, "as the spec says")
    if (spec.engine.dask is None) == (spec.engine.spark is None):
        message = "one cluster is expected, dask: or spark: with its address"
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
    refusal = needs_rows(spec)
    if refusal is not None:
        message = f"{refusal.key}: {refusal.reason}, which counts of parts cannot stand for"
        raise SpecError(
            spec.problem(tuple(refusal.key.split(".")), "engine", message, "build from rows")
        )
    if isinstance(spec.threshold, Choice):
        message = "threshold: one that is chosen takes a second pass over the rows"
        hint = "name the threshold, or build from rows"
        raise SpecError(spec.problem("threshold", "engine", message, hint))


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
    columns = len(required_columns(spec))
    of_few, of_any = task.few_row_bytes, of_row + of_column * columns
    of_any += _of_time(spec, columns) + _of_parts(spec)
    of_any += EVERY_MEASURE[task.of_numbers] * (spec.measures == "all")
    of_any += OF_COMBINATION * sum(not isinstance(entry, str) for entry in spec.slices)
    groups, weights = OF_NUMBERS if task.of_numbers else (GROUPS, WEIGHTS)
    for is_given, (few, more) in (
        (spec.columns.group is not None, groups),
        (spec.columns.weight is not None, weights),
        (bool(further_measures(spec)), FURTHER_MEASURES),
    ):
        of_few, of_any = of_few + few * is_given, of_any + more * is_given
    models = len(spec.models) if isinstance(spec.models, Mapping) else 1
    of_cells = OF_CELLS * models * len(class_names(spec)) ** 2 if task.several_classes else 0
    return task.fixed_bytes + of_cells + of_few * min(rows, FEW_ROWS) + of_any * rows


def _of_time(spec: Spec, columns: int) -> float:
    """What any row takes more in order of time, but for rows in groups."""
    if spec.columns.time is None or spec.columns.group is not None:
        return 0
    task = TASKS[task_of(spec) or UNTOLD[0]]
    if task.of_numbers:
        return TIMES_OF_NUMBERS
    most = COLUMNS_OF_CLASSES if task.several_classes else columns
    return TIMES[0] + TIMES[1] * min(columns, most)


def _of_parts(spec: Spec) -> float:
    """What any row takes more where the rows come in folds, repeats, data sets or roles."""
    given = (of for name, of in OF_PARTS.items() if getattr(spec.columns, name) is not None)
    return max(given, default=0)


def _rows(spec: Spec, files: Sequence[DataFile]) -> float:
    """The rows of the files, as far as their size tells them where nothing else does."""
    columns, rows = len(required_columns(spec)), 0.0
    for file in files:
        row_count = rows_of(file)
        size = file.path.stat().st_size * (PACKED_TIMES if file.packed else 1)
        rows += size / (TEXT_BYTES * columns) if row_count is None else row_count
    return rows
