"""Features with a column for each class, as prices of brands, are no scores of models."""

import numpy as np
import polars as pl
import pytest

from reportgen.initial_spec import init_spec
from reportgen.initial_spec.prediction_names import main_run, predictions_by_name
from reportgen.initial_spec.profile import profile
from tests.initial_specs import message_of, spec_of

BRANDS = ("acme", "bolt", "core")


def choices(rows=120):
    """The brand that is bought, prices and flags of each, and probabilities of a model."""
    random = np.random.default_rng(6)
    bought = random.integers(0, 3, rows)
    scores = random.dirichlet(np.ones(3), rows) + 0.8 * np.eye(3)[bought]
    scores /= scores.sum(1, keepdims=True)
    columns = {"choice": np.array(BRANDS)[bought]}
    for at, brand in enumerate(BRANDS):
        columns[f"price_{brand}"] = random.uniform(1, 3, rows).round(2)
        columns[f"feat_{brand}"] = random.integers(0, 2, rows)
        columns[f"forest_{brand}"] = scores[:, at]
    return pl.DataFrame(columns)


def test_prices_and_flags_of_each_class_are_no_models_beside_probabilities(tmp_path):
    spec = spec_of(tmp_path, choices())

    assert (spec["task"], spec["truth"]) == ("multiclass", "choice")
    assert list(spec["models"]) == ["forest"]


def test_scores_that_predict_the_truth_remain_beside_probabilities(tmp_path):
    frame = choices()
    margins = {f"m2_{b}": 3 * frame[f"forest_{b}"] - 1 for b in BRANDS}

    assert list(spec_of(tmp_path, frame.with_columns(**margins))["models"]) == ["forest", "m2"]


def test_scores_under_the_name_of_a_model_remain_even_if_they_say_nothing(tmp_path):
    frame = choices()
    random = np.random.default_rng(1)
    margins = {f"svm_{b}": random.normal(size=120) for b in BRANDS}

    assert list(spec_of(tmp_path, frame.with_columns(**margins))["models"]) == ["forest", "svm"]


def test_without_probabilities_scores_of_any_sum_are_those_of_a_model(tmp_path):
    frame = choices().select("choice", r"^price_.*$")

    assert list(spec_of(tmp_path, frame)["models"]) == ["price"]


def test_flags_of_a_feature_are_no_model_of_it(tmp_path):
    random = np.random.default_rng(2)
    kind = random.integers(1, 4, 90)
    died = random.random(90) < 0.4
    frame = pl.DataFrame({"died": died.astype(int), "type": kind}).with_columns(
        *(pl.Series(f"type{k}", (kind == k).astype(int)) for k in (1, 2, 3)),
        forest=pl.Series(np.clip(0.3 * died + random.uniform(0.1, 0.6, 90), 0, 1)),
    )

    spec = spec_of(tmp_path, frame)
    assert (spec["truth"], list(spec["models"])) == ("died", ["forest"])


@pytest.mark.parametrize(("name", "use"), [("feat.weight", None), ("weight", "weight")])
def test_flags_are_weights_only_under_a_name_of_weights(tmp_path, name, use):
    flags = pl.Series(name, np.random.default_rng(3).integers(0, 2, 120))

    spec = spec_of(tmp_path, choices().with_columns(flags))
    assert spec.get("columns", {}).get("weight") == (name if use else None)


def test_a_constant_between_models_does_not_divide_them():
    numbers = {name: [1.0, 2.5, 4.0] for name in ("forest", "income", "boosting", "knn", "poisson")}
    frame = pl.DataFrame(numbers).insert_column(4, pl.Series("mean", [2.5] * 3))
    columns = profile(frame, parse=False)

    assert [c.name for c in main_run(columns, predictions_by_name(columns))] == [
        "boosting",
        "knn",
        "poisson",
    ]


def test_numbers_that_nothing_predicts_are_the_truth_of_columns_named_as_predictions(tmp_path):
    random = np.random.default_rng(5)
    returns = random.normal(size=200) / 1e4
    frame = pl.DataFrame(
        {"ret": returns, "pred_ar": random.permutation(returns), "pred_zero": np.zeros(200)}
    )

    spec = spec_of(tmp_path, frame)
    assert (spec["truth"], list(spec["models"])) == ("ret", ["ar", "zero"])


def test_a_kind_of_boosting_is_a_model_and_no_truth(tmp_path):
    random = np.random.default_rng(5)
    count = np.where(random.random(300) < 0.6, 0, random.poisson(20, 300))
    level = 8 + random.normal(size=300)
    models = {m: level + random.normal(size=300) for m in ("ols", "forest", "gboost")}

    spec = spec_of(tmp_path, pl.DataFrame({"cigs": count, **models}))
    assert (spec["truth"], list(spec["models"])) == ("cigs", ["ols", "forest", "gboost"])


def test_a_score_that_is_one_minus_another_is_named_as_left_out(tmp_path):
    random = np.random.default_rng(4)
    label = random.integers(0, 2, 200)
    good = np.clip(0.3 * label + 0.7 * random.random(200), 0, 1).round(3)
    frame = pl.DataFrame({"label": label, "good": good, "upside_down": 1 - good})
    frame.write_csv(tmp_path / "d.csv")
    said: list[str] = []
    text = init_spec(tmp_path / "d.csv", on_guess=said.append)

    assert "good: {score: good}" in text
    assert any("'upside_down' (1 minus 'good', so taken as the score of" in one for one in said)


def test_an_output_whose_name_has_a_w_is_no_weight(tmp_path):
    random = np.random.default_rng(4)
    label = random.integers(0, 2, 200)
    score = np.clip(0.3 * label + 0.7 * random.random(200), 0, 1).round(3)
    frame = pl.DataFrame({"y": label, "weight": random.uniform(1, 3, 200), "w_model": score})

    spec = spec_of(tmp_path, frame)
    assert (spec["columns"]["weight"], len(spec["models"])) == ("weight", 1)


def test_a_small_table_of_results_is_told_how_to_be_declared(tmp_path):
    frame = pl.DataFrame(
        {"dataset": ["a", "b", "c"], "x": [0.8, 0.7, 0.9], "y": [0.81, 0.72, 0.93]}
    )

    declared = "task: comparison, measure: and columns: {dataset: dataset, models: [x, y]}"
    assert declared in message_of(tmp_path, frame)


def test_errors_in_the_names_of_all_columns_are_the_measure_and_a_guess_is_told(tmp_path):
    values = {"svm": [0.17, 0.26, 0.31, 0.22] * 3, "forest": [0.18, 0.09, 0.2, 0.15] * 3}
    sets = pl.Series("dataset", [f"d{k}" for k in range(12)])
    said: list[str] = []
    for start in ("error_", ""):
        frame = pl.DataFrame([sets, *(pl.Series(start + m, v) for m, v in values.items())])
        frame.write_csv(tmp_path / f"{start}d.csv")
        text = init_spec(tmp_path / f"{start}d.csv", on_guess=said.append)
        assert ("measure: error\nbetter: lower" in text) == bool(start)

    assert said == ["that higher values are better is a guess: if they are not, correct better:"]


def test_a_constant_that_is_named_as_an_estimate_is_a_model_of_a_stated_truth(tmp_path):
    random = np.random.default_rng(5)
    returns = random.normal(size=200)
    frame = pl.DataFrame({"ret": returns, "pred_ar": returns + 1, "pred_zero": np.zeros(200)})

    assert list(spec_of(tmp_path, frame, truth="ret")["models"]) == ["ar", "zero"]
