"""The one reason that applies, where a measure has no value for one of two."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.records.rows import MetricRow, ModelRecord

NOT_PROBABILITIES = "the scores are not probabilities"
OR = f"{NOT_PROBABILITIES}, or "
"""How measures begin that need probabilities and something else."""

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
        reason = row["undefined"]
        if reason == EITHER:
            result.append({**row, "undefined": WEIGHTED if weighted else CONSTANT})
        elif reason is None or not reason.startswith(OR):
            result.append(row)
        elif probability.get(row["model"]):
            result.append({**row, "undefined": reason.removeprefix(OR)})
        else:
            result.append({**row, "undefined": NOT_PROBABILITIES} if row["class"] is None else row)
    return result
