"""What ``init`` guesses where names do not tell, what it says of a guess, and what it refuses."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import yaml

from reportgen.cli import main
from reportgen.errors import DataError
from reportgen.initial_spec import init_spec
from tests.layouts import ROWS, SCORE, TRUTH, named

_RNG = np.random.default_rng(11)
WEAK = np.clip(0.12 * TRUTH + 0.88 * _RNG.random(ROWS), 0.01, 0.99).round(4)


def start(folder, table, name: str = "d.csv", **options):
    """Return the spec that init writes for a table, its text, and what it says of guesses.

    Without the columns that it only lists as not used.
    """
    pl.DataFrame(table).write_csv(folder / name)
    guesses: list[str] = []
    text = init_spec(folder / name, on_guess=guesses.append, **options)
    return yaml.safe_load(text), text, [g for g in guesses if not g.startswith("not used: ")]


def test_a_truth_goes_before_a_feature_that_the_scores_run_against(tmp_path):
    """As a yes or no of what happened does before a kind of contract."""
    against = named("none", "deductible", SCORE + _RNG.random(ROWS) / 4 > 0.55)
    spec, _, guesses = start(
        tmp_path, {"plan": against, "visit": named("yes", "no"), "logit": SCORE, "forest": WEAK}
    )

    assert (spec["truth"], spec["positive"], guesses) == ("visit", "yes", [])


def test_of_equally_good_truths_the_first_is_a_guess_that_names_the_others(tmp_path):
    table = {"left": named("a", "b"), "right": named("c", "d"), "forest": SCORE}
    spec, text, guesses = start(tmp_path, table)

    assert spec["truth"] == "left"
    assert "A guess: it may be 'right'" in text
    assert "--truth COLUMN" in guesses[0]
    assert start(tmp_path, table, truth="right")[0]["truth"] == "right"


def test_an_outcome_goes_before_a_rule_that_the_scores_separate_almost_without_fault(tmp_path):
    """As of passengers: a score made from the sex tells "women first" better than who survived."""
    rule = SCORE > 0.5
    table = {
        "survived": named("yes", "no", np.where(np.arange(ROWS) % 8 == 0, ~rule, rule)),
        "logistic": np.where(np.arange(ROWS) == 3, 1 - SCORE, SCORE),
        "women_first": named("yes", "no", rule),
    }
    spec, _, guesses = start(tmp_path, table)

    assert spec["truth"] == "survived"
    assert "'women_first'" in guesses[0]


@pytest.mark.parametrize("whole", [True, False])
def test_limits_beside_an_estimate_are_its_interval_though_a_few_rows_cross(tmp_path, whole):
    price = np.round(np.exp(_RNG.normal(7, 1, ROWS)), 0 if whole else 2)
    gbm = price * np.exp(_RNG.normal(0, 0.1, ROWS))
    low = np.where(np.arange(ROWS) == 1, 1.01, 0.8) * gbm
    table = {"price": price.astype(int) if whole else price, "linear": 0.9 * price + 0.5}
    spec, _, guesses = start(tmp_path, {**table, "gbm": gbm, "gbm_low": low, "gbm_high": 1.2 * gbm})

    assert spec["truth"] == "price"
    assert spec["models"]["gbm"] == {"estimate": "gbm", "low": "gbm_low", "high": "gbm_high"}
    assert list(spec["models"]) == ["linear", "gbm"]
    assert any("lie in the intervals of 'gbm'" in guess for guess in guesses)


def test_predictions_alone_are_refused(tmp_path):
    table = {"pred_a": named("yes", "no"), "pred_b": named("yes", "no", SCORE > 0.5)}
    with pytest.raises(DataError, match="no truth column"):
        start(tmp_path, table)


@pytest.mark.parametrize(
    ("name", "low", "high"), [("judge", 0, 10), ("rating", 1, 5), ("grade", 0, 100)]
)
def test_a_rating_beside_a_truth_of_two_labels_is_its_score(tmp_path, name, low, high):
    marks = (low + (high - low) * SCORE).round().astype(int)
    truth = {"is_good": TRUTH.astype(int)} if name == "grade" else {"human": TRUTH.astype(int)}
    spec, text, guesses = start(tmp_path, {**truth, name: marks})

    assert spec["truth"] == next(iter(truth))
    assert [model["score"] for model in spec["models"].values()] == [name]
    assert f"from {marks.min()} to {marks.max()} that separate the truth" in text
    assert "by its values alone" in guesses[0]


def test_a_feature_is_no_rating(tmp_path):
    """A number on no scale of ratings, though it separates the truth."""
    table = {"y": TRUTH.astype(int), "bmi": (20 + 8 * SCORE).round(1)}
    with pytest.raises(DataError, match="add a column of each model's scores or labels"):
        start(tmp_path, table)


def test_numbers_near_each_other_are_a_truth_and_its_estimates(tmp_path):
    price = _RNG.normal(50, 10, ROWS)
    near = {f"model {k}": price + _RNG.normal(0, 3, ROWS) for k in (1, 2)}
    spec, text, guesses = start(tmp_path, {"price": price, **near})

    assert (spec["task"], spec["truth"]) == ("regression", "price")
    assert [model["estimate"] for model in spec["models"].values()] == list(near)
    assert "A guess: it may be 'model 1' or 'model 2'" in text
    assert "--truth COLUMN" in guesses[0]
    with pytest.raises(DataError, match="no truth column"):
        start(tmp_path, {"price": price, "area": _RNG.normal(90, 20, ROWS)})


def test_the_positive_label_can_be_stated(tmp_path):
    table = {"diagnosis": named("ill", "well"), "p_forest": SCORE}
    spec, text, guesses = start(tmp_path, table, positive="ill")
    assert (spec["positive"], guesses) == ("ill", [])
    assert "--positive says so" in text

    assert "is lower for it" in start(tmp_path, table, positive="well")[2][0]
    with pytest.raises(DataError, match="'diagnosis' has no label 'wel'"):
        start(tmp_path, table, positive="wel")
    numbers = {"truth": _RNG.normal(50, 10, ROWS), "pred": _RNG.normal(50, 10, ROWS)}
    with pytest.raises(DataError, match="--positive is for a truth of two labels"):
        start(tmp_path, numbers, positive="1")


def test_a_truth_that_is_little_better_than_another_is_named_as_a_guess(tmp_path):
    flipped = [t != (k % 25 == 0) for k, t in enumerate(TRUTH)]
    spec, text, guesses = start(
        tmp_path, {"left": named("a", "b"), "right": named("c", "d", flipped), "forest": SCORE}
    )

    assert spec["truth"] == "left"
    assert "A guess: it may be 'right'" in text
    assert [guess.partition(":")[0] for guess in guesses] == [
        "the truth is a guess",
        "the positive label is a guess",
    ]
    assert "--truth COLUMN" in guesses[0]


def test_columns_of_right_and_wrong_are_no_truth(tmp_path):
    table = {"gpt": named("1", "0"), "llama": named("1", "0", SCORE > 0.4)}
    spec, _, guesses = start(tmp_path, {"question_id": range(ROWS)} | table)

    assert "truth" not in spec
    assert spec["graded"] is True
    assert len(guesses) == 1
    assert start(tmp_path, table, truth="gpt")[0]["truth"] == "gpt"


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (("无", "有"), "有"),
        (("没有", "有"), "有"),
        (("正常", "患病"), "患病"),
        (("否", "是"), "是"),
    ],
)
def test_chinese_labels_and_models_are_understood(tmp_path, labels, positive):
    """Numbers from 0 to 1 are scores, and a rating from 1 to 5 is none, whatever their names."""
    table = {"外遇": named(labels[1], labels[0]), "婚姻评分": [k % 5 + 1 for k in range(ROWS)]}
    spec, text, guesses = start(tmp_path, table | {"逻辑回归": SCORE, "随机森林": WEAK})

    assert (spec["positive"], guesses) == (positive, [])
    assert spec["models"] == {n: {"score": n} for n in ("逻辑回归", "随机森林")}
    assert "slices: [婚姻评分]" in text


@pytest.mark.parametrize(("rows_a_year", "columns"), [(1, {"time": "year"}), (4, None)])
def test_years_order_rows_and_identify_none(tmp_path, rows_a_year, columns):
    years = [1960 + k // rows_a_year for k in range(ROWS)]
    spec, text, _ = start(tmp_path, {"year": years, "died": TRUTH.astype(int), "risk": SCORE})

    assert spec.get("columns") == columns
    assert ("#   time: year" in text) == (rows_a_year > 1)


def test_names_that_return_may_be_groups_and_are_not_taken_silently(tmp_path):
    firms = [f"firm {k % 12}" for k in range(ROWS)]
    spec, text, _ = start(tmp_path, {"firm": firms, "high": TRUTH.astype(int), "p": SCORE})

    assert "columns" not in spec
    assert (
        "#   group: firm  # if rows of one value resemble each other (12 values, 60 rows)" in text
    )
    assert "slices: [firm]" in text


def test_numbers_of_many_values_are_shown_in_ranges(tmp_path):
    ages = [20 + k // 3 for k in range(ROWS)]
    _, text, _ = start(tmp_path, {"age": ages, "died": TRUTH.astype(int), "risk": SCORE})

    assert "Subgroups of 'age': add a column of ranges" in text
    _, text, _ = start(tmp_path, {"branch": ages, "died": TRUTH.astype(int), "risk": SCORE})
    assert "ranges" not in text


@pytest.mark.parametrize(
    ("file", "name"),
    [("predictions.csv", "churn"), ("test_preds.csv", "churn"), ("fraud.csv", "fraud")],
)
def test_a_file_that_says_nothing_is_named_for_its_folder(tmp_path, file, name):
    (tmp_path / "churn").mkdir()
    spec, _, _ = start(tmp_path / "churn", {"y": TRUTH.astype(int), "p": SCORE}, file)

    assert spec["name"] == name


@pytest.mark.parametrize("form", ["{model}_{label}", "{label}.{model}"])
def test_scores_by_model_and_label_are_several_labels(tmp_path, form):
    labels = {"affair": TRUTH, "degree": SCORE > 0.6, "religious": WEAK > 0.4}
    table = {label: np.asarray(flags).astype(int) for label, flags in labels.items()}
    names = [(model, label) for model in ("logit", "forest") for label in labels]
    scores = {form.format(model=m, label=k): _RNG.random(ROWS).round(4) for m, k in names}
    spec, _, guesses = start(tmp_path, table | scores)

    assert spec["truth"] == {label: label for label in labels}
    assert spec["models"] == {
        model: {"scores": {k: form.format(model=model, label=k) for k in labels}}
        for model in ("logit", "forest")
    }
    assert guesses == []


FLAGS = TRUTH.astype(int)
PASSES = (SCORE > 0.4).astype(int)
FLAWED = (SCORE > 0.55).astype(int)
FAILS = named("PASS", "FAIL", WEAK > 0.4)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            {"doc_id": range(ROWS), "target": [k % 4 for k in range(ROWS)], "acc": PASSES},
            {"graded": True, "models": {"model": {"label": "acc"}}},
        ),
        (
            {"instance_id": range(ROWS), "resolved_a": PASSES == 1, "resolved_b": TRUTH},
            {"graded": True, "models": {m: {"label": f"resolved_{m}"} for m in "ab"}},
        ),
        (
            {
                "test": range(ROWS),
                "gpt": named("PASS", "FAIL"),
                "b": FAILS,
            },
            {"graded": True, "positive": "PASS"},
        ),
        (
            {"a_true": FLAGS, "b_true": PASSES, "a_pred": SCORE, "b_pred": WEAK},
            {"task": "multilabel", "truth": {"a": "a_true", "b": "b_true"}},
        ),
        (
            {"PassengerId": range(ROWS), "Survived": FLAGS, "Survived_pred": PASSES},
            {"truth": "Survived", "models": {"model": {"label": "Survived_pred"}}},
        ),
        (
            {
                "id": range(ROWS),
                "churned": FLAGS,
                "tree": PASSES,
                "forest": FLAWED,
            },
            {"truth": "churned", "models": {m: {"label": m} for m in ("tree", "forest")}},
        ),
    ],
    ids=["lm-eval", "resolved", "pass and fail", "true behind", "Kaggle", "an outcome's name"],
)
def test_tables_of_labels_alone_are_understood(tmp_path, table, expected):
    spec, _, _ = start(tmp_path, table)
    assert {key: spec.get(key) for key in expected} == expected


def test_numbers_on_another_scale_that_separate_the_truth_are_named(tmp_path):
    table = {"died": FLAGS, "saps": WEAK, "apache": (SCORE * 71).round(2)}
    _, text, _ = start(tmp_path, table)

    assert "# Left out: 'apache' (not from 0 to 1, but it separates the truth (AUC" in text


def test_init_says_what_it_guesses_however_quiet_it_is_to_be(tmp_path, capsys):
    rows = [f"{'ab'[k % 2]},{k % 2 / 2 + k / 90}" for k in range(40)]
    (tmp_path / "d.csv").write_text("\n".join(["y,p", *rows]))
    with pytest.raises(SystemExit) as left:
        main(["init", str(tmp_path / "d.csv"), "--quiet"])

    assert left.value.code == 0
    assert "warning: the positive label is a guess: 'b'; it may be 'a'" in capsys.readouterr().err


def test_a_model_that_is_worse_than_guessing_is_evaluated_and_what_is_left_out_is_named(tmp_path):
    """Of losses no estimate has less absolute error than the median; of counts it may be 0."""
    generator = np.random.default_rng(3)
    mean = np.exp(generator.normal(0, 1, 400))
    table = {
        "paid": (mean * generator.exponential(size=400)).round(4),
        "gbm": mean.round(4),
        "glm": (3 + generator.exponential(size=400)).round(4),
        "p90": (mean * 2.3).round(4),
        "age": generator.integers(1800, 2100, 400) / 10,
    }
    spec, _, guesses = start(tmp_path, table, truth="paid")

    assert list(spec["models"]) == ["gbm", "glm"]
    assert [guess.partition(" (")[0] for guess in guesses] == [
        "left out: 'p90'",
        "left out: 'age'",
    ]
    assert "declare it as low: or high: of a model" in guesses[0]


def test_estimates_of_rare_counts_are_closer_than_the_mean(tmp_path):
    generator = np.random.default_rng(4)
    rate = np.exp(generator.normal(-2, 1, 500)).round(5)
    table = {"claims": generator.poisson(rate), "policy": range(500), "rate": rate}

    assert list(start(tmp_path, table, truth="claims")[0]["models"]) == ["rate"]


def test_a_score_named_for_a_model_goes_with_one_named_for_a_logit(tmp_path):
    table = {"default": named("bad", "good"), "pd_logit": SCORE, "pd_gbm": WEAK}
    table["churn_svm"] = _RNG.random(ROWS).round(4)

    assert list(start(tmp_path, table)[0]["models"]) == ["logit", "gbm", "churn_svm"]


def test_where_many_numbers_may_be_the_truth_the_hint_names_regression(tmp_path):
    with pytest.raises(DataError, match="no truth column") as refused:
        start(tmp_path, {"paid": SCORE * 700, "age": 90 - WEAK * 70, "p10": SCORE * 2})

    assert "by --truth, also one of numbers (regression)" in str(refused.value)


def test_scores_of_unlike_scales_have_no_common_threshold(tmp_path):
    table = {"y_true": TRUTH.astype(int), "risk_0_100": (SCORE * 100).round(1)}
    alone = start(tmp_path, table)[0]
    both = start(tmp_path, {**table, "bert_logit": SCORE * 4 - 2})[0]

    assert alone["threshold"] == 50
    assert both["threshold"] == {"maximise": "f1"}
    assert list(both["models"]) == ["risk_0_100", "bert"]


def test_of_numbered_classes_a_comment_names_the_key_of_ordered_ones(tmp_path):
    stars = [k % 5 + 1 for k in range(ROWS)]
    guessed = [min(5, s + (k % 4 == 0)) for k, s in enumerate(stars)]
    _, text, _ = start(tmp_path, {"truth": stars, "pred_llm": guessed})
    of_names = start(
        tmp_path, {"truth": [f"c{s}" for s in stars], "pred_llm": [f"c{g}" for g in guessed]}
    )

    assert "# ordered: true" in text
    assert "ordered" not in of_names[1]


def _load(error: float, random: np.random.Generator = _RNG):
    return HEIGHTS + random.normal(0, error, ROWS)


HEIGHTS = _RNG.normal(50, 10, ROWS)


@pytest.mark.parametrize("truth", ["load_gw", "y"])
def test_beside_a_forecast_by_name_what_is_as_close_is_an_estimate_too(tmp_path, truth):
    """By a model's name, or by an error like its; the truth may stand behind them."""
    random = np.random.default_rng(5)  # of its own, whatever ran before
    table = {
        "forest": _load(6, random),
        truth: HEIGHTS,
        "tso_forecast": _load(3, random),
        "variant": _load(4, random),
        "temperature": 50 + 0.7 * (HEIGHTS - 50) + random.normal(0, 7, ROWS),
        "noise": random.normal(50, 10, ROWS),
    }
    spec, _, guesses = start(tmp_path, table)

    assert spec["truth"] == truth
    estimates = {model["estimate"] for model in spec["models"].values()}
    assert estimates == {"tso_forecast", "forest", "variant"}
    left_out = [one for one in guesses if one.startswith("left out")]
    assert left_out == [
        "left out: 'temperature' (close to the truth, but not named as a prediction: "
        "if it is one, add it to models:)",
        "left out: 'noise' (no closer to the truth than a constant would be, "
        "and not named as a prediction)",
    ]
    assert ("it may be 'variant'" in guesses[0]) == (truth != "y")
