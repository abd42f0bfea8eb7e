"""Write a commented spec for a data file: every guess with its reason, ready to build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reportgen.errors import DataError, Problem
from reportgen.initial_spec import (
    binary,
    classes,
    column_roles,
    multilabel,
    regression,
    score_table,
)
from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.dialect import decimal_of, separator_of
from reportgen.initial_spec.profile import ColumnProfile, profile
from reportgen.initial_spec.writing import data_lines, written
from reportgen.predictions.files import UTF8
from reportgen.predictions.inputs import read_whole
from reportgen.spec.nearest import listing

__all__ = ["init_spec"]


def init_spec(path: Path, *, pin: bool = False, encoding: str = UTF8) -> str:
    """Return a commented spec for a data file, to be kept in the file's folder.

    ``pin``: the spec holds for these bytes of the file only. ``encoding`` is that of
    a text file.

    Raises ``DataError`` when the file cannot be read, or when no truth or no
    model's output is recognised; ``EmptyError`` when it has no rows.
    """
    file, frame = read_whole(path, encoding, separator_of(path, encoding))
    file = replace(file, decimal="." if file.typed else decimal_of(frame))
    data = data_lines(file, pin=pin)
    columns = profile(frame, parse=not file.typed, decimal=file.decimal)
    table = score_table.score_table(columns) or score_table.wide_table(columns, file.name)
    if table is not None:
        return score_table.written(data, table, frame.shape, path.stem)
    roles = _roles(columns, file.name)
    others = [c for c in columns if c is not roles.truth and c not in roles.assigned]
    parts = [roles.used[use] for use in ("model", "repeat", "role") if use in roles.used]
    parts += [c for c in [roles.used.get("fold")] if c and bool(c.texts.str.contains(".Rep").any())]
    identity = column_roles.id_column(others, parts)
    slices = [
        c.name
        for c in others
        if c is not identity and 2 <= len(c.labels) <= 12 and not c.fractional
    ]
    uses = {} if identity is None else {"id": identity.name}
    uses |= {use: c.name for use, c in roles.used.items() if use != "model"}
    return written(data, roles, uses, slices, frame.shape)


def _roles(columns: Sequence[ColumnProfile], file: str) -> ColumnRoles:
    """Return what the columns are taken for.

    Clear signs of several classes and of numbers come first, faint ones only
    where there are no two classes.
    """
    roles = multilabel.multilabel_roles(columns) or classes.by_scores(columns)
    if roles is None and not column_roles.two_labels_named(columns):
        roles = classes.by_labels(columns, named=True) or regression.regression_roles(
            columns, named=True
        )
    if roles is not None:
        return roles
    two = binary.binary_roles(columns)
    if isinstance(two, ColumnRoles):
        return two
    roles = classes.by_labels(columns, named=False) or regression.regression_roles(
        columns, named=False
    )
    if roles is None:
        raise DataError(_nothing(file, two, columns))
    return roles


def _nothing(file: str, lacking: binary.MissingRole, columns: Sequence[ColumnProfile]) -> Problem:
    names = listing(column.name for column in columns) or "none"
    return Problem(
        "not-found",
        f"no {lacking.what} column; looked for {lacking.looked_for}",
        file,
        f"write the spec by hand; the columns are: {names}",
    )
