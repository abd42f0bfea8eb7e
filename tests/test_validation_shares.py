"""Thresholds that are chosen on rows with another share of positives."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK


def report(share, **more):
    """Validation rows with that share of positives, and test rows of which a tenth is positive."""
    random = np.random.default_rng(2)
    truth = np.r_[random.random(500) < share, random.random(500) < 0.1].astype(int)
    scores = 1 / (1 + np.exp(1 - 2 * truth - random.normal(size=1000)))
    frame = pl.DataFrame({"y": truth, "m": scores, "role": ["validation"] * 500 + ["test"] * 500})
    spec = {"truth": "y", "models": {"m": {"score": "m"}}, "columns": {"role": "role"}}
    return evaluate({**spec, "threshold": {"maximise": "f1"}, **QUICK, **more}, frame)


def stated(results):
    return [c.text for c in results.decision.caveats if c.code == "validation_shares"]


def test_page_one_names_both_shares():
    results = report(0.5)
    [text] = stated(results)

    drawn = np.random.default_rng(2).random(1000)
    before, now = (drawn[:500] < 0.5).mean(), (drawn[500:] < 0.1).mean()
    of_both = f"{before:.1%} of the validation rows are positive, and {now:.1%} of the test rows"
    assert text.replace("\xa0", "").startswith(of_both)
    assert "a threshold that is best there need not be best here" in text
    assert not without_chinese(results, [text])


@pytest.mark.parametrize(
    ("share", "more"),
    [(0.1, {}), (0.5, {"threshold": 0.5}), (0.5, {"privacy": {"small_cells": 5}})],
)
def test_nothing_is_said_of_like_rows_a_fixed_threshold_or_withheld_counts(share, more):
    assert not stated(report(share, **more))
