"""Pairs of models of which a recommended test says that one is better."""

from __future__ import annotations

from collections.abc import Collection

from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.tables.comparisons import ComparisonRow


def decided_pairs(results: Results, measures: Collection[str]) -> list[ComparisonRow]:
    """The recommended tests of these measures, on all rows, by which one model is better."""
    return [
        row
        for row in rows_of(results.comparisons, ComparisonRow)
        if row.metric in measures
        and row.slice is None
        and row.recommendation == "recommended"
        and row.shows == "difference"
        and row.better is not None
        and len(row.models) == 2
    ]
