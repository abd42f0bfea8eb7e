"""Each example once: ids are unique within what is evaluated together."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.errors import Problem
from reportgen.integer_sort import sort_integers
from reportgen.predictions.source import Source, counted, row_problems


def duplicates(frame: pl.DataFrame, column: str, source: Source) -> list[Problem]:
    """Return the rows whose id was there before.

    An id may return in another data set, in another repeat, for another model in long form, in
    another role, and in other folds' training parts; not among the tests of
    one repeat, but in another group of a single test (``crossed``). Strictly increasing ids cost
    one comparison; else integers or hashes are sorted, and only rows whose number returns are
    compared.
    """
    ids = frame["id"]
    if _increases(ids.head(1000)) and _increases(ids):
        return []
    keys = _keys(frame)
    numbers = _numbers(keys)
    wide = pl.UInt64 if numbers.dtype == pl.UInt64 else pl.Int64
    in_order = numbers.cast(wide).to_numpy().copy()
    sort_integers(in_order.view(np.uint64))
    again = pl.Series(in_order[1:][in_order[1:] == in_order[:-1]]).cast(numbers.dtype)
    if again.is_empty():
        return []
    suspects = keys.with_row_index().filter(
        numbers.is_in(again.unique().implode()) & ids.is_not_null()
    )
    repeated = suspects.filter(pl.struct(keys.columns).is_first_distinct().not_())
    rows = pl.int_range(frame.height, dtype=pl.UInt32, eager=True).is_in(
        repeated["index"].implode()
    )
    parts = [name for name in ("repeat", "role") if name in frame.columns]
    within = f" within a {' and '.join(parts)}" if parts else ""
    hint = (
        "list each example once; where it was measured several times, name this column as group: "
        "in place of id:; where models were fitted again, name the repeat column under columns:, "
        "and where rows of training are listed too, the role column"
    )
    if "repeat" in parts:
        hint = f"list each example once{within}; of rows resampled for training keep one each"
    return row_problems(
        "duplicate-id",
        lambda n: counted(n, "row repeats an id", "rows repeat an id") + within,
        hint,
        column=column,
        wrong=rows,
        source=source,
        values=ids,
    )


def crossed(frame: pl.DataFrame) -> int:
    """How many rows have an id that other groups have, too, as cases read by several readers.

    >>> crossed(pl.DataFrame({"id": [1, 1, 2], "group": ["u", "v", "v"]}))
    2
    """
    if not {"id", "group"} <= set(frame.columns) or _apart(frame):
        return 0
    ids = frame["id"]
    if _increases(ids) or ids.n_unique() == len(ids):
        return 0
    groups = pl.col("group").n_unique().over("id")
    return frame.drop_nulls(["id", "group"]).filter(groups > 1).height


def _apart(frame: pl.DataFrame) -> bool:
    """Whether ids say how rows return, or join the rows of models."""
    return not {"dataset", "repeat", "model", "role", "fold"}.isdisjoint(frame.columns)


def _increases(ids: pl.Series) -> bool:
    return not ids.null_count() and bool((ids.slice(1) > ids.slice(0, len(ids) - 1)).all())


def _numbers(keys: pl.DataFrame) -> pl.Series:
    """A number of each key: of an integer itself, of others a hash."""
    if keys.width > 1:
        return keys.to_struct().hash()
    ids = keys.to_series()
    plain = ids.dtype.is_integer() and ids.dtype not in (pl.Int128, pl.UInt128)
    return ids if plain and not ids.null_count() else ids.hash()


def _keys(frame: pl.DataFrame) -> pl.DataFrame:
    keys = frame.select(
        n for n in ("id", "dataset", "repeat", "model", "role") if n in frame.columns
    )
    if "group" in frame.columns and not _apart(frame):
        keys = keys.with_columns(frame["group"])
    if "role" in frame.columns and "fold" in frame.columns:
        fold = pl.when(pl.col("role") != "test").then("fold")
        keys = keys.with_columns(frame.select(fold).to_series())
    return keys
