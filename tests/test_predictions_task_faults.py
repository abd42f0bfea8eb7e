"""What predictions of several classes, several labels and numbers are refused for."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError, SpecError
from tests.task_frames import ANIMALS, FLAGS, NUMBERS, SCORES, TOPICS, faults, forest, read

TOPIC_SCORES = {"sport": "sport", "news": "news"}


def test_a_class_of_the_truth_that_no_score_column_names_is_told_with_the_nearest():
    scores = {"cat": "p_cat", "dgo": "p_dog", "emu": "p_emu"}
    unnamed, absent = faults(ANIMALS, models=forest(scores=scores))

    assert unnamed.code == "unknown-class"
    assert "1 class that no score column names: 'dog' (1)" in unnamed.message
    assert unnamed.hint == "did you mean 'dgo' for 'dog'?"
    assert "models.forest.scores" in unnamed.place
    assert absent.code == "absent-class"
    assert "no row of 'dgo'" in absent.message
    assert absent.place.endswith("models.forest.scores.dgo")


def test_a_class_that_is_written_like_another_may_be_a_misspelling_of_it():
    frame = pl.concat([ANIMALS, ANIMALS.head(1).with_columns(y=pl.lit("emuu"))])
    (problem,) = faults(frame, models=forest(scores=SCORES))

    assert problem.hint == "add each with its column; or is it written 'emuu' for 'emu'?"


def test_a_class_may_have_no_rows_when_the_classes_are_listed():
    frame = ANIMALS.filter(pl.col("y") != "emu")
    (problem,) = faults(frame, models=forest(scores=SCORES))
    listed = read(frame, models=forest(scores=SCORES), classes=["cat", "dog", "emu"])

    assert problem.code == "absent-class"
    assert "classes:" in problem.hint
    assert listed.classes == ("cat", "dog", "emu")
    assert "'emu' (0)" in {c.name: c.detail for c in listed.checks}["labels"]


def test_a_class_of_the_truth_that_is_not_listed_is_told():
    (problem,) = faults(ANIMALS, models=forest(label="says"), classes=["cat", "dog", "cow"])

    assert "that classes does not name: 'emu' (1)" in problem.message
    assert problem.place.endswith("classes")


def test_a_predicted_label_that_is_unknown_is_told_with_its_rows():
    frame = ANIMALS.with_columns(says=pl.Series(["dog", "eum", "emu", "eum"]))
    (problem,) = faults(frame, models=forest(label="says"))

    assert (problem.code, problem.rows, problem.count) == ("unknown-label", (2, 4), 2)
    assert "did you mean 'emu'?" in problem.hint
    assert "'eum' (2)" in problem.message


def test_one_score_is_not_enough_for_several_classes():
    for more in ({}, {"positive": "cat"}):
        (problem,) = faults(ANIMALS, models=forest(score="p_cat"), **more)
        assert problem.code == "many-labels"
        assert "scores: {CLASS: COLUMN, ...}" in problem.hint


def test_a_positive_label_says_that_two_classes_are_meant():
    (problem,) = faults(ANIMALS, models=forest(label="says"), positive="cat")

    assert problem.code == "many-labels"
    assert "no positive:" in problem.hint


def test_too_many_labels_are_taken_for_the_wrong_column():
    frame = pl.DataFrame({"y": list(range(2000)), "says": list(range(2000))})
    (problem,) = faults(frame, models=forest(label="says"))

    assert (problem.code, problem.count) == ("many-labels", 2000)
    assert "estimate:" in problem.hint


def test_scores_of_any_class_are_finite_and_complete():
    frame = ANIMALS.with_columns(
        p_dog=pl.Series([None, 0.1, 0.2, 0.3]), p_emu=pl.Series([0.1, float("nan"), 0.2, 0.3])
    )
    by_code = {p.code: p for p in faults(frame, models=forest(scores=SCORES))}

    assert by_code["null"].place == "data frame, column 'p_dog', row 1"
    assert by_code["not-finite"].place == "data frame, column 'p_emu', row 2"


def test_costs_by_class_are_checked_once_the_data_tells_the_classes():
    (unknown,) = faults(
        ANIMALS, SpecError, models=forest(label="says"), costs={"cat": {"dgo": 1.0}}
    )
    two = pl.DataFrame({"y": [0, 1], "says": [1, 1]})
    (binary,) = faults(two, SpecError, models=forest(label="says"), costs={"0": {"1": 1.0}})
    plain = {"false_negative": 1, "false_positive": 2}
    (several,) = faults(ANIMALS, SpecError, models=forest(label="says"), costs=plain)

    assert unknown.hint == "did you mean 'dog'?"
    assert "not for two classes" in binary.message
    assert "{cat: {dog: 2}}" in several.hint


def test_a_column_of_a_label_says_yes_or_no():
    frame = TOPICS.with_columns(is_sport=pl.Series([0, 1, 2]), says_news=pl.Series(["y", "n", "y"]))
    problems = faults(
        frame,
        truth=FLAGS,
        models=forest(labels={"sport": "says_sport", "news": "says_news"}),
    )

    assert [(p.code, p.place) for p in problems] == [
        ("not-a-flag", "data frame, column 'is_sport'"),
        ("not-a-flag", "data frame, column 'says_news'"),
    ]
    assert "'y' (2), 'n' (1)" in problems[1].message


def test_the_row_is_named_whose_flag_is_neither_yes_nor_no():
    frame = pl.concat([TOPICS] * 10).with_row_index("k")
    odd = pl.when(pl.col("k") == 4).then(2).otherwise("is_sport").alias("is_sport")
    (problem,) = faults(frame.with_columns(odd), truth=FLAGS, models=forest(scores=TOPIC_SCORES))

    assert problem.code == "not-a-flag"
    assert problem.place == "data frame, column 'is_sport', row 5"


def test_a_truth_of_text_cannot_be_estimated(tmp_path):
    (tmp_path / "d.csv").write_text("y,hat\n1.5,1\nhigh,2\n,3\nlow,4\n")
    given = {"data": "d.csv", "truth": "y", "models": forest(estimate="hat")}
    with pytest.raises(DataError) as caught:
        predictions.read(specs.from_dict(given, tmp_path))
    (problem,) = caught.value.problems

    assert (problem.code, problem.rows, problem.count) == ("wrong-type", (2, 4), 2)
    assert problem.hint == "estimates are compared with numbers; is this the right column?"
    assert "high" not in str(problem)


def test_a_truth_without_a_number_is_told():
    frame = NUMBERS.with_columns(y=pl.Series([1.0, None, float("inf")]))
    codes = {p.code: p.rows for p in faults(frame, models=forest(estimate="hat"))}

    assert codes == {"null": (2,), "not-finite": (3,)}
    (boolean,) = faults(
        NUMBERS.with_columns(y=pl.Series([True, False, True])), models=forest(estimate="hat")
    )
    assert boolean.code == "wrong-type"


def test_an_interval_that_ends_before_it_begins_is_told_with_its_rows():
    frame = NUMBERS.with_columns(low=pl.Series([0.0, 3.0, 5.0]))
    (problem,) = faults(frame, models=forest(estimate="hat", low="low", high="high"))

    assert (problem.code, problem.rows, problem.count) == ("crossed-interval", (2, 3), 2)
    assert problem.place.startswith("data frame, column 'low'")


@pytest.mark.parametrize(
    "given",
    [
        {"models": forest(scores={"a": "p", "b": "q"})},
        {"truth": {"a": "y"}, "models": forest(scores={"a": "p"})},
        {"models": forest(estimate="p")},
    ],
)
def test_no_rows_is_a_fault_of_its_own_for_every_task(given):
    empty = pl.DataFrame(schema={"y": pl.Float64, "p": pl.Float64, "q": pl.Float64})

    assert [p.code for p in faults(empty, EmptyError, **given)] == ["no-rows"]
