"""A change of level between models reads as autocorrelation: their test says so."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.translation import translator
from tests.quick import QUICK
from tests.simulations.breaks import seen

STEM = "One change of level explains most of the autocorrelation (up to 0.89"


def evaluated(shift, since=140, behind=0.0):
    """Two forecasts of 200 days; the second is worse from one day on."""
    random = np.random.default_rng(3)
    truth, day = random.normal(10, 1, 200), np.arange(200)
    errors = random.normal(0, 0.5, (2, 200))
    later = behind + shift * (day >= since)
    dates = [(dt.date(2026, 1, 1) + dt.timedelta(days=int(k))).isoformat() for k in day]
    frame = pl.DataFrame({"y": truth, "a": truth + errors[0], "b": truth + errors[1] + later})
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"time": "t"}, **QUICK}
    return reportgen.evaluate(spec, frame.with_columns(t=pl.Series(dates)))


def test_page_one_says_that_no_test_decides_across_a_break():
    """The limits after it are too wide: that they hold 0 says nothing."""
    decision = evaluated(2.0).decision
    texts = [c.text for c in decision.caveats]

    assert decision.relation == "no conclusion"
    assert "the difference in loss drifts over time" in decision.headline
    assert decision.sentence.startswith("a has the lowest MSE, 0.243")
    assert any("Compare the models on a period in which neither changes." in t for t in texts)
    into = translator("zh", {"a", "b"})
    for text in (decision.headline, decision.sentence, *texts):
        into.text(text, "p")
    assert not into.missing


def test_limits_after_a_break_that_exclude_0_are_said_to_be_too_wide():
    texts = [c.text for c in evaluated(2.0, 20).decision.caveats]
    (text,) = [text for text in texts if text.startswith(STEM)]

    assert not any("worth fewer than" in other for other in texts)
    into = translator("zh", {"a", "b"})
    into.text(text, "p")
    assert not into.missing


def test_without_a_break_nothing_is_said_of_one():
    assert not any("change of level" in c.text for c in evaluated(0.0).decision.caveats)


@pytest.mark.parametrize(("points", "correlation"), [(50, 0.3), (200, 0.6), (200, 0.95)])
def test_mere_autocorrelation_hardly_ever_seems_to_be_a_change(points, correlation):
    caveat, trend = seen(points, correlation, "nothing", 100)
    assert caveat <= 0.05
    assert trend <= 0.1


@pytest.mark.parametrize("change", ["a break", "a line", "a cubic"])
def test_a_change_of_nearly_independent_differences_is_mostly_seen(change):
    caveat, trend = seen(200, 0.3, change, 50)
    assert caveat >= 0.6
    assert trend >= 0.6


def by_week(decay, weeks=60, rows=40):
    """Scores of two models over weeks; what the first knows of the truth falls by ``decay``."""
    random = np.random.default_rng(8)
    week = np.repeat(np.arange(weeks), rows)
    truth = random.random(weeks * rows) < 0.4
    known = 1.5 * (1 - decay * week / weeks)
    scores = {"old": known * truth, "new": 1.5 * truth}
    logits = {name: of - 1 + random.normal(size=len(of)) for name, of in scores.items()}
    frame = {name: 1 / (1 + np.exp(-logit)) for name, logit in logits.items()}
    dates = [(dt.date(2025, 1, 6) + dt.timedelta(weeks=int(k))).isoformat() for k in week]
    spec = {
        "truth": "y",
        "positive": "yes",
        "models": {name: {"score": name} for name in frame},
        "columns": {"time": "t"},
        "threshold": 0.5,
        **QUICK,
    }
    labels = np.where(truth, "yes", "no")
    return reportgen.evaluate(spec, pl.DataFrame({"y": labels, "t": dates, **frame}))


def test_page_one_names_the_model_that_ranks_worse_from_week_to_week():
    results = by_week(1.0)
    texts = [c.text for c in results.decision.caveats]
    (text,) = [text for text in texts if "got worse over time" in text]

    assert text.startswith("old got worse over time: AUC ")
    assert "trend over time: p" in text
    assert not any(text.startswith("new got worse") for text in texts)
    trends = {(one.model, one.metric): one.trend_p_value for one in results.shift.changes}
    assert trends["old", "auc"] < 0.01 < trends["new", "auc"]
    into = translator("zh", {"old", "new"})
    into.text(text, "p")
    assert not into.missing


def test_models_that_stay_as_they_are_are_not_named():
    assert not any("got worse" in c.text for c in by_week(0.0).decision.caveats)


def test_points_of_time_with_one_class_have_no_trend_of_the_auc():
    results = by_week(1.0, weeks=400, rows=1)
    trends = {(one.model, one.metric): one.trend_p_value for one in results.shift.changes}
    assert set(trends.values()) == {None}  # 200 points in each half: limits instead
    few = by_week(1.0, weeks=80, rows=2)
    trends = {(one.model, one.metric): one.trend_p_value for one in few.shift.changes}
    assert trends["old", "auc"] is None
    assert trends["old", "accuracy"] is not None


def test_points_of_time_of_a_reference_are_no_part_of_a_trend(tmp_path):
    random = np.random.default_rng(8)
    for name, first in (("now", 100), ("earlier", 0)):
        day = np.repeat(np.arange(first, first + 60), 5)
        truth = random.random(300) < 0.4
        dates = [(dt.date(2025, 1, 6) + dt.timedelta(days=int(k))).isoformat() for k in day]
        scores = 0.7 * random.random(300) + 0.3 * truth
        frame = pl.DataFrame({"y": np.where(truth, "yes", "no"), "t": dates, "m": scores})
        frame.write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "s.yaml").write_text(
        "data: now.csv\nreference: earlier.csv\ntruth: y\npositive: 'yes'\n"
        "models: {m: {score: m}}\ncolumns: {time: t}\n"
    )
    shift = reportgen.evaluate(tmp_path / "s.yaml").shift
    assert shift.basis == "reference"
    assert shift.units == "blocks of time"
    assert shift.changes
    assert {one.trend_p_value for one in shift.changes} == {None}


def halves(decision):
    return [c.text for c in decision.caveats if c.code == "by_half"]


def crossing():
    """Two forecasts of which the first is the better one in the first half, the second later."""
    random = np.random.default_rng(8)
    truth, early = random.normal(size=400), np.arange(400) < 200
    a = truth + np.where(early, 0.2, 1.0) * random.normal(size=400)
    b = truth + np.where(early, 1.0, 0.2) * random.normal(size=400)
    frame = pl.DataFrame({"t": range(400), "y": truth, "a": a, "b": b})
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"time": "t"}, **QUICK}
    return reportgen.evaluate(spec, frame).decision


def test_both_models_stand_on_page_one_by_half_where_the_better_one_changes():
    (text,) = halves(crossing())
    into = translator("zh", {"a", "b"})
    into.text(text, "p")

    assert text.startswith("MSE in the earlier and in the later half of the time: ")
    assert text.endswith(". In the later half b is the better one (not tested).")
    assert not into.missing


def test_models_stand_by_half_where_their_difference_drifts_and_not_else():
    assert halves(evaluated(2.0).decision)[0].endswith(
        ". In the later half a is the better one (not tested)."
    )
    assert halves(evaluated(2.0, behind=0.8).decision)[0].endswith(
        ". In both halves a is the better one (not tested)."
    )
    assert not halves(evaluated(0.0).decision)
