"""How the deciding numbers went from build to build, and what the last change is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.records.trend import ChangeSplit, SlicePart, Trends
from reportgen.sections import lookup
from reportgen.sections.registry import section
from reportgen.sections.tables import Cell, Column, Note, Row, Table, effect, valued
from reportgen.text import numbers
from reportgen.text.words import capitalised

MOST = 12
"""Slices of a table; those that add least to the change stand together in a line."""

RULE = (
    "Mix: change in a slice's share of the rows, times the distance of its value from the mean. "
    "Within: change of its value, times its share. Shares and values are means of the two builds; "
    "the parts add up to the change (Kitagawa). They are point estimates, without intervals."
)


@section(94)
@dataclass(frozen=True)
class TrendSection:
    """Numbers over the builds of the spec."""

    id: ClassVar[str] = "trend"
    title: ClassVar[str] = "Trend"

    introduction: str
    figures: tuple[str, ...]
    findings: tuple[str, ...]
    tables: tuple[Table, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> TrendSection | None:
        """Fill the section; None where no earlier build can be compared."""
        trends = results.trends
        if trends is None:
            return None
        return cls(
            introduction(trends),
            lookup.placed(figures, cls.id),
            tuple(finding(results, change) for change in trends.changes),
            tuple(table(results, change, n) for n, change in enumerate(trends.changes)),
        )


def introduction(trends: Trends) -> str:
    """How many builds there are."""
    points = trends.numbers[0].points
    text = f"{numbers.plural(len(points), 'build')} from {points[0].date} to {points[-1].date}"
    left = f"; {trends.left_out} before that are not shown" if trends.left_out else ""
    return f"{text}{left}. Where a date has several builds, the last one counts."


def finding(results: Results, change: ChangeSplit) -> str:
    """The change and its two parts in a sentence."""
    what = lookup.phrase(change.metric, results)
    model = lookup.clean(lookup.printed(results).get(change.model, change.model))
    total = numbers.difference(change.value_now - change.value_then)
    mix, within = numbers.difference(change.mix), numbers.difference(change.within)
    return (
        f"{capitalised(what)} of {model} changed by {total} since {change.date}. "
        f"By {lookup.clean(change.slicing, 80)}: {mix} from the mix of slices, {within} "
        "within slices."
    )


def table(results: Results, change: ChangeSplit, place: int) -> Table:
    """A row per slice, those that add most to the change first, and their sum."""
    heads = (
        Column("slice", "Slice"),
        Column("share_then", "Before", spanner="Share of rows"),
        Column("share_now", "Now", spanner="Share of rows"),
        Column("value_then", "Before", spanner="Value"),
        Column("value_now", "Now", spanner="Value"),
        Column("mix", "Mix", spanner="Part of the change"),
        Column("within", "Within", spanner="Part of the change"),
    )
    ordered = sorted(change.slices, key=lambda one: -abs(one.mix + one.within))
    shown, others = ordered[:MOST], ordered[MOST:]
    lines = [_line(one) for one in shown]
    if others:
        others_row = {"slice": numbers.plural(len(others), "more slice"), **_parts(others)}
        lines.append(Row(_blank() | others_row))
    whole: dict[str, Cell | str] = {
        "slice": "All rows",
        "value_then": valued(change.value_then),
        "value_now": valued(change.value_now),
        **_parts(change.slices),
    }
    lines.append(Row(_blank() | whole, emphasis=True))
    what = lookup.phrase(change.metric, results)
    model = lookup.printed(results).get(change.model, change.model)
    caption = f"Change of the {what} of {model} since {change.date}, by {change.slicing}"
    return Table(f"change_{place}", lookup.clean(caption, 160), heads, tuple(lines), (Note(RULE),))


def _line(one: SlicePart) -> Row:
    return Row(
        {
            "slice": lookup.clean(one.slice, 80),
            "share_then": numbers.percent(one.share_then),
            "share_now": numbers.percent(one.share_now),
            "value_then": valued(one.value_then),
            "value_now": valued(one.value_now),
            **_parts([one]),
        }
    )


def _parts(slices: Sequence[SlicePart]) -> dict[str, Cell | str]:
    return {
        "mix": effect(sum(one.mix for one in slices)),
        "within": effect(sum(one.within for one in slices)),
    }


def _blank() -> dict[str, Cell | str]:
    dash = Cell("–", kind="muted")
    return dict.fromkeys(("share_then", "share_now", "value_then", "value_now"), dash)
