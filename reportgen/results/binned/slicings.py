"""The slices that rows were counted by."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reportgen.engines.plan import MOST_VALUES, Plan
from reportgen.measuring import slices
from reportgen.records.rows import SkippedRecord
from reportgen.results.binned.part_counts import PartCounts
from reportgen.tables.results import MetricRow, SliceSizeRow

SlicingRows = tuple[int, tuple[str, ...], list[tuple[str, tuple[str | None, ...]]] | None]
"""The place of a slicing, its columns and its parts; no parts where they are too many."""


def slicings(counted: PartCounts) -> Iterator[SlicingRows]:
    """Every slicing that was counted."""
    for scope, columns in enumerate(Plan(counted.spec, None).slices):
        parts = list(counted.parts(scope))
        left_out = scope in counted.facts["too_many"] or len(parts) > MOST_VALUES
        yield scope, columns, None if left_out else parts


def slice_sizes(counted: PartCounts) -> list[SliceSizeRow]:
    """The slices with their sizes; of every model the same rows are counted."""
    records = []
    for scope, columns, parts in slicings(counted):
        for part, values in parts or ():
            rows, positives = counted.size(scope, part)
            of_class = None if positives is None else float(positives)
            records.append(slices.record(columns, values, float(rows), of_class))
    return records


def numbers_of_slices(
    counted: PartCounts, numbers_of: Callable[[int, int, str, str], list[MetricRow]]
) -> tuple[list[MetricRow], list[SkippedRecord]]:
    """The numbers of every model in every slice, and the slicings with too many slices.

    ``numbers_of`` takes the place of a model, the place of a slicing, a part of it and its label.
    """
    numbers: list[MetricRow] = []
    skipped: list[SkippedRecord] = []
    for scope, columns, parts in slicings(counted):
        if parts is None:
            what, reason = f"slice {', '.join(columns)}", f"more than {MOST_VALUES} values"
            skipped.append({"what": what, "model": None, "reason": reason})
            continue
        for part, values in parts:
            label = slices.label(columns, values)
            for k in range(len(counted.models)):
                numbers += numbers_of(k, scope, part, label)
    return numbers, skipped
