"""What a report leaves out, and why: models with one reason in one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.records.model import Results
from reportgen.sections import lookup
from reportgen.text.reasons import NO_SCORES, SEVERAL_WITHOUT_SCORES
from reportgen.text.words import listed

PLURAL: Mapping[str, str] = {NO_SCORES: SEVERAL_WITHOUT_SCORES}
"""Reasons that are about one model, and the same of several."""


def sentences(results: Results) -> tuple[str, ...]:
    """Each thing that was left out with its reason, without full stops."""
    models_of: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for item in results.skipped:
        key = item["what"], tuple(item.get("names") or ()), item["reason"]
        models = models_of.setdefault(key, [])
        if (model := item.get("model")) and model not in models:
            models.append(model)
    return tuple(
        lookup.skipped_text(
            {
                "what": what,
                "names": list(names),
                "model": listed(models) or None,
                "reason": PLURAL.get(reason, reason) if len(models) > 1 else reason,
            }
        )
        for (what, names, reason), models in models_of.items()
    )
