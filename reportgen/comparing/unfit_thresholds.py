"""One threshold of the spec for scores of different scales, which decides nothing for some."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.measuring.thresholds import BY_DEFAULT, FIXED
from reportgen.records.rows import ModelRecord

LEAST = 0.1
"""A recall or specificity up to this is that of a threshold at the edge of the scores."""

OTHER_SCALE = "are not probabilities"

BEYOND = "are probabilities, while it lies outside 0 to 1"

EDGES = {
    "specificity": "predicts more than nine in ten negatives positive",
    "recall": "misses more than nine in ten positives",
}


def without_threshold(models: Sequence[ModelRecord]) -> list[str]:
    """The models that decide by the default threshold, which means nothing on their scale.

    It is that of probabilities: no other scores are known to change sides at 0.5, or at 0.
    """
    by_default = [m for m in models if m.get("threshold_rule") == BY_DEFAULT]
    return [m["name"] for m in by_default if "label" not in m["outputs"] and not m["probability"]]


def beyond_probabilities(models: Sequence[ModelRecord]) -> list[str]:
    """The models of probabilities that a threshold outside 0 to 1 all puts on one side.

    It is meant for another scale, such as that of percentages.
    """
    fixed = [m for m in models if m.get("threshold_rule") in FIXED and m["probability"]]
    return [m["name"] for m in fixed if not 0 <= (m.get("threshold") or 0.0) <= 1]


def unfit_thresholds(metrics: pl.DataFrame, models: Sequence[ModelRecord]) -> dict[str, str]:
    """Why a threshold does not suit models: none is declared, or it is at the edge of their scores.

    A threshold between 0 and 1 is meant for probabilities, however few of them it predicts
    positive.
    """
    fixed = [
        model["name"]
        for model in models
        if model.get("threshold_rule") in FIXED and not model["probability"]
    ]
    rows = metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()),
        pl.col("metric").is_in(list(EDGES)),
        pl.col("model").is_in(fixed),
        pl.col("value") <= LEAST,
    )
    at_edge = {model: EDGES[name] for model, name in rows.select("model", "metric").iter_rows()}
    beyond = dict.fromkeys(beyond_probabilities(models), BEYOND)
    return dict.fromkeys(without_threshold(models), OTHER_SCALE) | at_edge | beyond


def against_decisions(model: str, done: str) -> str:
    """Why no test compares the decisions of a model with those of another one."""
    return f"the threshold in use does not suit the scores of {model}, which {done}"
