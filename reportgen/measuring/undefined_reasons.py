"""The one reason that applies, where a measure has no value for one of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from reportgen.metrics.registry import NOT_PROBABILITIES, REGISTRY
from reportgen.records.rows import ModelRecord
from reportgen.tables.results import MetricRow

CONSTANT, WEIGHTED = "truth or estimate is constant", "rows are weighted"
EITHER = f"{CONSTANT}, or {WEIGHTED}"
"""What rank correlations cannot have."""


def with_one_reason(
    rows: Sequence[MetricRow], models: Sequence[ModelRecord], *, weighted: bool
) -> list[MetricRow]:
    """The rows, each with the reason that is left once scores and weights are known.

    Of several labels some may have probabilities: there both reasons stand, unless all have them.
    """
    probability = {model["name"]: model["probability"] for model in models}
    result: list[MetricRow] = []
    for row in rows:
        otherwise = _otherwise().get(row["undefined"] or "")
        if row["undefined"] == EITHER:
            result.append({**row, "undefined": WEIGHTED if weighted else CONSTANT})
        elif otherwise is None:
            result.append(row)
        elif probability.get(row["model"]):
            result.append({**row, "undefined": otherwise})
        else:
            result.append({**row, "undefined": NOT_PROBABILITIES} if row["class"] is None else row)
    return result


@cache
def _otherwise() -> Mapping[str, str]:
    """What is left of each reason of a measure where the scores are probabilities."""
    every = (metric for metrics in REGISTRY.values() for metric in metrics.values())
    return {metric.undefined: metric.otherwise for metric in every if metric.otherwise}
