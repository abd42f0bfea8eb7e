"""The data at a glance: missing values, base rates of slices, scores over folds and time."""

import numpy as np
import polars as pl
import pytest

from reportgen.charts import figures
from reportgen.measuring.periods import parts_of, periods
from reportgen.measuring.score_quantiles import quantiles
from reportgen.predictions.times import points
from reportgen.results import Results, evaluate
from reportgen.sections.data import Data
from tests.quick import QUICK

ROWS = 240


def frame(**more):
    random = np.random.default_rng(3)
    truth = np.arange(ROWS) % 3 == 0
    columns = {
        "truth": truth.astype(int),
        "p": np.clip(random.normal(0.3 + 0.4 * truth, 0.15), 0, 1),
        "site": [None if k % 10 == 0 else "ab"[k % 2] for k in range(ROWS)],
        "day": np.arange(ROWS) // 4,
        "fold": np.arange(ROWS) % 4,
    }
    return pl.DataFrame(columns | more)


def spec(**more):
    base = {"data": "frame", "truth": "truth", "models": {"m": {"score": "p"}}}
    return {**base, **QUICK, **more}


def test_missing_values_are_those_of_each_column_that_is_read():
    summary = evaluate(spec(slices=["site"]), frame()).data_summary

    counts = {one.column: (one.role, one.rows) for one in summary.missing}
    assert counts == {"truth": ("truth", 0), "site": ("slice", 24), "p": ("score", 0)}


def test_the_page_names_the_columns_with_missing_values():
    results = evaluate(spec(slices=["site"]), frame())

    facts = {fact.name: fact.value for fact in Data.from_results(results, ()).facts}
    assert facts["Missing values"] == (
        "site: 24 rows (10.0\N{NO-BREAK SPACE}%); none in 2 other columns"
    )


def test_base_rates_of_two_classes_are_shares_of_positives():
    summary = evaluate(spec(slices=["site"]), frame()).data_summary

    by_hand = {
        f"site = {site}": (len(part), part["truth"].mean())
        for (site,), part in frame().partition_by("site", as_dict=True).items()
    }
    assert {one.slice: (one.rows, *one.rates) for one in summary.base_rates} == by_hand


def test_base_rates_of_classes_labels_and_numbers():
    classes = frame(kind=[f"k{k % 3}" for k in range(ROWS)], said=["k0"] * ROWS)
    of_classes = {"truth": "kind", "models": {"m": {"label": "said"}}, "task": "multiclass"}
    labels = {
        "truth": {"x": "truth", "y": "even"},
        "models": {"m": {"labels": {"x": "l", "y": "l2"}}},
    }
    both = frame(even=[(k + 1) % 2 for k in range(ROWS)], l=[1] * ROWS, l2=[0] * ROWS)
    numbers = {"truth": "day", "models": {"m": {"estimate": "p"}}}

    def rates(table, **more):
        summary = evaluate(spec(slices=["part"], **more), table.with_columns(part=pl.lit("all")))
        [base] = summary.data_summary.base_rates
        return base.rates

    assert rates(classes, **of_classes) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert rates(both, **labels) == pytest.approx((1 / 3, 1 / 2))
    assert rates(frame(), **numbers) == pytest.approx((frame()["day"].mean(),))


def test_quantiles_are_values_that_occur_and_count_weights():
    values = pl.DataFrame({"value": [1.0, 2.0, 3.0, 4.0]})

    assert quantiles(values, [0.25, 0.5, 0.9]) == [1.0, 2.0, 4.0]
    weighted = values.with_columns(weight=pl.Series([1.0, 1.0, 1.0, 7.0]))
    assert quantiles(weighted, [0.25, 0.5, 0.9]) == [3.0, 4.0, 4.0]


def test_periods_are_in_order_of_time_and_hold_as_many_points():
    time = pl.Series("time", [str(k) for k in (30, 2, 10, 1, 2)])
    part, names = periods(pl.DataFrame([time, points(time)]), most=2)

    assert part.to_list() == [1, 0, 1, 0, 0]
    assert names == ["1 to 2", "10 to 30"]


def test_single_rows_are_no_distribution():
    rows = frame().select(fold=pl.int_range(pl.len()).cast(pl.String))

    assert list(parts_of(rows)) == []


def test_folds_of_many_repeats_are_shown_by_repeat():
    rows = pl.DataFrame({"n": range(4000)}).select(
        repeat=(pl.col("n") // 400).cast(pl.String), fold=(pl.col("n") % 10).cast(pl.String)
    )
    [(over, part, names)] = parts_of(rows)

    assert (over, names) == ("fold", [str(k) for k in range(10)])
    assert part.to_list() == [k // 400 for k in range(4000)]


def test_scores_are_shown_over_time_and_folds():
    results = evaluate(spec(columns={"time": "day", "fold": "fold"}), frame())

    by_id = {figure.id: figure for figure in figures(results)}
    assert by_id["score_parts_time"].section == by_id["score_parts_fold"].section == "data"
    first = [
        one
        for one in results.data_summary.distributions
        if (one.over, one.place, one.group) == ("fold", 1, "1")
    ]
    of_fold = frame().filter(fold=0, truth=1)["p"]
    assert [(one.rows, one.median) for one in first] == [
        (len(of_fold), np.quantile(of_fold.to_numpy(), 0.5, method="inverted_cdf"))
    ]


def test_small_cells_withhold_quantiles_and_small_counts():
    settings = spec(slices=["site"], columns={"fold": "fold"}, privacy={"small_cells": 30})
    results = evaluate(settings, frame())

    assert results.data_summary.distributions == ()
    assert "site" not in {one.column for one in results.data_summary.missing}
    skipped = {one["what"]: one.get("names") for one in results.skipped}
    assert "distributions of scores by fold or time" in skipped
    assert skipped["missing values"] == ("site",)


def test_counts_of_parts_give_the_same_missing_values_and_base_rates(tmp_path):
    frame().write_parquet(tmp_path / "rows.parquet")
    settings = spec(slices=["site"], columns={"fold": "fold"}, data=str(tmp_path / "rows.parquet"))
    exact, counted = (evaluate({**settings, "engine": kind}) for kind in ("exact", "streaming"))

    def counted_facts(results):
        summary = results.data_summary
        return (
            {(one.column, one.rows) for one in summary.missing},
            {(one.slice, one.rows, one.rates) for one in summary.base_rates},
        )

    assert counted_facts(counted) == counted_facts(exact)
    assert not counted.data_summary.distributions
    assert any(one["what"] == "scores over folds" for one in counted.skipped)


def test_the_summary_is_read_from_json_as_it_was_written():
    results = evaluate(spec(slices=["site"], columns={"fold": "fold"}), frame())

    assert Results.from_json(results.to_json()).data_summary == results.data_summary
