"""Slices whose truths lie above or below what a model predicts, in tests and on page one."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from scipy.stats import poisson

import reportgen
from reportgen.clusters import Groups
from reportgen.comparing.slice_levels import IN_TIME
from reportgen.comparisons import TESTS, holm
from reportgen.comparisons.expected_truth import (
    ERRORS,
    errors_against_zero,
    events_against_expected,
)
from reportgen.concluding.slice_caveats import TESTED, OffInSlice
from reportgen.sample_design import SampleDesign
from reportgen.sections.slices import SlicesSection
from reportgen.text.reasons import EVALUATED_AGAIN
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK
from tests.simulations.slice_levels import Design, rejected

FOLDER = Path(__file__).parents[1] / "reference"
OUTSIDE = json.loads((FOLDER / "expected_truth.json").read_text(encoding="utf-8"))

SPEC = {"truth": "y", "models": {"forest": {"score": "p"}}, "slices": ["site"], **QUICK}


NONE = ("slice", "other slice")


def sites(ratio, columns=("y", "p", "site"), rows=2_400):
    """Eight sites of calibrated forecasts; in site 3 positives are ``ratio`` times as many."""
    random = np.random.default_rng(2)
    site, p = random.integers(0, 8, rows), expit(random.normal(-1.5, 1, rows))
    truth = random.random(rows) < p * np.where(site == 3, ratio, 1.0)
    groups = random.integers(0, 240, rows)
    frame = {"y": truth, "p": p, "site": site.astype(str), "group": groups, "time": range(rows)}
    return pl.DataFrame(frame).select(columns)


def off(results):
    return [c.text for c in results.decision.caveats if c.code == "off_in_slice"]


@pytest.mark.parametrize("confidence", [0.9, 0.999])
@pytest.mark.parametrize("grouped", [False, True])
def test_limits_leave_the_null_value_out_where_p_is_smaller(confidence, grouped):
    """Rarer events, rarer non-events, no event at all, and errors."""
    random = np.random.default_rng(1)
    groups = Groups(np.arange(120) // 6, 20) if grouped else None
    for share, shift in ((0.1, 2.0), (0.9, 0.9), (0.05, 0.0), (0.5, 1.3)):
        truth = (random.random(120) < share * shift).astype(float)
        test = events_against_expected(truth, np.full(120, share), SampleDesign(groups=groups))
        low, high = test.limits(1 - test.p_value)
        assert min(abs(low - 1), abs(high - 1)) < 1e-6 or test.p_value > 0.9
        low, high = test.limits(confidence)
        assert (low <= 1 <= high) == (test.p_value >= 1 - confidence)
    test = errors_against_zero(random.exponential(1, 120) - 0.8, SampleDesign(groups=groups))
    assert min(map(abs, test.limits(1 - test.p_value))) < 1e-9


@pytest.mark.parametrize("case", OUTSIDE["events"], ids=str)
def test_events_are_tested_as_statsmodels_tests_a_poisson_number(case):
    rows, events = case["rows"], case["events"]
    truth = np.repeat([1.0, 0.0], [events, rows - events])
    test = events_against_expected(truth, np.full(rows, case["forecast"]))

    assert test.p_value == pytest.approx(case["p"], rel=1e-9)
    assert test.limits(0.95) == pytest.approx((case["low"], case["high"]), rel=1e-8)


@pytest.mark.parametrize("case", OUTSIDE["errors"], ids=str)
def test_symmetric_errors_are_tested_as_scipy_tests_their_mean(case):
    test = errors_against_zero(np.array(case["errors"]))

    assert test.p_value == pytest.approx(case["p"], rel=1e-9)
    assert test.limits(0.95) == pytest.approx((case["low"], case["high"]), rel=1e-9)


def test_every_slice_counts_in_the_correction_of_the_whole_report():
    """By hand: Holm over the tests that decide, gaps and slices."""
    results = reportgen.evaluate(SPEC, sites(0.5))
    levels = results.data["slice_levels"]["slices"]
    tables = (results.comparisons, results.gaps)
    others = [p for t in tables for p in t.filter(pl.col("p_report").is_not_null())["p_value"]]
    adjusted = holm([*others, *(one["p_value"] for one in levels)])

    assert [one["p_report"] for one in levels] == adjusted[len(others) :]
    assert max(one["p_report"] - one["p_adjusted"] for one in levels) > 0


def test_rare_independent_events_are_tested_by_the_mid_p_of_a_poisson_number():
    """SciPy's Poisson distribution gives the same where every probability is small."""
    truth, forecast = np.repeat([1.0, 0.0], [26, 99_974]), np.full(100_000, 0.0005)
    low = poisson.cdf(25, 50) + poisson.pmf(26, 50) / 2

    assert events_against_expected(truth, forecast).p_value == pytest.approx(2 * low, rel=0.01)


def test_one_row_per_group_and_equal_weights_are_nearly_the_plain_form():
    random = np.random.default_rng(3)
    forecast = random.uniform(0, 0.4, 500)
    truth = (random.random(500) < 1.4 * forecast).astype(float)
    plain = events_against_expected(truth, forecast)
    alone = Groups(np.arange(500), 500)

    for weights, groups in ((None, alone), (np.full(500, 3.0), None)):
        test = events_against_expected(truth, forecast, SampleDesign(weights, groups=groups))
        assert test.value == pytest.approx(plain.value)
        assert test.limits(0.95) == pytest.approx(plain.limits(0.95), rel=0.01)


@pytest.mark.parametrize("slices", [1, 10])
def test_calibrated_models_in_groups_are_seldom_off_in_a_slice(slices):
    level, _ = rejected(Design(slices, 150, 0.3, 10), 0.0, 120)

    assert level <= 0.1


def test_page_one_names_the_slice_that_is_farthest_off():
    results = reportgen.evaluate(SPEC, sites(0.5))
    (text,) = off(results)
    first, last = SlicesSection.from_results(results, []).findings[:2]

    assert text.startswith("forest over-predicts in site = 3: ")
    assert "expected; observed/expected 0.5" in text
    assert first == text.replace("\N{NO-BREAK SPACE}", " ")
    assert last.startswith("In no other slice do observed positives differ significantly")


def test_slices_that_are_off_as_the_model_is_on_all_rows_are_counted_with_it():
    frame = sites(1.0).with_columns(p=pl.col("p") * 0.6)
    results = reportgen.evaluate(SPEC, frame)
    first, second = SlicesSection.from_results(results, []).findings[:2]

    assert not off(results)
    assert first.startswith(
        "No slice is clearly worse calibrated than the whole (mid-p Poisson test"
    )
    assert second.startswith("forest is off on all rows (observed/expected 1.")


def test_a_slice_of_a_model_that_is_not_off_on_all_rows_is_named():
    """Its ratio is less than a quarter beyond that of all rows, which is 1 within its limits."""
    frame = sites(1.24, rows=6_000)
    results = reportgen.evaluate(SPEC, frame)
    whole = results.metrics.filter(pl.col("slice").is_null(), metric="observed_expected")
    (site,) = [one for one in results.data["slice_levels"]["slices"] if one["slice"].endswith("3")]

    assert site["value"] < 1.25 * whole["value"][0]
    assert [text.partition(":")[0] for text in off(results)] == [
        "forest under-predicts in site = 3"
    ]


def test_a_calibrated_model_has_no_slice_on_page_one():
    results = reportgen.evaluate(SPEC, sites(1.0))

    assert not off(results)
    assert SlicesSection.from_results(results, []).findings[0].startswith("In no slice do observed")


def test_a_significant_ratio_below_the_least_that_matters_is_not_on_page_one():
    results = reportgen.evaluate(SPEC, sites(0.87, rows=60_000))
    (site,) = [one for one in results.data["slice_levels"]["slices"] if one["p_adjusted"] < 0.05]

    assert site["high"] < 1
    assert not off(results)


def test_slices_alike_of_a_model_that_is_off_everywhere_are_not_named():
    frame = sites(1.0).with_columns(pl.col("p") ** 0.5)

    results = reportgen.evaluate(SPEC, frame)

    assert not off(results)
    assert any(c.code == "calibration_in_the_large" for c in results.decision.caveats)


def test_groups_are_allowed_for_and_time_is_a_reason():
    by_group = {**SPEC, "columns": {"group": "group"}}
    in_time = {**SPEC, "columns": {"time": "time"}}
    columns = ["y", "p", "site"]

    (alone,), (text,) = (
        off(reportgen.evaluate(spec, sites(0.5, [*columns, "group"]))) for spec in (SPEC, by_group)
    )
    results = reportgen.evaluate(in_time, sites(0.5, [*columns, "time"]))

    assert text != alone
    assert not off(results)
    assert results.data["slice_levels"]["untested"] == "rows are in time order"


def test_slices_of_one_group_are_counted_as_not_tested():
    """A site that is a group by itself: nothing says how such sites vary."""
    frame = sites(1.0, ("y", "p", "site", "group"))
    alone = frame.with_columns(group=pl.when(site="3").then(-1).otherwise("group"))
    results = reportgen.evaluate({**SPEC, "columns": {"group": "group"}}, alone)
    levels, of_slices = results.data["slice_levels"], SlicesSection.from_results(results, [])

    assert levels["without_test"] == 1
    assert "site = 3" not in {one["slice"] for one in levels["slices"]}
    said = [
        text for text in of_slices.findings if text.startswith("Not tested: 1 slice of a model")
    ]
    into = translator("zh", names_of(results.to_dict()))
    into.text(said[0], "li")
    assert not into.missing


def test_estimates_that_are_too_low_in_a_slice_are_on_page_one():
    random = np.random.default_rng(5)
    site, estimate = random.integers(0, 6, 1_800), random.normal(10, 3, 1_800)
    truth = estimate + random.normal(0, 2, 1_800) + np.where(site == 4, 1.5, 0.0)
    frame = pl.DataFrame({"y": truth, "e": estimate, "site": site.astype(str)})

    spec = SPEC | {"models": {"forest": {"estimate": "e"}}}
    results = reportgen.evaluate(spec, frame)

    (text,) = off(results)
    assert text.startswith("forest underestimates in site = 4: mean error 1.")


def test_what_is_said_of_slices_has_its_chinese():
    some, none = TESTED["mean_error"]
    test = TESTS[ERRORS].label.removeprefix("The ")
    how = f"{test}, Holm over 6 tests"
    others = [
        "forest underestimates in site = 4: mean error 1.2 (simultaneous 95 % CI 0.9 to 1.5).",
        "m under-predicts in site = a: all 74 rows are positive, 50 expected, "
        "unless the slice follows from the outcome.",
        "forest overestimates in site = 4: mean error −1.2 (simultaneous 95 % CI −2 to −1).",
        *(
            f"Truth and prediction are not compared by slice: {reason}."
            for reason in (IN_TIME, EVALUATED_AGAIN)
        ),
        *(f"In no {which} {none} ({how})." for which in NONE),
        *(f"No {which} is clearly worse calibrated than the whole ({how})." for which in NONE),
        f"In 7 cases {some} ({how}). The 4 largest are shown.",
        "m is off on all rows (mean error 1.2), and significantly so in 3 slices.",
    ]
    for frame in (sites(0.5), sites(1.8), sites(1.0).with_columns(p=1 - pl.col("p") ** 3)):
        results = reportgen.evaluate(SPEC, frame)
        into = translator("zh", names_of(results.to_dict()))
        for text in (*SlicesSection.from_results(results, []).findings, *others):
            into.text(text, "li")
        assert not into.missing


def test_small_cells_withhold_the_counts_of_slices():
    results = reportgen.evaluate({**SPEC, "privacy": {"small_cells": 5}}, sites(0.5))

    assert "slice_levels" not in results.data
    assert not off(results)


def test_a_slice_of_positives_only_has_no_ratio_to_what_is_expected():
    """The ratio is at its upper limit there: no row could add to it."""
    level = {
        "model": "m", "slice": "site = a", "rows": 74, "observed": 74.0, "expected": 49.5,
        "value": 1.495, "low": 1.443, "high": 1.495,
    }  # fmt: skip
    text = (
        "m under-predicts in site = a: all 74 rows are positive, 50 expected, unless the slice "
        "follows from the outcome."
    )

    assert OffInSlice(level, 2.0).in_words("95 %") == text
    assert "observed/expected" in OffInSlice(level | {"rows": 75}, 2.0).in_words("95 %")
