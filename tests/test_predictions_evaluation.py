"""Which evaluation a table is from, told from its columns."""

from __future__ import annotations

import jsonschema
import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.predictions.evaluation_scheme import facts
from reportgen.predictions.recognition import of_sizes, recognised
from reportgen.records.contract import results_schema
from reportgen.records.rows import evaluation_of
from reportgen.sections import evaluation_scheme
from reportgen.splitting import split
from tests.quick import QUICK

CASES = pl.DataFrame({"site": [i // 5 for i in range(60)], "day": range(60)})


def table(kind: str, **options: object) -> pl.DataFrame:
    splits = split(CASES, kind, **options)
    return splits.cast({"repeat": pl.String, "fold": pl.String}).drop("draws")


def only_tests(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(role="test").drop("role")


@pytest.mark.parametrize(
    ("kind", "options", "overlap"),
    [
        ("hold_out", {}, None),
        ("repeated_hold_out", {}, 0.75),
        ("repeated_hold_out", {"test": 0.37}, 0.63),
        ("k_fold", {"folds": 10}, 8 / 9),
        ("k_fold", {"folds": 2}, 0),
        ("repeated_k_fold", {"folds": 10, "repeats": 10}, 89 / 99),
        ("leave_one_out", {}, 58 / 59),
        ("bootstrap", {"repeats": 40}, 0.632),
        ("five_by_two", {}, 4 / 9),
        ("time_ordered", {"time": "day"}, 2 / 3),
    ],
    ids=str,
)
def test_each_scheme_is_recognised_with_the_overlap_of_its_training_parts(kind, options, overlap):
    evaluation = recognised(table(kind, **options))
    assert evaluation.scheme == kind
    assert evaluation.both_sides == 0
    assert evaluation.disjoint
    assert evaluation.overlap == (None if overlap is None else pytest.approx(overlap, abs=0.02))


@pytest.mark.parametrize("kind", ["k_fold", "repeated_k_fold", "leave_one_out", "five_by_two"])
def test_training_parts_that_are_not_in_the_data_are_the_other_folds(kind):
    whole = table(kind)
    evaluation, shown = recognised(only_tests(whole)), recognised(whole)
    assert evaluation.implied
    assert (evaluation.scheme, evaluation.train) == (kind, shown.train)
    assert evaluation.overlap == pytest.approx(shown.overlap)


def test_repeats_on_the_same_rows_are_not_fresh_splits():
    once = pl.DataFrame({"id": [str(i) for i in range(20)]})
    frame = pl.concat([once.with_columns(repeat=pl.lit(r)) for r in "abc"])
    assert recognised(frame).scheme == "same_rows"
    assert recognised(frame.drop("id")).scheme == "unclear"


def test_rows_and_groups_on_both_sides_are_counted():
    frame = table("k_fold", folds=3).join(
        CASES.with_row_index("id", 1).select(pl.col("id", "site").cast(pl.String)), on="id"
    )
    leaking = pl.concat(
        [frame, frame.filter(role="test").head(4).with_columns(role=pl.lit("train"))]
    )
    evaluation = recognised(leaking.rename({"site": "group"}))
    assert evaluation.both_sides == 4
    assert evaluation.groups_on_both_sides == 12
    assert (evaluation.trained_test_rows, evaluation.test_rows, evaluation.groups) == (4, 60, 12)
    assert evaluation.trained_test_share == pytest.approx(4 / 60)
    assert evaluation.groups_on_both_sides_share == 1
    assert [leak.text for leak in evaluation_scheme.leaks(evaluation)] == [
        "4 of 60 (6.7\N{NO-BREAK SPACE}%) test rows were also in the training part of the same fit",
        "all 12 groups have rows in both the training and the test part of a fit",
    ]
    implied = recognised(only_tests(frame).rename({"site": "group"}))
    assert implied.groups_on_both_sides == evaluation.groups_on_both_sides


def test_groups_kept_together_are_on_one_side():
    frame = table("k_fold", folds=3, group="site").join(
        CASES.with_row_index("id", 1).select(pl.col("id").cast(pl.String), group="site"), on="id"
    )
    assert recognised(only_tests(frame)).groups_on_both_sides == 0


def test_folds_that_repeat_a_row_in_one_repeat_are_not_taken_for_cross_validation():
    frame = only_tests(table("k_fold", folds=3))
    twice = pl.concat([frame, frame.head(1).with_columns(fold=pl.lit("2"))])
    assert recognised(twice).scheme == "unclear"
    assert recognised(twice).disjoint is False


def test_data_sets_are_told_by_their_column():
    frame = pl.DataFrame({"id": ["1", "1", "2"], "dataset": ["a", "b", "b"]})
    evaluation = recognised(frame)
    assert (evaluation.scheme, evaluation.fits, evaluation.overlap) == ("data_sets", 2, None)
    folds = pl.concat([frame.with_columns(fold=pl.lit(fold)) for fold in "12"])
    assert (recognised(folds).fits, recognised(folds).datasets) == (4, 2)
    assert evaluation_scheme.name(recognised(folds)) == "2 data sets"


def test_the_share_of_rows_that_a_bootstrap_never_drew_is_said():
    remarks = list(evaluation_scheme.remarks(recognised(table("bootstrap", repeats=20))))
    (share,) = [text for text in remarks if "never sampled" in text]
    assert 0.3 < float(share[: share.index("\N{NO-BREAK SPACE}")]) / 100 < 0.45
    assert share.endswith("(36.8\N{NO-BREAK SPACE}% are expected)")


def test_a_table_without_such_columns_is_one_test_set():
    evaluation = recognised(pl.DataFrame({"truth": [True, False]}))
    assert (evaluation.scheme, evaluation.examples, evaluation.pooled_fits) == (
        "hold_out",
        2,
        False,
    )


def test_the_evaluation_is_in_the_results_and_said_in_words():
    splits = table("repeated_k_fold", folds=5, repeats=2)
    frame = splits.with_columns(
        y=pl.col("id").cast(pl.Int64) % 2, p=pl.col("id").cast(pl.Int64) / 60
    )
    spec = {
        "data": "frame",
        "truth": "y",
        "models": {"m": {"score": "p"}},
        "columns": {name: name for name in ("id", "fold", "repeat", "role")},
    }
    evaluation = evaluation_of(reportgen.evaluate(spec, frame).data)
    assert evaluation.scheme == "repeated_k_fold"
    assert evaluation_scheme.name(evaluation) == "2 × 5-fold cross-validation"
    assert list(evaluation_scheme.remarks(evaluation)) == [
        "48 training rows, 12 test rows per fit",
        "no row is in two test folds of a repeat",
        "two training sets have 77.8\N{NO-BREAK SPACE}% of their rows in common, on average",
        "no row is in both parts of a fit",
    ]


def test_groups_alone_on_both_sides_do_not_mean_that_rows_were_trained_on():
    frame = table("k_fold", folds=3).join(
        CASES.with_row_index("id", 1).select(pl.col("id", "site").cast(pl.String)), on="id"
    )
    evaluation = recognised(frame.rename({"site": "group"}))
    assert (evaluation.trained_test_rows, evaluation.groups_on_both_sides) == (0, 12)
    (leak,) = evaluation_scheme.leaks(evaluation)
    assert leak.title == "Groups are split between training and test parts"


def test_rows_of_which_nothing_says_what_was_trained_on_are_not_cleared():
    for frame in (only_tests(table("k_fold")), table("repeated_hold_out").drop("id")):
        evaluation = recognised(frame)
        assert evaluation.trained_test_rows is None
        assert evaluation.trained_test_share is None
        assert not list(evaluation_scheme.leaks(evaluation))


@pytest.mark.parametrize(
    ("kind", "options", "returned", "unit", "units"),
    [
        ("hold_out", {}, False, "rows", 15),
        ("k_fold", {}, False, "rows", 60),
        ("leave_one_out", {}, False, "rows", 60),
        ("repeated_k_fold", {"folds": 3, "repeats": 4}, True, "examples", 60),
    ],
    ids=str,
)
def test_rows_return_where_ids_are_tested_again(kind, options, returned, unit, units):
    evaluation = recognised(table(kind, **options))
    assert evaluation.rows_return is returned
    assert (evaluation.independent_unit, evaluation.independent_units) == (unit, units)
    assert recognised(table(kind, **options).drop("id")).rows_return is None


def test_repeats_that_test_other_rows_each_time_do_not_return():
    frame = pl.DataFrame({"id": [str(i) for i in range(20)], "repeat": ["a", "b"] * 10})
    evaluation = recognised(frame)
    assert (evaluation.repeats, evaluation.rows_return, evaluation.pooled_fits) == (2, False, True)


def test_rows_are_the_independent_unit_where_each_is_a_group_of_its_own():
    alone = pl.DataFrame({"group": ["x", None, "z", None]})
    evaluation = recognised(alone)
    assert (evaluation.grouped, evaluation.independent_unit, evaluation.independent_units) == (
        False,
        "rows",
        4,
    )
    together = recognised(alone.with_columns(group=pl.Series(["x", None, "x", None])))
    assert (together.grouped, together.independent_unit, together.groups) == (True, "groups", 3)


def test_the_largest_declared_unit_is_the_independent_one():
    frame = table("repeated_k_fold", folds=3, repeats=2)
    grouped = frame.with_columns(group=pl.col("id").cast(pl.Int64) // 10)
    evaluation = recognised(grouped)
    assert (evaluation.independent_unit, evaluation.independent_units) == ("groups", 7)
    sets = pl.DataFrame({"id": ["1", "1", "2"], "dataset": ["a", "b", "b"], "group": ["x"] * 3})
    evaluation = recognised(sets)
    assert (evaluation.independent_unit, evaluation.independent_units) == ("data sets", 2)
    assert evaluation.rows_return is False  # an id names an example within its data set


def test_overlap_of_training_parts_is_unknown_zero_or_known():
    assert recognised(table("k_fold", folds=2)).training_overlap == "zero"
    assert recognised(table("hold_out")).training_overlap == "zero"
    assert recognised(table("k_fold", folds=5)).training_overlap == "known"
    assert recognised(table("repeated_hold_out").drop("id")).training_overlap == "unknown"


def test_one_test_set_with_ids_and_groups_knows_its_units():
    frame = pl.DataFrame({"id": ["a", "b", "c"], "group": ["x", "x", "y"]})
    evaluation = recognised(frame)
    assert (evaluation.test_rows, evaluation.rows_return, evaluation.groups) == (3, False, 2)
    assert not evaluation.pooled_fits


def test_sizes_alone_say_of_leakage_what_distinct_ids_prove():
    parts = pl.DataFrame({"fold": ["1", "1"], "role": ["train", "test"], "rows": [30, 10]})
    assert of_sizes(parts, distinct=True).trained_test_rows == 0
    unknown = of_sizes(parts, distinct=False)
    assert (unknown.trained_test_rows, unknown.rows_return) == (None, None)


def test_the_facts_keep_to_the_published_schema():
    schema = results_schema()["properties"]["data"]["properties"]["evaluation"]
    for frame in (table("k_fold"), table("bootstrap", repeats=3), pl.DataFrame({"truth": [1]})):
        jsonschema.validate(facts(recognised(frame)), schema)


def test_folds_that_are_blocks_of_time_are_described_as_such():
    """As text, 9 is after 10: time points that are all numbers are in the order of numbers."""
    rows = pl.DataFrame({"y": [0, 1] * 20, "a": np.linspace(0, 1, 40), "day": np.arange(40)})
    spec = {"data": "frame", "truth": "y", "models": {"a": {"score": "a"}}}
    spec |= {**QUICK, "columns": {"fold": "fold", "time": "day"}}
    names = {}
    others = rows.join(rows.select("day", of=pl.col("day") // 8), on="day").join(
        pl.DataFrame({"fold": range(5)}), how="cross"
    )
    others = others.with_columns(
        role=pl.when(pl.col("of") == pl.col("fold")).then(pl.lit("test")).otherwise(pl.lit("train"))
    )
    for kind, frame in (
        ("blocks", rows.with_columns(fold=np.arange(40) // 8)),
        ("mixed", rows.with_columns(fold=np.arange(40) % 5)),
        ("trained on later rows", others.drop("of")),
    ):
        columns = spec["columns"] | ({"role": "role"} if "role" in frame.columns else {})
        evaluation = evaluation_of(reportgen.evaluate({**spec, "columns": columns}, frame).data)
        assert evaluation.time_blocks == (kind != "mixed")
        names[kind] = evaluation_scheme.name(evaluation)

    assert names["mixed"] == "5-fold cross-validation"
    assert names["blocks"] == "tests in time order, each taken to follow its training rows"
    assert names["trained on later rows"] == "5-fold cross-validation in blocks of time"


def test_of_blocks_of_time_without_training_rows_each_is_taken_to_follow_its_own():
    """As many rows before the first fold as a fold has: 8, 16, 24, 32 and 40 rows train."""
    fold = pl.Series("fold", np.arange(40) // 8).cast(pl.String)
    time = pl.DataFrame([fold]).with_columns(time="fold", point=pl.int_range(pl.len()))
    evaluation = recognised(time)

    assert (evaluation.scheme, evaluation.implied) == ("time_ordered", True)
    assert (evaluation.train, evaluation.test) == (24, 8)
    # Of two training parts in order the smaller is in the larger: 8·4 + 16·3 + 24·2 + 32 rows.
    assert evaluation.overlap == pytest.approx(2 * 160 / (5 * 4) / 24)
    alone = time.with_columns(fold=pl.int_range(pl.len()).cast(pl.String))
    assert recognised(alone).scheme == "leave_one_out"
