"""The gate that was most likely meant by a text that is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reportgen.spec import gates

_PERCENT = re.compile(r"(\d+(?:\.\d+)?) ?%")
_BARE = re.compile(r"\s*([A-Za-z]\w*)(?:\.(?:low|high))?\s*[<>=]")
"""A measure without a model, in the place of a side."""


def meant(text: str, models: Sequence[str], is_measure: Callable[[str], bool]) -> str | None:
    """The gate with its sign, quotes, percentage or model written as they have to be, or nothing.

    >>> meant("m.auc => 0.9", ["m"], bool), meant("m.recall > 90%", ["m"], bool)
    ('m.auc >= 0.9', 'm.recall > 0.9')
    >>> meant("my tree.auc > 0.9", ["my tree"], bool), meant("auc > 0.9", ["m", "k"], bool)
    ('"my tree".auc > 0.9', 'm.auc > 0.9')
    >>> meant("m.auc is fine", ["m"], bool)
    """
    gate = text.replace("=>", ">=").replace("=<", "<=")
    gate = _PERCENT.sub(lambda share: f"{float(share[1]) / 100:.12g}", gate)
    for name in sorted(models, key=len, reverse=True):
        if re.search(r"\s", name):
            before = rf"(?<![\w\"']){re.escape(name)}(?=\.)"
            gate = re.sub(before, lambda found: f'"{found[0]}"', gate)
    bare = _BARE.match(gate)
    if bare and models and is_measure(bare[1]):
        model = f'"{models[0]}"' if re.search(r"\s", models[0]) else models[0]
        gate = f"{model}.{gate.lstrip()}"
    return gate if gate != text and _is_gate(gate) else None


def _is_gate(text: str) -> bool:
    try:
        gates.parse(text)
    except ValueError:
        return False
    return True
