"""How far numbers of counted scores can be off: their certified bounds."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TypedDict

import polars as pl

from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.sections import lookup
from reportgen.sections.tables import Cell, Row, Table, columns
from reportgen.text import decimals, numbers

_NOTE = (
    "Scores were counted in cells. Whatever the order within the cells, the exact value lies "
    "between these bounds. Counts at the threshold, what is computed from them, and sums "
    "over the bins of calibration are exact; approximate values are listed with the data checks."
)


_NOTE_OF_NUMBERS = (
    "Truths and errors were counted in cells. Wherever in their cells they lie, the exact value "
    "lies between these bounds. Sums over the rows are exact."
)

MOST_DECIMALS = 6


class BoundedRow(TypedDict):
    """What is read of a row of ``Metrics`` that has bounds."""

    metric: str
    model: str
    value: float
    least: float
    most: float


def notes(results: Results) -> tuple[str, ...]:
    """How sure the core measures are, for the foot of their table; nothing where all are exact."""
    widest = max((row["most"] - row["least"] for row in _core(results)), default=None)
    if widest is None:
        return ()
    within = numbers.number(widest, decimals.two_significant(widest))
    listed = "; Provenance lists the certified bounds of each."
    place = listed if lookup.has_section(results, "provenance") else "."
    what = "Errors" if results.task.of_numbers else "Scores"
    return (f"{what} were counted in cells: each number is known within {within} or less{place}",)


def _core(results: Results) -> list[BoundedRow]:
    rows = results.metrics.filter(pl.col("least").is_not_null(), pl.col("slice").is_null())
    return [
        row for row in rows_of(rows, BoundedRow) if lookup.is_core((row["metric"], None), results)
    ]


def tables(results: Results) -> tuple[Table, ...]:
    """The core measures of all rows with their bounds; nothing where all numbers are exact."""
    core = _core(results)
    if not core:
        return ()
    heads = columns(("Measure", "left"), "Value", "At least", "At most", "Known within")
    keys, names = [column.key for column in heads], lookup.printed(results)
    lines = (
        Row(
            dict(zip(keys, _line(row, results), strict=True)),
            names[name] if len(names) > 1 else None,
        )
        for name in names
        for row in core
        if row["model"] == name
    )
    of_numbers = results.task.of_numbers
    caption = f"Certified bounds of the numbers of counted {'errors' if of_numbers else 'scores'}"
    note = _NOTE_OF_NUMBERS if of_numbers else _NOTE
    return (Table("bounds", caption, heads, tuple(lines), (note,)),)


def _line(row: BoundedRow, results: Results) -> list[Cell | str]:
    """A number and its bounds, rounded outwards to what can be read."""
    width = row["most"] - row["least"]
    digits = min(decimals.two_significant(width) if width else 3, MOST_DECIMALS)
    return [
        lookup.label(row["metric"], results),
        numbers.fixed(row["value"], digits),
        _rounded(row["least"], digits, ROUND_FLOOR),
        _rounded(row["most"], digits, ROUND_CEILING),
        numbers.number(width, digits),
    ]


def _rounded(value: float, digits: int, way: str) -> str:
    """A bound is still one when it is rounded away from the value.

    >>> _rounded(0.0960942, 4, ROUND_FLOOR), _rounded(0.0960942, 4, ROUND_CEILING)
    ('0.0960', '0.0961')
    """
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), way)
    return numbers.fixed(float(rounded), digits)
