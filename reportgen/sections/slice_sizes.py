"""How many rows each declared slice has, and its base rates."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.records.data_summary import SliceBase
from reportgen.records.model import Results
from reportgen.sections import lookup
from reportgen.sections.tables import Cell, Column, Row, Table
from reportgen.text import numbers

MOST_SLICES, MOST_CLASSES = 16, 5
"""Slices up to which they are listed, and classes whose shares are: else the largest one's."""


def table(results: Results) -> Table | None:
    """A row per value of each slice column; none where there are too many to be listed here."""
    summary = results.data_summary
    bases = () if summary is None else summary.base_rates
    if not bases or len(bases) > MOST_SLICES or results.task.graded:
        return None
    heads = (Column("slice", "Slice", "left"), Column("rows", "Rows"), *_rate_heads(results))
    rows = []
    for one in bases:
        cells: dict[str, Cell | str] = {
            "slice": lookup.clean(one.slice, 80),
            "rows": numbers.count(one.rows),
        }
        cells |= zip((head.key for head in heads[2:]), _rates(results, one), strict=True)
        rows.append(Row(cells))
    return Table("slice_sizes", "Rows and base rate of each slice", heads, tuple(rows))


def _rate_heads(results: Results) -> Sequence[Column]:
    if results.task.of_numbers:
        return [Column("mean", "Mean of the truth")]
    if results.task.two_classes:
        return [Column("rate", lookup.clean(results.data["positive"], 40), spanner="Base rate")]
    names = _classes(results)
    if len(names) > MOST_CLASSES:
        return [Column("largest", "Largest base rate", "left")]
    return [
        Column(f"rate{k}", lookup.clean(name, 24), spanner="Base rate")
        for k, name in enumerate(names)
    ]


def _rates(results: Results, base: SliceBase) -> Sequence[Cell | str]:
    heads = _rate_heads(results)
    if not base.rates:
        return [Cell("n/a", kind="muted")] * len(heads)
    if results.task.of_numbers:
        return [numbers.estimate(base.rates[0])]
    names = _classes(results)
    if names and len(names) > MOST_CLASSES:
        rate, name = max(zip(base.rates, names, strict=True), key=lambda pair: pair[0])
        return [f"{lookup.clean(name, 40)} {numbers.percent(rate)}"]
    return [numbers.percent(rate) for rate in base.rates]


def _classes(results: Results) -> list[str]:
    return [record["class"] for record in results.data.get("classes") or ()]
