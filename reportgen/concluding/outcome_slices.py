"""Slices that are the outcome, or follow from it: within them all rows are of one class."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import counted
from reportgen.records.decision import Caveat
from reportgen.records.model import Results

BY_CHANCE = 0.001
"""Slices that have nothing to do with the truth are all of one class no more often than this."""


def slices_of_outcome(results: Results) -> dict[tuple[str, ...], list[str]]:
    """The slices of each slicing whose slices are each of one class, more than chance makes so."""
    prevalence = results.data.get("prevalence")
    if not prevalence or not results.task.two_classes:
        return {}
    slicings: dict[tuple[str, ...], list[tuple[str, float, float | None]]] = {}
    columns = results.slices.select("slicing", "slice", "rows", "positives")
    for slicing, label, rows, positives in columns.iter_rows():
        slicings.setdefault(tuple(slicing), []).append((label, rows, positives))
    return {
        slicing: [label for label, _, _ in slices]
        for slicing, slices in slicings.items()
        if len(slices) > 1
        and all(positives in (0, rows) for _, rows, positives in slices)
        and _chance([rows for _, rows, _ in slices], prevalence) < BY_CHANCE
    }


def _chance(sizes: list[float], prevalence: float) -> float:
    """How probably slices of these sizes are each of one class, whatever the slice."""
    product = 1.0
    for rows in sizes:
        product *= prevalence**rows + (1 - prevalence) ** rows
    return product


def of_outcome(results: Results) -> Iterator[Caveat]:
    """What page one says of such slices instead of how well they are calibrated."""
    slicings = slices_of_outcome(results)
    if slicings:
        text = (
            f"Each slice of {counted([' × '.join(s) for s in slicings], 'slicings')} is of one "
            "class: such slices are, or follow from, the outcome, and say nothing about "
            "calibration."
        )
        yield Caveat("outcome_slices", "moderate", text)
