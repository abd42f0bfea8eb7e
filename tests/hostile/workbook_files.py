"""Workbooks, packed text with decimal commas, and Parquet columns that nobody asked for."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import polars as pl
import xlsxwriter

from tests.hostile.cases import Case, Row

LATE = 1005
"""A row beyond those from which a reader may guess the type of a column."""

FULL, PART = ("sick", "well"), ("N", "S", "E")


def rows_of(draw: random.Random, size: int) -> list[Row]:
    """Rows of every kind of number that a score may be."""
    numbers: Sequence[Callable[[], float]] = (
        draw.random,
        lambda: round(draw.random(), 2),
        lambda: float(draw.randint(0, 1)),
        lambda: -0.0,
        lambda: 5e-324,
        lambda: draw.random() * 10.0 ** draw.randint(-300, 2),
    )
    return [
        Row(
            f"c{i}",
            FULL[i % 2],
            draw.choice(numbers)(),
            draw.random(),
            draw.choice("12"),
            draw.choice(PART),
        )
        for i in range(size)
    ]


HEAD = ("case", "y", "p", "q", "part", "site")


def workbook(draw: random.Random) -> Case:
    """A sheet, valid or with one thing by which cells are lost."""
    late = draw.random() < 0.2
    rows = rows_of(draw, LATE + 20 if late else draw.randint(8, 40))
    fault = draw.choice((None, None, None, "error", "merged", "formula", "twice", "hidden"))
    memory = io.BytesIO()
    book = xlsxwriter.Workbook(memory, {"in_memory": True, "date_1904": draw.random() < 0.3})
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, HEAD)
    # numbers first, then text: only who looks at all cells keeps both
    sites = [i % 3 if late and i < LATE else row.site for i, row in enumerate(rows)]
    written = [_as_written(row.p) for row in rows], [_as_written(row.q) for row in rows]
    for i, (row, site) in enumerate(zip(rows, sites, strict=True), 1):
        cells = (row.case, row.y, written[0][i - 1], written[1][i - 1], row.part, site)
        sheet.write_row(i, 0, cells)
    at = draw.randint(1, len(rows) - 3)
    if fault == "error":
        sheet.write_formula(at, draw.choice((2, 5, 6)), "=1/0", None, draw.choice(_ERRORS))
    elif fault == "merged":
        sheet.merge_range(at, 5, at + 2, 5, "N")
    elif fault == "formula":
        sheet.write_formula(at, draw.choice((2, 5)), "=A1&B1")
    elif fault == "twice":
        sheet.write(0, 6, draw.choice(HEAD))
        sheet.write(1, 6, 0.5)
    elif fault == "hidden":
        book.add_worksheet().write_row(0, 0, ("k", 1))
    book.close()
    read = [
        Row(row.case, row.y, p, q, row.part, str(site))
        for row, p, q, site in zip(rows, *written, sites, strict=True)
    ]
    return Case(f"xlsx {fault}", {"d.xlsx": memory.getvalue()}, read, fault is None)


_ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!")


def _as_written(number: float) -> float:
    """The number as the library writes it, with sixteen digits."""
    return float(f"{number:.16G}")


def packed_text(draw: random.Random) -> Case:
    """Text with decimal commas or points, in an encoding, with a mark before it, and packed."""
    rows = rows_of(draw, draw.randint(8, 60))
    comma = draw.random() < 0.5
    separator = ";" if comma else draw.choice((",", ";", "\t", "|"))
    end = draw.choice(("\n", "\r\n"))
    encoding = draw.choice(("utf-8", "utf-8-sig", "utf-16", "latin-1"))

    def number(value: float) -> str:
        return repr(value).replace(".", ",") if comma else repr(value)

    lines = [HEAD, *((r.case, r.y, number(r.p), number(r.q), r.part, r.site) for r in rows)]
    content = end.join(separator.join(line) for line in lines).encode(encoding)
    packing = draw.choice(("", ".gz", ".zst" if encoding.startswith("utf-8") else ".gz"))
    if packing == ".gz":
        content = gzip.compress(content)
    elif packing == ".zst":
        content = zstandard(content)
    spec: dict[str, Any] = {"separator": separator, "decimal": "," if comma else "."}
    if encoding not in ("utf-8", "utf-8-sig"):
        spec["encoding"] = encoding
    return Case(f"{encoding} {packing}", {f"d.csv{packing}": content}, rows, valid=True, spec=spec)


def zstandard(content: bytes) -> bytes:
    """One frame of raw blocks (RFC 8878), so that no library is needed to pack."""
    blocks = [content[i : i + 2**16] for i in range(0, len(content), 2**16)]
    head = b"\x28\xb5\x2f\xfd" + bytes([0b1010_0000]) + len(content).to_bytes(4, "little")
    parts = [
        ((len(block) << 3) | (i == len(blocks) - 1)).to_bytes(3, "little") + block
        for i, block in enumerate(blocks)
    ]
    return head + b"".join(parts)


def typed_columns(draw: random.Random) -> Case:
    """Parquet whose columns are categories, decimals or Booleans, beside nested and odd ones."""
    rows = [
        Row(r.case, r.y, round(r.p, 3) if r.p < 1e3 else 0.5, r.q, r.part, r.site)
        for r in rows_of(draw, draw.randint(8, 60))
    ]
    size = len(rows)
    sites = pl.Series([r.site for r in rows])
    decimals = pl.Series([Decimal(repr(r.p)) for r in rows], dtype=pl.Decimal(20, 3))
    columns: dict[str, Any] = {
        "case": [r.case for r in rows],
        "y": pl.Series(
            [r.y for r in rows], dtype=draw.choice((pl.String, pl.Categorical, pl.Enum(FULL)))
        ),
        "p": draw.choice((decimals, pl.Series([r.p for r in rows]))),
        "q": [r.q for r in rows],
        "part": [r.part for r in rows],
        "site": sites.cast(draw.choice((pl.String, pl.Categorical, pl.Enum(PART)))),
        "nested": [{"a": [i], "p": -1.0} for i in range(size)],
        "flag": [None, True, False, *[None] * (size - 3)],
        "when": [dt.datetime(2024, 10, 27, tzinfo=dt.UTC)] * size,
    }
    hole = draw.choice((None, None, None, float("nan"), "null"))
    valid = hole is None
    if not valid:
        at = draw.randrange(size)
        columns["q"][at] = None if hole == "null" else hole
    names = list(columns)
    draw.shuffle(names)
    memory = io.BytesIO()
    pl.DataFrame({name: columns[name] for name in names}).write_parquet(memory)
    return Case(f"typed {hole}", {"d.parquet": memory.getvalue()}, rows, valid)
