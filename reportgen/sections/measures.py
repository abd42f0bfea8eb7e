"""Appendix: every measure that was computed, by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.sections import headings, lookup, metric_table
from reportgen.sections.averages import plain
from reportgen.sections.registry import section
from reportgen.sections.tables import Table, notes_once


@section(100, further=True)
@dataclass(frozen=True)
class MeasuresSection:
    """All measures of all models on all evaluated rows."""

    id: ClassVar[str] = "measures"
    title: ClassVar[str] = "All measures"

    tables: tuple[Table, ...]

    @classmethod
    def from_results(
        cls,
        results: Results,
        figures: Sequence[Figure],  # noqa: ARG003
    ) -> MeasuresSection | None:
        """Fill the section; None where nothing was measured."""
        tables = tuple(
            table
            for group in headings.GROUPS
            for table in metric_table.tables(
                results,
                headings.by_heading(lookup.metrics(results, [group]), results),
                id=f"all_{group}",
                caption=f"All measures: {_lowered(_heading(results, group))}",
                grouped=group == "error",
                mark=False,
            )
        )
        others = metric_table.tables(
            results,
            plain(lookup.unknown(results)),
            id="all_other",
            caption="All measures: not known to this version",
            grouped=False,
            mark=False,
        )
        return cls(notes_once((*tables, *others))) if tables or others else None


def _heading(results: Results, group: str) -> str:
    return headings.printed(headings.of_group(group, results), results)


def _lowered(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"
