"""Scores that are too extreme or too mild, and Brier scores that are no better than none."""

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from scipy.stats import ttest_1samp

import reportgen
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def report(*slopes, rows=1_500, shift=0.0, seed=1):
    """Calibrated log odds, divided by each slope: those of the scores of a model."""
    random = np.random.default_rng(seed)
    odds = random.normal(-0.3, 0.9, rows)
    truth = random.random(rows) < expit(odds)
    noise = random.normal(0, 0.05, (len(slopes), rows))
    scores = {
        f"m{k}": expit(odds / slope + noise[k - 1] + shift) for k, slope in enumerate(slopes, 1)
    }
    models = {name: {"score": name} for name in scores}
    frame = pl.DataFrame({"y": truth, **scores})
    return reportgen.evaluate({"truth": "y", "models": models, **QUICK}, frame)


def texts(results, code):
    said = [c.text for c in results.decision.caveats if c.code == code]
    into = translator("zh", names_of(results.to_dict()))
    for text in said:
        into.text(text, "li")
    assert not into.missing
    return said


def slope_of(results, model):
    row = results.metrics.filter(pl.col("slice").is_null(), model=model, metric="calibration_slope")
    return row.select("value", "low", "high").row(0)


@pytest.mark.parametrize(("slope", "word"), [(0.35, "extreme"), (2.5, "mild")])
def test_page_one_says_that_scores_are_too_extreme_or_too_mild(slope, word):
    results = report(slope)
    value, low, high = slope_of(results, "m1")

    assert texts(results, "calibration_slope") == [
        f"The scores of m1 are too {word}: a calibration slope of {value:.3f} (95\xa0% CI "
        f"{low:.3f} to {high:.3f}); calibrated scores have a slope of 1."
    ]


def test_scores_that_go_down_where_positives_are_more_frequent_are_not_called_extreme():
    """Of few rows, whose AUC is not what the headline is about."""
    random, truth = np.random.default_rng(15), np.arange(15) % 2
    right, wrong = expit(2 * truth - 1 + random.normal(size=15)), random.random(15)
    models = {name: {"score": name} for name in "ab"}
    frame = pl.DataFrame({"y": truth, "a": right, "b": wrong})
    results = reportgen.evaluate({"truth": "y", "models": models, **QUICK}, frame)

    (text,) = texts(results, "calibration_slope")
    assert text.startswith(
        "The scores of b do not rise with the share of positives: a calibration slope of −1.3 ("
    )


def test_models_alike_stand_in_one_sentence_and_many_are_counted():
    (two,) = texts(report(0.35, 0.4), "calibration_slope")
    (five,) = texts(report(0.2, 0.3, 0.35, 0.4, 0.45), "calibration_slope")

    assert two.startswith("The scores of m1 and m2 are too extreme: calibration slopes of 0.")
    assert five.startswith("The scores of 5 models are too extreme: calibration slopes of 0.")


@pytest.mark.parametrize(("slope", "rows"), [(1.0, 1_500), (0.85, 20_000), (0.7, 60)])
def test_slopes_near_1_and_those_that_are_not_significant_are_not_named(slope, rows):
    assert not texts(report(slope, rows=rows), "calibration_slope")


def test_the_limits_hold_for_all_models_at_once():
    """The limits of each model alone exclude 1, those of all twelve do not."""
    rows, slope = 200, 0.7
    alone = report(slope, rows=rows, seed=2)
    assert slope_of(alone, "m1")[2] < 1
    assert texts(alone, "calibration_slope")
    assert not texts(report(*[slope] * 12, rows=rows, seed=2), "calibration_slope")


def test_a_brier_score_that_is_not_better_than_the_share_of_positives_is_named():
    results = report(0.3, 0.3)
    (text,) = texts(results, "brier_skill")

    assert text.startswith("Always predicting the share of positives has a Brier score of 0.24")
    assert " m1 and m2 do not differ significantly from it: +0.005 (95\xa0% CI −0.0" in text
    assert not texts(report(0.6), "brier_skill")


def test_a_brier_score_whose_whole_interval_is_above_that_of_the_share_is_worse():
    results = report(0.12, 0.3)
    (text,) = texts(results, "brier_skill")
    low = results.metrics.filter(model="m1", metric="brier_score")["low"][0]

    assert low > 0.25
    assert " m1 is significantly worse: +0.0" in text
    assert " m2 does not differ significantly from it: +0.0" in text


def test_the_difference_from_the_share_of_positives_is_that_of_the_losses_of_the_same_rows():
    results = report(0.22)
    (text,) = texts(results, "brier_skill")
    rows = results.rows
    truth, score = rows["truth"].to_numpy().astype(float), rows["score:0"].to_numpy()
    test = ttest_1samp((score - truth) ** 2 - (truth.mean() - truth) ** 2, 0.0)
    low, high = test.confidence_interval()
    record = results.data["models"][0]["brier_above_share"]

    assert " m1 is significantly worse: +0.0" in text
    assert (record["low"], record["high"]) == pytest.approx((low, high), rel=1e-9)


def test_a_brier_score_and_that_of_the_share_of_positives_have_one_notation():
    """One row of 5,000 is positive: both scores are near 0.0002."""
    row = np.arange(20_000)
    truth = row < 4
    frame = pl.DataFrame({"y": truth, "m": np.where(truth, 0.004, 0.0004 * (row % 3 + 1))})
    spec = {"truth": "y", "positive": "true", "models": {"m": {"score": "m"}}, **QUICK}
    (text,) = texts(reportgen.evaluate(spec, frame), "brier_skill")

    assert "a Brier score of 2.00 × 10⁻⁴. m does not differ significantly from it: −8." in text
    assert text.count("× 10⁻⁴") + text.count("× 10⁻⁶") + text.count("× 10⁻⁷") == 4


@pytest.mark.parametrize(
    ("counts", "what"),
    [
        ((1, 0), "0 to 1 row that is positive"),
        ((3, 0), "0 to 3 rows that are positive"),
        ((0, 1), "1 to 1 row that is negative"),
        ((0, 2), "1 to 2 rows that are negative"),
        ((1, 2), "0 to the observed class of 3 rows"),
    ],
)
def test_a_probability_of_0_for_what_came_is_said_with_its_number(counts, what):
    """Half of the rows are ranked by chance, so that there is no other caveat on the scores."""
    lows, highs = counts
    outcome = [True] * lows + [False] * highs + [True, False] * 20
    scores = [0.0] * lows + [1.0] * highs + [0.5, 0.5] * 20
    frame = pl.DataFrame({"y": outcome, "m1": scores})
    results = reportgen.evaluate({"truth": "y", "models": {"m1": {"score": "m1"}}, **QUICK}, frame)

    expected = f"m1 gave probability {what}: its log loss is infinite."
    assert texts(results, "infinite_log_loss") == [expected]


def test_many_models_that_gave_what_came_a_probability_of_0_share_a_sentence():
    random = np.random.default_rng(5)
    outcome, score = random.random(60) < 0.5, random.random((3, 60))
    for count, of_model in enumerate(score, 1):
        of_model[np.flatnonzero(outcome)[:count]] = 0.0
    frame = pl.DataFrame({"y": outcome, **dict(zip("abc", score, strict=True))})
    models = {name: {"score": name} for name in "abc"}
    results = reportgen.evaluate({"truth": "y", "models": models, **QUICK}, frame)

    assert texts(results, "infinite_log_loss") == [
        "a, b and c gave probability 0 to the observed class of 1 to 3 rows: their log losses are "
        "infinite."
    ]


@pytest.mark.parametrize("wrong", [0, 1])
def test_scores_of_exactly_0_and_1_are_left_out_and_counted(wrong):
    """The slope is that of the other rows; what had probability 0 and came is said."""
    random = np.random.default_rng(3)
    odds = random.normal(-0.3, 0.9, 800)
    truth, score = random.random(800) < expit(odds), expit(odds / 0.35)
    others = pl.DataFrame({"y": truth, "m1": score})
    certain = pl.DataFrame(
        {"y": [True] * (7 + wrong) + [False] * 5, "m1": [1.0] * 7 + [0.0] * (5 + wrong)}
    )
    spec = {"truth": "y", "models": {"m1": {"score": "m1"}}, **QUICK}
    results = reportgen.evaluate(spec, pl.concat([others, certain]))

    assert slope_of(results, "m1") == pytest.approx(
        slope_of(reportgen.evaluate(spec, others), "m1"), rel=1e-6
    )
    (text,) = texts(results, "calibration_slope")
    assert text.endswith(f" This leaves out {12 + wrong} rows whose score is exactly 0 or 1.")
    of_loss = ["m1 gave probability 0 to 1 row that is positive: its log loss is infinite."]
    assert texts(results, "infinite_log_loss") == of_loss * wrong
