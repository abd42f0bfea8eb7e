"""Counts of a part of the rows: tables that add up, and what is known of the rows."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

import numpy as np
import polars as pl
from polars.datatypes import DataTypeClass

from reportgen.engines.packed_keys import PackedKeys

IdList = list[str | int] | None
"""First and last id of a leaf (see ``partition.Ids``)."""


class Facts(TypedDict, total=False):
    """What is known of some rows beside their counts; see ``merged_facts``.

    ``truth`` and ``labels`` count spellings, by label column, ``slices`` the values of a column
    (null: too many to be listed). ``dtype`` are the types of the truth. ``too_many`` are the slices
    left out for the number of their parts; with ``few_fits`` every fit is counted by itself,
    with ``few_weights`` every weight.
    ``decimals`` say by model which decimals hold all its scores, ``disagreements`` count by model
    the rows whose label is not that of the highest score. ``ids`` are the spans of row ids,
    ``left_out`` the counts of the rows that are left out (see ``predictions.truth_left_out``).
    """

    rows: int
    evaluated: int
    truth: dict[str, int]
    dtype: list[str]
    labels: dict[str, dict[str, int]]
    slices: dict[str, dict[str, int] | None]
    roles: dict[str, int]
    too_many: list[int]
    few_fits: bool
    few_weights: bool
    decimals: dict[str, dict[str, bool]]
    disagreements: dict[str, int]
    ids: IdList
    left_out: dict[str, int]


ALL, VALIDATION, FITS = -1, -2, -3
"""Scopes: all rows that are evaluated, the rows that thresholds are chosen on, and all others by
the fit that they belong to.

Others are positions of slices."""

BY_GROUP = ("groups", "group_sums", "group_values")
"""The tables with counts by group."""

TABLES: Mapping[str, Mapping[str, DataTypeClass]] = {
    # truth and predictions as the data spells them; part: the values of a slice, as JSON
    "cells": {
        **dict.fromkeys(("scope", "model"), pl.Int16),
        **dict.fromkeys(("part", "truth"), pl.String),
        "key": pl.Int32,
        "rows": pl.Int64,
        "low": pl.Float64,
        "high": pl.Float64,
        "scores": pl.Int128,
    },
    "joint": {
        **dict.fromkeys(("a", "b"), pl.Int16),
        "truth": pl.String,
        **dict.fromkeys(("key_a", "key_b"), pl.Int32),
        "rows": pl.Int64,
    },
    "decisions": {
        "scope": pl.Int16,
        **dict.fromkeys(("part", "truth", "decisions"), pl.String),
        "rows": pl.Int64,
    },
    # rows in groups; see ``group_counting``
    "groups": {**dict.fromkeys(("line", "group"), pl.UInt64), "rows": pl.Int64},
    # sums by group, with a column for each; of losses and places, and of numbers (``exact_sums``)
    "group_sums": {**dict.fromkeys(("line", "group"), pl.UInt64)},
    "group_values": {**dict.fromkeys(("line", "group"), pl.UInt64)},
    # rows by what they weigh and the decisions about them, where few weights differ
    "weighted": {
        **dict.fromkeys(("truth", "decisions"), pl.String),
        "value": pl.Float64,
        "rows": pl.Int64,
    },
    # of several classes; kind: decision, or least expected cost
    "matrix": {
        **dict.fromkeys(("scope", "model"), pl.Int16),
        **dict.fromkeys(("part", "kind", "truth", "predicted"), pl.String),
        "rows": pl.Int64,
    },
    "class_cells": {
        **dict.fromkeys(("scope", "model", "class"), pl.Int16),
        **dict.fromkeys(("part", "truth"), pl.String),
        "key": pl.Int32,
        "rows": pl.Int64,
        "low": pl.Float64,
        "high": pl.Float64,
        "scores": pl.Int128,
    },
    # of predictions of a number, and of what scores of several classes lose; see ``exact_sums``
    "sums": {
        **dict.fromkeys(("scope", "model"), pl.Int16),
        **dict.fromkeys(("part", "name"), pl.String),
        "band": pl.Int16,
        "total": pl.Int128,
    },
    "ranges": {
        **dict.fromkeys(("scope", "model"), pl.Int16),
        **dict.fromkeys(("part", "name"), pl.String),
        "low": pl.Float64,
        "high": pl.Float64,
    },
}
"""Columns of each table; what is not counted or a limit is a key."""

MOST_WEIGHED = 2**15
"""Lines of weights and decisions at most; with more, rows are not counted by their weights."""

WEIGHTS = {"weight": pl.Int128, "weight2": pl.Int128}
"""Further columns of each table of weighted rows: sums of weights, and of their squares.

They are whole numbers of 2⁻⁶⁴, which add up to the same in any order; so are ``scores``,
the sums of the scores, cut to the unit interval, times their weights."""

_SUMS = {name: pl.col(name).sum() for name in ("rows", "scores", "total", *WEIGHTS)}
_ENDS = {"low": pl.col("low").min(), "high": pl.col("high").max()}
_MERGED = {**_SUMS, **_ENDS, "group": pl.col("group").first()}


_RANGE = 2**15
"""About so many lines are added up at a time."""


@dataclass(frozen=True)
class Partial:
    """Counts of some rows, in those of ``TABLES`` that their task has.

    ``facts`` are plain values (see ``merged_facts``).
    """

    tables: Mapping[str, pl.DataFrame]
    facts: Facts = field(default_factory=Facts)

    def without_groups(self) -> Partial:
        """The counts that are not by group."""
        return Partial({n: t for n, t in self.tables.items() if n not in BY_GROUP}, self.facts)

    def to_bytes(self) -> bytes:
        """The counts as one file: a zip archive behind its hash, as it checks no names itself."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(_entry("facts.json"), json.dumps(self.facts, sort_keys=True))
            for name, table in self.tables.items():
                content = io.BytesIO()
                table.write_ipc(content, compression="zstd")
                archive.writestr(_entry(f"{name}.arrow"), content.getvalue())
        return _hash(buffer.getvalue()) + buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> Partial:
        """Read what ``to_bytes`` wrote; ValueError where it is something else."""
        length = len(_hash(b""))
        if content[:length] != _hash(content[length:]):
            raise ValueError("the counts are damaged")
        with zipfile.ZipFile(io.BytesIO(content[length:])) as archive:
            facts = json.loads(archive.read("facts.json"))
            names = [n for n in TABLES if f"{n}.arrow" in archive.namelist()]
            tables = {n: pl.read_ipc(archive.read(f"{n}.arrow")) for n in names}
        return cls(tables, facts)


def merged(parts: Sequence[Partial]) -> Partial:
    """Return the counts of all parts; their order does not matter."""
    tables = {}
    for name in (n for n in TABLES if any(n in part.tables for part in parts)):
        tables[name] = added(name, [part.tables[name] for part in parts if name in part.tables])
    facts = merged_facts([part.facts for part in parts])
    if "weighted" in tables:
        few = facts.get("few_weights", True) and tables["weighted"].height <= MOST_WEIGHED
        tables["weighted"] = tables["weighted"] if few else tables["weighted"].clear()
        facts["few_weights"] = few
    return Partial(tables, facts)


def added(name: str, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return one table of the counts of several, in the order of its keys.

    Whether rows have weights one says that is not empty, where there is any.
    """
    filled = [frame for frame in frames if not frame.is_empty()]
    like = (filled or frames)[0].columns if frames else ()
    frames = filled
    columns = {
        c: t for c, t in {**TABLES[name], **WEIGHTS}.items() if c in TABLES[name] or c in like
    }
    keys = [column for column in columns if column not in _MERGED]
    sums = {column: _MERGED[column] for column in columns if column in _MERGED}
    if name in ("group_sums", "group_values"):
        more = sorted({c for frame in frames for c in frame.columns} - columns.keys())
        columns |= dict.fromkeys(more, pl.Int128)
        sums |= {column: pl.col(column).cast(pl.Int128).sum() for column in more}
    if keys == ["line"] and frames:
        return _added_lines(frames, sums).select(list(columns))
    first = [key for key in keys if columns[key] == pl.Int16]
    if first and sum(frame.height for frame in frames) > _RANGE:
        parts: dict[Any, list[pl.DataFrame]] = {}
        for frame in frames:
            for values, part in _runs(frame, first):
                parts.setdefault(values, []).append(part)
        tables = [_added_rows(parts.pop(values), keys, sums) for values in sorted(parts)]
        return pl.concat(tables).select(list(columns))
    if not frames:
        return pl.DataFrame(schema=columns)
    return _added_rows(frames, keys, sums).select(list(columns))


def _runs(frame: pl.DataFrame, keys: Sequence[str]) -> Iterator[tuple[Any, pl.DataFrame]]:
    """The lines of each run of the same keys, which are not copied."""
    start = 0
    for length, values in frame.select(run=pl.struct(keys).rle()).unnest("run").iter_rows():
        yield tuple(values.values()), frame.slice(start, length)
        start += length


def _added_rows(
    frames: Sequence[pl.DataFrame], keys: Sequence[str], sums: Mapping[str, pl.Expr]
) -> pl.DataFrame:
    """The sums by all keys, in their order."""
    whole = pl.concat(frames, how="diagonal")
    packed = PackedKeys.of(whole.select(keys))
    if packed is None:
        return whole.lazy().group_by(keys).agg(**sums).sort(keys).collect(engine="in-memory")
    lines = whole.lazy().drop(keys).with_columns(packed.codes).group_by(packed.codes.name)
    table = lines.agg(**sums).sort(packed.codes.name).collect(engine="in-memory")
    return packed.unpacked(table)


def _added_lines(frames: Sequence[pl.DataFrame], sums: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """The sums by line, range after range of lines, so that each stays near the processor."""
    if len(frames) == 1 and _ascends(frames[0]["line"]):
        return _narrowed(frames[0])
    ordered = [frame if _ascends(frame["line"]) else frame.sort("line") for frame in frames]
    ranges = 1 + sum(frame.height for frame in frames) // _RANGE
    starts = np.array([(k << 64) // ranges for k in range(1, ranges)], np.uint64)
    cuts = [
        [0, *np.searchsorted(frame["line"].to_numpy(), starts).tolist(), frame.height]
        for frame in ordered
    ]
    tables = []
    for k in range(ranges):
        parts = [f.slice(c[k], c[k + 1] - c[k]) for f, c in zip(ordered, cuts, strict=True)]
        lines = pl.concat(parts, how="diagonal_relaxed").sort("line").lazy()
        of_line = lines.group_by("line", maintain_order=True).agg(**sums)
        tables.append(_narrowed(of_line.collect(engine="in-memory")))
    return pl.concat(tables, how="vertical_relaxed")


def _narrowed(table: pl.DataFrame) -> pl.DataFrame:
    """The sums that have a column each in 64 bits, half the memory, where that is enough."""
    wide = table.select(pl.col(pl.Int128).exclude(*_MERGED))
    largest = wide.select(pl.all().abs().max()).row(0) if wide.width else ()
    narrow = [name for name, n in zip(wide.columns, largest, strict=True) if (n or 0) < 2**63]
    return table.with_columns(pl.col(narrow).cast(pl.Int64))


def _ascends(lines: pl.Series) -> bool:
    values = lines.to_numpy()
    return bool((values[1:] > values[:-1]).all())


def merged_facts(parts: Sequence[Facts]) -> Facts:
    """Counts by name are added, lists united, "all of them" must hold for each part.

    What is null in one part (too many values to be listed) is null in the whole.
    """
    facts: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            facts[name] = _joined(facts[name], value) if name in facts else value
    return cast("Facts", facts)


def in_order(facts: Facts) -> Facts:
    """The facts as counts that were written and read have them."""
    return cast("Facts", json.loads(json.dumps(facts, sort_keys=True)))


def _joined(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return None
    if isinstance(one, dict):
        names = sorted({*one, *other})
        return {
            n: _joined(one[n], other[n])
            if n in one and n in other
            else (one if n in one else other)[n]
            for n in names
        }
    if isinstance(one, list):
        return sorted({*one, *other})
    return one and other if isinstance(one, bool) else one + other


def _hash(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name)  # dated 1980, whatever the clock says


SCALE = 2.0**64

SMALLEST, LARGEST = 2.0**-20, 2.0**16
"""Weights between which no sum of squares of 2·10⁹ rows overflows, and none is lost."""


def to_fixed_point(value: pl.Expr) -> pl.Expr:
    """Return numbers as whole ones of 2⁻⁶⁴; what is finer is cut off."""
    fixed_point: pl.Expr = (value * SCALE).cast(pl.Int128)
    return fixed_point


def from_fixed_point(value: pl.Expr) -> pl.Expr:
    """Return sums of such whole numbers as Float64."""
    result: pl.Expr = value.cast(pl.Float64) / SCALE
    return result
