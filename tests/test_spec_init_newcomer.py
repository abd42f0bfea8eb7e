"""What a first file gets from ``init``: the right task, or a hint that names what is wrong."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import yaml

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.initial_spec import init_spec
from tests.initial_specs import message_of, spec_of

RANDOM = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def same_numbers():
    """Each test draws the same, whatever ran before it."""
    RANDOM.bit_generator.state = np.random.default_rng(7).bit_generator.state


def test_a_truth_with_unknown_is_preferred_to_a_score_as_the_truth(tmp_path):
    """Neither name nor labels say truth; the two scores are near each other."""
    score = RANDOM.beta(1, 3, 300).round(3)
    status = np.where(RANDOM.random(300) < score, "left", "stayed").astype(object)
    status[:20] = "unknown"
    near = (score + RANDOM.normal(0, 0.03, 300)).clip(0, 1).round(3)
    spec = spec_of(tmp_path, pl.DataFrame({"status": status, "xgb7": score, "second": near}))

    assert (spec["truth"], spec["leave_out"]) == ("status", ["unknown"])
    assert list(spec["models"]) == ["xgb7", "second"]


@pytest.mark.parametrize(
    ("gaps", "where"),
    [([5], "no value in row 6"), ([5, 9], "no value in 2 rows (the first is row 6)")],
)
def test_a_column_of_two_labels_that_lacks_values_is_named_with_its_row(tmp_path, gaps, where):
    churned = RANDOM.choice(["yes", "no"], 60).astype(object)
    churned[gaps] = None
    frame = pl.DataFrame({"had churn": churned, "random forest": RANDOM.random(60).round(3)})

    assert where in message_of(tmp_path, frame.with_columns(logistic=RANDOM.random(60).round(3)))


def test_no_column_that_is_named_for_a_model_is_a_guess_of_the_truth(tmp_path):
    truth = RANDOM.normal(10, 3, 200)
    models = {name: truth + RANDOM.normal(0, 1, 200) for name in ("gbm", "ridge")}

    spec = spec_of(tmp_path, pl.DataFrame({**models, "kwh": truth}))

    assert spec["truth"] == "kwh"
    assert "no truth column" in message_of(tmp_path, pl.DataFrame(models))


def test_answers_graded_in_steps_are_values_of_items_and_runs(tmp_path):
    cells = [(m, f"q{q}", run) for m in "abc" for q in range(20) for run in (1, 2)]
    frame = pl.DataFrame(cells, schema=["model", "item", "run"], orient="row")
    frame = frame.with_columns(grade=pl.Series(RANDOM.choice([0.0, 0.5, 1.0], len(cells))))
    frame.write_csv(tmp_path / "data.csv")

    spec = yaml.safe_load(init_spec(tmp_path / "data.csv"))

    assert spec["task"] == "comparison"
    assert spec["columns"] == {
        "dataset": "item",
        "model": "model",
        "value": "grade",
        "repeat": "run",
    }


@pytest.mark.parametrize("truth", [None, " Relapse "])
def test_labels_that_differ_by_spaces_alone_are_named(tmp_path, truth):
    labels = RANDOM.choice(["Yes", "Yes ", "No", " No"], 100)
    frame = pl.DataFrame({" Relapse ": labels, "p": RANDOM.random(100).round(3)})

    message = message_of(tmp_path, frame, truth)

    spaced = "of ' Relapse ', ' No', 'No'; 'Yes', 'Yes ' differ only by spaces at the ends"
    assert spaced in message


def test_the_error_of_a_build_names_labels_that_differ_by_spaces_alone(tmp_path):
    labels = RANDOM.choice(["Yes", "Yes ", "No"], 100)
    pl.DataFrame({"y": labels, "p": RANDOM.random(100)}).write_csv(tmp_path / "data.csv")
    text = "name: s\ndata: data.csv\ntruth: y\npositive: Yes\nmodels: {m: {score: p}}\n"
    (tmp_path / "s.yaml").write_text(text.replace("Yes", '"Yes"'))

    with pytest.raises(DataError, match="'Yes', 'Yes ' differ only by spaces at the ends"):
        predictions.read(specs.read(tmp_path / "s.yaml"))


def test_percentages_have_a_model_with_a_name_and_a_hint(tmp_path):
    score = (100 * RANDOM.random(200)).round(1)
    truth = np.where(100 * RANDOM.random(200) < score, "Yes", "No")
    frame = pl.DataFrame({"Relapse": truth, "Predicted probability (%)": score})

    spec = spec_of(tmp_path, frame)

    assert list(spec["models"]) == ["model"]
    assert spec["threshold"] == 50
    assert "divide them by 100 to have Brier score" in (tmp_path / "s.yaml").read_text()


def test_scores_of_a_search_on_any_scale_are_taken(tmp_path):
    quality = RANDOM.normal(0, 1, 600)
    relevant = (quality > 1).astype(int)
    scores = {"bm25": 12 + 3 * quality + RANDOM.normal(0, 2, 600), "dense": quality}
    frame = pl.DataFrame({"relevant": relevant, **scores})

    assert spec_of(tmp_path, frame)["models"] == {n: {"score": n} for n in ("bm25", "dense")}
    message = message_of(tmp_path, frame.rename({"relevant": "zork"}))
    assert "beside --truth zork numbers on any scale that separate it are scores" in message


def test_what_is_missed_as_the_truth_is_named_for_both_kinds(tmp_path):
    frame = pl.DataFrame({"x": RANDOM.normal(0, 1, 60), "z": RANDOM.normal(90, 1, 60)})

    assert "with two labels, none missing, or of numbers that others estimate" in message_of(
        tmp_path, frame
    )


@pytest.mark.parametrize("truth", [None, "relevance"])
def test_relevance_in_grades_is_not_taken_for_a_number_nor_a_ranker_for_the_truth(tmp_path, truth):
    grades = RANDOM.integers(0, 4, 300)
    frame = pl.DataFrame(
        {
            "qid": [f"q{i // 10}" for i in range(300)],
            "relevance": grades,
            "bm25": grades + RANDOM.normal(0, 1.5, 300),
            "dense": grades + RANDOM.normal(0, 0.5, 300),
        }
    )
    assert "write a column of whether a result is relevant" in message_of(tmp_path, frame, truth)

    binary = frame.with_columns(relevance=(pl.col("relevance") > 0).cast(pl.Int8))
    written = spec_of(tmp_path, binary)
    assert (written["truth"], written["columns"]) == ("relevance", {"group": "qid"})
    assert list(written["models"]) == ["bm25", "dense"]


def test_a_header_used_twice_and_a_column_of_percent_are_named(tmp_path):
    truth = RANDOM.integers(0, 2, 60)
    lines = [f"{y},{50 + 20 * y}%,{0.5 + 0.2 * y - 0.001 * i}" for i, y in enumerate(truth)]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["truth,p,p", *lines]))
    told: list[str] = []
    init_spec(path, on_guess=told.append)

    assert "the header has 'p' twice: the second column is 'p_duplicated_0' here" in told
    [left_out] = [text for text in told if text.startswith("left out: 'p' ")]
    assert "'p' (percent signs, as in '" in left_out


def test_columns_named_model_that_hold_the_classes_are_two_models(tmp_path):
    rows = [{"真实": t, "模型甲": a, "模型乙": b} for t in "好坏" for a in "好坏" for b in "好坏"]
    models = spec_of(tmp_path, pl.DataFrame(rows * 10))["models"]

    assert [one["label"] for one in models.values()] == ["模型甲", "模型乙"]


def test_yes_or_no_columns_with_scores_of_the_same_ends_are_several_labels(tmp_path):
    flags = {f"is_{label}": RANDOM.integers(0, 2, 60) for label in ("sport", "opera")}
    scores = {f"bert_{label}": RANDOM.random(60).round(3) for label in ("sport", "opera")}
    spec = spec_of(tmp_path, pl.DataFrame({**flags, **scores}))

    assert spec["truth"] == {"sport": "is_sport", "opera": "is_opera"}
    assert spec["models"] == {"bert": {"scores": {"sport": "bert_sport", "opera": "bert_opera"}}}


@pytest.mark.parametrize(("example", "attempt"), [("item", "sample"), ("question_id", "seed")])
def test_answers_to_one_item_are_repeats_of_it(tmp_path, example, attempt):
    keys = [(m, f"q{i}", k) for m in ("gpt", "llama") for i in range(20) for k in range(3)]
    frame = pl.DataFrame(keys, schema=["model", example, attempt], orient="row")
    spec = spec_of(tmp_path, frame.with_columns(passed=pl.Series(RANDOM.integers(0, 2, 120))))

    assert spec["columns"] == {"id": example, "repeat": attempt}


def test_labels_joined_in_a_cell_are_pointed_out(tmp_path):
    tags = np.array(["news", "sport", "news|sport", "news|art", "art", "sport|art"])
    truth = tags[RANDOM.integers(0, 6, 120)]
    frame = pl.DataFrame({"true_tags": truth, "predicted_tags": np.roll(truth, 1)})
    frame.write_csv(tmp_path / "data.csv")
    guesses = []
    init_spec(tmp_path / "data.csv", on_guess=guesses.append)

    assert any("'true_tags' has several labels in a cell" in guess for guess in guesses)


def test_readers_under_two_conditions_are_no_rivals(tmp_path):
    truth = RANDOM.integers(0, 2, 80)
    ratings = {
        f"reader{k}_{way}": (truth + RANDOM.integers(1, 4, 80)).tolist()
        for k in (1, 2, 3)
        for way in ("aided", "unaided")
    }
    pl.DataFrame({"case_id": range(80), "disease": truth, **ratings}).write_csv(tmp_path / "d.csv")
    guesses = []
    init_spec(tmp_path / "d.csv", on_guess=guesses.append)

    assert any("each of 3 readers is a model for each of aided, unaided" in g for g in guesses)


def test_a_date_that_orders_no_rows_is_named_as_unused(tmp_path):
    days = [f"2026-01-{k:02}" for k in range(1, 31)]
    truth = RANDOM.normal(9, 2, 30).round(2)
    frame = {"ds": days, "cutoff": ["2025-12-31"] * 30, "y": truth, "AutoARIMA": truth + 0.1}
    pl.DataFrame(frame).write_csv(tmp_path / "d.csv")
    guesses = []
    init_spec(tmp_path / "d.csv", on_guess=guesses.append)

    assert "not used: 'cutoff'" in guesses


def test_percentages_of_a_named_model_are_its_scores(tmp_path):
    """As in an export with a column such as old model %, beside one that is named a score."""
    truth = RANDOM.random(200) < 0.4
    scores = (100 * RANDOM.beta(1 + 2 * truth, 2)).round(1)
    noisy = (0.5 * scores + 50 * RANDOM.random(200)).round(1)
    frame = {"Churned?": np.where(truth, "Yes", "No"), "GBM score (%)": scores}
    spec = spec_of(tmp_path, pl.DataFrame({**frame, "old model %": noisy, "humidity %": noisy}))

    assert list(spec["models"]) == ["GBM", "old_model"]


def test_the_date_of_a_run_is_no_repeat(tmp_path):
    truth, score = RANDOM.integers(0, 2, 100), RANDOM.random(100).round(3)
    frame = pl.DataFrame({"y_true": truth, "p_rf": score, "run_date": "2026-11-01"})

    assert "repeat" not in spec_of(tmp_path, frame).get("columns", {})


def test_models_of_labels_do_not_repeat_the_name_of_the_truth(tmp_path):
    truth = RANDOM.choice(["bug", "wish", "spam"], 90)
    frame = {"Actual category": truth, "GPT category": truth[::-1], "BERT category": truth}

    assert list(spec_of(tmp_path, pl.DataFrame(frame))["models"]) == ["GPT", "BERT"]


def test_a_table_of_systems_and_benchmarks_is_one_of_values(tmp_path):
    rows = [(f"set{d}", s, round(RANDOM.random(), 3)) for d in range(5) for s in ("a", "b")]
    frame = pl.DataFrame(rows, schema=["benchmark", "system", "accuracy"], orient="row")
    frame.write_csv(tmp_path / "d.csv")

    text = init_spec(tmp_path / "d.csv")
    columns = {"dataset": "benchmark", "model": "system", "value": "accuracy"}
    assert yaml.safe_load(text)["columns"] == columns


def test_an_index_without_a_name_and_folds_that_nobody_named_are_mentioned(tmp_path):
    """pandas writes its index under an empty name; rows without a fold are one test set."""
    score = RANDOM.random(40)
    rows = [f"{k},{k % 2},{one:.3f},{k % 5}" for k, one in enumerate(score)]
    guesses: list[str] = []
    texts = {}
    for name, header in {"plain": ",y,model,site", "folds": "id,y,model,fold"}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *rows]))
        texts[name] = init_spec(tmp_path / f"{name}.csv", on_guess=guesses.append)

    assert any(text.startswith("a column has no name") for text in guesses)
    assert "#   fold: FOLD  # of cross-validated rows" in texts["plain"]
    assert "FOLD" not in texts["folds"]
    assert yaml.safe_load(texts["folds"])["columns"] == {"id": "id", "fold": "fold"}


def test_values_by_fold_and_model_are_a_table_of_values(tmp_path):
    """As scores of a cross-validation in long form; without a data set."""
    rows = [(k, m, round(RANDOM.random(), 3)) for m in ("logit", "rf", "knn") for k in range(5)]
    frame = pl.DataFrame(rows, schema=["fold", "model", "accuracy"], orient="row")
    frame.write_csv(tmp_path / "d.csv")

    text = init_spec(tmp_path / "d.csv")

    spec = yaml.safe_load(text)
    assert (spec["task"], spec["measure"]) == ("comparison", "accuracy")
    assert spec["columns"] == {"model": "model", "value": "accuracy", "fold": "fold"}
    assert "one value per fold and model" in text


def test_ratings_of_items_by_judges_have_a_hint_to_compare_values(tmp_path):
    cells = [(i, j, m) for i in range(9) for j in "ab" for m in ("gpt", "llama", "mistral")]
    frame = pl.DataFrame(cells, schema=["item", "judge", "model"], orient="row")
    frame = frame.with_columns(stars=pl.Series(RANDOM.integers(1, 6, len(cells)) / 2))

    message = message_of(tmp_path, frame)

    assert "if 'stars' is a value of each model" in message
    assert "columns: {dataset: ROW, model: model, value: stars}" in message
