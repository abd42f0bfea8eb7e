"""What the results say of two classes beside their numbers: truth, models, what is left out."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.measuring.binary_model import BinaryModel, predicted_positive
from reportgen.measuring.fitted_scores import certain_scores, effective_scores, fitted_levels
from reportgen.measuring.thresholds import choice_record
from reportgen.records.rows import (
    LIKE_PERCENTAGES,
    DataRecord,
    ModelOutput,
    ModelRecord,
    SkippedRecord,
)
from reportgen.text.reasons import NO_SCORES

DEPENDENT = "rows of a group are dependent, and bands treat rows as independent"
"""Why ROC curves have no bands where rows come in groups."""


def truth_record(labels: tuple[str, str], positives: int, rows: int) -> DataRecord:
    """The labels, positive first, and how many rows have them."""
    return {
        "positive": labels[0],
        "negative": labels[1],
        "positives": positives,
        "negatives": rows - positives,
        "prevalence": positives / rows,
    }


def disagreements(rows: pl.DataFrame, model: BinaryModel) -> int | None:
    """The rows on which a model's labels are not those of its threshold; null without both."""
    columns, threshold = model.columns, model.threshold
    if columns.score is None or columns.label is None or threshold is None:
        return None
    differs = (pl.col(columns.score) >= threshold.value) != predicted_positive(columns, threshold)
    return int(rows.select(differs.sum()).item())


def model_record(model: BinaryModel, disagreements: int | None) -> ModelRecord:
    """What a model gives and how it decides; where it gives both, how often they disagree."""
    columns, threshold = model.columns, model.threshold
    given: dict[ModelOutput, str | None] = {"score": columns.score, "label": columns.label}
    return {
        "name": model.name,
        "outputs": [output for output, column in given.items() if column is not None],
        "probability": model.probability,
        "threshold": threshold.value if threshold else None,
        "threshold_rule": threshold.rule if threshold else "labels supplied by the model",
        "threshold_role": threshold.role if threshold else None,
        "threshold_choice": choice_record(threshold.choice) if threshold else None,
        "disagreements": disagreements,
        "effective_scores": effective_scores(model.ranking),
        "fitted_levels": fitted_levels(model.ranking),
        "certain_scores": certain_scores(model.ranking),
    }


def without_bands(models: Sequence[BinaryModel]) -> list[SkippedRecord]:
    """Why ROC curves have no bands where rows come in groups."""
    ranked = any(m.grouped is not None and m.ranking is not None for m in models)
    if not ranked:
        return []
    return [{"what": "bands of ROC curves", "model": None, "reason": DEPENDENT}]


def skipped_parts(models: Sequence[BinaryModel]) -> list[SkippedRecord]:
    """What a model has nothing to show in, and why."""
    records: list[SkippedRecord] = []
    for model in models:
        if model.ranking is None:
            what = "ranking, calibration and cost curves"
            records.append({"what": what, "model": model.name, "reason": NO_SCORES})
            continue
        if not model.both_classes:
            what, reason = "ROC, P-R and cost curves", "only one class is present"
            records.append({"what": what, "model": model.name, "reason": reason})
        if not model.probability:
            percentages = model.ranking.percentages
            reason = LIKE_PERCENTAGES if percentages else "the scores are not probabilities"
            records.append({"what": "calibration", "model": model.name, "reason": reason})
    return records
