"""What the user states of the columns, and a header that names none, checked against the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from reportgen.errors import DataError, Problem
from reportgen.initial_spec import score_table
from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.initial_spec.regression import ESTIMATE
from reportgen.spec.nearest import listing, nearest
from reportgen.tasks import TASKS


def stated_truth(columns: Sequence[ColumnProfile], truth: str, file: str) -> list[ColumnProfile]:
    """Return the columns, each with whether it is the stated truth."""
    column = next((c for c in columns if c.name == truth), None)
    if column is None:
        names = [c.name for c in columns]
        meant = nearest(truth, names)
        hint = f"did you mean {meant!r}?" if meant else f"the columns are: {listing(names)}"
        raise DataError(Problem("not-found", f"there is no column {truth!r}", file, hint))
    if not column.complete:
        values = column.texts if column.numbers is None else column.numbers
        absent = values.is_null() if column.missing else ~values.is_finite()
        row = int(absent.arg_max() or 0) + 1
        message, hint = "missing or infinite values", "leave out those rows"
        place = f"{file}, column {truth!r}, row {row}"
        raise DataError(Problem("missing", message, place, hint, rows=(row,)))
    return [replace(c, stated_truth=c is column) for c in columns]


def check_header(file: str, frame: pl.DataFrame) -> None:
    """Raise ``DataError`` where the first line holds numbers, not all of them whole.

    Whole numbers may be names that pandas gave.
    """
    numbers = pl.Series(frame.columns).cast(pl.Float64, strict=False)
    if numbers.is_finite().all(ignore_nulls=False) and (numbers != numbers.round()).any():
        message = "the first line holds numbers, not the names of the columns"
        hint = "write a line of names above the data, such as truth,forest"
        raise DataError(Problem("no-header", message, file, hint))


def check_positive(
    roles: ColumnRoles | score_table.WideTable, positive: str | None, file: str
) -> None:
    """Raise ``DataError`` where the stated label is none of two true ones."""
    if positive is None:
        return
    if not isinstance(roles, ColumnRoles) or roles.graded or not TASKS[roles.task].two_classes:
        message = "--positive is for a truth of two labels, which the file does not seem to have"
        hint = "leave it out, or name the column of two labels by --truth"
        raise DataError(Problem("conflict", message, file, hint))
    labels = list(roles.truth.labels)
    if positive not in labels:
        message = f"{roles.truth.name!r} has no label {positive!r}"
        hint = f"its labels are {listing(map(repr, labels))}"
        raise DataError(Problem("not-found", message, file, hint))


def of_stated_truth(columns: Sequence[ColumnProfile]) -> tuple[list[ColumnProfile], list[str]]:
    """Return the columns without other targets and their predictions, and what to tell of them.

    ``Waist`` and ``Waist_pred`` say nothing of ``Weight``. Predictions of the truth lose its
    words, which may be those of another role: ``Weight_pred`` holds no weights.
    """
    numbers = [c for c in columns if c.numbers is not None]
    targets = [c for c in numbers if c.words and not c.words & ESTIMATE]
    predicted: dict[str, list[str]] = {}
    for column in numbers:
        named = [t for t in targets if t.words < column.words]
        if column.words & ESTIMATE and named:
            target = max(named, key=lambda t: len(t.words))
            predicted.setdefault(target.name, []).append(column.name)
    truth = next((c for c in targets if c.stated_truth), None)
    if truth is None or truth.name not in predicted:
        return list(columns), []
    own = predicted.pop(truth.name)
    others = {*predicted, *(name for names in predicted.values() for name in names)}
    used = [
        replace(c, words=c.words - truth.words) if c.name in own else c
        for c in columns
        if c.name not in others
    ]
    left_out = listing(repr(c.name) for c in columns if c.name in others)
    why = "other targets and their predictions: a spec for each, by --truth"
    return used, [f"left out: {left_out} ({why})"] * bool(others)
