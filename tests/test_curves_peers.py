"""Points of every curve that other programs give, and what holds for any rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.curves import (
    RANKING_CURVES,
    det,
    error_reject,
    even_in_deviates,
    gain,
    murphy,
    net_benefit,
    precision_recall,
    roc,
    roc_band,
    roc_hull,
    threshold_counts,
    threshold_curve,
    top_of_list,
)
from reportgen.sweeping import as_ranking, sweep
from reportgen.tables import CURVES
from tests.breadth import sample_size
from tests.cases import FOLDER, all_cases, peers, rows

CASES = peers("binary scores")
OF_RANKINGS = all_cases("curve")
MADE = {
    "roc": roc,
    "precision_recall": precision_recall,
    "det": det,
    "gain": gain,
    "error_reject": error_reject,
    "roc_hull": roc_hull,
    "net_benefit": net_benefit,
    "murphy": murphy,
    "threshold_counts": threshold_counts,
    "top_of_list": top_of_list,
}
KEYS = ("threshold", "distance", "false_positive_rate", "share")


def steps_of(case: dict[str, Any]) -> Any:
    frame = pl.read_parquet(FOLDER / "data" / case["input"]).head(case["rows"])
    return sweep(frame.with_columns(truth=pl.col(case["truth"]) == 1), score=case["score"])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["case"])
@pytest.mark.parametrize("name", MADE)
def test_a_curve_goes_through_the_points_of_another_program(case, name):
    curve, expected = MADE[name](steps_of(case)), case["curves"][name]
    key = next(k for k in KEYS if k in expected)
    for place, at in enumerate(expected[key]):
        near = curve.filter((pl.col(key) - at).abs() < 1e-9)
        for column in expected.keys() - {"program", key}:
            values = near[column].to_list()
            assert any(v == pytest.approx(expected[column][place], abs=1e-9) for v in values), at
    if name == "roc_hull":
        assert curve.height == len(expected[key])


@pytest.mark.parametrize("case", OF_RANKINGS, ids=lambda c: c["case"])
def test_a_registered_curve_goes_through_the_points_of_its_case(case):
    """The first column of a case says where its points are. A new curve needs nothing but that."""
    spec, expected = case["spec"], case["expected"]
    frame = rows(case).with_columns(truth=pl.col(spec["truth"]) == 1)
    curve = RANKING_CURVES[spec["curve"]].make(as_ranking(sweep(frame, score=spec["score"])))
    key, *columns = expected
    for place, at in enumerate(expected[key]):
        near = curve.filter((pl.col(key) - at).abs() < 1e-9)
        for column in columns:
            value = pytest.approx(expected[column][place], abs=1e-9)
            assert any(v == value for v in near[column].to_list()), (at, column)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["case"])
def test_a_metric_against_the_threshold_has_the_values_of_another_program(case):
    expected = case["curves"]["threshold"]
    names = sorted(expected.keys() - {"program", "threshold"})
    curve = threshold_curve(steps_of(case), names)
    for name in names:
        by_threshold = dict(curve.filter(metric=name).select("threshold", "value").iter_rows())
        values = [by_threshold[at] for at in expected["threshold"]]
        assert values == pytest.approx(expected[name])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["case"])
def test_a_band_has_the_limits_that_other_programs_find(case):
    """Of the score test and of fractional order statistics, both by root finding."""
    expected = case["curves"]["roc_band"]
    curve = roc_band(steps_of(case))
    for place, at in enumerate(expected["false_positive_rate"]):
        (row,) = curve.filter((pl.col("false_positive_rate") - at).abs() < 1e-9).to_dicts()
        for end in ("low", "high"):
            assert row[end] == pytest.approx(expected[end][place], abs=1e-7), (at, end)


def test_every_curve_of_a_sweep_has_points_of_another_program():
    elsewhere = {"cost_envelope", "cost_zones", "calibration", "score_distribution", "confusion"}
    elsewhere |= {"predictive_values"}  # of the textbook, in test_top_of_list
    of_scores = {name for name, curve in CURVES.items() if "binary" in curve.tasks}

    of_cases = {case["spec"]["curve"] for case in OF_RANKINGS}

    assert of_scores - elsewhere == set(CASES[0]["curves"]) | of_cases


ROWS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 8), st.integers(1, 3)), min_size=2, max_size=30
).filter(lambda rows: len({truth for truth, _, _ in rows}) == 2)


def frame_of(rows: list[tuple[bool, int, int]]) -> pl.DataFrame:
    schema = {"truth": pl.Boolean, "score": pl.Float64, "weight": pl.Float64}
    return pl.DataFrame([(t, s / 8, float(w)) for t, s, w in rows], schema=schema, orient="row")


@settings(max_examples=sample_size(10, 25))
@given(ROWS, st.randoms(use_true_random=False))
def test_a_curve_is_that_of_repeated_rows_and_of_any_order(rows, random):
    """Weights are rows that are there several times."""
    weighted = sweep(frame_of(rows), weight="weight")
    repeated = [row for row in rows for _ in range(row[2])]
    random.shuffle(repeated)
    plain = sweep(frame_of(repeated))
    for make in MADE.values():
        one, other = make(weighted), make(plain)
        assert one.columns == other.columns
        for column in one.columns[3:]:
            assert one[column].to_list() == pytest.approx(other[column].to_list(), nan_ok=False)


@settings(max_examples=sample_size(10, 25))
@given(ROWS)
def test_a_ranking_curve_does_not_change_when_scores_are_stretched(rows):
    frame = frame_of(rows)
    stretched = frame.with_columns(score=pl.col("score") ** 3 - 5)
    for make in (roc, precision_recall, det, gain, roc_hull):
        one, other = (make(sweep(f)).drop("threshold") for f in (frame, stretched))
        assert one.equals(other)


@settings(max_examples=sample_size(10, 25))
@given(ROWS)
def test_the_hull_lies_nowhere_below_its_curve_and_turns_right(rows):
    steps = sweep(frame_of(rows))
    curve, hull = roc(steps), roc_hull(steps)
    x, y = (hull[c].to_numpy() for c in ("false_positive_rate", "recall"))
    over = np.interp(curve["false_positive_rate"], x, y)
    assert (over >= curve["recall"].to_numpy() - 1e-12).all()
    dx, dy = np.diff(x), np.diff(y)
    assert (dx[:-1] * dy[1:] <= dy[:-1] * dx[1:] + 1e-12).all()


@settings(max_examples=sample_size(5, 10))
@given(ROWS)
def test_a_band_holds_its_end_and_stays_a_share(rows):
    band = roc_band(sweep(frame_of(rows)))
    assert band.height == 101
    assert band.row(-1)[-3:] == (1.0, 1.0, 1.0)
    assert (band["low"] <= band["recall"]).all()
    assert (band["recall"] <= band["high"]).all()


def test_a_band_has_no_rows_of_one_class():
    one = pl.DataFrame({"truth": [True, True], "score": [0.2, 0.4]})

    assert roc_band(sweep(one)).is_empty()


def test_a_band_of_a_perfect_curve_has_a_lower_limit():
    """Where few negatives are above a threshold none of them are seen: the recall is unknown."""
    perfect = pl.DataFrame({"truth": [True] * 20 + [False] * 40, "score": np.arange(60.0)[::-1]})
    low = roc_band(sweep(perfect))["low"]

    assert low[2] < 0.1
    assert 0.8 < low[20] < 0.9


def test_long_curves_are_thinned_to_points_that_are_on_them():
    random = np.random.default_rng(12)
    truth = random.random(30_000) < 0.3
    steps = sweep(pl.DataFrame({"truth": truth, "score": random.normal(size=30_000) + truth}))
    thin, whole = det(even_in_deviates(steps)), det(steps)
    assert 1000 < thin.height <= 2002
    assert thin.join(whole, on=thin.columns, nulls_equal=True, how="anti").is_empty()
    short, full = error_reject(steps, 0.4), error_reject(steps, 0.4, points=10**6)
    assert short.height <= 2002 < full.height
    assert short.join(full, on=short.columns, nulls_equal=True, how="anti").is_empty()
