"""Means of AUCs over classes and labels: their covariance is DeLong's, and their limits cover."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.clusters import Groups
from reportgen.comparisons.area_covariances import area_covariance
from reportgen.intervals import area_means
from reportgen.intervals.area_means import AreaSpread, SampledRows, mean_limits, spread_of_areas
from tests.breadth import breadth
from tests.coverage.area_means import OF_AREAS, of_area_means
from tests.quick import QUICK

RANDOM = np.random.default_rng(4)
TRUTH = RANDOM.integers(0, 3, size=150)
SCORES = RANDOM.normal(size=(150, 3)).round(1)
SCORES[np.arange(150), TRUTH] += 1.0
THIRDS = np.full(3, 1 / 3)


def spread(groups=None, weights=None, rows=slice(None)):
    truth, scores = TRUTH[rows], SCORES[rows]
    some = SampledRows.among(len(truth), 3, weights, groups)
    return spread_of_areas(
        [scores[some.at, k] for k in range(3)], [truth[some.at] == k for k in range(3)], some
    )


def test_the_covariance_of_two_scores_of_one_truth_is_delongs():
    positive = TRUTH == 0
    rows = SampledRows.among(150, 2, None, None)
    pair = spread_of_areas([SCORES[:, 0], SCORES[:, 1]], [positive, positive], rows)
    frame = pl.DataFrame(SCORES[:, :2], schema=["a", "b"]).with_columns(y=positive)
    delong = area_covariance(frame, ["a", "b"], truth="y")

    np.testing.assert_allclose(pair.covariance, delong.covariance, rtol=1e-9)


def test_rows_that_are_groups_of_their_own_are_independent():
    alone = spread(Groups(np.arange(150), 150))

    np.testing.assert_allclose(alone.covariance, spread().covariance * 150 / 149, rtol=1e-9)


def test_equal_weights_are_none():
    weighted = spread(weights=np.full(150, 2.5))

    np.testing.assert_allclose(weighted.covariance, spread().covariance, rtol=1e-9)


def test_some_of_the_rows_say_what_all_do(monkeypatch):
    whole = spread()
    monkeypatch.setattr(area_means, "MOST_ROWS", 75)
    half = spread()

    np.testing.assert_allclose(np.diag(half.covariance), np.diag(whole.covariance), rtol=0.5)
    assert 0.5 * half.error(THIRDS) < whole.error(THIRDS) < 2 * half.error(THIRDS)


def test_the_mean_of_one_area_has_the_limits_of_the_area():
    one = spread_of_areas([SCORES[:, 0]], [TRUTH == 0], SampledRows.among(150, 1, None, None))
    limits = mean_limits(*(np.array([end]) for end in (0.7, 0.8, 0.86)), np.ones(1), one, 0.95)

    assert limits == pytest.approx((0.7, 0.86))


def test_weights_that_are_estimated_add_their_variance_to_the_squared_distances():
    """Of two areas with errors of 0.04 and limits of t errors, in weights with an error of 0.02."""
    two = AreaSpread(np.diag([0.04**2, 0.04**2]), 0.0)
    t = 1.959963984540054
    ends = (np.full(2, 0.7 + side * t * 0.04) for side in (-1, 0, 1))
    limits = mean_limits(*ends, np.full(2, 0.5), two, 0.95, of_shares=0.02**2)

    half_width = t * np.sqrt(0.04**2 / 2 + 0.02**2)
    assert limits == pytest.approx((0.7 - half_width, 0.7 + half_width))
    assert two.error(np.full(2, 0.5), 0.02**2) == pytest.approx(half_width / t)


def test_the_mean_of_two_areas_is_less_skewed_than_each():
    """What a distance differs from t errors counts 1/√2 of two like areas."""
    two = AreaSpread(np.diag([0.04**2, 0.04**2]), 0.0)
    ends = (np.full(2, end) for end in (0.6, 0.7, 0.76))
    limits = mean_limits(*ends, np.full(2, 0.5), two, 0.95)

    of_errors = 1.959963984540054 * 0.04
    below, above = (of_errors + (away - of_errors) / np.sqrt(2) for away in (0.1, 0.06))
    assert limits == pytest.approx((0.7 - below / np.sqrt(2), 0.7 + above / np.sqrt(2)))


def test_without_a_positive_row_nothing_varies():
    none = np.zeros(150, dtype=bool)
    spread_of_one = spread_of_areas([SCORES[:, 0]], [none], SampledRows.among(150, 1, None, None))

    assert (spread_of_one.covariance.item(), spread_of_one.of_support) == (0.0, 0.0)


def metrics(**more):
    names = ["x", "y", "z"]
    frame = pl.DataFrame(SCORES, schema=names).with_columns(
        truth=np.array(names)[TRUTH], g=np.arange(150) // 5
    )
    spec = {
        "task": "multiclass",
        "truth": "truth",
        "models": {"m": {"scores": {n: n for n in names}}},
        **QUICK,
    }
    return reportgen.evaluate(spec | more, frame).metrics.filter(
        pl.col("average").is_not_null(), metric="auc"
    )


def test_every_mean_but_the_pooled_one_has_limits_around_it():
    rows = metrics().filter(pl.col("average") != "micro")

    assert rows.height == 4
    assert rows.filter(pl.col("low") < pl.col("value"), pl.col("value") < pl.col("high")).equals(
        rows
    )
    assert rows["interval"].unique().to_list() == ["square-and-add"]


def test_groups_are_allowed_for():
    rows = metrics(columns={"group": "g"})

    assert set(rows["interval"].drop_nulls()) == {"square-and-add (groups)"}


@breadth("design", [OF_AREAS[1], OF_AREAS[5]], [OF_AREAS[5]], ids=str)
def test_limits_of_mean_areas_hold_them(design):
    for coverage in of_area_means(*design, samples=30):
        assert coverage.covered >= 0.92 - 0.1, coverage
        assert coverage.exists == 1, coverage
