"""Splits and predictions keep groups, weights, slices and times, which a spec then reads."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import reportgen
from reportgen.cli.splitting import split as command
from reportgen.errors import DataError
from reportgen.splitting import OPTIONS, cross_predict, split
from tests.breadth import breadth


def grouped(height: int = 240) -> pl.DataFrame:
    """Patients with five rows each, a day, a site, a weight, and a truth that x tells of."""
    random = np.random.default_rng(5)
    patient = np.arange(height) // 5
    signal = random.normal(size=height // 5)[patient] + random.normal(size=height)
    return pl.DataFrame(
        {
            "case": [f"c{n}" for n in range(height)],
            "patient": [f"p{n}" for n in patient],
            "day": np.arange(height),
            "site": [f"s{n % 3}" for n in patient],
            "mass": random.choice([0.5, 1.0, 2.0], size=height),
            "x": signal,
            "y": (signal + random.normal(size=height) > 0).astype(int),
        }
    )


COLUMNS = {"id": "case", "group": "patient", "weight": "mass", "slices": ["site"]}


def test_splits_keep_the_columns_that_they_were_given_under_their_own_names():
    splits = split(grouped(), "k_fold", folds=3, **COLUMNS)
    assert splits.columns == ["id", "repeat", "fold", "role", "draws", "patient", "mass", "site"]
    back = splits.join(grouped(), left_on="id", right_on="case", suffix="_data")
    for name in ("patient", "mass", "site"):
        assert back[name].equals(back[f"{name}_data"])
    plain = split(grouped(), "k_fold", folds=3, id="case", group="patient")
    assert splits.select(plain.columns).equals(plain)
    in_time = split(grouped(), "time_ordered", time="day", folds=3)
    assert in_time["day"].dtype == grouped()["day"].dtype


@breadth("scheme", ["k_fold", "hold_out", "bootstrap", "repeated_k_fold"], ["hold_out"])
def test_predictions_keep_them_too_and_a_spec_reads_its_dependence_from_the_table(scheme):
    models = {"linear": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=2)}
    options = {"repeats": 2} if "repeats" in OPTIONS[scheme] else {}
    data = grouped()
    predictions = cross_predict(models, data, scheme, truth="y", **COLUMNS, **options)
    assert predictions.columns[:8] == [
        "id", "truth", "repeat", "fold", "role", "patient", "mass", "site",
    ]  # fmt: skip
    back = predictions.join(data, left_on="id", right_on="case", suffix="_data")
    assert back.select((pl.col("patient") == pl.col("patient_data")).all()).item()
    spec = {
        "data": "frame",
        "truth": "truth",
        "models": {name: {"score": f"p_{name}"} for name in models},
        "columns": {
            **{name: name for name in ("id", "repeat", "fold", "role")},
            "group": "patient",
            "weight": "mass",
        },
        "slices": ["site"],
        "bootstrap": {"replicates": 0},
    }
    results = reportgen.evaluate(spec, predictions)
    evaluation = results.data["evaluation"]
    tested = predictions.filter(role="test")
    assert evaluation["groups"] == tested["patient"].n_unique()
    assert evaluation["groups_on_both_sides"] == 0
    assert evaluation["trained_test_rows"] == 0
    assert evaluation["rows_return"] is (tested["id"].n_unique() < tested.height)
    assert results.data["weighted"]
    assert results.data["weight_total"] == pytest.approx(tested["mass"].sum())
    assert {row["name"] for row in results.data["slices"]} == {"site"}


def test_times_are_kept_and_losses_are_compared_in_their_order():
    models = {"linear": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=2)}
    predictions = cross_predict(
        models, grouped(), "time_ordered", truth="y", id="case", time="day",
        features=["x"], folds=3, roles=("test",),
    )  # fmt: skip
    assert (predictions["day"].cast(pl.String) == predictions["id"].str.slice(1)).all()
    spec = {
        "data": "frame",
        "truth": "truth",
        "models": {name: {"score": f"p_{name}"} for name in models},
        "columns": {"id": "id", "fold": "fold", "time": "day"},
    }
    results = reportgen.evaluate(spec, predictions)
    assert "diebold_mariano" in results.comparisons["comparison"].to_list()
    recommended = results.comparisons.filter(metric="auc", recommendation="recommended")
    assert recommended["comparison"].to_list() == ["corrected_resampled_t"]


def test_what_is_kept_is_not_learned_from_unless_it_is_named_as_a_feature():
    class Width:
        """A model that says how many features it was given."""

        def fit(self, _: np.ndarray, truth: np.ndarray) -> None:
            self.classes_ = sorted(set(truth))

        def decision_function(self, features: np.ndarray) -> np.ndarray:
            return np.full(len(features), features.shape[1], dtype=float)

    data = grouped().with_columns(patient=pl.col("day") // 5, site=pl.col("day") % 3)
    by_table = split(data, "k_fold", folds=3, stratify="y", **COLUMNS)
    given = cross_predict({"m": Width()}, data, "k_fold", truth="y", folds=3, **COLUMNS)
    from_table = cross_predict({"m": Width()}, data, by_table, truth="y", id="case")
    assert given.equals(from_table.select(given.columns))
    assert set(given["score_m"]) == {2.0}  # day and x
    named = cross_predict(
        {"m": Width()}, data, "k_fold", truth="y", features=["x", "day", "site"], **COLUMNS
    )
    assert set(named["score_m"]) == {3.0}


def test_a_table_keeps_no_two_columns_of_one_name():
    data = grouped().rename({"patient": "fold"})
    for attempt in (
        lambda: split(data, "k_fold", group="fold"),
        lambda: cross_predict({"m": LogisticRegression()}, data, truth="y", group="fold"),
    ):
        with pytest.raises(DataError, match="the table has a column 'fold' of its own"):
            attempt()
    clashing = grouped().rename({"site": "p_m"})
    with pytest.raises(DataError, match="'p_m' of its own"):
        cross_predict(
            {"m": LogisticRegression()}, clashing, truth="y", features=["x"], slices=["p_m"]
        )
    with pytest.raises(DataError, match="did you mean 'site'"):
        split(grouped(), "k_fold", slices=["sit"])


def test_the_command_keeps_the_columns_and_prints_the_lines_of_a_spec(tmp_path):
    data = tmp_path / "cases.csv"
    grouped().write_csv(data)
    arguments = [str(data), "--folds", "4", "--id", "case", "--group", "patient"]
    arguments += ["--weight", "mass", "--slice", "site", "--slice", "day"]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert (
        "columns: {id: id, repeat: repeat, fold: fold, role: role, group: patient, weight: mass}\n"
        "slices: [site, day]\n"
    ) in done.stdout
    written = pl.read_csv(tmp_path / "cases.splits.csv")
    assert written.columns[5:] == ["patient", "mass", "site", "day"]
    again = CliRunner().invoke(command, [*arguments, "--force", "--json"], catch_exceptions=False)
    assert json.loads(again.stdout)["columns"]["group"] == "patient"
