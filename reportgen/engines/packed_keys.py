"""Several columns of keys as one of whole numbers, by which rows are grouped in half the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import IntegersOfAnySize

_MOST = 2**62
"""A number that keys are packed into stays below."""


@dataclass(frozen=True)
class Key:
    """A column of ``size`` values: whole numbers from ``least`` up, or the places of ``texts``."""

    name: str
    dtype: pl.DataType
    size: int
    least: int
    texts: pl.Series | None = None


@dataclass(frozen=True)
class PackedKeys:
    """The ``codes`` of the rows of some columns, in the order of these, and what they stand for."""

    codes: pl.Series
    keys: Sequence[Key]

    @classmethod
    def of(cls, rows: pl.DataFrame) -> PackedKeys | None:
        """Null where a value is missing, is neither text nor a whole number, or values are many.

        >>> packed = PackedKeys.of(pl.DataFrame({"t": ["b", "a", "b"], "k": [-1, 5, 3]}))
        >>> packed.codes.to_list()
        [7, 6, 11]
        >>> packed.unpacked(packed.codes.to_frame()).rows()
        [('b', -1), ('a', 5), ('b', 3)]
        """
        codes, keys, size = np.zeros(rows.height, np.int64), [], 1
        for column in rows.iter_columns():
            key = _key(column)
            if key is None or size * key.size >= _MOST:
                return None
            keys.append(key)
            if key.size > 1 and size == 1:
                codes = _places(column, key).astype(np.int64)
                codes -= key.least
            elif key.size > 1:
                codes *= key.size
                codes += _places(column, key)
                codes -= key.least
            size *= key.size
        return cls(pl.Series("packed keys", codes), keys)

    def unpacked(self, table: pl.DataFrame) -> pl.DataFrame:
        """A table with a column of codes, and in their place what they stand for."""
        rest, columns = table[self.codes.name].to_numpy(), []
        for key in reversed(self.keys):
            rest, place = np.divmod(rest, key.size)
            if key.texts is None:
                columns.append(pl.Series(key.name, place + key.least).cast(key.dtype))
            else:
                columns.append(key.texts.gather(place).alias(key.name))
        return table.drop(self.codes.name).hstack(columns[::-1])


def _key(column: pl.Series) -> Key | None:
    if column.null_count() or not len(column):
        return None
    name, dtype = column.name, column.dtype
    if dtype == pl.String:
        texts = column.unique().sort()
        return Key(name, dtype, len(texts), 0, texts)
    if dtype == pl.Boolean:
        return Key(name, dtype, 2, 0)
    if not dtype.is_integer() or dtype in (pl.UInt64, pl.Int128):
        return None
    numbers = column.to_numpy()
    least, most = int(numbers.min()), int(numbers.max())
    return Key(name, dtype, most - least + 1, least)


def _places(column: pl.Series, key: Key) -> IntegersOfAnySize:
    if key.texts is not None:
        column = column.replace_strict(key.texts, pl.int_range(key.size, eager=True))
    places: IntegersOfAnySize = column.to_numpy()
    return places
