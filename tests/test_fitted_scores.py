"""Scores that were calibrated on the rows which they are evaluated on."""

import numpy as np
import polars as pl
import pytest
from sklearn.isotonic import IsotonicRegression

import reportgen
from reportgen.measuring.fitted_scores import fitted_levels
from reportgen.records.rows import fitted_levels as fitted_models
from reportgen.sweeping import ranking_of
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.breadth import breadth
from tests.simulations.fitted_scores import rates


def rows(count, random):
    signal = random.normal(size=count)
    return signal, random.random(count) < 1 / (1 + np.exp(-signal))


def levels(truth, score):
    return fitted_levels(ranking_of(pl.DataFrame({"truth": truth, "score": score})))


@pytest.mark.parametrize("digits", [3, 4, None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_isotonic_regression_on_the_same_rows_is_seen_and_on_others_is_not(digits, dtype):
    random = np.random.default_rng(5)
    signal, truth = rows(1_000, random)
    model = IsotonicRegression(out_of_bounds="clip").fit(signal, truth)
    other, of_other = rows(1_000, random)

    def score(of):
        fitted = np.clip(model.predict(of), 0, 1)
        return (fitted if digits is None else fitted.round(digits)).astype(dtype).astype(float)

    assert levels(truth, score(signal)) >= 5
    assert levels(of_other, score(other)) is None


def test_means_of_bins_of_the_same_rows_are_seen():
    random = np.random.default_rng(6)
    signal, truth = rows(1_000, random)
    bins = np.digitize(signal, [-1, -0.5, 0, 0.5, 1])
    means = np.array([truth[bins == k].mean() for k in range(6)])

    assert levels(truth, means[bins]) == 6


@breadth("steps", [2, 4, 10], [4])
def test_calibrated_scores_of_few_values_are_not_taken_for_fitted(steps):
    random = np.random.default_rng(steps)
    for _ in range(300):
        score = random.integers(0, steps + 1, 400) / steps
        assert levels(random.random(400) < score, score) is None


@pytest.mark.parametrize("count", [20, 1_000, 100_000])
def test_the_share_of_positives_as_a_baseline_is_not_enough(count):
    truth = np.arange(count) % 5 == 0
    assert levels(truth, np.full(count, 0.2)) is None


def test_rounding_may_not_hide_that_a_score_of_many_rows_differs():
    """A million rows at three scores of three decimals: all shares lie within the rounding."""
    count = 1_000_000
    share = np.array([0.2, 0.3, 0.4])[np.arange(count) % 3]
    random = np.random.default_rng(0)
    assert all(levels(random.random(count) < share, share) is None for _ in range(3))


@pytest.mark.parametrize("unit", [1.0, 1000.0, 0.001])
def test_scores_that_were_fitted_with_the_weights_are_seen_in_any_unit(unit):
    random = np.random.default_rng(7)
    signal, truth = rows(1_000, random)
    weight = np.exp(random.normal(size=1_000))
    model = IsotonicRegression(out_of_bounds="clip").fit(signal, truth, sample_weight=weight)
    other, of_other = rows(1_000, random)

    def weighted(of, score):
        frame = pl.DataFrame({"truth": of, "score": score, "weight": unit * weight})
        return fitted_levels(ranking_of(frame, weight="weight"))

    assert weighted(truth, model.predict(signal)) >= 5
    assert weighted(of_other, model.predict(other)) is None
    assert weighted(truth, IsotonicRegression().fit(signal, truth).predict(signal)) is None
    assert weighted(truth, model.predict(signal).round(3)) is None


def test_a_tree_on_a_hundred_rows_is_seen_and_on_others_is_not():
    shares = rates(100, 30)

    assert shares["tree, same rows"] >= 0.8
    assert shares["isotonic, same rows"] >= 0.6
    assert not any(share for name, share in shares.items() if "same rows" not in name)


@pytest.mark.parametrize(("rows_each", "steps"), [(20, 5), (21, 7), (18, 9)])
def test_calibrated_scores_at_so_many_rows_each_are_not_taken_for_fitted(rows_each, steps):
    random = np.random.default_rng(steps)
    score = np.repeat(np.arange(1, steps) / steps, rows_each)

    seen = [levels(random.random(len(score)) < score, score) for _ in range(1_000)]
    assert sum(one is not None for one in seen) <= 1


def test_the_report_draws_no_conclusion_and_says_why():
    random = np.random.default_rng(5)
    signal, truth = rows(1_000, random)
    fitted = IsotonicRegression().fit(signal, truth).predict(signal)
    frame = pl.DataFrame({"y": truth, "raw": 1 / (1 + np.exp(-signal)), "calibrated": fitted})
    models = {name: {"score": name} for name in ("raw", "calibrated")}
    results = reportgen.evaluate({"truth": "y", "models": models}, frame)
    decision = results.decision

    assert set(fitted_models(results.data["models"])) == {"calibrated"}
    assert decision.headline == (
        "No conclusion on which model is better: calibrated looks fitted on these rows"
    )
    assert decision.state == "inconclusive"
    (caveat,) = (c for c in decision.caveats if c.code == "fitted_scores")
    assert caveat.severity == "severe"
    assert caveat.text.startswith("calibrated looks fitted on these rows: at each of ")
    assert set(results.comparisons["recommendation"]) == {"avoid"}
    assert "calibrated looks fitted on these rows" in set(results.comparisons["why"])
    into = translator("zh", names_of(results.to_dict()))
    for text in (decision.headline, *(c.text for c in decision.caveats)):
        into.text(text, "li")
    assert not into.missing


def test_scores_that_were_fitted_on_400_rows_are_seen_and_honest_ones_are_not():
    """Means of five bins from 1,000 rows on: so few levels equal their shares by chance."""
    shares = rates(400, 5)
    same = {name: share for name, share in shares.items() if name.endswith("same rows")}

    assert same.pop("5 bins, same rows") <= min(same.values())
    assert same.pop("weighted, same rows") >= 0.6
    assert min(same.values()) >= 0.8, same
    assert all(share == 0 for name, share in shares.items() if "same rows" not in name), shares
