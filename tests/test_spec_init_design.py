"""What ``init`` says of the design of a file, of unused columns, and of what it cannot do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

from reportgen.errors import DataError
from reportgen.initial_spec import init_spec
from reportgen.results import evaluate


def started(folder: Path, frame: pl.DataFrame, name: str = "data.csv") -> tuple[dict, str]:
    """The spec that ``init`` writes, and what it says beside it."""
    said: list[str] = []
    frame.write_csv(folder / name)
    return yaml.safe_load(init_spec(folder / name, on_guess=said.append)), "\n".join(said)


def hint_of(folder: Path, frame: pl.DataFrame) -> str:
    frame.write_csv(folder / "data.csv")
    with pytest.raises(DataError) as error:
        init_spec(folder / "data.csv")
    return str(error.value)


def scored(rows: int = 120) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    """A generator, a truth of 0 and 1, and scores of it."""
    random = np.random.default_rng(5)
    score = random.random(rows).round(4)
    return random, (random.random(rows) < score).astype(int), score


@pytest.mark.parametrize("name", ["Tatsächlich", "Verità", "Zustand"])
def test_a_probability_is_no_truth_beside_two_labels_that_it_separates(tmp_path, name):
    random, truth, score = scored()
    other = (score + random.normal(0, 0.1, 120)).clip(0, 1).round(3)
    labels = np.where(truth, "ja", "nein")
    columns = {name: labels, "Wahrscheinlichkeit Modell ä": score, "Prognose B": other}

    spec, _ = started(tmp_path, pl.DataFrame(columns))

    assert spec["truth"] == name
    assert len(spec["models"]) == 2


def test_a_share_is_a_truth_beside_two_labels_that_say_nothing_of_it(tmp_path):
    random, _, score = scored()
    near = (score + random.normal(0, 0.05, 120)).clip(0, 1).round(3)
    columns = {"share": score, "share_pred": near, "sex": random.choice(["m", "f"], 120)}

    spec, _ = started(tmp_path, pl.DataFrame(columns))

    assert (spec["task"], spec["truth"]) == ("regression", "share")


def test_ratings_of_models_alone_have_no_truth(tmp_path):
    random = np.random.default_rng(1)
    gpt = random.integers(1, 10, 80)
    llama = (gpt + random.integers(-1, 2, 80)).clip(1, 9)
    rows = [f"q{k}" for k in range(80)]

    hint = hint_of(tmp_path, pl.DataFrame({"question_id": rows, "gpt": gpt, "llama": llama}))

    assert "no column holds what was observed" in hint
    assert "task: comparison" in hint


@pytest.mark.parametrize("name", ["vit", "second"])
def test_labels_of_the_truth_under_any_name_are_a_second_model(tmp_path, name):
    random = np.random.default_rng(2)
    truth = random.integers(0, 60, 600)
    noisy = [np.where(random.random(600) < 0.6, truth, random.integers(0, 60, 600)) for _ in "ab"]
    columns = {"truth": truth, "cnn": noisy[0], name: noisy[1]}
    frame = pl.DataFrame({k: [f"c{one:02}" for one in v] for k, v in columns.items()})

    spec, said = started(tmp_path, frame)

    assert spec["models"] == {"cnn": {"label": "cnn"}, name: {"label": name}}
    assert ("by its values alone" in said) == (name == "second")


def test_quantiles_with_a_low_line_have_their_own_loss_and_advice(tmp_path):
    random = np.random.default_rng(3)
    middle = random.normal(20, 3, 200)
    columns = {"y": middle + random.normal(0, 1, 200)}
    columns |= {"q0_1": middle - 1.3, "q0_5": middle, "q0_9": middle + 1.3}

    spec, said = started(tmp_path, pl.DataFrame(columns))

    assert [model["quantile"] for model in spec["models"].values()] == [0.1, 0.5, 0.9]
    assert "if one model forecasts them, write one model" in said


@pytest.mark.parametrize(("unit", "values"), [("hospital", 26), ("lab", 5), ("rater", 4)])
def test_values_that_return_are_named(tmp_path, unit, values):
    random, truth, score = scored()
    returning = random.permutation(np.arange(120) % values)
    names = returning if unit == "rater" else [f"U{k}" for k in returning]

    spec, said = started(tmp_path, pl.DataFrame({"y": truth, "p": score, unit: names}))

    assert "columns" not in spec
    assert f"'{unit}' has {values} values in 120 rows and is not declared" in said


def test_whole_numbers_of_days_that_only_rise_are_named_as_time(tmp_path):
    _, truth, score = scored()

    _, said = started(tmp_path, pl.DataFrame({"day": range(120), "y": truth, "p": score}))

    assert "columns: {time: day} in place of id: day" in said


@pytest.mark.parametrize(("folds", "why"), [(120, "(leave-one-out)"), (10, "folds are pooled")])
def test_scores_that_folds_turn_around_are_not_to_be_turned_around(tmp_path, folds, why):
    """Each score is the share of positives of the training rows."""
    truth = np.random.default_rng(4).integers(0, 2, 120)
    fold = np.arange(120) % folds
    prior = [truth[fold != one].mean() for one in fold]

    _, said = started(tmp_path, pl.DataFrame({"y": truth, "p_prior": prior, "fold": fold}))

    assert "do not turn the score around" in said
    assert why in said


@pytest.mark.parametrize(("positive", "noise"), [(0, 0.0005), (1, 0.0005), (0, 0.004)])
def test_no_model_has_the_highest_area_under_leave_one_out(positive, noise):
    """No score knows its row; of one label the areas are 1 or nearly, of the other 0."""
    random = np.random.default_rng(4)
    truth, row = random.integers(0, 2, 120), np.arange(120)
    prior = np.array([truth[row != one].mean() for one in row])
    columns = {"y": truth, "prior": prior, "weak": prior + random.normal(0, noise, 120)}
    spec = {"truth": "y", "positive": positive, "columns": {"fold": "fold"}}
    spec["models"] = {name: {"score": name} for name in ("prior", "weak")}

    decision = evaluate(spec, pl.DataFrame({**columns, "fold": row})).decision

    assert "the highest" not in decision.sentence + decision.headline
    assert "Under leave-one-out the AUC ranks scores of as many fits as rows" in decision.sentence


def test_intervals_without_a_level_have_their_coverage(tmp_path):
    truth = np.random.default_rng(8).normal(20, 3, 500)
    end = np.where(np.arange(500) < 361, 1.0, 0.1)
    columns = {"temp": truth, "yhat": truth + 0.5, "yhat_lower": truth + 0.5 - end}
    frame = pl.DataFrame({**columns, "yhat_upper": truth + 0.5 + end})

    spec, said = started(tmp_path, frame)
    caveats = evaluate(spec, frame).decision.caveats

    assert "72.2 % of the true values lie in the intervals of 'model'" in said
    text = "72.2\xa0% of the true values lie in the prediction intervals of model (no level"
    assert [one.text for one in caveats if one.text.startswith(text)]


def test_pairwise_wins_have_a_hint(tmp_path):
    frame = pl.DataFrame({"prompt": ["a", "b", "c"], "winner": ["gpt", "llama", "gpt"]})

    assert "pairwise wins are not supported: write a row for each example" in hint_of(
        tmp_path, frame
    )


def test_a_label_that_the_truth_lacks_is_named(tmp_path):
    frame = pl.DataFrame({"truth": ["a", "b"] * 20, "pred": ["a", "b"] * 19 + ["a", "c"]})

    assert "'pred' has a label that 'truth' lacks: 'c' (1 row)" in hint_of(tmp_path, frame)


def test_a_score_with_holes_has_a_remedy_and_each_unused_column_is_named(tmp_path):
    _, truth, score = scored()
    holes = [None, *score[1:]]
    columns = {"y": truth, "p_full": score, "p_some": holes, "note": [f"n {k}" for k in truth]}
    columns |= {"text": [f"t {k % 50}" for k in range(119)] + ["t x"]}

    _, said = started(tmp_path, pl.DataFrame(columns))

    assert "'p_some' (missing or infinite values: if it is a prediction, leave out" in said
    assert "not used: 'note' (name under slices: to show subgroups)" in said
    assert "'text'" in said


@pytest.mark.parametrize(("file", "name"), [("p.csv", "churn-p"), ("forest.csv", "forest")])
def test_a_name_of_a_letter_has_that_of_its_folder_before_it(tmp_path, file, name):
    _, truth, score = scored()
    (tmp_path / "churn").mkdir()

    spec, _ = started(tmp_path / "churn", pl.DataFrame({"y": truth, "p": score}), file)

    assert spec["name"] == name


@pytest.mark.parametrize(("name", "shown"), [("horizon_h", True), ("store", False)])
def test_horizons_of_forecasts_are_shown_one_by_one(tmp_path, name, shown):
    """A store is no horizon: its rows depend on each other."""
    random = np.random.default_rng(4)
    day = np.repeat(np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]"), 3)
    load = 50 + random.normal(size=len(day)).round(3)
    columns = {"issued": day, name: [1, 24, 168] * (len(day) // 3), "load": load}
    frame = pl.DataFrame(columns).with_columns(
        forecast=pl.col("load") + pl.Series(random.normal(size=len(day)).round(3))
    )

    spec, said = started(tmp_path, frame)

    assert spec.get("slices") == ([name] if shown else None)
    assert (f"'{name}'" in said) is not shown


@pytest.mark.parametrize("once_missing", [False, True])
def test_what_each_model_predicts_once_a_repeat_is_the_id_whatever_its_name(tmp_path, once_missing):
    random, truth, _ = scored(40)
    parts = [
        pl.DataFrame({"wine": [f"w{k}" for k in range(40)], "y": truth}).with_columns(
            model=pl.lit(model), repeat=pl.lit(repeat), score=random.random(40).round(4)
        )
        for model in ("forest", "knn")
        for repeat in (1, 2)
    ]

    spec, _ = started(tmp_path, pl.concat(parts)[int(once_missing) :])

    assert spec["columns"].get("id") == (None if once_missing else "wine")


def test_values_by_fold_of_each_data_set_and_learner_are_a_table_of_values(tmp_path):
    frame = pl.DataFrame(
        [
            {"dataset": data, "learner": learner, "fold": fold, "accuracy": 0.8 + fold / 100}
            for data in ("iris", "wine", "digits")
            for learner in ("LR", "tree")
            for fold in range(5)
        ]
    )

    spec, _ = started(tmp_path, frame)

    assert spec["task"] == "comparison"
    assert spec["columns"]["fold"] == "fold"
    assert "which no column tells apart" in hint_of(tmp_path, frame.drop("fold"))


def test_a_table_of_several_measures_is_one_of_values_of_the_first(tmp_path):
    frame = pl.DataFrame(
        [
            {"set": data, "fold": fold, "model": model, "auc": 0.9 - fold / 99, "acc": 0.8}
            for data in ("iris", "wine", "digits")
            for model in ("LR", "tree")
            for fold in range(5)
        ]
    ).with_columns(pl.col("acc") + pl.int_range(pl.len()) / 999)
    lacking = pl.when(pl.int_range(pl.len()) > 2).then(pl.col("acc") / 2)
    frame = frame.with_columns(f1=lacking)
    spec, _ = started(tmp_path, frame)

    assert (spec["task"], spec["measure"], spec["columns"]["value"]) == ("comparison", "auc", "auc")
    assert "others in the file: acc, f1\n" in init_spec(tmp_path / "data.csv")
    priced = frame.drop("f1").rename({"auc": "price", "acc": "estimate"})
    assert "if 'price' is a value of each model" in hint_of(tmp_path, priced)
