"""Tests over data sets that are too few for Wilcoxon's, and data sets that lack a model."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen import evaluate
from reportgen.comparing.least_p import least_adjusted
from reportgen.comparisons import Question, adjust, signed_rank

MODELS = "abcdefghi"
SPEC = {
    "task": "comparison",
    "measure": "accuracy",
    "columns": {"dataset": "set", "model": "model", "value": "value"},
}


def values(data_sets: int, lacking: int = 0) -> pl.DataFrame:
    """Each model 0.02 worse than the one before; the last one lacks a value of some data sets."""
    rows = [
        {"set": f"s{i}", "model": m, "value": 0.9 - 0.02 * k - 0.001 * ((7 * i + 3 * k) % 11)}
        for i in range(data_sets)
        for k, m in enumerate(MODELS)
        if m != MODELS[-1] or i >= lacking
    ]
    return pl.DataFrame(rows)


def of_pair(results, name: str, first: str, second: str):
    pairs = results.comparisons.filter(comparison=name).to_dicts()
    return next(row for row in pairs if set(row["models"]) == {first, second})


def test_wilcoxon_s_test_does_not_decide_where_no_adjusted_p_can_be_small_enough():
    """36 pairs of 8 data sets: 36 / 2⁷ = 0.281."""
    results = evaluate(SPEC, values(8))
    wilcoxon, nemenyi = (of_pair(results, n, "a", "i") for n in ("wilcoxon", "nemenyi"))
    assert (wilcoxon["recommendation"], nemenyi["recommendation"]) == ("valid", "recommended")
    assert "cannot fall below 0.281" in wilcoxon["why"]
    assert results.decision.test == "nemenyi"
    assert "ahead of" in results.decision.headline
    assert results.decision.ruled_out is None


def test_wilcoxon_s_test_decides_where_the_adjusted_p_can_be_small_enough():
    results = evaluate(SPEC, values(12))
    assert of_pair(results, "wilcoxon", "a", "i")["recommendation"] == "recommended"
    assert of_pair(results, "nemenyi", "a", "i")["recommendation"] == "valid"


def test_a_pair_is_compared_on_all_data_sets_that_have_values_of_both():
    """A third of the data sets lack one of nine models: the other pairs lose nothing."""
    results = evaluate(SPEC, values(12, lacking=4))
    whole, lacking = (of_pair(results, "wilcoxon", "a", name) for name in "bi")
    assert whole["p_adjusted"] == pytest.approx(36 / 2**11)
    assert whole["recommendation"] == "recommended"
    assert "12 pairs" in whole["assumptions"]
    assert "8 pairs" in lacking["assumptions"]
    assert "4 data sets that lack a value of one of the two are left out" in lacking["caveats"]
    texts = [caveat.text for caveat in results.decision.caveats]
    assert "4 data sets that lack a value of a model are left out of the mean ranks." in texts


def test_signs_that_reach_no_such_level_have_no_simultaneous_limits():
    pairs = pl.DataFrame({"first": [0.9 + 0.01 * i for i in range(8)], "second": [0.8] * 8})
    names = [("a", name) for name in MODELS[1:]]
    tests = [signed_rank(pairs, Question(pair, "auc", unit="data sets")) for pair in names]
    alone, together = adjust(tests[:1])[0], adjust(tests)[0]
    assert alone.simultaneous_low is not None
    assert together.simultaneous_low is None
    assert "so few pairs have no limits at the level of 0.0063" in together.caveats


def test_the_least_adjusted_p_is_that_of_the_pair_with_most_data_sets():
    tests = [
        signed_rank(
            pl.DataFrame({"first": [1.0 + i for i in range(n)], "second": [0.0] * n}),
            Question(("a", str(n)), "auc", unit="data sets"),
        )
        for n in (6, 8)
    ]
    assert least_adjusted(tests, "holm") == {"wilcoxon": 2 / 2**7}
    assert least_adjusted(tests, "benjamini_hochberg") == {}
