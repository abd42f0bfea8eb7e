"""Training beside test error, bootstrap estimates, bias and variance."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import reportgen
from reportgen.measuring.bootstrap_632 import plus
from reportgen.results import Results
from tests.breadth import breadth
from tests.quick import QUICK

MODELS = {
    "tree": DecisionTreeClassifier(random_state=0),
    "linear": LogisticRegression(),
    "constant": DummyClassifier(),
}
COLUMNS = {name: name for name in ("id", "fold", "repeat", "role")}


@cache
def predictions(scheme: str, **options: int) -> pl.DataFrame:
    random = np.random.default_rng(0)
    x = random.normal(size=(120, 3))
    y = np.where(x[:, 0] + 0.8 * random.normal(size=120) > 0, "yes", "no")
    data = pl.DataFrame(x, schema=list("abc")).with_columns(y=pl.Series(y))
    return reportgen.cross_predict(MODELS, data, scheme, truth="y", **options)


def evaluated(frame: pl.DataFrame, **more: object) -> Results:
    spec = {
        "data": "frame",
        "truth": "truth",
        "positive": "yes",
        "models": {name: {"score": f"p_{name}"} for name in MODELS},
        "columns": COLUMNS,
        **QUICK,
    }
    return reportgen.evaluate(spec | more, frame)


def quantities(results: Results, model: str, metric: str = "error_rate") -> dict[str, float]:
    rows = results.generalisation.filter(model=model, metric=metric)
    return dict(rows.select("quantity", "value").iter_rows())


def verdicts(results: Results, metric: str = "error_rate") -> dict[str, str | None]:
    rows = results.generalisation.filter(quantity="gap", metric=metric)
    return dict(rows.select("model", "verdict").iter_rows())


@breadth(
    ("scheme", "options"),
    [
        ("hold_out", {}),
        ("repeated_k_fold", {"folds": 4, "repeats": 2}),
        ("bootstrap", {"repeats": 8}),
    ],
    1,
)
def test_a_tree_overfits_a_constant_underfits_and_a_fitting_model_shows_neither(scheme, options):
    outcome = verdicts(evaluated(predictions(scheme, **options)))
    assert outcome == {
        "tree": "overfitting",
        "linear": "no significant gap",
        "constant": "underfitting",
    }


def test_a_gap_without_interval_has_no_verdict():
    results = evaluated(predictions("hold_out"))
    assert verdicts(results, "rank_loss") == {
        "tree": None,
        "linear": None,
        "constant": "underfitting",
    }


def test_the_gap_is_test_error_minus_training_error():
    results = evaluated(predictions("repeated_k_fold", folds=4, repeats=2))
    for model in MODELS:
        values = quantities(results, model)
        assert values["gap"] == pytest.approx(values["test_error"] - values["train_error"])


def test_without_training_rows_the_gap_is_undefined_with_the_reason():
    frame = predictions("repeated_k_fold", folds=4, repeats=2).filter(role="test")
    rows = evaluated(frame).generalisation.filter(quantity="gap")
    assert set(rows["undefined"]) == {"the training rows are not in the data (role train)"}
    assert rows["value"].null_count() == rows.height


def test_one_test_set_has_no_generalisation():
    frame = predictions("hold_out").filter(role="test")
    assert evaluated(frame).generalisation.is_empty()


def test_bootstrap_estimates_are_those_of_their_definition():
    """Efron & Tibshirani (1997), equations 17, 24 and 27-32, written out with NumPy."""
    frame = predictions("bootstrap", repeats=8)
    values = quantities(evaluated(frame), "linear")
    wrong = ((frame["p_linear"] >= 0.5) != (frame["truth"] == "yes")).to_numpy()
    ids, roles = frame["id"].to_numpy(), frame["role"].to_numpy()
    whole = frame["repeat"].to_numpy() == 0
    outside = np.mean(
        [wrong[(ids == i) & (roles == "test")].mean() for i in set(ids[roles == "test"])]
    )
    empirical = wrong[whole].mean()
    p = (frame["truth"] == "yes").to_numpy()[whole].mean()
    q = (frame["p_linear"] >= 0.5).to_numpy()[whole].mean()
    gamma = p * (1 - q) + (1 - p) * q
    rate = (outside - empirical) / (gamma - empirical)
    weight = 0.632 / (1 - 0.368 * rate)
    assert values["out_of_bag"] == pytest.approx(outside)
    assert values["point632"] == pytest.approx(0.368 * empirical + 0.632 * outside)
    assert values["no_information"] == pytest.approx(gamma)
    assert values["point632_plus"] == pytest.approx((1 - weight) * empirical + weight * outside)


def test_the_plus_is_bounded_by_what_knows_nothing():
    assert plus(0.1, 0.9, 0.5) == pytest.approx(0.368 * 0.1 + 0.632 * 0.9 + 0.4 * 0.368)
    assert plus(0.3, 0.2, 0.5) == pytest.approx(0.368 * 0.3 + 0.632 * 0.2)


def test_bias_and_variance_by_hand():
    """Two rows in three repeats: calls 1 1 0 for a positive, and 1 0 0 for a negative.

    Domingos: both main calls are right, 1/3 of the calls differ from them.
    Kohavi & Wolpert: ½((1/3)² + (1/3)²) and ½(1 − 5/9) for each row.
    """
    frame = pl.DataFrame(
        {
            "id": ["a"] * 3 + ["b"] * 3,
            "repeat": [1, 2, 3] * 2,
            "truth": ["yes"] * 3 + ["no"] * 3,
            "p_m": [0.9, 0.8, 0.1, 0.7, 0.2, 0.3],
            "role": ["test"] * 6,
        }
    )
    results = evaluated(
        frame, models={"m": {"score": "p_m"}}, columns={n: n for n in ("id", "repeat", "role")}
    )
    values = quantities(results, "m")
    assert values["domingos_bias"] == 0
    assert values["domingos_variance"] == pytest.approx(1 / 3)
    assert values["domingos_net_variance"] == pytest.approx(1 / 3)
    assert values["kohavi_wolpert_bias"] == pytest.approx(1 / 9)
    assert values["kohavi_wolpert_variance"] == pytest.approx(2 / 9)
    brier = quantities(results, "m", "brier_score")
    assert brier["squared_bias"] == pytest.approx((0.4**2 + 0.4**2) / 2)
    assert brier["variance"] == pytest.approx(
        (np.var([0.9, 0.8, 0.1]) + np.var([0.7, 0.2, 0.3])) / 2
    )


def test_bias_and_variance_are_the_same_to_the_last_digit_each_time():
    frame = predictions("repeated_k_fold", folds=4, repeats=3)
    first, *others = (evaluated(frame).generalisation for _ in range(3))

    assert all(first.equals(other) for other in others)


@breadth("model", MODELS, ["tree"])
def test_the_parts_add_up_to_the_error(model):
    results = evaluated(predictions("repeated_k_fold", folds=4, repeats=2))
    values, brier = quantities(results, model), quantities(results, model, "brier_score")
    pooled = dict(
        results.metrics.filter(pl.col("slice").is_null(), model=model)
        .select("metric", "value")
        .iter_rows()
    )
    error = pooled["error_rate"]
    assert values["domingos_bias"] + values["domingos_net_variance"] == pytest.approx(error)
    assert values["kohavi_wolpert_bias"] + values["kohavi_wolpert_variance"] == pytest.approx(error)
    assert brier["squared_bias"] + brier["variance"] == pytest.approx(pooled["brier_score"])


def test_estimates_of_a_number_have_all_of_it():
    random = np.random.default_rng(1)
    x = random.normal(size=(80, 2))
    data = pl.DataFrame(x, schema=["a", "b"]).with_columns(
        y=pl.Series(x[:, 0] + random.normal(size=80))
    )
    models = {"tree": DecisionTreeRegressor(random_state=0), "ridge": Ridge()}
    frame = reportgen.cross_predict(models, data, "bootstrap", truth="y", repeats=6)
    spec = {
        "data": "frame",
        "truth": "truth",
        "models": {name: {"estimate": f"estimate_{name}"} for name in models},
        "columns": COLUMNS,
        **QUICK,
    }
    results = reportgen.evaluate(spec, frame)
    error = "mean_squared_error"
    assert verdicts(results, error) == {"tree": "overfitting", "ridge": "no significant gap"}
    values = quantities(results, "tree", error)
    assert values["train_error"] == pytest.approx(0, abs=1e-12)
    assert values["point632"] == pytest.approx(0.632 * values["out_of_bag"])
    assert values["point632"] < values["point632_plus"] < values["out_of_bag"]
    again = Results.from_json(results.to_json())
    assert again.generalisation.equals(results.generalisation)
