"""Kinds of error without a declared cost cost nothing, and page one says how many there are."""

from __future__ import annotations

import polars as pl

import reportgen
from reportgen.sections import key_numbers
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


def test_costs_of_a_column_are_not_noted_as_a_number():
    frame = pl.DataFrame({"y": [0, 1] * 20, "m": [0.2, 0.9, 0.6, 0.4] * 10, "sum": [3.0, 7.0] * 20})
    costs = {"false_negative": {"column": "sum"}, "false_positive": 5}
    spec = {"truth": "y", "models": {"m": {"score": "m"}}, "costs": costs}
    notes = key_numbers.conventions(
        reportgen.evaluate({**spec, "bootstrap": {"replicates": 0}}, frame)
    )

    assert notes[-1] == (
        "Costs differ from row to row: a false negative costs the amount in column sum and a false "
        "positive costs 5."
    )
