"""The columns of a file that are counted."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.errors import DataError, EmptyError, Problem
from reportgen.predictions.files import DataFile, repeated_columns, scan
from reportgen.predictions.load import missing_columns
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.unreadable import UNREADABLE, unreadable
from reportgen.spec import Spec


def selected(file: DataFile, columns: Sequence[RequiredColumn], spec: Spec) -> pl.LazyFrame:
    """The columns of a file under canonical names, not yet read.

    Raises:
        DataError: the file cannot be read, or has a column twice or not at all.
        EmptyError: the file is empty.
    """
    try:
        lazy = scan(file)
        names = lazy.collect_schema().names()
    except pl.exceptions.NoDataError:
        raise EmptyError(Problem("no-rows", "the file is empty", file.name)) from None
    except UNREADABLE as fault:
        raise DataError(unreadable(file, fault)) from None
    repeated = repeated_columns(file, names)
    if missing := missing_columns(file.name, names, columns, spec, repeated):
        raise DataError(*missing)
    return lazy.select(pl.nth(names.index(w.column)).alias(w.name) for w in columns)
