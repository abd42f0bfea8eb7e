"""Tables and columns as people have them, taken as Polars frames and series.

Polars, pandas, PyArrow and whatever else narwhals reads, NumPy arrays, and
mappings of columns. None of these libraries is needed unless it is used.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import polars as pl

from reportgen.errors import DataError, Problem

FrameLike: TypeAlias = Any
"""A Polars frame (eager or lazy), a pandas or PyArrow table, another one that narwhals
reads, a structured or two-dimensional NumPy array, or a mapping of names to columns."""

ColumnLike: TypeAlias = Any
"""A Polars, pandas or PyArrow column, a NumPy array of one dimension, a list or a tuple."""

_TABLES = "a Polars, pandas or PyArrow table, a NumPy array, or a dict of columns"
_COLUMNS = "a Polars, pandas or PyArrow column, a NumPy array of one dimension, or a list"


def polars_frame(data: FrameLike, name: str = "data") -> pl.DataFrame:
    """Return a table as a Polars frame; what is one already is returned as it is.

    A lazy frame is collected. The index of a pandas table is no column. Columns of
    an array without names are ``column_0``, ``column_1``, and so on. ``name`` is what
    an error calls the table.

    Raises:
        DataError: it is no table, two columns have one name, columns differ in
            length, or a column has values that no Polars type holds.

    >>> polars_frame({"truth": np.array([True, False]), "p": [0.9, 0.2]}).shape
    (2, 2)
    """
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, Mapping):
        _refuse_repeated(map(str, data), name)
        return _of_columns({str(key): values for key, values in data.items()}, name)
    if isinstance(data, np.ndarray):
        return _of_array(data, name)
    return _of_other(data, name)


def polars_column(values: ColumnLike, name: str) -> pl.Series:
    """Return a column as a Polars series of that name.

    Raises:
        DataError: it is no column, or has values that no Polars type holds.

    >>> polars_column(np.array([0.9, 0.2]), "forest").to_list()
    [0.9, 0.2]
    """
    if isinstance(values, pl.Series):
        return values.alias(name)
    if isinstance(values, list | tuple):
        return _series(name, values)
    array = hasattr(values, "__array__") and not hasattr(values, "__arrow_c_stream__")
    if isinstance(values, np.ndarray) or (array and not _is_pandas(values)):
        is_masked = isinstance(values, np.ma.MaskedArray)
        return _of_vector(values if is_masked else np.asarray(values), name)
    if hasattr(values, "__arrow_c_array__"):
        return _series(name, values)
    return _of_other_column(values, name)


def check_indexes(columns: Mapping[str, ColumnLike], name: str) -> None:
    """Refuse pandas columns whose rows stand under other indexes: they are of other examples.

    A default index, which counts the rows, says nothing of them.

    Raises:
        DataError: two columns have indexes of their own that differ.
    """
    indexed = {
        column: values.index
        for column, values in columns.items()
        if _is_pandas(values) and hasattr(values, "index") and not _counts_rows(values.index)
    }
    if len(indexed) < 2:
        return
    (first, index), *others = indexed.items()
    for other, its in others:
        if len(its) == len(index) and not index.equals(its):
            message = f"the rows of {other!r} have another pandas index than those of {first!r}"
            hint = (
                f"put them in one order with .loc[{first}.index], or give .to_numpy() to take "
                "the rows as they stand"
            )
            raise DataError(Problem("unlike-index", message, name, hint))


def _counts_rows(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def digest(frame: pl.DataFrame) -> str:
    """The SHA-256 of a frame's columns, as Arrow has them, in hexadecimal."""
    content = hashlib.sha256()
    for column in frame:
        if column.dtype != pl.Object:
            buffer = io.BytesIO()
            column.to_frame().rechunk().write_ipc(buffer, compression="uncompressed")
            content.update(buffer.getbuffer())
    return content.hexdigest()


def _is_pandas(values: Any) -> bool:
    return type(values).__module__.partition(".")[0] in ("pandas", "modin", "cudf")


def _of_columns(columns: Mapping[str, ColumnLike], name: str) -> pl.DataFrame:
    check_indexes(columns, name)
    series = [polars_column(values, column) for column, values in columns.items()]
    heights = {column.name: len(column) for column in series}
    if len(set(heights.values())) > 1:
        first, *others = heights.items()
        other = next(pair for pair in others if pair[1] != first[1])
        message = (
            f"the columns differ in length: {first[0]!r} has {first[1]:,} rows, "
            f"{other[0]!r} has {other[1]:,}"
        )
        raise DataError(
            Problem("unequal-length", message, name, "give every column the same number of rows")
        )
    return pl.DataFrame(series)


def _of_array(data: np.ndarray[Any, Any], name: str) -> pl.DataFrame:
    if data.dtype.names:
        return _of_columns({field: data[field] for field in data.dtype.names}, name)
    if data.ndim != 2:
        message = f"an array of {_dimensions(data.ndim)} is not a table"
        hint = 'name it: {"truth": array}, or give an array of rows by columns'
        raise DataError(Problem("wrong-type", message, name, hint))
    return _of_columns({f"column_{k}": data[:, k] for k in range(data.shape[1])}, name)


def _of_vector(values: np.ndarray[Any, Any], name: str) -> pl.Series:
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        message = f"an array of {_dimensions(values.ndim)} is not a column"
        raise DataError(Problem("wrong-type", message, name, "give one column at a time"))
    series = _series(name, values.tolist() if values.dtype.kind in "OUS" else np.asarray(values))
    gone = np.ma.getmaskarray(values)
    return (
        series.zip_with(~pl.Series(gone), pl.Series([None], dtype=series.dtype))
        if gone.any()
        else series
    )


def _dimensions(number: int) -> str:
    return "1 dimension" if number == 1 else f"{number} dimensions"


def _series(name: str, values: Any) -> pl.Series:
    try:
        return pl.Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        message = "the column mixes types, or holds values other than numbers, texts or times"
        hint = "convert it to one type"
        raise DataError(Problem("wrong-type", message, name, hint)) from None


def _of_other(data: Any, name: str) -> pl.DataFrame:
    """What narwhals reads: pandas, PyArrow, Modin, cuDF, DuckDB and others."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(data)
    except DuplicateError:
        _refuse_repeated(map(str, data.columns), name)
        raise
    except TypeError:
        raise _refused(data, name, _TABLES, _hint(data)) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    _refuse_repeated(map(str, frame.columns), name)
    return pl.DataFrame(
        [_of_narwhals(frame.get_column(column), str(column)) for column in frame.columns]
    )


def _of_other_column(values: Any, name: str) -> pl.Series:
    import narwhals as nw

    try:
        series = nw.from_native(values, series_only=True)
    except TypeError:
        hint = "turn a generator into a list with list(...)" if hasattr(values, "__next__") else ""
        raise _refused(values, name, _COLUMNS, hint) from None
    return _of_narwhals(series, name)


def _of_narwhals(series: Any, name: str) -> pl.Series:
    """A column by way of narwhals; value by value where the fast way wants PyArrow."""
    try:
        converted: pl.Series = series.to_polars()
    except (ImportError, NotImplementedError, TypeError, ValueError, pl.exceptions.PolarsError):
        missing = series.is_null().to_list()
        pairs = zip(series.to_list(), missing, strict=True)
        return _series(name, [None if gone else value for value, gone in pairs])
    return converted.alias(name)


def _refuse_repeated(names: Iterable[str], table: str) -> None:
    """Raise ``DataError`` where two columns have one name, such as the number 1 and the text 1."""
    counts = Counter(names)
    if repeated := [repr(name) for name, count in counts.items() if count > 1]:
        message = f"two columns have one name: {', '.join(repeated)}"
        raise DataError(Problem("repeated-column", message, table, "rename one of them"))


def _hint(data: Any) -> str:
    if isinstance(data, str):
        return "name files under data: in a spec"
    if isinstance(data, Sequence) and data and isinstance(data[0], Mapping):
        return "turn a list of rows into a table with polars.DataFrame(rows)"
    if hasattr(data, "to_pandas"):
        return "give its .to_pandas()"
    return ""


def _refused(given: Any, name: str, expected: str, hint: str) -> DataError:
    kind = type(given)
    home = kind.__module__.partition(".")[0]
    title = kind.__qualname__ if home == "builtins" else f"{home}.{kind.__qualname__}"
    message = f"{title} cannot be read; {expected} is expected"
    return DataError(Problem("wrong-type", message, name, hint))


_OF_THE_SYSTEM = re.compile(r"\(os error (\d+)\)")


def write_parquet(table: pl.DataFrame, target: Path | IO[bytes], **options: Any) -> None:
    """Write a table; what the system says against it is an ``OSError`` with its number."""
    with _system_errors():
        table.write_parquet(target, **options)


def write_csv(table: pl.DataFrame, target: Path | IO[bytes]) -> None:
    """The same as text."""
    with _system_errors():
        table.write_csv(target)


@contextmanager
def _system_errors() -> Iterator[None]:
    """Polars takes a full disk for a fault in the form of a file, or leaves out the number."""
    try:
        yield
    except (pl.exceptions.ComputeError, OSError) as error:
        match = _OF_THE_SYSTEM.search(str(error))
        if match is None:
            raise
        number = int(match[1])
        raise OSError(number, os.strerror(number)) from None
