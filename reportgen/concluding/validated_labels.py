"""Thresholds of labels that validation rows chose: they name no winner by themselves."""

from __future__ import annotations

from reportgen.metrics import needs_threshold
from reportgen.records.model import Results
from reportgen.records.rows import VALIDATION_ROWS

REASON = (
    "the thresholds of the labels were chosen on validation rows, and other rows would give others"
)


def against_winner(results: Results, measure: str) -> str | None:
    """Why no model is said to be better in the measure; null where one may be.

    Of several labels a measure at the thresholds decides, where of two classes the AUC does: of
    models that rank alike one then is ahead by the chance of many choices. A measure that the spec
    names is asked for at these thresholds.
    """
    if results.declared.comparisons.primary is not None or not results.task.several_labels:
        return None
    roles = [model.get("threshold_role") for model in results.data["models"]]
    return REASON if VALIDATION_ROWS in roles and needs_threshold(measure) else None
