"""Page one on data with a rare class: accuracy never decides in place of the AUC."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.records.decision import Decision


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Twenty positives of 600 that one model ranks highest with hardly any spread."""
    random = np.random.default_rng(1)
    positive = np.arange(600) < 20
    noise = random.normal(size=(2, 600))
    return pl.DataFrame(
        {
            "y": positive,
            "narrow": np.where(positive, 2.2 + 0.2 * noise[0], noise[0]),
            "wide": np.where(positive, 1.9 + 1.3 * noise[1], noise[1]),
            "label": positive & (noise[0] > 0),
        }
    )


def decided(frame: pl.DataFrame, **more: Any) -> Decision:
    spec = {
        "truth": "y",
        "models": {"narrow": {"score": "narrow"}, "wide": {"score": "wide"}},
        "bootstrap": {"replicates": 0},
    }
    return reportgen.evaluate(spec | more, frame).decision


def test_few_scores_that_hardly_vary_by_chance_do_not_make_a_winner(frame):
    decision = decided(frame)

    assert (decision.measure, decision.relation) == ("auc", "level")
    assert "DeLong's test for a rare class" in decision.sentence
    assert "ccuracy" not in decision.headline + decision.sentence


def test_a_baseline_without_an_auc_is_compared_in_accuracy(frame):
    models = {"label": {"label": "label"}, "wide": {"score": "wide"}}

    assert decided(frame, models=models, baseline="label").measure == "accuracy"
