"""Brier scores in order of time, where the spec asks for them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.comparisons.diebold_mariano import diebold_mariano
from tests.quick import QUICK
from tests.simulations.situations import asked


def days(number: int, memory: float = 0.0) -> pl.DataFrame:
    """Rain, a forecast that is calibrated and one that is too mild."""
    random = np.random.default_rng(8)
    noise = random.normal(size=number)
    for day in range(1, number):
        noise[day] = memory * noise[day - 1] + (1 - memory**2) ** 0.5 * noise[day]
    chance = 1 / (1 + np.exp(-2 * noise))
    rain = random.random(number) < chance
    return pl.DataFrame({"rain": rain, "a": chance, "b": 0.3 + 0.4 * chance, "day": range(number)})


def compared(frame: pl.DataFrame, **more: object):
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "rain", "models": models, "columns": {"time": "day"}, **QUICK, **more}
    return evaluate(spec, frame)


BY_BRIER = {"comparisons": {"primary": "brier_score"}}


def test_the_test_of_losses_in_time_decides_between_brier_scores():
    frame = days(300)
    results = compared(frame, **BY_BRIER)
    losses = {
        side: (frame[m] - frame["rain"].cast(pl.Float64)) ** 2
        for side, m in zip(("first", "second"), "ab", strict=True)
    }
    expected = diebold_mariano(pl.DataFrame(losses), asked("brier_score"))[0]

    assert (results.decision.measure, results.decision.leader) == ("brier_score", "a")
    assert (results.decision.relation, results.decision.test) == ("ahead", "diebold_mariano")
    (test,) = results.comparisons.filter(
        metric="brier_score", comparison="diebold_mariano"
    ).to_dicts()
    assert test["p_value"] == pytest.approx(expected.p_value)
    assert not compared(frame).comparisons["metric"].is_in(["brier_score"]).any()


def test_points_that_are_worth_few_have_no_recommended_test_of_brier_scores():
    """One forecast is high throughout, one low: the weather alone says which one is closer."""
    chances = days(120, 0.9)["a"]
    frame = pl.DataFrame({"rain": chances > 0.5, "day": range(120)})
    frame = frame.with_columns(a=0.6 + chances / 9, b=0.3 + chances / 9)
    results = compared(frame, **BY_BRIER)
    tests = results.comparisons.filter(metric="brier_score").to_dicts()

    assert all(test["recommendation"] != "recommended" for test in tests)
    assert any((test["why"] or "").startswith("the time points count like") for test in tests)
