"""Sums of numbers by group without rounding, the same in any order.

A line is a group in a part of a scope. A column has the total of three bands of ``exact_sums`` of a
sum, so that most sums have one or two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.clusters import ranks_of_hashes
from reportgen.engines.exact_sums import NOT_FINITE, WIDTH, totals_by_band
from reportgen.engines.group_counting import lined, plain_kinds
from reportgen.engines.scope import Scope

_BANDS = 3

NO_NUMBERS = "no numbers"
"""In place of the power of two of a column: how many values of a sum are no numbers."""


def column_of(model: int, what: str) -> str:
    """The name of a sum of a model, less the power of two that its columns end with."""
    return f"{model} {what} "


def summed_by_group(scope: Scope, sums: Mapping[str, Sequence[Floats]]) -> pl.DataFrame:
    """Lines of a scope with some sums, each of values that several columns add up to."""
    part = scope.rows.select(scope.place.cast(pl.Int64).alias("part"))["part"].to_numpy()
    part = np.broadcast_to(part, scope.rows.height)
    rows = lined(scope.rows["group"], plain_kinds(scope)[part])
    code, number = ranks_of_hashes(rows["line"].to_numpy())
    first = np.zeros(number, np.int64)
    first[code] = np.arange(len(code))
    lines = rows[first]
    columns = [c for name, values in sums.items() for c in _columns(name, values, code, number)]
    return lines.with_columns(columns)


def _columns(name: str, values: Sequence[Floats], code: Integers, number: int) -> Iterator[pl.Expr]:
    totals: dict[str, pl.Expr] = {}
    for side in (v for v in values if v.any()):
        for band, of_band in totals_by_band(side, code, number).items():
            at = (band + 1) // _BANDS
            power, shift = f"{WIDTH * (_BANDS * at - 1)}", band + 1 - _BANDS * at
            if band == NOT_FINITE:
                power, shift = NO_NUMBERS, 0
            total: pl.Expr = pl.lit(pl.Series(of_band, dtype=pl.Int128))
            for _ in range(shift):
                total *= pl.lit(2**WIDTH, pl.Int128)
            column = f"{name}{power}"
            totals[column] = totals[column] + total if column in totals else total
    yield from (total.alias(column) for column, total in totals.items())
