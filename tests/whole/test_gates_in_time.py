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
        assert "only 80 points of time" in gate["why"]
