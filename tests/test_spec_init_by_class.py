"""Features with a column for each class, as prices of brands, are no scores of models."""

import numpy as np
import polars as pl
import pytest

from reportgen.initial_spec.prediction_names import main_run, predictions_by_name
from reportgen.initial_spec.profile import profile
from tests.initial_specs import spec_of

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
