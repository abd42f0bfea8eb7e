"""Limits from a region of shares: of measures with a kink, or their largest value, inside."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.intervals import midp
from reportgen.intervals.delta import evaluating
from reportgen.intervals.shapes import effective_trials
from reportgen.intervals.share_regions import midp_limits, region_limits
from reportgen.metrics import METRICS
from tests.breadth import breadth
from tests.coverage.measured import of_regions

SHARP = (
    "optimised_precision",
    "braun_blanquet",
    "class_balance_accuracy",
    "joint_entropy",
    "lambda_prediction",
    "relative_classifier_information",
    "confusion_entropy",
    "yule_q",
)


@pytest.mark.parametrize(("share", "trials"), [(0.9, 10), (0.0, 7), (1.0, 7), (0.31, 41.5)])
def test_limits_of_many_shares_are_the_mid_p_limits_of_each(share, trials):
    low, high = midp_limits(np.array([share]), np.array([float(trials)]))
    assert (low[0], high[0]) == pytest.approx(midp(share * trials, trials), abs=1e-9)


@pytest.mark.parametrize("name", ["no_information_rate", "reference_entropy"])
def test_limits_of_what_has_one_share_are_its_values_over_the_limits_of_that_share(name):
    """With 45 of 100 rows positive the limits of the share hold one half."""
    table = np.array([[25.0, 20.0, 20.0, 35.0]])
    evaluate = evaluating({name: METRICS[name].expression()})
    low, high = region_limits(evaluate, table, table)

    share_low, share_high = midp(45, 100)
    shares = np.linspace(share_low, share_high, 2001)
    tables = np.column_stack([shares, 0 * shares, 0 * shares, 1 - shares])
    over = evaluate(tables * 100)
    assert (low.item(), high.item()) == pytest.approx((over.min(), over.max()), abs=2e-4)


def test_limits_of_a_class_size_that_is_fixed_by_design_are_the_value():
    table = np.array([[25.0, 20.0, 20.0, 35.0]])
    evaluate = evaluating({"entropy": METRICS["reference_entropy"].expression()})
    low, high = region_limits(evaluate, table, table, fixed_prevalence=True)
    assert low.item() == pytest.approx(high.item(), abs=1e-12)


def test_limits_hold_the_value_and_stay_in_its_bounds():
    random = np.random.default_rng(4)
    tables = random.integers(0, 12, (12, 4)).astype(float)
    names = [m.name for m in METRICS.values() if m.on == "counts" and m.interval is None]
    evaluate = evaluating({name: METRICS[name].expression() for name in names})
    low, high = region_limits(evaluate, tables, tables)
    value = evaluate(tables)
    for k, name in enumerate(names):
        least, most = METRICS[name].bounds
        some = ~np.isnan(value[:, k])
        assert (low[some, k] <= value[some, k]).all(), name
        assert (high[some, k] >= value[some, k]).all(), name
        assert (low[some, k] >= least - 1e-12).all(), name
        assert (high[some, k] <= most + 1e-12).all(), name
        assert np.isnan(low[~some, k]).all(), name


@pytest.mark.parametrize("prevalence", [0.1, 0.5])
@breadth("rates", [(0.5, 0.6), (0.9, 0.9)], 1, ids=str)
def test_limits_of_measures_with_a_kink_hold_them(prevalence, rates):
    """Square-and-add held them in 0.57 to 0.88 of the samples, the bootstrap in 0.83 to 0.88."""
    for coverage in of_regions(100, prevalence, rates, 150, SHARP):
        assert coverage.covered >= 0.92 - 0.055, coverage


def test_weighted_rows_are_worth_what_the_variance_of_their_share_says():
    """With w and y of each row: p(1 − p) over Σ w²(y − p)² / (Σ w)²."""
    random = np.random.default_rng(1)
    inside = random.random(200) < 0.6
    weight = np.where(inside, 3.0, 1.0) * random.uniform(0.5, 2, 200)
    of_sides = [weight[inside], weight[~inside]]
    sums, squares = ([np.array([(w**k).sum()]) for w in of_sides] for k in (1, 2))
    share = sums[0] / weight.sum()
    variance = (weight**2 * (inside - share) ** 2).sum() / weight.sum() ** 2

    assert effective_trials(*sums, *squares) == pytest.approx(share * (1 - share) / variance)


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [0.1, 0.5])
@pytest.mark.parametrize("rows", [30, 100])
def test_limits_of_all_measures_from_regions_hold_them(rows, prevalence):
    for rates in ((0.5, 0.6), (0.7, 0.7), (0.6, 0.9), (0.9, 0.9), (0.99, 0.99)):
        for coverage in of_regions(rows, prevalence, rates, 2000):
            least = 0.92 if coverage.fewest >= 10 else 0.90
            assert coverage.covered >= least - 0.012, coverage


def test_groups_make_the_limits_of_a_report_wider():
    """Rows that stand ten times are worth a tenth."""
    from tests.whole.test_results_resampling import limits

    random = np.random.default_rng(1)
    truth = random.integers(0, 2, 60)
    score = 0.4 * truth + 0.6 * random.random(60)
    frame = pl.DataFrame({"t0": truth, "s0": score, "patient": np.arange(60)})
    once = limits("binary", frame)["braun_blanquet"]
    again = limits("binary", pl.concat([frame] * 10), columns={"group": "patient"})[
        "braun_blanquet"
    ]

    assert once["interval"] == "region of shares"
    assert again["interval"] == "region of shares (groups)"
    width = again["high"] - again["low"]
    assert width == pytest.approx(once["high"] - once["low"], rel=0.1)
