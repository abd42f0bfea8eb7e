"""Which evaluation a table is from, told from its columns."""

from __future__ import annotations

import polars as pl
import pytest

import reportgen
from reportgen.predictions.evaluation import Evaluation, facts, recognised
from reportgen.sections import evaluated
from reportgen.splitting import split

CASES = pl.DataFrame({"site": [i // 5 for i in range(60)], "day": range(60)})


def table(kind: str, **options: object) -> pl.DataFrame:
    found = split(CASES, kind, **options)  # type: ignore[arg-type]
    return found.cast({"repeat": pl.String, "fold": pl.String}).drop("draws")


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
    found = recognised(table(kind, **options))
    assert found.scheme == kind
    assert found.both_sides == 0
    assert found.disjoint
    assert found.overlap == (None if overlap is None else pytest.approx(overlap, abs=0.02))


@pytest.mark.parametrize("kind", ["k_fold", "repeated_k_fold", "leave_one_out", "five_by_two"])
def test_training_parts_that_are_not_in_the_data_are_the_other_folds(kind):
    whole = table(kind)
    found, shown = recognised(only_tests(whole)), recognised(whole)
    assert found.implied
    assert (found.scheme, found.train) == (kind, shown.train)
    assert found.overlap == pytest.approx(shown.overlap)


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
    found = recognised(leaking.rename({"site": "group"}))
    assert found.both_sides == 4
    assert found.groups_on_both_sides == 12
    assert [text.split(" in ")[0] for text in evaluated.faults(vars_of(found))] == [
        "4 rows are",
        "12 groups are",
    ]
    implied = recognised(only_tests(frame).rename({"site": "group"}))
    assert implied.groups_on_both_sides == found.groups_on_both_sides


def vars_of(found: Evaluation) -> dict[str, object]:
    return {name: getattr(found, name) for name in Evaluation.__slots__}


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
    found = recognised(frame)
    assert (found.scheme, found.fits, found.overlap) == ("data_sets", 2, None)
    folds = pl.concat([frame.with_columns(fold=pl.lit(fold)) for fold in "12"])
    assert (recognised(folds).fits, recognised(folds).datasets) == (4, 2)
    assert evaluated.name(facts(recognised(folds))) == "2 data sets"


def test_the_share_of_rows_that_a_bootstrap_never_drew_is_said():
    told = list(evaluated.remarks(facts(recognised(table("bootstrap", repeats=20)))))
    (share,) = [text for text in told if "never drawn" in text]
    assert 0.3 < float(share[: share.index("\N{NO-BREAK SPACE}")]) / 100 < 0.45
    assert share.endswith("(36.8\N{NO-BREAK SPACE}% are expected)")


def test_a_table_without_such_columns_is_one_test_set():
    found = recognised(pl.DataFrame({"truth": [True, False]}))
    assert (found.scheme, found.examples, found.resampled) == ("hold_out", 2, False)


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
    found = reportgen.evaluate(spec, frame).data["evaluation"]
    assert found["scheme"] == "repeated_k_fold"
    assert evaluated.name(found) == "2 × 5-fold cross-validation"
    assert list(evaluated.remarks(found)) == [
        "48 training rows, 12 test rows per fit",
        "no row is in two test folds of a repeat",
        "two training parts have 77.8\N{NO-BREAK SPACE}% of their rows in common, on average",
        "no row is on both sides of a fit",
    ]
