"""Gates on differences of models that rank alike, or whose measure noise raises unlike."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import evaluate
from tests.quick import FEW
from tests.test_translation import assert_translated

MODELS = {name: {"score": name} for name in "abc"}


def calibrated() -> pl.DataFrame:
    """True probabilities, the mean on either side of one half, and a copy with the same ranking."""
    random = np.random.default_rng(0)
    exact = 1 / (1 + np.exp(-2 * random.normal(size=400)))
    truth = (random.random(400) < exact).astype(int)
    coarse = np.where(exact > 0.5, 0.78, 0.22)
    return pl.DataFrame({"y": truth, "a": coarse, "b": exact, "c": exact**2})


@pytest.mark.parametrize(
    ("gate", "state", "why"),
    [
        ("b.auc - c.auc > -0.01", "pass", None),
        ("b.average_precision >= c.average_precision - 0.02", "pass", None),
        ("b.auc - c.auc > 0", "fail", None),
        ("b.ece - a.ece > 0", "inconclusive", "noise raises this measure more"),
        (
            "b.ks_statistic - a.ks_statistic > 0",
            "inconclusive",
            "the scores of one model are",
        ),
        (
            "a.integrated_calibration_index - b.integrated_calibration_index < 0.1",
            "inconclusive",
            "the number has no interval",
        ),
        ("a.calibration_slope - b.calibration_slope < 3", "pass", None),
    ],
)
def test_gates_on_differences_that_are_0_or_that_noise_makes(gate, state, why):
    """Recalibrated scores rank alike; bins raise an error; calibrations are fitted to the rows."""
    results = evaluate({"truth": "y", "models": MODELS, "gates": [gate], **FEW}, calibrated())
    [row] = results.gates.to_dicts()

    assert row["state"] == state
    assert (row["why"] or "").startswith(why or "")
    assert "auc - c" not in gate or (row["low"], row["high"]) == (0.0, 0.0)
    if "scores" in (why or "") or "noise" in (why or ""):
        assert_translated(results)


def test_models_that_happen_to_rank_a_sample_alike_are_not_known_to():
    """A model that finds every positive of these few rows, as the other does, is not the other."""
    random = np.random.default_rng(1)
    truth = np.arange(60) < 8
    first = truth * 3 + random.normal(size=60)
    second = np.where(truth, first + 10, -first)  # negatives the other way round
    first = np.where(truth, first + 10, first)
    frame = pl.DataFrame({"y": truth.astype(int), "a": first, "b": second})
    gates = ["b.auc - a.auc > -0.005", "b.recall - a.recall > -0.01"]
    models = {name: {"score": name} for name in "ab"}
    results = evaluate(
        {"truth": "y", "models": models, "threshold": 5.0, "gates": gates, **FEW}, frame
    )

    assert "same_rankings" not in results.data
    assert results.metrics.filter(pl.col("slice").is_null(), metric="auc")["value"].n_unique() <= 1
    assert results.gates["state"].to_list() == ["inconclusive"] * 2
