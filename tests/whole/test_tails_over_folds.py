"""Rare large errors behind means over folds: what pooled rows show of them, and MAE instead."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.simulations.heavier_tails import rare
from tests.simulations.tails_over_folds import decided, errors

RARE = (None, rare(0.004, 15))
"""The second model has few far larger errors, and smaller ones else."""


def of_run(run: int, shapes, rows: int = 500) -> np.ndarray:
    return errors(np.random.default_rng([run, rows]), rows, shapes)


def test_squares_that_a_few_errors_decide_do_not_decide_over_folds():
    of_models = of_run(3, RARE)
    assert np.abs(of_models[:, 1]).max() > 5  # the rows show it

    by_squares, _ = decided(of_models, "mean_squared_error")
    by_r2, _ = decided(of_models, "r2")
    by_default, measure = decided(of_models, None)

    assert by_squares == by_r2 == "no conclusion"
    assert measure == "mean_absolute_error" or by_default == "no conclusion"


def test_squares_of_like_errors_decide_over_folds_from_300_rows_on():
    better = of_run(1, (None, None), 300) * [1.0, 0.7]

    assert decided(better, None) == ("ahead", "mean_squared_error")
    assert decided(better, "r2") == ("ahead", "r2")
    fewer = better[:150]
    assert decided(fewer, None) == ("ahead", "mean_absolute_error")
    assert decided(fewer, "mean_squared_error")[0] == "no conclusion"


@pytest.mark.parametrize("folds", [{"fold": "fold"}, {}], ids=["folds", "one test"])
def test_errors_that_no_missing_one_can_make_up_for_are_compared_in_few_rows(folds):
    """Three of 200 rows would have to be 80 times as wrong as the others."""
    random = np.random.default_rng(3)
    truth = 3 * random.normal(size=200)
    frame = pl.DataFrame({"y": truth, "fold": np.arange(200) % 10}).with_columns(
        a=pl.Series(truth + random.normal(size=200)),
        b=pl.Series(truth + 10 * random.normal(size=200)),
    )
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"task": "regression", "truth": "y", "models": models, "columns": folds}
    asked = {"comparisons": {"primary": "r2"}, "bootstrap": {"replicates": 50}}

    decision = evaluate({**spec, **asked}, frame).decision

    assert (decision.relation, decision.leader) == ("ahead", "a")


@pytest.mark.parametrize("shapes", [RARE, (None, None)], ids=["rare", "normal"])
def test_streamed_folds_say_the_same(tmp_path, shapes):
    of_models = of_run(5, shapes)
    truth = np.linspace(5, 15, len(of_models))
    frame = pl.DataFrame({"y": truth, "fold": np.arange(len(truth)) % 10})
    data = tmp_path / "p.parquet"
    frame.with_columns(
        a=pl.Series(truth + of_models[:, 0]), b=pl.Series(truth + of_models[:, 1])
    ).write_parquet(data)
    spec = {
        "task": "regression",
        "truth": "y",
        "data": str(data),
        "models": {name: {"estimate": name} for name in "ab"},
        "columns": {"fold": "fold"},
        "bootstrap": {"replicates": 50},
    }

    exact, streamed = (evaluate({**spec, "engine": e}) for e in ("exact", "streaming"))

    assert streamed.decision.headline == exact.decision.headline
    decides = exact.comparisons.filter(unit="folds", comparison="corrected_resampled_t")
    assert decides["metric"].unique().sort().to_list() == [
        "mean_absolute_error",
        "mean_squared_error",
    ]


def test_repeats_of_rows_do_not_count_as_further_ones():
    """Ten predictions of an example show its errors ten times, not ten times as many errors."""
    of_models = of_run(2, (None, None), 200)
    rows = len(of_models)
    truth = np.linspace(5, 15, rows)
    parts = [
        pl.DataFrame(
            {
                "id": np.arange(rows),
                "y": truth,
                "repeat": repeat,
                "fold": np.random.default_rng(repeat).permutation(rows) % 5,
                "a": truth + of_models[:, 0],
                "b": truth + 0.6 * of_models[:, 1],
            }
        )
        for repeat in range(10)
    ]
    spec = {
        "task": "regression",
        "truth": "y",
        "models": {name: {"estimate": name} for name in "ab"},
        "columns": {"fold": "fold", "repeat": "repeat", "id": "id"},
        "bootstrap": {"replicates": 50},
    }

    results = evaluate(spec, pl.concat(parts))

    assert results.decision.measure == "mean_absolute_error"
    squares = results.comparisons.filter(metric="mean_squared_error", unit="folds")
    assert "recommended" not in squares["recommendation"].to_list()
    assert any("200 rows cannot rule out" in (why or "") for why in squares["why"])
