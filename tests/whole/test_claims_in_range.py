"""Limits of claims over few folds, or data sets, stay in the range of their measure."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.comparing.claims import claimed_of_values
from reportgen.comparisons import Question
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


def test_a_claim_over_data_sets_has_the_limits_that_gates_and_tables_have_of_the_mean():
    random = np.random.default_rng(31)
    sets = random.integers(0, 8, 800)
    positive = random.random(800) < 0.3
    score = 1.2 * positive + random.normal(size=800)
    frame = pl.DataFrame({"y": positive, "p": score, "set": [f"h{k}" for k in sets]})
    spec = {
        "truth": "y",
        "models": {"m": {"score": "p"}},
        "columns": {"dataset": "set"},
        "comparisons": {"claims": ["m.auc >= 0.6"]},
        "gates": ["m.auc >= 0.6"],
        **QUICK,
    }
    results = reportgen.evaluate(spec, frame)
    [claim] = results.comparisons.filter(comparison="one_sample_t").to_dicts()
    [mean] = results.metrics.filter(metric="auc", average="folds").to_dicts()

    assert claim["interval"] == mean["interval"] == "bounded t"
    for ends in (mean, results.gates.row(0, named=True)):
        assert (claim["low"], claim["high"]) == pytest.approx((ends["low"], ends["high"]))


def test_limits_over_data_sets_are_those_of_the_test_where_they_would_refute_what_it_does_not():
    """Away from a bound the limit of seven alike values and a far one is nearer than that of t."""
    values = pl.DataFrame({"model": "m", "value": [0.99] * 7 + [0.6]})
    question = Question(("m",), "accuracy", unit="data sets")
    near, far = (
        claimed_of_values([f"m.accuracy = {claim}"], values, question, 0.0)[0]
        for claim in (0.995, 0.9)
    )

    assert near.p_value > 0.05
    assert (near.interval, far.interval) == ("t", "bounded t")
    assert near.high == 1.0
    assert 0 < far.low < near.low < far.high < 0.995
