"""Estimates in another unit than the truth are named, and estimates that are only bad are not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.measuring_units import FACTORS, factor_of
from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

ALARM = "another unit?"


def data(random: np.random.Generator, rows: int, scale: float, noise: float) -> pl.DataFrame:
    truth = np.exp(random.normal(3, 0.6, size=rows))
    return pl.DataFrame({"y": truth, "m": scale * truth * np.exp(random.normal(0, noise, rows))})


def total(frame: pl.DataFrame) -> str:
    results: Results = evaluate({"truth": "y", "models": {"m": {"estimate": "m"}}, **QUICK}, frame)
    into = translator("zh", names_of(results.to_dict()))
    text = " ".join(c.text for c in results.decision.caveats if c.code == "total")
    into.text(text)
    assert not into.missing
    return text


def factor(frame: pl.DataFrame) -> float | None:
    truth, estimate = frame["y"].to_numpy(), frame["m"].to_numpy()
    r = float(np.corrcoef(truth, estimate)[0, 1])
    return factor_of(truth.mean() / estimate.mean(), r)


def test_page_one_names_the_factor_of_hours_beside_minutes_and_of_grams_beside_kilograms():
    random = np.random.default_rng(3)

    hours, grams = (total(data(random, 400, scale, 0.2)) for scale in (1 / 60, 1000))

    assert hours.endswith(" The estimates look like the truth divided by 60: another unit?")
    assert grams.endswith(" The estimates look like the truth times 1,000: another unit?")


def test_a_total_that_is_off_by_no_known_factor_is_no_unit():
    """A third too low, and a fifth of the truth."""
    random = np.random.default_rng(4)
    for scale in (0.66, 0.2):
        text = total(data(random, 400, scale, 0.2))

        assert "under-predicts the total" in text
        assert ALARM not in text


def test_numbers_that_do_not_follow_the_truth_have_no_unit():
    assert factor_of(60, 0.9) == 60
    assert factor_of(60, 0.5) is None


def test_ordinary_estimates_raise_no_alarm_and_those_in_another_unit_do():
    """1,000 regressions whose bias is up to a third, and 300 in another unit with little bias."""
    random = np.random.default_rng(5)
    alarms = sum(
        factor(data(random, int(random.integers(50, 2000)), np.exp(random.uniform(-0.4, 0.4)), 0.4))
        is not None
        for _ in range(1000)
    )
    scales = random.choice(FACTORS, 300) ** random.choice((-1.0, 1.0), 300)
    named = [factor(data(random, 500, scale, 0.1)) == pytest.approx(1 / scale) for scale in scales]

    assert alarms <= 3
    assert np.mean(named) > 0.8
