"""Numbers and labels of rows in groups, counted: limits and tests are those of rows in memory."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from reportgen import evaluate
from reportgen.engines.exact_sums import column_of, summed_by_group
from reportgen.engines.partial import added
from reportgen.engines.scope import Scope
from reportgen.metrics import REGISTRY
from tests.breadth import breadth, sample_size
from tests.engine_data import assert_parts_add_up, close, numbers, written

NOT_COUNTED = {
    *(m.name for m in REGISTRY["regression"].values() if m.mean and not m.core),
    *("spearman_rho", "kendall_tau", "mean_absolute_error_gain", "concordance_correlation"),
}
"""Means whose sums by group are not counted, ranks, what needs the median or n − 1 rows."""

FIELDS = ["comparison", "models", "metric", "statistic", "df", "p_value", "estimate", "low", "high"]


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")


def estimated(rows: int = 400, groups: int = 60, shift: float = 0.0) -> pl.DataFrame:
    random = np.random.default_rng(1)
    code = random.integers(0, groups, rows)
    shared = random.normal(size=groups)[code]
    truth = shared + random.normal(size=rows) + shift
    a = truth + 0.3 * shared + random.normal(size=rows) / 2
    return pl.DataFrame(
        {
            "y": truth,
            "a": a,
            "b": truth + random.normal(size=rows) * 0.7 - 0.1 * shared,
            "low": a - 1,
            "high": a + random.random(rows),
            "patient": [f"p{k}" if k else None for k in code],
            "site": random.integers(0, 2, rows).astype(str),
            "w": random.choice([0.5, 2.0], rows),
            "fold": (code % 7 * random.integers(1, 3, rows)).astype(str),
        }
    )


def spec(data: Any, engine: str = "streaming", **more: Any) -> dict[str, Any]:
    return {
        "data": str(data),
        "truth": "y",
        "models": {
            "a": {"estimate": "a", "low": "low", "high": "high", "level": 0.9},
            "b": {"estimate": "b"},
        },
        "columns": {"group": "patient", **more.pop("columns", {})},
        "engine": engine,
        "bootstrap": {"replicates": 0},
        **more,
    }


def assert_same_limits(rows, counts, not_limited: set[str]) -> None:
    """Limits of counts are those of rows, but for rounding and for what is not counted."""
    expected, result = numbers(rows), numbers(counts)
    limited = {key for key, row in expected.items() if row["low"] is not None}
    for key in limited:
        if key[0] in not_limited:
            assert result[key]["low"] is None
        else:
            for field in ("value", "low", "high"):
                both = expected[key][field], result[key][field]
                assert both[1] == pytest.approx(both[0], rel=1e-9), (key, field)
            assert result[key]["interval"] == expected[key]["interval"]
    assert len({key[0] for key in limited} - not_limited) > 3


@pytest.mark.parametrize(
    ("frame", "columns"),
    [
        pytest.param(estimated(), {}, marks=pytest.mark.slow),
        (estimated(groups=200, shift=1e6), {}),
        (estimated(), {"weight": "w"}),
        (estimated(), {"fold": "fold"}),
    ],
    ids=["few groups", "many, far from 0", "weights", "folds"],
)
def test_errors_in_groups_have_the_limits_of_the_exact_engine(tmp_path, frame, columns):
    data = written(frame, tmp_path / "p.parquet")
    more = {"slices": ["site"], "columns": columns, "comparisons": {"margin": 0.05}}
    rows, counts = (evaluate(spec(data, e, **dict(more))) for e in ("exact", "streaming"))

    shares = {"interval_coverage"} if "weight" in columns else set()
    assert_same_limits(rows, counts, NOT_COUNTED | shares)
    ranks = pl.col("comparison") == "wilcoxon_groups"
    if "weight" not in columns:
        tests = [one.comparisons.filter(~ranks).select(FIELDS) for one in (rows, counts)]
        assert_frame_equal(*tests, rel_tol=1e-9)
    p_values = [table["p_value"].to_list() for table in (rows.gaps, counts.gaps)]
    assert any(p_values[0]) == ("weight" not in columns)
    assert all(close(*both) for both in zip(*p_values, strict=True))
    assert counts.data["evaluation"] == rows.data["evaluation"]
    for one, other in zip(
        rows.data["groups"]["measures"], counts.data["groups"]["measures"], strict=True
    ):
        if "weight" in columns:
            one["intraclass_correlation"] = None
        assert other == pytest.approx(one)


@pytest.mark.parametrize("heavy", [False, True], ids=["of few groups", "of heavy tails"])
def test_r2_agrees_with_the_gain_over_the_mean_in_both_engines(tmp_path, heavy):
    """Its lower limit is 0 where the gain is not shown, which heavy tails leave open."""
    random, number = np.random.default_rng(3), 60 if heavy else 20
    truth, code = random.normal(size=number), random.integers(0, 4, number)
    truth[code == 0] *= 4
    noise = (random.standard_t(2, number) if heavy else random.normal(size=number)) / 3
    frame = pl.DataFrame({"y": truth, "a": truth + noise, "patient": code.astype(str)})
    data = written(frame, tmp_path / "p.parquet")
    models = {"a": {"estimate": "a"}}
    rows, counts = (evaluate(spec(data, e, models=models)) for e in ("exact", "streaming"))
    expected, result = (
        {
            name: numbers(one)[name, "a", None, None, None]
            for name in ("r2", "mean_squared_error_gain")
        }
        for one in (rows, counts)
    )

    assert (expected["mean_squared_error_gain"]["low"] is None) == heavy
    assert (expected["r2"]["low"] == 0) != heavy
    for name, row in result.items():
        for limit in ("low", "high"):
            assert close(row[limit], expected[name][limit])


def test_errors_of_one_group_are_not_tested(tmp_path):
    data = written(estimated().with_columns(patient=pl.lit("p")), tmp_path / "p.parquet")
    margin = {"comparisons": {"margin": 0.05}}
    rows, counts = (evaluate(spec(data, e, **margin)) for e in ("exact", "streaming"))

    for results in (rows, counts):
        assert results.comparisons["p_value"].null_count() == results.comparisons.height > 0
        assert results.metrics["low"].null_count() == results.metrics.height


def test_errors_in_groups_may_lie_in_several_files_or_shards(tmp_path):
    frame = estimated().with_columns(pl.col("patient").fill_null("p0"))
    assert_parts_add_up(tmp_path, frame, (frame[:150], frame[150:]), spec)


NUMBERS = st.floats(-1e12, 1e12) | st.floats(-1e-12, 1e-12) | st.integers(-3, 3).map(float)


@settings(max_examples=sample_size(25, 60))
@given(st.lists(st.tuples(st.integers(0, 3), NUMBERS), min_size=1, max_size=30), st.integers(0, 30))
def test_sums_by_group_lose_no_digit_in_any_parts(rows, cut):
    """They are those of fractions, however the rows are cut."""
    tables = []
    for part in (rows[:cut], rows[cut:]):
        group, value = [g for g, _ in part], np.array([v for _, v in part])
        scope = Scope(-1, pl.DataFrame({"group": pl.Series(group, dtype=pl.UInt64)}))
        tables.append(summed_by_group(scope, {column_of(0, "v"): (value, 0.5 * value)}))
    merged = added("group_values", tables[::-1])
    expected: dict[int, Fraction] = {}
    for group, value in rows:
        expected[group] = expected.get(group, Fraction(0)) + Fraction(value) + Fraction(value / 2)

    result = {
        row.pop("group"): sum(
            (total * Fraction(2) ** int(name.split(" ")[-1]) for name, total in row.items()),
            Fraction(0),
        )
        for row in merged.drop("line").to_dicts()
    }

    assert result == expected


def classified(rows: int = 400, groups: int = 40) -> pl.DataFrame:
    """Three classes and three labels; scores of three digits, so that cells are exact."""
    random = np.random.default_rng(1)
    code = random.integers(0, groups, rows)
    shared = random.normal(size=(groups, 3))[code]
    truth = np.argmax(shared * 0.7 + random.gumbel(size=(rows, 3)), 1)
    odds = shared * 0.5 + random.normal(size=(rows, 3)) / 2
    odds[np.arange(rows), truth] += 1
    scores = np.exp(odds) / np.exp(odds).sum(1, keepdims=True)
    flags = shared / 2 + random.normal(size=(rows, 3)) > 0.3
    guess = random.random((rows, 3)) < 0.75
    names = np.array(["x", "y", "z"])
    return pl.DataFrame(
        {
            "k": names[truth],
            "m": names[np.where(random.random(rows) < 0.6, truth, random.integers(0, 3, rows))],
            "n": names[np.where(random.random(rows) < 0.5, truth, random.integers(0, 3, rows))],
            "patient": [f"p{k}" for k in code],
            "site": random.integers(0, 2, rows).astype(str),
            "fold": (code % 7 * random.integers(1, 3, rows)).astype(str),
            **{f"s{k}": scores[:, k] for k in range(3)},
            **{f"y{k}": flags[:, k] for k in range(3)},
            **{f"l{k}": (flags[:, k] * 0.4 + random.random(rows) * 0.6).round(3) for k in range(3)},
            **{f"b{k}": flags[:, k] == guess[:, k] for k in range(3)},
        }
    )


def by_name(prefix: str, names: str) -> dict[str, str]:
    return {name: f"{prefix}{k}" for k, name in enumerate(names)}


SEVERAL: dict[str, dict[str, Any]] = {
    "classes": {
        "task": "multiclass",
        "truth": "k",
        "models": {"a": {"scores": by_name("s", "xyz")}, "m": {"label": "m"}, "n": {"label": "n"}},
    },
    "labels": {
        "truth": by_name("y", "uvw"),
        "models": {"l": {"scores": by_name("l", "uvw")}, "b": {"labels": by_name("b", "uvw")}},
    },
}
OF_CELLS = {"auc", "average_precision"}
"""Measures whose limits need the places of scores by group."""


@breadth("columns", [{}, {"fold": "fold"}], [{"fold": "fold"}], ids=["one test", "folds"])
@pytest.mark.parametrize("task", SEVERAL)
def test_classes_and_labels_in_groups_have_the_limits_of_the_exact_engine(tmp_path, task, columns):
    data = written(classified(), tmp_path / "p.parquet")
    more = {
        "slices": ["site"],
        "columns": columns,
        "comparisons": {"margin": 0.05},
        **SEVERAL[task],
    }
    rows, counts = (evaluate(spec(data, e, **dict(more))) for e in ("exact", "streaming"))

    assert_same_limits(rows, counts, OF_CELLS)
    assert rows.comparisons.height > 1
    tests = [one.comparisons.select(FIELDS) for one in (rows, counts)]
    assert_frame_equal(*tests, rel_tol=1e-9)
    gaps = [one.gaps.filter(~pl.col("metric").is_in(OF_CELLS)) for one in (rows, counts)]
    assert gaps[0]["p_value"].count()
    assert_frame_equal(*(g.select("metric", "model", "gap", "p_value") for g in gaps))
    assert counts.data["evaluation"] == rows.data["evaluation"]
    for one, other in zip(
        rows.data["groups"]["measures"], counts.data["groups"]["measures"], strict=True
    ):
        assert other == pytest.approx(one)


@breadth("task", SEVERAL, ["labels"])
def test_classes_and_labels_in_groups_may_lie_in_several_shards(tmp_path, task):
    frame = classified(200)

    def of_task(data: Any) -> dict[str, Any]:
        return spec(data, **SEVERAL[task])

    assert_parts_add_up(tmp_path, frame, (frame[:90], frame[90:]), of_task)


@pytest.mark.parametrize(("unit", "kind"), [(1, pl.Int64), (2**60, pl.Int128)])
def test_lines_of_several_ranges_add_up_to_those_of_all_at_once(unit: int, kind: type[pl.DataType]):
    """Lines in any order, of parts that have some in common, each with sums that others lack.

    Sums take 64 bits where these are enough, as they are for each part by itself.
    """
    random = np.random.default_rng(2)
    lines = random.integers(0, 2**64, 60_000, dtype=np.uint64)
    picked = [random.permutation(lines)[:40_000] for _ in range(3)]
    tables = [
        pl.DataFrame({"line": some, "group": some ^ np.uint64(7)}).with_columns(
            pl.Series(f"{k % 2} sum", random.integers(0, 8, len(some)) * unit, dtype=pl.Int64)
        )
        for k, some in enumerate(picked)
    ]
    sums = [pl.col(f"{k} sum").cast(pl.Int128).sum().cast(t) for k, t in ((0, kind), (1, pl.Int64))]
    whole = pl.concat(tables, how="diagonal").group_by("line", "group").agg(*sums).sort("line")

    assert_frame_equal(added("group_sums", tables), whole)
