"""Whole numbers as weights may be counts: page one says what they are taken for."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from tests.page_text import without_chinese
from tests.quick import QUICK


@pytest.mark.parametrize(
    ("weights", "said"),
    [([8, 32, 18, 1], True), ([1, 1, 1, 2], False), ([5, 5, 5, 5], False), ([0.5, 8, 3, 2], False)],
)
def test_whole_numbers_are_said_to_be_taken_as_sampling_weights(weights, said):
    random = np.random.default_rng(2)
    positive = random.random(120) < 0.5
    frame = pl.DataFrame({"y": positive, "p": positive + random.normal(size=120)})
    frame = frame.with_columns(w=pl.Series(np.resize(weights, 120)))
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "columns": {"weight": "w"}, **QUICK}
    results = reportgen.evaluate(spec, frame)

    texts = [c.text for c in results.decision.caveats if c.code == "weights_like_counts"]
    assert bool(texts) == said
    assert not without_chinese(results, texts)
