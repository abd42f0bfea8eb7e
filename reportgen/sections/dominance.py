"""Which curve lies above which, where they cross, and who wins in which region."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.sections import lookup
from reportgen.sections.printed_names import CURVES
from reportgen.sections.tables import Cell, Column, Row, Table
from reportgen.tables.comparisons import DominanceRow
from reportgen.text import numbers

MOST = 6
"""Regions that are reported one by one; a curve with more of them is summed up."""

MOST_IN_PRINT = 9
"""Of more rows print has the caption; the page in HTML has all."""


def table(results: Results) -> Table | None:
    """One row per pair and kind of curve."""
    is_shown, note = lookup.tabulated_pairs(results)
    whole = [row for row in rows_of(results.dominance, DominanceRow) if row["slice"] is None]
    records = [row for row in whole if is_shown(row["models"])]
    if not records:
        return None
    printed = lookup.printed(results)
    replicates = [row["replicates"] for row in records if row["replicates"]]
    columns = (
        Column("models", "Models"),
        Column("relation", "Relation", "left"),
        Column("crossings", "Crossings"),
        *([Column("stability", "Stability")] if replicates else []),
        Column("regions", "Best model by region", "left"),
    )
    rows = tuple(
        Row(
            {
                "models": " and ".join(printed.get(name, name) for name in row["models"]),
                "relation": _relation(row, printed),
                "crossings": numbers.count(len(row["crossings"])),
                "stability": _share(row["stability"]),
                "regions": Cell(regions(row, printed)),
            },
            _heading(row["curve"]),
        )
        for row in sorted(records, key=lambda row: list(CURVES).index(row["curve"]))
    )
    notes = [
        "Read from the curves of these rows: descriptive, not tested. Where the curves touch "
        "within a region, it counts for the better model.",
        *note,
    ]
    if replicates:
        notes.append(
            f"Stability: share of {numbers.count(replicates[0])} bootstrap samples with the same "
            "dominance relation."
        )
    caption, on_screen = "Dominance of one curve over another", len(rows) > MOST_IN_PRINT
    return Table("dominance", caption, columns, rows, tuple(notes), screen=on_screen)


def _share(stability: float | None) -> str:
    return "–" if stability is None else numbers.percent(stability, 0)


def _heading(curve: str) -> str:
    name, axis = CURVES[curve]
    return f"{name} curve, by {axis}"


def _relation(row: DominanceRow, printed: Mapping[str, str]) -> str:
    first, second = (printed.get(name, name) for name in row["models"])
    return {
        "contains": f"{first} nowhere worse",
        "is contained": f"{second} nowhere worse",
        "crosses": "cross",
        "coincides": "coincide",
    }[row["relation"]]


def regions(row: DominanceRow, printed: Mapping[str, str]) -> str:
    """Who wins in which region, or each one's share of the axis when there are many regions."""
    parts = _won(row)
    if not parts:
        return "neither anywhere"
    if len(parts) <= MOST:
        return "; ".join(
            f"{printed.get(better, better)} {_stretch(low, high)}" for better, low, high in parts
        )
    shares = (
        f"{printed.get(name, name)} on "
        + numbers.percent(sum(high - low for better, low, high in parts if better == name), 0)
        for name in row["models"]
    )
    return f"in {len(parts)} regions: {' and '.join(shares)} of the axis"


def _stretch(low: float, high: float) -> str:
    """A region of the axis; where both ends print alike, the place.

    >>> _stretch(0.0, 0.25), _stretch(0.9998, 1.0)
    ('0.000–0.250', 'near 1.000')
    """
    ends = numbers.fixed(low, 3), numbers.fixed(high, 3)
    return f"near {ends[0]}" if ends[0] == ends[1] else numbers.between(*ends)


def _won(row: DominanceRow) -> list[tuple[str, float, float]]:
    """Winner and stretch of each region; a tie between two of one winner's regions joins them."""
    stretches: list[tuple[str, float, float]] = []
    edges = zip(row["region_low"], row["region_high"], row["region_better"], strict=True)
    for low, high, better in edges:
        if better is None:
            continue
        if stretches and stretches[-1][0] == better:
            stretches[-1] = (better, stretches[-1][1], high)
        else:
            stretches.append((better, low, high))
    return stretches
