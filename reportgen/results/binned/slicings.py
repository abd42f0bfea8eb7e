"""The slices that rows were counted by."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.engines.plan import MOST_VALUES, Plan
from reportgen.measuring import slices
from reportgen.records.rows import SliceSizeRow
from reportgen.results.binned.part_counts import PartCounts

Slicing = tuple[int, tuple[str, ...], list[tuple[str, tuple[str | None, ...]]] | None]
"""The place of a slicing, its columns and its parts; no parts where they are too many."""


def slicings(counted: PartCounts) -> Iterator[Slicing]:
    """Every slicing that was counted."""
    for scope, columns in enumerate(Plan(counted.spec, None).slices):
        parts = list(counted.parts(scope))
        left_out = scope in counted.facts["too_many"] or len(parts) > MOST_VALUES
        yield scope, columns, None if left_out else parts


def slice_sizes(counted: PartCounts) -> list[SliceSizeRow]:
    """The slices with their sizes, without those of a positive class."""
    return [
        slices.record(columns, values, float(counted.rows(scope, part)), None)
        for scope, columns, parts in slicings(counted)
        for part, values in parts or ()
    ]
