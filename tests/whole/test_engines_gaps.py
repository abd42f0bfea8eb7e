"""Gaps between slices in what is no share, from counts: as from the rows."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.engine_data import written

CASES = {
    "auc": {"truth": "y", "models": {"m": {"score": "s"}}},
    "errors": {"truth": "t", "models": {"m": {"estimate": "s"}}},
}


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")


def table_of(tmp_path, digits: int, case: str, engine: str, columns=None) -> pl.DataFrame:
    random = np.random.default_rng(2)
    truth, site = random.random(500) < 0.4, random.integers(0, 3, 500)
    score = 1 / (1 + np.exp(-(random.normal(size=500) + truth * site)))
    frame = pl.DataFrame(
        {
            "y": truth,
            "s": score.round(digits),
            "site": site,
            "t": truth * 1.5,
            "g": np.arange(500) % 90,
        }
    )
    data = str(written(frame, tmp_path / "p.parquet"))
    spec = {"data": data, "slices": ["site"], "engine": engine, "bootstrap": {"replicates": 0}}
    of = {"columns": columns} if columns else {}
    return evaluate({**spec, **CASES[case], **of}).gaps


def gaps(tmp_path, digits: int, case: str, engine: str) -> dict[str, float | None]:
    table = table_of(tmp_path, digits, case, engine).filter(~pl.col("metric").is_in(["accuracy"]))
    return dict(table.select("metric", "p_value").iter_rows())


@pytest.mark.parametrize("case", CASES)
def test_gaps_are_tested_from_counts_as_from_rows(tmp_path, case):
    """Where a cell holds one score each, or sums say all, to rounding."""
    exact, counted = (gaps(tmp_path, 3, case, engine) for engine in ("exact", "streaming"))

    assert set(exact) == set(counted)
    tested = {"auc", "root_mean_squared_error", "mean_absolute_error", "mean_error"} & set(exact)
    assert tested
    for name in tested:
        assert exact[name] is not None
        assert math.isclose(exact[name], counted[name] or 0, rel_tol=1e-9), name


def test_a_gap_in_auc_is_never_surer_from_mixed_cells(tmp_path):
    exact, counted = (gaps(tmp_path, 15, "auc", engine) for engine in ("exact", "streaming"))

    assert exact["auc"] is not None
    assert counted["auc"] is not None
    assert exact["auc"] < counted["auc"] < 3 * exact["auc"]


@pytest.mark.parametrize("columns", [None, {"group": "g"}], ids=["rows", "groups"])
def test_one_slice_against_the_others_is_that_of_the_rows(tmp_path, columns):
    exact, counted = (
        table_of(tmp_path, 2, "auc", engine, columns) for engine in ("exact", "streaming")
    )
    names = ["metric", "slice", "slice_value", "others_value", "p_value"]
    joined = exact.select(names).join(counted.select(names), on="metric", suffix="_counted")
    joined = joined.fill_null(-1.0)

    tested = joined.filter(pl.col("metric").is_in(["auc", "recall", "mean_error"]))
    assert tested["slice"].null_count() < tested.height
    assert joined["slice"].to_list() == joined["slice_counted"].to_list()
    for name in ("slice_value", "others_value", "p_value"):
        assert joined[name].to_list() == pytest.approx(
            joined[f"{name}_counted"].to_list(), rel=1e-9
        )
