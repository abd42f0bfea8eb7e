"""Prediction intervals that do not hold the truth as often as their nominal level says."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.concluding.model_values import on_all_rows
from reportgen.intervals import simultaneous_limit
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers

MOST_NAMES = 4
"""More models than this are counted."""


def off_nominal(results: Results) -> Iterator[Caveat]:
    """The models whose declared level the limits of their coverage exclude.

    All limits hold for all models at once (Bonferroni).
    """
    levels = _levels(results)
    shares = on_all_rows(results.metrics, "interval_coverage")
    texts = []
    for model, level in levels.items():
        share = shares.get(model)
        if share is None or share.low is None or share.high is None:
            continue
        low, high = (
            simultaneous_limit(share.value, end, len(levels), results.confidence)
            for end in (share.low, share.high)
        )
        if not low <= level <= high:
            off = "narrow" if share.value < level else "wide"
            texts.append(
                f"The prediction intervals of {bounded(model)} are too {off}: "
                f"{numbers.percent(share.value)} of the true values lie in them, and "
                f"{numbers.level(level)} is the nominal level."
            )
    if len(texts) > MOST_NAMES:
        count = f"{len(texts)} of {len(levels)} models"
        texts = [f"The prediction intervals of {count} miss their nominal level."]
    for text in texts:
        yield Caveat("nominal_coverage", "moderate", text)


def _levels(results: Results) -> dict[str, float]:
    """The declared level of each model's prediction intervals."""
    models = results.spec.get("models")
    if not isinstance(models, dict):
        return {}
    options = {name: one for name, one in models.items() if isinstance(one, dict)}
    return {name: float(one["level"]) for name, one in options.items() if one.get("level")}
