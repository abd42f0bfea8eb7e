"""Reports of several labels without a file, as scikit-learn's estimators give them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.multiclass import OneVsRestClassifier

import reportgen
from reportgen import ReportgenError
from reportgen.builds.arrays import declared
from tests.quick import QUICK

FEATURES, TRUTH = make_multilabel_classification(120, n_classes=3, random_state=0)
FIRST, REST = slice(0, 60), slice(60, 120)
FOREST = RandomForestClassifier(10, random_state=0).fit(FEATURES[FIRST], TRUTH[FIRST])
ONE_VS_REST = OneVsRestClassifier(LogisticRegression()).fit(FEATURES[FIRST], TRUTH[FIRST])


def _declared(truth, models, features=None):
    return declared(truth, models, features, columns={}, slices=(), options={})


def test_estimators_of_several_labels_are_measured_by_label():
    models = {"forest": FOREST, "linear": ONE_VS_REST}
    report = reportgen.report(TRUTH[REST], models, FEATURES[REST], **QUICK)

    outside = {
        "forest": [chances[:, 1] for chances in FOREST.predict_proba(FEATURES[REST])],
        "linear": list(ONE_VS_REST.predict_proba(FEATURES[REST]).T),
    }
    for model, scores in outside.items():
        areas = report.results.metrics.filter(
            pl.col("slice").is_null() & pl.col("class").is_not_null(), metric="auc", model=model
        ).sort("class")
        expected = [roc_auc_score(TRUTH[REST][:, k], scores[k]) for k in range(3)]
        assert areas["value"].to_list() == pytest.approx(expected)


def test_tables_mappings_and_arrays_of_labels_are_one():
    table = pl.DataFrame(TRUTH, schema=list("abc"))
    by_name = {name: table[name] for name in "cab"}
    keys, frame = _declared(table, {"m": by_name, "n": TRUTH * 0.5, "s": sparse.csr_matrix(TRUTH)})

    assert keys["truth"] == {name: f"truth.{name}" for name in "abc"}
    assert list(keys["models"]["m"]) == list(keys["models"]["s"]) == ["labels"]
    assert keys["models"]["n"] == {"scores": {name: f"n.{name}" for name in "abc"}}
    assert frame["m.a"].to_list() == frame["s.a"].to_list() == table["a"].to_list()


def test_a_label_that_a_forest_never_saw_has_probability_0():
    seen = np.column_stack([TRUTH[FIRST][:, 0], np.zeros(60, int), np.ones(60, int)])
    forest = RandomForestClassifier(3, random_state=0).fit(FEATURES[FIRST], seen)
    _, frame = _declared(TRUTH[REST], {"m": forest}, FEATURES[REST])

    assert frame["m.label_1"].to_list() == [0.0] * 60
    assert frame["m.label_2"].to_list() == [1.0] * 60


def test_a_table_of_one_column_is_one_truth():
    keys, _ = _declared(pl.DataFrame({"y": TRUTH[:, 0]}), {"m": TRUTH[:, 1] * 0.5})

    assert (keys["task"], keys["truth"]) == ("binary", "truth")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TRUTH[:, :2], "'m' has 2 columns; the truth has 3 labels"),
        (TRUTH[:, 0], "an array of 1 dimension is not a table"),
        ({"a": TRUTH[:, 0]}, "has columns a, which are not the labels"),
    ],
)
def test_a_model_without_a_column_for_each_label_is_refused(model, message):
    with pytest.raises(ReportgenError, match=message):
        _declared(TRUTH, {"m": model})


def test_a_model_never_takes_the_place_of_the_truth():
    with pytest.raises(ReportgenError, match="model 'truth' and another one, or the truth"):
        _declared(TRUTH, {"truth": TRUTH * 0.5})
