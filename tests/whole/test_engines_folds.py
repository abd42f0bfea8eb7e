"""Counts of the folds of an evaluation: the numbers of rows, with their bounds."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen import evaluate
from tests.breadth import breadth
from tests.engine_data import TWO, numbers, rows, spec, written


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))


FITS = [
    {"fold": "site"},
    {"dataset": "site"},
    {"role": "role"},
    {"role": "trained"},
    {"fold": "site", "role": "trained"},
    {"fold": "site", "id": "id"},
    {"fold": "site", "role": "trained", "id": "id"},
    {"fold": "site", "role": "trained", "weight": "w"},
]


@breadth("columns", FITS, 2, ids=lambda c: "_".join(f"{k}_{v}" for k, v in c.items()))
def test_the_parts_of_an_evaluation_are_those_of_rows(tmp_path, columns):
    frame = (
        rows(900, digits=2)
        .with_row_index("id")
        .with_columns(
            trained=pl.Series(["test", "train", "train", "validation"] * 225), rule="said"
        )
    )
    data = written(frame, tmp_path / "p.parquet")
    models = {**TWO, "c": {"label": "rule"}}
    more = {"columns": columns, "models": models, "comparisons": {"margin": 0.1}}

    exact, streaming = (evaluate(spec(data, engine, **more)) for engine in ("exact", "streaming"))

    assert streaming.data["evaluation"] == exact.data["evaluation"]
    assert streaming.data["folds"] == exact.data["folds"]
    assert (streaming.generalisation.height > 0) == (columns != {"role": "role"})
    assert_frame_equal(streaming.folds, exact.folds, rel_tol=1e-11)
    means = [r.metrics.filter(average="folds") for r in (streaming, exact)]
    assert_frame_equal(*means, rel_tol=1e-9)
    assert_frame_equal(streaming.generalisation, exact.generalisation, rel_tol=1e-9)
    requested = ["comparison", "models", "metric", "recommendation", "undefined"]
    # Rows that are counted have lost their own weights.
    counted = [
        r.comparisons.filter(pl.col("comparison") != "mcnemar_weighted") for r in (streaming, exact)
    ]
    assert counted[0].select(requested).equals(counted[1].select(requested))


def test_weighted_rows_are_not_drawn_from_counts_and_it_is_said(tmp_path):
    data = written(rows(400), tmp_path / "p.parquet")

    results = evaluate(spec(data, columns={"weight": "w"}, bootstrap={"replicates": 50}))

    assert [s["reason"] for s in results.skipped if "resampling" in s["what"]] == [
        "rows are weighted, which counts do not distinguish"
    ]


def test_means_over_folds_are_as_far_off_as_the_area_of_any_fold(tmp_path):
    data = written(rows(3000), tmp_path / "p.parquet")

    exact, streaming = (
        numbers(evaluate(spec(data, engine, columns={"fold": "site"})))
        for engine in ("exact", "streaming")
    )

    for model in TWO:
        key = ("auc", model, None, None, "folds")
        assert streaming[key]["least"] <= exact[key]["value"] <= streaming[key]["most"]


def test_tests_over_areas_of_folds_say_how_far_off_these_may_be(tmp_path):
    frame = rows(3000).with_columns(pl.col("a").round(1), c=1 - pl.col("a").round(1))
    data = written(frame, tmp_path / "p.parquet")
    third = {**TWO, "c": {"score": "c"}}

    results = evaluate(spec(data, models=third, columns={"fold": "site"}))

    of_areas = results.comparisons.filter(metric="auc").to_dicts()
    assert {"delong", "paired_t_folds", "corrected_resampled_t"} <= {
        t["comparison"] for t in of_areas
    }
    for test in of_areas:
        caveats = [caveat for caveat in test["caveats"] if "counted in cells" in caveat]
        assert len(caveats) == ("b" in test["models"]), test["comparison"]


def test_the_mean_area_of_folds_has_no_bound_above_1_and_none_where_it_is_exact(tmp_path):
    frame = rows(3000).with_columns(a=pl.col("a").round(2))
    row, ill = pl.int_range(pl.len()), (pl.col("y") == "ill").cast(pl.Float64)
    near = frame.with_columns(b=pl.when(row < 30).then(0.5 + row * 1e-9).otherwise(ill))
    data = written(near, tmp_path / "p.parquet")

    values = numbers(evaluate(spec(data, columns={"fold": "site"})))

    assert values["auc", "a", None, None, "folds"]["least"] is None
    assert values["auc", "b", None, None, "folds"]["most"] == 1.0


def test_the_area_of_a_fold_that_its_cells_hide_has_no_value(tmp_path):
    """Nor have the tests over folds: the scores of a are all in a few cells."""
    crowded = 0.5 + 1e-5 * (pl.col("y") == "ill") + 1e-5 * pl.col("a")
    data = written(rows(3000).with_columns(a=crowded), tmp_path / "p.parquet")

    results = evaluate(spec(data, columns={"fold": "site"}))

    areas = results.folds.filter(metric="auc")
    assert areas.filter(model="a")["value"].count() == 0
    assert areas.filter(model="b")["value"].null_count() == 0
    over_folds = results.comparisons.filter(metric="auc", unit="folds")
    assert over_folds["p_value"].count() == 0
