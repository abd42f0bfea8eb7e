"""Reports without a file: from arrays, and from fitted models."""

from __future__ import annotations

import json
from decimal import Decimal
from uuid import UUID

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import reportgen
from reportgen import ReportgenError
from reportgen.builds.arrays import declared
from reportgen.errors import DataError
from tests.quick import QUICK

TRUTH = np.array([0, 1, 0, 1, 1, 0, 1, 0])
SCORE = np.array([0.1, 0.9, 0.4, 0.3, 0.8, 0.2, 0.7, 0.6])
TEXT = np.where(TRUTH == 1, "sick", "well")


def _declared(truth, models, features=None, columns=None, slices=(), **options):
    return declared(truth, models, features, columns=columns or {}, slices=slices, options=options)


def test_a_report_of_arrays_has_the_numbers_of_a_report_of_a_file():
    report = reportgen.report(
        TRUTH, {"forest": SCORE, "rule": TRUTH}, columns={"fold": [1, 1, 2, 2] * 2}, **QUICK
    )
    frame = pl.DataFrame({"t": TRUTH, "p": SCORE, "said": TRUTH, "fold": [1, 1, 2, 2] * 2})
    spec = {
        "truth": "t",
        "models": {"forest": {"score": "p"}, "rule": {"label": "said"}},
        "columns": {"fold": "fold"},
    }
    of_frame = reportgen.evaluate(spec | QUICK, frame)

    assert report.results.metrics.equals(of_frame.metrics)


def test_numbers_are_one_per_model_and_measure_with_means_over_folds_apart():
    report = reportgen.report(
        TRUTH,
        {"forest": SCORE, "other": SCORE[::-1].copy()},
        columns={"fold": [1, 1, 2, 2] * 2},
        slices={"half": ["a"] * 4 + ["b"] * 4},
        **QUICK,
    )
    numbers, metrics = report.numbers(), report.results.metrics
    whole = metrics.filter(
        pl.col("slice").is_null() & pl.col("class").is_null() & pl.col("value").is_not_null()
    )
    pooled = whole.filter(pl.col("average").is_null(), metric="auc", model="forest")["value"]
    means = whole.filter(average="folds", metric="auc", model="forest")["value"]

    assert len(numbers) == whole.height  # no name stands for two numbers
    assert numbers["forest.auc"] == pooled.item()
    assert numbers["forest.folds_auc"] == means.item()
    assert report.numbers("forest")["auc"] == numbers["forest.auc"]
    assert all(isinstance(value, float) for value in numbers.values())
    with pytest.raises(ReportgenError, match="did you mean 'forest'"):
        report.numbers("forst")


def test_a_model_of_two_columns_is_one_of_two_classes():
    both = np.column_stack([1 - SCORE, SCORE])
    spec, frame = _declared(TRUTH, {"m": both, "n": {"0": 1 - SCORE, "1": SCORE}})

    assert spec["models"] == {"m": {"score": "m.score"}, "n": {"score": "n.score"}}
    assert frame["m.score"].to_list() == frame["n.score"].to_list() == SCORE.tolist()


def test_which_class_is_positive_is_never_guessed():
    both = np.column_stack([SCORE, 1 - SCORE])  # of sick and well, in sorted order
    spec, frame = _declared(TEXT, {"m": both}, positive="sick")

    assert frame["m.score"].to_list() == SCORE.tolist()
    assert spec["positive"] == "sick"
    with pytest.raises(ReportgenError, match="which of sick, well is positive"):
        _declared(TEXT, {"m": both})
    with pytest.raises(ReportgenError, match="which label is positive"):
        reportgen.report(TEXT, {"m": SCORE}, **QUICK)


def test_fitted_models_predict_the_features_whatever_the_order_of_their_classes():
    features = SCORE[:, None]
    bayes, svc = GaussianNB().fit(features, TEXT), LinearSVC().fit(features, TEXT)
    models = {"bayes": bayes, "svc": svc}
    _, sick = _declared(TEXT, models, features, positive="sick")
    _, well = _declared(TEXT, models, features, positive="well")

    # classes_ are sick and well: the decision function speaks for well
    assert sick["bayes.score"].to_list() == bayes.predict_proba(features)[:, 0].tolist()
    assert sick["svc.score"].to_list() == (-svc.decision_function(features)).tolist()
    assert well["svc.score"].to_list() == svc.decision_function(features).tolist()


def test_several_classes_are_scored_by_class():
    features, truth = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[truth]
    model = GaussianNB().fit(features, names)
    spec, frame = _declared(names, {"nb": model, "said": model.predict(features)}, features)

    assert spec["task"] == "multiclass"
    assert list(spec["models"]["nb"]["scores"]) == ["setosa", "versicolor", "virginica"]
    assert spec["models"]["said"] == {"label": "said.label"}
    assert frame["nb.virginica"].to_list() == model.predict_proba(features)[:, 2].tolist()


def test_a_number_is_estimated_with_or_without_an_interval():
    features, truth = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(features, truth)
    estimate = model.predict(features)
    interval = {"estimate": estimate, "low": estimate - 90, "high": estimate + 90, "level": 0.9}
    spec, frame = _declared(truth, {"line": model, "band": interval}, features)

    assert spec["task"] == "regression"  # though every truth is a whole number
    assert spec["models"]["line"] == {"estimate": "line.estimate"}
    assert spec["models"]["band"]["level"] == 0.9
    assert frame["line.estimate"].to_list() == estimate.tolist()


def test_slices_and_groups_may_be_columns_of_the_features():
    features = pl.DataFrame({"x": SCORE, "site": ["n", "s"] * 4, "patient": [1, 1, 2, 2] * 2})
    spec, frame = _declared(
        TRUTH, {"m": SCORE}, features, columns={"group": "patient"}, slices=["site"]
    )

    assert spec["columns"] == {"group": "group"}
    assert spec["slices"] == ["site"]
    assert frame["group"].to_list() == [1, 1, 2, 2] * 2
    with pytest.raises(ReportgenError, match="did you mean 'site'"):
        _declared(TRUTH, {"m": SCORE}, features, slices=["sites"])


REFUSED = {
    "no models": ([SCORE], None, "a dict of names and predictions is expected"),
    "unfitted": ({"m": GaussianNB()}, SCORE[:, None], "is it fitted"),
    "no features": ({"m": GaussianNB()}, None, "report(truth, models, features)"),
    "columns": ({"m": np.ones((8, 3))}, None, "has 3 columns; the truth has 2 classes"),
    "length": ({"m": SCORE[:3]}, None, "'truth' has 8 rows, 'm.score' has 3"),
    "class": ({"m": {"0": SCORE, "2": SCORE}}, None, "scores for '2', which is not in the truth"),
}


@pytest.mark.parametrize(("models", "features", "says"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_in_one_way_is_refused(models, features, says):
    with pytest.raises(ReportgenError) as refused:
        _declared(TRUTH, models, features)

    assert says in str(refused.value)


def test_a_report_is_written_only_when_it_is_saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = reportgen.report(TRUTH, {"forest": SCORE}, **QUICK)
    assert not list(tmp_path.iterdir())

    report.save("numbers.json")
    report.save("gist.md")
    assert json.loads((tmp_path / "numbers.json").read_text())["metrics"]
    assert (tmp_path / "gist.md").read_text().startswith("<!-- reportgen summary")
    with pytest.raises(ReportgenError, match="known endings"):
        report.save("report.doc")


def test_build_takes_a_mapping_and_a_frame(tmp_path):
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, **QUICK}
    built = reportgen.build(spec, {"y": TRUTH, "p": SCORE}, out=tmp_path, formats=["json"])

    read = reportgen.Results.from_json(built.files["json"].read_text())
    assert read.metrics.equals(built.results.metrics)


def test_builds_of_different_frames_have_different_ids():
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, **QUICK}
    same = [reportgen.evaluate(spec, {"y": TRUTH, "p": SCORE}).build["id"] for _ in range(2)]
    other = reportgen.evaluate(spec, {"y": TRUTH, "p": SCORE / 2}).build["id"]

    assert same[0] == same[1] != other


def test_a_build_of_a_report_in_memory_holds_no_ids_but_as_hashes(tmp_path):
    ids = [f"case {i}" for i in range(40)]
    in_memory = reportgen.report(
        [0, 1] * 20, {"a": [0.1, 0.9, 0.4, 0.3] * 10}, columns={"id": ids}, **QUICK
    )
    folder = in_memory.build(tmp_path, formats=["json"]).path

    hashes = pl.read_parquet(folder / "rows.parquet")["id"]
    assert hashes.dtype == pl.Binary
    assert hashes.n_unique() == 40
    assert not {value.encode() for value in ids} & set(hashes)


def test_pandas_columns_of_other_rows_are_not_taken_by_position():
    pandas = pytest.importorskip("pandas")
    truth = pandas.Series(TRUTH, index=list("abcdefgh"))
    score = pandas.Series(SCORE, index=list("hgfedcba"))

    with pytest.raises(ReportgenError, match="'m' have another pandas index than those of 'truth'"):
        _declared(truth, {"m": score})
    with pytest.raises(ReportgenError, match="another pandas index"):
        reportgen.build({"truth": "y", "models": {"m": {"score": "p"}}}, {"y": truth, "p": score})
    for same in (score.loc[truth.index], score.to_numpy(), score.reset_index(drop=True)):
        assert _declared(truth, {"m": same})[1].height == 8


@pytest.mark.parametrize(
    ("truth", "predicted"),
    [([[0, 1], [1, 0]] * 5, [0.1, 0.9] * 5), ([0, 1] * 5, [[0.1, 0.9], [0.8, 0.2]] * 5)],
)
def test_lists_of_lists_are_refused(truth, predicted):
    with pytest.raises(ReportgenError, match="are lists; one value for each row is expected"):
        reportgen.report(truth, {"m": predicted})


def test_decimals_are_scores_and_estimates_as_floats_are():
    decimals = [Decimal(f"{value:.1f}") for value in SCORE]
    scored = reportgen.report(TRUTH, {"m": decimals}, **QUICK)
    estimated = reportgen.report(decimals, {"m": decimals[::-1]}, **QUICK)

    assert scored.numbers() == reportgen.report(TRUTH, {"m": SCORE}, **QUICK).numbers()
    assert estimated.numbers() == reportgen.report(SCORE, {"m": SCORE[::-1]}, **QUICK).numbers()


@pytest.mark.parametrize(
    "truth",
    [TRUTH.astype(complex), [UUID(int=int(value)) for value in TRUTH]],
    ids=["complex", "UUID"],
)
def test_a_truth_that_is_neither_number_text_nor_time_is_refused(truth):
    with pytest.raises(DataError, match="the values of 'truth' are neither"):
        reportgen.report(truth, {"m": SCORE}, **QUICK)
