"""How far numbers of counted scores can be off: their certified bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from reportgen.sections import numbers, reading
from reportgen.sections.cells import Cell, Table, columns, rows

if TYPE_CHECKING:
    from reportgen.results import Results

_NOTE = (
    "Scores were counted in cells. Whatever their order within the cells is, the value of all "
    "rows lies between these bounds. Counts at the threshold, what is computed from them, and sums "
    "over the bins of calibration are exact; what is approximate is listed with the checks of the "
    "data."
)


def tables(results: Results) -> tuple[Table, ...]:
    """The core measures of all rows with their bounds; nothing where all numbers are exact."""
    found = results.metrics.filter(pl.col("least").is_not_null(), pl.col("slice").is_null())
    core = [
        row for row in found.to_dicts() if reading.is_core(row["metric"], reading.task(results))
    ]
    if not core:
        return ()
    heads = columns(("Measure", "left"), ("Model", "left"), "Value", "At least", "At most")
    names = reading.printed(results)
    lines: list[list[Cell | str]] = [_line(row, names) for row in core]
    caption = "Certified bounds of the numbers of counted scores"
    return (Table("bounds", caption, heads, rows(heads, lines), (_NOTE,)),)


def _line(row: dict[str, Any], names: dict[str, str]) -> list[Cell | str]:
    ends = [row["value"], row["least"], row["most"]]
    digits = min(numbers.two_significant(row["most"] - row["least"]), 9)
    return [
        reading.label(row["metric"]),
        names[row["model"]],
        *(numbers.fixed(end, digits) for end in ends),
    ]
