"""Limits of claims over few folds stay in the range of their measure."""

from __future__ import annotations

import numpy as np
import polars as pl

import reportgen
from tests.quick import QUICK


def test_a_t_interval_of_few_folds_ends_at_the_bounds_of_the_measure():
    random = np.random.default_rng(2)
    positive = np.arange(60) % 2 == 0
    wrong = random.random(60) < np.repeat([0.0, 0.3, 0.1], 20)
    frame = pl.DataFrame({"y": positive, "p": positive ^ wrong, "fold": np.repeat([0, 1, 2], 20)})
    spec = {
        "truth": "y",
        "models": {"m": {"label": "p"}},
        "columns": {"fold": "fold"},
        "costs": {"false_negative": 2, "false_positive": 1},
        "comparisons": {"claims": ["m.accuracy >= 0.5", "m.cost <= 1"]},
        **QUICK,
    }
    tests = reportgen.evaluate(spec, frame).comparisons.filter(unit="folds").to_dicts()
    limits = {row["metric"]: (row["low"], row["high"]) for row in tests}

    assert limits["accuracy"][1] == 1.0
    assert limits["cost_sensitive_error_rate"][0] == 0.0
