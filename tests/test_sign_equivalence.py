"""Equivalence over data sets by sign tests."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from reportgen import evaluate
from reportgen.comparisons import Question, equivalence_by_signs
from reportgen.records.rows import rows_of
from reportgen.sections.comparisons import sentences
from reportgen.tables.comparisons import ComparisonRow
from tests.quick import QUICK
from tests.simulations import margins_over_data_sets as simulation
from tests.test_translation import assert_translated

QUESTION = Question(("a", "b"), "auc", unit="data sets")
NEAR = [0.001, -0.003, 0.004, 0.002, -0.001, 0.003, 0.0, 0.002, -0.002, 0.001, 0.004]


def records(differences, question=QUESTION):
    second = np.linspace(0.7, 0.9, len(differences))
    pairs = pl.DataFrame({"first": second + differences, "second": second})
    return equivalence_by_signs(pairs, question, 0.02)


def results_of(differences, **comparisons):
    second = np.linspace(0.7, 0.9, len(differences))
    values = {"a": second + differences, "b": second}
    frame = pl.DataFrame(
        [
            {"set": f"s{k}", "model": model, "value": value}
            for model, of in values.items()
            for k, value in enumerate(of)
        ]
    )
    columns = {"dataset": "set", "model": "model", "value": "value"}
    spec = {"task": "comparison", "measure": "auc", "columns": columns}
    return evaluate({**spec, "comparisons": {"margin": 0.02, **comparisons}}, frame)


def test_p_is_that_of_the_binomial_test_of_the_differences_inside_each_margin():
    differences = np.array([0.001, 0.03, -0.05, 0.0, 0.01, 0.002, 0.018, -0.001])
    both, one = records(differences)
    above, below = int((differences > -0.02).sum()), int((differences < 0.02).sum())
    expected = [binomtest(k, 8, alternative="greater").pvalue for k in (above, below)]

    assert (both.statistic, both.p_value) == (below, pytest.approx(max(expected)))
    assert (one.statistic, one.p_value) == (above, pytest.approx(expected[0]))
    assert both.estimate == pytest.approx(np.median(differences))
    assert one.caveats == ("in 1 of 8 data sets a is worse than b by the margin or more",)
    assert both.caveats == ("in 2 of 8 data sets a − b is not within the margin",)


def test_a_difference_at_the_margin_is_not_within_it():
    """0.72 − 0.7 is 0.020000000000000018."""
    both, one = records([-0.02, 0.02, 0.0, 0.001, 0.001])
    assert (both.statistic, one.statistic) == (4, 4)


def test_of_losses_the_first_model_is_not_inferior_where_it_loses_no_more_than_the_margin():
    losses = Question(("a", "b"), "log_loss", unit="data sets", less_is_better=True)
    _, better = records([-0.1] * 6, question=losses)
    _, worse = records([0.1] * 6, question=losses)
    assert (better.statistic, worse.statistic) == (6, 0)


def test_a_data_set_in_which_a_model_fails_stands_on_page_one_beside_equivalence():
    results = results_of([*NEAR, -0.05])
    decision = results.decision

    assert decision.relation == "equivalent"
    assert decision.headline.endswith(
        "are equivalent in AUC within ±0.02, by the median over data sets"
    )
    assert "In 1 of 12 data sets a − b is not within the margin." in decision.sentence
    assert_translated(results)


def test_the_t_test_over_data_sets_shows_no_equivalence():
    results = results_of([0.001, -0.003, 0.004, 0.002])  # of four sets no sign test rejects
    rows = {row["comparison"]: row for row in results.comparisons.to_dicts()}

    assert rows["equivalence"]["reject"] is True
    assert "may be missing" in rows["equivalence"]["why"]
    assert rows["equivalence_sign"]["reject"] is False
    assert results.decision.relation != "equivalent"


@pytest.mark.parametrize("number", [6, 12])
def test_the_level_is_that_of_the_median(number):
    for name in simulation.DISTRIBUTIONS:
        _, sign, _, _ = simulation.rates(name, number, 200)
        assert sign <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200), name


def test_over_data_sets_in_groups_the_sign_tests_decide_each_claim_once():
    random = np.random.default_rng(5)
    n = 8 * 40
    truth = random.random(n) < 0.5
    models = {m: truth ^ (random.random(n) < 0.05) for m in "ab"}
    frame = (
        pl.DataFrame({"y": truth, **models})
        .cast(pl.Int8)
        .with_columns(d=pl.Series(np.arange(n) // 40), g=pl.Series(np.arange(n) // 10))
    )
    spec = {
        "truth": "y",
        "models": {m: {"label": m} for m in "ab"},
        "columns": {"dataset": "d", "group": "g"},
        "comparisons": {"margin": 0.2},
        **QUICK,
    }
    results = evaluate(spec, frame)
    tests = results.comparisons.filter(shows="equivalence", metric="accuracy")
    rows = rows_of(tests, ComparisonRow)
    by_test = {(row.comparison, row.unit): row for row in rows}

    assert by_test["equivalence_sign", "data sets"].why is None
    assert by_test["equivalence", "rows"].recommendation == "avoid"
    assert {row.family_size for row in rows} == {1.0}
    shown = sentences(results, rows, "")
    assert len(shown) == 1
    assert "sign tests" in shown[0]
