"""The dialect of a file with separated fields, recognised from its first lines."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from reportgen.predictions.files import form_of
from reportgen.predictions.packed import unpack
from reportgen.predictions.text_values import has_decimal_commas, with_point

SEPARATORS = (",", ";", "\t", "|")
READ = 2**16
"""Bytes that are looked at."""


def separator_of(path: Path, encoding: str) -> str:
    """What separates the fields of a csv file: a comma unless another mark stands in each line.

    That is in the header, and as often in the lines after it.
    """
    kind, packed = form_of(path.name)
    if kind != "csv" or not path.is_file():
        return ""
    if packed:
        start = unpack(path, packed, path.name)[:READ]
    else:
        with path.open("rb") as file:
            start = file.read(READ)
    text = start.decode(encoding, errors="replace")
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    lines = lines[:-1] if len(start) == READ and len(lines) < 20 else lines
    counts = {mark: [_outside(line).count(mark) for line in lines] for mark in SEPARATORS}
    steady = [mark for mark, n in counts.items() if n and n[0] and set(n) == {n[0]}]
    return max(steady, key=lambda mark: counts[mark][0], default=",")


def _outside(line: str) -> str:
    """A line without what stands between quotation marks."""
    return "".join(line.split('"')[::2])


def decimal_of(frame: pl.DataFrame) -> str:
    """The decimal mark of the numbers in a table of text: a comma where a column needs it."""
    for column in frame:
        if column.dtype == pl.String and has_decimal_commas(column):
            numbers = with_point(column).cast(pl.Float64, strict=False)
            if numbers.null_count() == column.null_count():
                return ","
    return "."
