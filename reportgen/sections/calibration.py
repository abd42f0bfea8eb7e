"""Whether a forecast of 30 % comes true in 30 % of the cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.sections import deduplication, lookup, metric_table
from reportgen.sections.registry import section
from reportgen.sections.tables import Table
from reportgen.tasks import MeasureAverage

CALIBRATED = (
    "A model is calibrated when, among rows with predicted probability p, a proportion p is "
    "positive. "
)


OF_EACH = ("expected_calibration_error", "macro")
"""The calibration of each class or label by its own score, on average."""


@section(60)
@dataclass(frozen=True)
class CalibrationSection:
    """Forecasts against what came: Brier score with its parts, log loss, calibration error."""

    id: ClassVar[str] = "calibration"
    title: ClassVar[str] = "Calibration"

    introduction: str
    findings: tuple[str, ...]
    figures: tuple[str, ...]
    tables: tuple[Table, ...]
    elsewhere: bool
    left_out: tuple[str, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> CalibrationSection | None:
        """Fill the section; None when no model gives probabilities."""
        measures = shown(results)
        if not deduplication.has_value(results, measures):
            return None
        further_measures = deduplication.further(results, measures)
        tables = metric_table.tables(
            results,
            further_measures,
            id="calibration",
            caption="Measures of predicted probabilities",
            grouped=False,
        )
        return cls(
            CALIBRATED + results.task.calibration,
            tuple(map(lookup.clean, results.reading.sentences.calibration)),
            lookup.placed(figures, "calibration"),
            tables,
            len(further_measures) < len(measures),
            _without(results),
        )


def shown(results: Results) -> list[MeasureAverage]:
    """The measures of the section: the core ones, and the average over classes or labels."""
    every = lookup.metrics(results, ["probability"])
    core = lookup.metrics(results, ["probability"], core=True)
    return [*core, *(measure for measure in every if measure == OF_EACH)]


def _without(results: Results) -> tuple[str, ...]:
    printed = lookup.printed(results)
    return tuple(
        f"{printed[model['name']]}: "
        + (
            "it has no scores"
            if lookup.gives_labels_only(model)
            else "its scores are not probabilities"
        )
        for model in results.data["models"]
        if lookup.gives_labels_only(model) or not model.get("probability")
    )
