"""Kinds of error without a declared cost cost nothing, and page one says how many there are."""

from __future__ import annotations

import reportgen
from tests.quick import QUICK

CLASSES = ["cat", "dog", "emu"] * 12


def _texts(costs: dict[str, dict[str, float]]) -> list[str]:
    models = {"m": [CLASSES[1], *CLASSES[1:]], "n": CLASSES[::-1]}
    decision = reportgen.report(CLASSES, models, costs=costs, **QUICK).results.decision
    return [c.text for c in decision.caveats if c.code == "without_cost"]


def test_errors_without_a_cost_are_counted_and_declared_zeros_are_not():
    every = {t: dict.fromkeys({"cat", "dog", "emu"} - {t}, 1) for t in ("cat", "dog", "emu")}

    assert _texts({"cat": {"dog": 1}, "dog": {"cat": 3}}) == [
        "The spec gives no cost for 4 of 6 kinds of error, which cost nothing here."
    ]
    assert _texts(every) == []
    assert _texts(every | {"cat": {"dog": 0, "emu": 2}}) == []
