"""No test of two models with heavy tails: what limits of R² say of the mean stands beside it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK
from tests.simulations.heavy_tails import said

BETTER = "glm is significantly better than always predicting the mean: R² 0."


def decision(times: float = 1.0, rows: int = 800, seed: int = 1, **columns: str):
    """Counts, their rates and none; the rates vary ``times`` as much as they should."""
    random = np.random.default_rng(seed)
    rate = 0.3 * np.exp(random.normal(0, 0.9, rows))
    frame = pl.DataFrame(
        {
            "y": random.poisson(rate),
            "glm": rate.mean() + times * (rate - rate.mean()),
            "zero": np.zeros(rows),
            "w": random.choice([0.5, 1.5], rows),
        }
    )
    models = {name: {"estimate": name} for name in ("glm", "zero")}
    spec = {"truth": "y", "task": "regression", "models": models, "columns": columns, **QUICK}
    results = reportgen.evaluate(spec, frame)
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.sentence, "p")
    into.text(results.decision.headline, "p")
    assert not into.missing
    return results.decision


def test_models_on_both_sides_of_the_mean_have_an_order():
    """Limits of R² put the rates above the mean of the counts, and what is far too low below it."""
    random = np.random.default_rng(1)
    rate = 0.5 * np.exp(random.normal(0, 0.9, 900))
    frame = pl.DataFrame({"y": random.poisson(rate), "glm": rate, "low": random.random(900) / 100})
    models = {name: {"estimate": name} for name in ("glm", "low")}
    spec = {"truth": "y", "task": "regression", "models": models, **QUICK}
    results = reportgen.evaluate(spec, frame)
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.headline, "p")
    one = results.decision

    assert not into.missing
    assert one.headline.startswith(
        "glm is better than always predicting the mean, low worse: R² 0."
    )
    assert " against \N{MINUS SIGN}0." in one.headline
    assert [row.model for row in one.at_chance if row.worse] == ["low"]


def test_where_mae_decides_a_model_below_the_median_is_better_than_a_constant():
    """R² of heavy tails says nothing of it: its limits reach far below 0."""
    random = np.random.default_rng(3)
    rows = 600
    frame = pl.DataFrame({"known": random.normal(0, 10, rows)}).with_columns(
        y=pl.col("known") + 2 * random.standard_t(1.6, rows)
    )
    frame = frame.with_columns(mean=pl.lit(frame["y"].mean()))
    models = {"known": {"estimate": "known"}, "mean": {"estimate": "mean"}}
    spec = {"truth": "y", "task": "regression", "models": models, **QUICK}
    one = reportgen.evaluate(spec, frame).decision

    assert one.measure == "mean_absolute_error"
    assert one.headline.startswith("known beats mean: MAE ")
    assert "known" not in {row.model for row in one.at_chance}


def test_the_best_model_is_better_than_the_mean_by_limits_that_allow_for_heavy_tails():
    one = decision()

    assert one.relation == "no conclusion"
    assert BETTER in one.sentence
    assert one.sentence.endswith("whose limits allow for heavy tails, as the t-test does not.")


@pytest.mark.parametrize(
    "keys", [{"times": 2.0}, {"rows": 299, "seed": 2}, {"weight": "w"}], ids=str
)
def test_nothing_is_said_of_the_mean_where_limits_hold_0_or_other_reasons_are_against_the_test(
    keys,
):
    assert BETTER not in decision(**keys).sentence


@pytest.mark.parametrize("design", ["counts, σ 1", "1 % far off"])
@pytest.mark.parametrize("runs", [60, pytest.param(600, marks=pytest.mark.slow)])
def test_with_heavy_tails_limits_of_r2_seldom_say_that_a_model_is_better_than_the_mean(
    design, runs
):
    shares, heavy = said(design, 800, runs)

    assert heavy > 0.9
    assert shares[0] <= 0.025 + 3 * (0.025 * 0.975 / runs) ** 0.5
