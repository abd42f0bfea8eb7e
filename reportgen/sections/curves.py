"""Further curves: bands, tradeoffs of errors, gain, and what acting on the forecasts is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.sections import lookup
from reportgen.sections.registry import section


@section(95, further=True)
@dataclass(frozen=True)
class Curves:
    """The curves that the other sections do not show."""

    id: ClassVar[str] = "curves"
    title: ClassVar[str] = "Further curves"

    figures: tuple[str, ...]
    left_out: tuple[str, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> Curves | None:
        """Fill the section; None where there are no such curves."""
        placed = lookup.placed(figures, cls.id)
        if not placed:
            return None
        return cls(placed, (*lookup.without_scores(results), *_without_band(results, placed)))


def _without_band(results: Results, placed: Sequence[str]) -> tuple[str, ...]:
    if not results.task.two_classes or "roc_band" in placed:
        return ()
    return (
        "ROC curves have no confidence band: it needs independent, unweighted rows of both "
        "classes and resampling",
    )
