"""The slices of a report: which belong together, and what to print for each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.measuring.slices import FEW_OF_A_CLASS, FEW_ROWS
from reportgen.tasks import TASKS

if TYPE_CHECKING:
    from reportgen.results import Results


def small_text(task: str) -> str:
    """What a small slice is, in the notes of tables and figures alike."""
    of_a_class = f", or fewer than {FEW_OF_A_CLASS} of a class" if TASKS[task].two_classes else ""
    return f"Small: fewer than {FEW_ROWS} rows{of_a_class}."


@dataclass(frozen=True, slots=True)
class ChartSlice:
    """What to print for a slice, and its size; ``positives`` are those of two classes."""

    printed: str
    rows: float
    positives: float | None
    small: bool


@dataclass(frozen=True, slots=True)
class Slicing:
    """The slices of one column, or of several crossed, by their names in the results."""

    columns: tuple[str, ...]
    slices: dict[str, ChartSlice]

    @property
    def heading(self) -> str:
        """The columns as they are printed."""
        return " × ".join(self.columns)


def slicings(results: Results, labels: Collection[str]) -> list[Slicing]:
    """Return each declared slicing with those of its slices that are among ``labels``."""
    groups: dict[tuple[str, ...], dict[str, ChartSlice]] = {}
    columns = ("slicing", "slice", "values", "rows", "positives", "small")
    for names, label, values, *sizes in results.slices.select(columns).iter_rows():
        if label in labels:
            groups.setdefault(tuple(names), {})[label] = ChartSlice(", ".join(values), *sizes)
    return [Slicing(names, slices) for names, slices in groups.items()]
