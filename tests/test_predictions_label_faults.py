"""Labels that are wrong: too many, misspelt, without a positive one, or scores in their place."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from tests.faulty_predictions import SPEC, faults, frame


def test_many_labels_are_listed_with_their_counts():
    (problem,) = faults(frame(y=["a", "b", "c", "c"] * 5))

    assert problem.code == "many-labels"
    assert "'c' (10), 'a' (5), 'b' (5)" in problem.message
    assert "scores: {CLASS: COLUMN, ...}" in problem.hint


def test_odd_labels_are_named_with_their_rows():
    (problem,) = faults(frame(y=["a", "b"] * 40 + ["a ", "b", "n/k", "a"], p=[0.5] * 84))

    assert problem.code == "many-labels"
    assert problem.place.endswith("column 'y', rows 81, 83")
    assert problem.rows == (81, 83)


def test_labels_that_are_not_rare_have_no_rows():
    (problem,) = faults(frame(y=["a", "b", "c"] * 20, p=[0.5] * 60))

    assert problem.rows == ()


def test_a_truth_of_numbers_lists_at_most_twenty_of_them():
    (problem,) = faults(pl.DataFrame({"y": list(range(1000)), "p": [0.5] * 1000}))

    assert "and 980 more" in problem.message


def test_a_label_that_the_truth_does_not_have_is_told_with_the_nearest(tmp_path):
    frame(y=["benign", "malignant"] * 10).write_csv(tmp_path / "d.csv")
    (tmp_path / "report.yaml").write_text(
        "data: d.csv\ntruth: y\npositive: malignnt\nmodels: {m: {score: p}}\n"
    )
    with pytest.raises(DataError) as caught:
        predictions.read(specs.read(tmp_path / "report.yaml"))

    (problem,) = caught.value.problems
    assert (problem.code, problem.line, problem.column) == ("unknown-label", 3, 11)
    assert problem.hint == "did you mean 'malignant'?"
    assert "'benign' (10)" in problem.message


def test_a_misspelt_positive_is_not_taken_for_a_class_that_never_occurs():
    (problem,) = faults(frame(y=["malignant"] * 20), positive="malignent")

    assert problem.hint == "did you mean 'malignant'?"


def test_words_need_a_positive_label():
    given = {k: v for k, v in SPEC.items() if k != "positive"}
    with pytest.raises(DataError) as caught:
        predictions.from_frame(frame(y=["sick", "well"] * 10), specs.from_dict(given))

    (problem,) = caught.value.problems
    assert problem.code == "positive-needed"
    assert "'sick' (10), 'well' (10)" in problem.message
    assert "positive: " in problem.hint


def test_long_labels_are_cut_in_messages():
    (problem,) = faults(frame(y=["x" * 10_000, "y" * 10_000] * 10))

    assert len(problem.message) < 400


def test_booleans_in_one_file_and_numbers_in_another_are_four_labels(tmp_path):
    frame(y=[True, False] * 10).write_parquet(tmp_path / "a.parquet")
    frame(y=[1, 0] * 10).write_parquet(tmp_path / "b.parquet")
    (problem,) = faults(tmp_path, data="*.parquet", positive="1")

    assert problem.code == "many-labels"
    assert problem.place == "a.parquet and 1 more, column 'y'"


def test_01_is_not_1():
    (problem,) = faults(frame(y=["0", "01"] * 10), positive="1")

    assert problem.code == "unknown-label"


def test_scores_declared_as_labels_are_told_so():
    assert "score:" in faults(frame(), models={"m": {"label": "p"}})[0].hint
