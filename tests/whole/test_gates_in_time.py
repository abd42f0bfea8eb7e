"""A gate in order of time agrees with the conclusion: both rest on a test that holds its level."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate

SPEC = {
    "task": "regression",
    "truth": "sales",
    "models": {"ets": {"estimate": "ets"}, "naive": {"estimate": "naive"}},
    "baseline": "naive",
    "columns": {"time": "day", "group": "store"},
    "gates": ["ets.mae - naive.mae < 0"],
}


def stores(days: int) -> pl.DataFrame:
    """Twelve stores, in which one model has errors three times as large."""
    random = np.random.default_rng(8)
    rows = 12 * days
    truth = random.normal(100, 5, rows)
    return pl.DataFrame(
        {
            "day": np.repeat(np.arange(days), 12),
            "store": np.tile(np.arange(12), days),
            "sales": truth,
            "ets": truth + random.normal(size=rows),
            "naive": truth + 3 * random.normal(size=rows),
        }
    )


@pytest.mark.parametrize(("days", "state"), [(80, "inconclusive"), (90, "pass")])
def test_a_gate_does_not_pass_by_the_limits_of_a_test_that_has_too_few_points(days, state):
    results = evaluate(SPEC, stores(days))
    (gate,) = results.gates.to_dicts()
    assert (gate["state"], results.decision.relation == "no conclusion") == (
        state,
        state != "pass",
    )
    assert gate["high"] < 0
    if state != "pass":
        assert "only 80 time points" in gate["why"]


def test_a_gate_passes_by_the_test_of_growing_folds_that_the_headline_rests_on():
    random, rows = np.random.default_rng(3), 1200
    fold = np.repeat(np.arange(12), rows // 12)
    positive = random.random(rows) < 0.5
    scores = {"a": 1.2 * positive, "b": 0.2 * positive}
    frame = pl.DataFrame(
        {
            "y": positive,
            "fold": fold,
            "day": np.arange(rows) // 4,
            **{name: of + random.normal(size=rows) for name, of in scores.items()},
        }
    )
    spec = {"truth": "y", "models": {n: {"score": n} for n in scores}}
    spec["gates"] = ["a.auc - b.auc > 0", "a.accuracy - b.accuracy > 0"]
    results = evaluate({**spec, "columns": {"time": "day", "fold": "fold"}}, frame)
    of_area, of_accuracy = results.gates.to_dicts()

    assert results.decision.test == "corrected_resampled_t"
    assert (of_area["state"], of_area["low"]) == ("pass", results.decision.low)
    assert of_area["basis"] == "mean over folds"
    tests = results.comparisons.filter(metric="accuracy", unit="folds")
    decided = "recommended" in tests["recommendation"]
    assert (of_accuracy["state"] == "pass") <= (decided or of_accuracy["basis"] != "pooled rows")
