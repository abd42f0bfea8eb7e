"""Sums over scores and errors from which a small count would follow are withheld."""

from __future__ import annotations

import polars as pl
import pytest

import reportgen
from reportgen.results.privacy.small_cells import OVER_ROWS
from tests.small_counts import LEAST, as_published


@pytest.fixture(autouse=True)
def _same_time(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def by_site(few: int, scores_of_n: pl.Expr, size: int = 400) -> pl.DataFrame:
    """Scores of many values but at site N; a threshold of 0.5 errs in many rows everywhere."""
    at = pl.col("i")
    y, noise = at // 4 % 2, at.hash(1) % 997 / 997
    frame = pl.DataFrame({"i": range(size)}).with_columns(
        y=y, site=pl.when(at % 4 == 0).then(pl.lit("N")).otherwise(pl.lit("E")), b=noise
    )
    number = ((pl.col("site") == "N") & (pl.col("y") == 1)).cum_sum()
    moved = (pl.col("site") == "N") & (pl.col("y") == 1) & (number <= few)
    other = pl.col("y") * 0.3 + at.hash(2) % 997 / 1425
    score = pl.when(moved).then(0.12).when(site="N").then(scores_of_n).otherwise(other)
    return frame.with_columns(p=score)


@pytest.mark.parametrize(
    "scores_of_n",
    [
        pl.when(pl.col("i") % 3 == 0).then(0.9).otherwise(0.1),
        pl.when(y=1).then(0.4 + pl.col("i") / 1000).otherwise(0.2 + pl.col("i") / 4000),
    ],
    ids=["few values", "nearly apart"],
)
def test_sums_over_scores_of_a_slice_that_tell_counts_are_withheld(scores_of_n):
    """And so are those of the other slices, as it would follow from them and the whole."""
    frame = by_site(2, scores_of_n).with_columns(p=pl.col("p").clip(0, 1))
    models = {"a": {"score": "p"}, "b": {"score": "b"}}
    spec = {"truth": "y", "models": models, "slices": ["site"], "measures": "all"}
    results = reportgen.evaluate({**spec, "privacy": {"small_cells": LEAST}}, frame)

    assert results.slices.height == 2
    sums = results.metrics.filter(pl.col("metric").is_in(OVER_ROWS), pl.col("value").is_not_null())
    assert set(sums.filter(pl.col("slice").is_not_null())["model"]) == {"b"}
    assert set(sums.filter(pl.col("slice").is_null())["model"]) == {"a", "b"}
    of_gaps = results.gaps.filter(pl.col("metric").is_in(OVER_ROWS))
    assert set(of_gaps["model"]) <= {"b"}


NUMBERS = {
    "truth": "y",
    "task": "regression",
    "models": {"a": {"estimate": "a"}, "b": {"estimate": "b"}},
    "slices": ["site"],
}


def numbers(few: int) -> pl.DataFrame:
    """Whole numbers; a is wrong by one in few rows, all of site N, and b by any amount."""
    at = pl.col("i")
    frame = pl.DataFrame({"i": range(300)}).with_columns(y=at * 7 % 11, site=at % 3)
    wrong = (pl.col("site") == 0) & (at < 3 * few)
    return frame.with_columns(
        a=pl.col("y") + wrong.cast(pl.Int64), b=pl.col("y") + at.hash(4) % 997 / 500
    )


def of_numbers(frame: pl.DataFrame) -> reportgen.Results:
    privacy = {"privacy": {"small_cells": LEAST}, "bootstrap": {"replicates": 0}}
    return reportgen.evaluate({**NUMBERS, **privacy}, frame)


def test_few_rows_with_an_error_are_not_told_by_its_sum():
    """The mean absolute error of whole numbers, times the rows, is how many have an error of 1."""
    one, four = (of_numbers(numbers(few)) for few in (1, 4))

    of_a = one.metrics.filter(pl.col("model") == "a", pl.col("value").is_not_null())
    assert set(of_a["metric"]) == {"n"}
    assert one.metrics.filter(model="b", metric="mean_absolute_error")["value"].null_count() == 0
    assert one.comparisons.is_empty()
    assert as_published(one) == as_published(four)


def test_few_errors_of_one_slice_are_not_told_by_the_whole():
    """At the other sites a is wrong by any amount."""
    for few in (1, 4):
        other = pl.when(pl.col("site") == 0).then("a").otherwise(pl.col("b") + 0.01)
        results = of_numbers(numbers(few).with_columns(a=other))
        of_a = results.metrics.filter(
            pl.col("model") == "a", pl.col("value").is_not_null(), metric="mean_absolute_error"
        )
        assert of_a["slice"].to_list() == [None]


def test_sums_of_ranks_of_few_rows_are_withheld():
    """A rank sum of 1 is one row on which the other model is better."""
    shown = []
    for few in (2, 40):
        at = pl.col("i")
        b = numbers(0)["b"]
        frame = numbers(0).with_columns(b=b)
        worse = (pl.col("b") - pl.col("y")) * 2 + 0.2
        smaller = (pl.col("b") - pl.col("y")) * 0.99
        a = pl.col("y") + pl.when(at < few).then(smaller).otherwise(worse)
        results = of_numbers(frame.with_columns(a=a))
        shown.append(set(results.comparisons["comparison"]))

    assert shown[1] - shown[0] == {"wilcoxon"}


def test_the_truth_of_single_rows_is_withheld():
    results = of_numbers(numbers(0))
    spread = results.data["distribution"]

    assert spread["mean"] == pytest.approx(numbers(0)["y"].mean())
    assert [spread[name] for name in ("minimum", "median", "maximum")] == [None] * 3
    assert "smallest, median and largest truth" in {one["what"] for one in results.skipped}
