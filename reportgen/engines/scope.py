"""Rows that are counted together, by the parts that they belong to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

_MOST = 2**62
"""A number that digits are packed into stays below."""


@dataclass(frozen=True)
class Digit:
    """A whole number that rows are grouped by: ``size`` values from ``least`` up."""

    name: str
    value: pl.Expr
    size: int
    least: int = 0


@dataclass(frozen=True)
class Scope:
    """Rows by the values of some columns: ``parts`` has one row for each of them.

    ``place`` says which one a row belongs to.
    """

    number: int
    rows: pl.DataFrame
    parts: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(height=1))
    place: pl.Expr = field(default_factory=lambda: pl.lit(0))

    @classmethod
    def of(cls, number: int, rows: pl.DataFrame, columns: Sequence[str]) -> Scope:
        """The rows by the values of some columns."""
        parts = rows.select(columns).unique()
        place = rows.select(columns).join(
            parts.with_row_index("part"),
            on=columns,
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        return cls(number, rows.with_columns(place["part"]), parts, pl.col("part"))

    @property
    def texts(self) -> list[str]:
        """The values of each part, as JSON."""
        return [json.dumps(row, ensure_ascii=False) for row in self.parts.iter_rows()] or ["[]"]

    def grouped(
        self, digits: Sequence[Digit], tally: Mapping[str, pl.Expr], others: Sequence[str] = ()
    ) -> pl.DataFrame:
        """The tally of the rows of each part by ``truth`` and ``digits``, and by other columns."""
        texts = self.texts
        part = Digit("part", self.place, len(texts))
        packs = _packs([part, Digit("truth", pl.col("truth"), 2), *digits])
        packed = [_packed(pack).alias(f"pack:{k}") for k, pack in enumerate(packs)]
        counts = self.rows.lazy().group_by(*others, *packed).agg(**tally).collect()
        for k, pack in enumerate(packs):
            counts = counts.with_columns(_unpacked(f"pack:{k}", pack))
        part_names = pl.Series(texts, dtype=pl.String).gather(counts["part"])
        return counts.with_columns(part=part_names, scope=pl.lit(self.number, pl.Int16))


def _packs(digits: Sequence[Digit]) -> list[list[Digit]]:
    """The digits that go into one number each: groups of one are found faster than of many."""
    packs: list[list[Digit]] = []
    size = _MOST
    for digit in digits:
        size *= digit.size
        if size >= _MOST:
            packs.append([])
            size = digit.size
        packs[-1].append(digit)
    return packs


def _packed(digits: Sequence[Digit]) -> pl.Expr:
    packed: pl.Expr = pl.lit(0, pl.Int64)
    for digit in digits:
        packed = packed * digit.size + (digit.value.cast(pl.Int64) - digit.least)
    return packed


def _unpacked(name: str, digits: Sequence[Digit]) -> list[pl.Expr]:
    columns, remainder = [], pl.col(name)
    for digit in reversed(digits):
        columns.append((remainder % digit.size + digit.least).alias(digit.name))
        remainder = remainder // digit.size
    return columns
