"""The sweep, its hull and its bins, beside brute force and scikit-learn."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import auc as area_under
from sklearn.metrics import confusion_matrix, roc_auc_score, roc_curve

from reportgen.counting import counts
from reportgen.curves import cost_envelope, hull, sampled
from reportgen.metrics.costs import expected_total_cost
from reportgen.metrics.ranking import auc, auc_convex_hull
from reportgen.polylines import simplified
from reportgen.sweeping import bins, ranking_of, sweep
from reportgen.sweeping.sorting import ranked_in_order
from tests.breadth import sample_size

UNIT = st.floats(0, 1, allow_subnormal=True)
REAL = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(
    st.tuples(st.booleans(), st.one_of(UNIT, st.sampled_from([0.0, -0.0, 1.0, 5e-324])))
)
REAL_ROWS = st.lists(st.tuples(st.booleans(), REAL))


def as_frame(rows) -> pl.DataFrame:
    schema = {"truth": pl.Boolean, "score": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def brute_force(frame: pl.DataFrame) -> list[tuple[float, ...]]:
    truth, score = frame["truth"].to_numpy(), frame["score"].to_numpy()
    thresholds = [np.inf, *sorted({float(s) for s in score}, reverse=True)]
    predictions = [score >= t for t in thresholds]
    return [
        (t, (c & truth).sum(), (c & ~truth).sum(), (~c & truth).sum(), (~c & ~truth).sum())
        for t, c in zip(thresholds, predictions, strict=True)
    ]


@given(rows=st.one_of(ROWS, REAL_ROWS))
def test_a_sweep_counts_what_brute_force_counts(rows):
    frame = as_frame(rows)
    assert sweep(frame).rows() == brute_force(frame)


@given(rows=st.one_of(ROWS, REAL_ROWS))
@settings(max_examples=sample_size(20, 50))
def test_weights_of_one_change_nothing_but_the_way(rows):
    frame = as_frame(rows).with_columns(weight=pl.lit(1.0))
    weighted = sweep(frame, weight="weight")
    assert weighted.select("threshold", "tp", "fp", "fn", "tn").equals(sweep(frame))
    assert weighted["tp2"].equals(weighted["tp"].rename("tp2"))


def test_minus_zero_and_zero_are_one_threshold():
    frame = as_frame([(True, -0.0), (False, 0.0), (True, 0.5)])
    assert sweep(frame)["threshold"].to_list() == [float("inf"), 0.5, 0.0]
    negative = as_frame([(True, -0.0), (False, 0.0), (True, -2.0)])
    assert sweep(negative)["threshold"].to_list() == [float("inf"), 0.0, -2.0]


@pytest.mark.parametrize("digits", [1, 17])
def test_rows_that_are_in_order_have_the_ranking_of_all_rows(digits):
    random = np.random.default_rng(6)
    for rows in (0, 1, 2, 300):
        score, truth = np.sort(random.normal(size=rows).round(digits)), random.random(rows) < 0.3
        expected = ranking_of(pl.DataFrame({"score": score, "truth": truth}))

        result = ranked_in_order(score, truth)

        assert type(result) is type(expected)
        assert result.table().equals(expected.table())


def test_rows_without_a_score_are_left_out():
    frame = pl.DataFrame({"truth": [True, False, True], "score": [0.5, None, 0.2]})
    assert sweep(frame).select("tp", "fp").row(-1) == (2, 0)


@pytest.mark.parametrize("seed", range(5))
def test_the_sweep_agrees_with_scikit_learn(seed):
    random = np.random.default_rng(seed)
    truth = random.random(700) < 0.3
    score = random.random(700).round(random.integers(1, 5))
    weight = random.random(700) + 0.1
    steps = sweep(pl.DataFrame({"truth": truth, "score": score, "w": weight}), weight="w")
    false_positive_rates, true_positive_rates, thresholds = roc_curve(
        truth, score, sample_weight=weight, drop_intermediate=False
    )
    assert steps["threshold"].to_list() == thresholds.tolist()
    np.testing.assert_allclose(steps["fp"] / steps["fp"][-1], false_positive_rates, atol=1e-12)
    np.testing.assert_allclose(steps["tp"] / steps["tp"][-1], true_positive_rates, atol=1e-12)
    expected = roc_auc_score(truth, score, sample_weight=weight)
    assert steps.select(auc()).item() == pytest.approx(expected, abs=1e-12)


def test_counts_agree_with_scikit_learn_for_several_models_and_weights():
    random = np.random.default_rng(1)
    truth, weight = random.random(300) < 0.4, random.random(300)
    predictions = {name: random.random(300) < 0.5 for name in ("a", "b")}
    frame = pl.DataFrame({"truth": truth, "w": weight, **predictions})
    table = counts(frame, predicted={n: pl.col(n) for n in predictions}, weight="w")
    for row in table.iter_rows(named=True):
        expected = confusion_matrix(truth, predictions[row["model"]], sample_weight=weight)
        np.testing.assert_allclose([row["tn"], row["fp"], row["fn"], row["tp"]], expected.ravel())
        assert row["tp2"] == pytest.approx((weight**2)[truth & predictions[row["model"]]].sum())


@given(rows=st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=1, max_size=60))
@settings(max_examples=sample_size(25, 60))
def test_the_hull_is_the_least_concave_curve_above_the_roc_points(rows):
    steps = sweep(as_frame([(t, s / 12) for t, s in rows]))
    corners = hull(steps)
    x, y = corners["fp"].to_numpy(), corners["tp"].to_numpy()
    assert (steps["tp"].to_numpy() <= np.interp(steps["fp"].to_numpy(), x, y) + 1e-9).all() or (
        len(np.unique(x)) == 1
    )
    turns = np.diff(x)[:-1] * np.diff(y)[1:] - np.diff(y)[:-1] * np.diff(x)[1:]
    assert (turns < 0).all()
    if x[-1] and y[-1]:
        expected = area_under(x / x[-1], y / y[-1])
        assert corners.select(auc_convex_hull()).item() == pytest.approx(expected)


@given(rows=st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=2, max_size=50))
@settings(max_examples=sample_size(25, 60))
def test_the_cost_envelope_is_the_least_line_at_every_probability_cost(rows):
    steps = sweep(as_frame([(t, s / 9) for t, s in rows]))
    envelope = cost_envelope(hull(steps))
    positives, negatives = steps["tp"][-1], steps["fp"][-1]
    if not positives or not negatives:
        assert envelope.is_empty()
        return
    x = np.linspace(0, 1, 201)
    ends = [(f / negatives, 1 - t / positives) for t, f in steps.select("tp", "fp").iter_rows()]
    least = np.min([a * (1 - x) + b * x for a, b in ends], axis=0)
    interpolated = np.interp(x, envelope["probability_cost"], envelope["normalised_cost"])
    np.testing.assert_allclose(interpolated, least, atol=1e-9)
    area = area_under(envelope["probability_cost"], envelope["normalised_cost"])
    assert hull(steps).select(expected_total_cost()).item() == pytest.approx(area, abs=1e-9)


@pytest.mark.parametrize("number", [2, 7, 10, 100])
def test_a_score_on_an_edge_is_in_the_bin_that_starts_there(number):
    edges = [k / number for k in range(number)]
    table = bins(sweep(pl.DataFrame({"truth": [True] * number, "score": edges})), number)
    assert table["low"].to_list() == edges
    assert table["count"].to_list() == [1.0] * number


def test_there_are_no_bins_when_a_score_is_not_a_probability():
    assert bins(sweep(as_frame([(True, 0.3), (False, 1.2)]))).is_empty()


def test_a_simplified_curve_stays_within_its_tolerance():
    random = np.random.default_rng(2)
    x, y = np.sort(random.random(20_000)), np.sort(random.random(20_000))
    indices = simplified(x, y, 1 / 500)
    assert len(indices) < 400
    assert {indices[0], indices[-1]} == {0, len(x) - 1}
    assert np.abs(np.interp(x, x[indices], y[indices]) - y).max() < 1 / 250


def test_a_sampled_sweep_keeps_its_ends_and_is_short():
    random = np.random.default_rng(3)
    steps = sweep(pl.DataFrame({"truth": random.random(9000) < 0.5, "score": random.random(9000)}))
    short = sampled(steps, 200)
    assert short.height <= 202
    assert short.row(0) == steps.row(0)
    assert short.row(-1) == steps.row(-1)
    assert short["threshold"].is_sorted(descending=True)
