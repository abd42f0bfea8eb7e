"""Rows in groups, counted: every closed form over sums by group is that of rows in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen import evaluate
from reportgen.clusters import Groups, intraclass_correlation, mean_effect
from reportgen.comparing import differences as row_differences
from reportgen.comparisons import Question
from reportgen.comparisons.grouped import mcnemar_groups
from reportgen.comparisons.grouped_claims import cochran_groups, rao_scott
from reportgen.engines.cache import Cache
from reportgen.engines.shards import count_shard
from reportgen.errors import DataError, SpecError
from reportgen.predictions import inputs
from reportgen.progress import silent
from reportgen.results.binned.grouped_shares import NO_FOLDS, NO_PLACES
from reportgen.sample_design import SampleDesign
from reportgen.spec import from_dict
from tests.breadth import breadth
from tests.engine_data import close, numbers, written
from tests.quick import QUICK

WITHOUT_LIMITS = {
    "average_precision",
    "pr_auc",
    "ks_statistic",
    "maximal_informedness",
    "expected_total_cost",
    "calibration_slope",
    "calibration_intercept",
    "calibration_in_the_large",
}
"""Measures that need the scores of each group."""


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")


def grouped_rows(number: int = 900, groups: int = 60) -> pl.DataFrame:
    """Rows of patients, some of whom have no name; scores of three digits, so cells are exact."""
    random = np.random.default_rng(1)
    code = random.integers(0, groups, number)
    shared = random.normal(size=groups)[code]
    truth = random.random(number) < 1 / (1 + np.exp(1 - shared))
    noise = random.normal(size=(2, number)) + truth + np.outer([0.5, 0.2], shared) - 1
    a, b = (1 / (1 + np.exp(-noise))).round(3).clip(0.001, 0.999)
    return pl.DataFrame(
        {
            "y": np.where(truth, "ill", "well"),
            "a": a,
            "b": b,
            "c": np.where(b > 0.4, "ill", "well"),
            "patient": [f"p{k}" if k else None for k in code],
            "site": random.integers(0, 3, number).astype(str),
            "fold": (code % 7 * random.integers(1, 3, number)).astype(str),
            "role": random.choice(["test", "test", "train"], number),
            "w": random.choice([0.5, 2.0], number),
        }
    )


def spec(data: Any, engine: str, **more: Any) -> dict[str, Any]:
    columns = {"group": "patient", **more.pop("columns", {})}
    return {
        "data": data,
        "truth": "y",
        "positive": "ill",
        "models": {"a": {"score": "a"}, "b": {"score": "b"}, "c": {"label": "c"}},
        "columns": columns,
        "engine": engine,
        **QUICK,
        **more,
    }


def assert_alike(one: pl.DataFrame, other: pl.DataFrame, fields: list[str]) -> None:
    assert one.height
    assert_frame_equal(one.select(fields), other.select(fields), rel_tol=1e-9, abs_tol=1e-12)


def test_rows_in_groups_have_the_intervals_and_tests_of_the_exact_engine(tmp_path, monkeypatch):
    """Of many rows: of few the exact one allows for losses that these may lack."""
    monkeypatch.setattr(row_differences, "MOST_ROWS", 0)
    data = str(written(grouped_rows(), tmp_path / "p.parquet"))
    more = {
        "intervals": {},
        "slices": ["site"],
        "costs": {"false_negative": 5, "false_positive": 1},
        "comparisons": {"margin": 0.05, "claims": ["a.accuracy >= 0.8", "b.recall <= 0.3"]},
    }
    rows, counts = (evaluate(spec(data, engine, **more)) for engine in ("exact", "streaming"))

    expected, result = numbers(rows), numbers(counts)
    assert expected.keys() == result.keys()
    for key, row in result.items():
        assert close(row["value"], expected[key]["value"]), key
        if key[0] not in WITHOUT_LIMITS:
            assert close(row["low"], expected[key]["low"]), key
            assert close(row["high"], expected[key]["high"]), key
            assert row["interval"] == expected[key]["interval"]
    tests = ["comparison", "models", "statistic", "df", "p_value", "estimate", "low", "high"]
    of_costs = pl.col("comparison") == "expected_cost_groups"
    assert_alike(rows.comparisons.filter(~of_costs), counts.comparisons.filter(~of_costs), tests)
    assert counts.comparisons.filter(of_costs)["undefined"].to_list() == [NO_FOLDS]
    assert rows.gaps.filter(metric="auc")["p_value"].count() == 2
    assert_alike(rows.gaps, counts.gaps, ["metric", "model", "gap", "p_value", "p_adjusted"])
    limited = rows.differences.filter(
        pl.col("low").is_not_null(), pl.col("metric") != "expected_total_cost"
    )
    keys = ["metric", "models"]
    both = limited.select(keys).join(counts.differences, on=keys, maintain_order="left")
    assert_alike(limited, both, [*keys, "value", "low", "high", "interval", "basis"])
    assert counts.data["evaluation"] == rows.data["evaluation"]
    for one, other in zip(
        counts.data["groups"]["measures"], rows.data["groups"]["measures"], strict=True
    ):
        assert one == pytest.approx(other)


@breadth("columns", [{"fold": "fold"}, {"role": "role"}], 1)
def test_groups_on_both_sides_are_known_from_counts(tmp_path, columns):
    data = str(written(grouped_rows(), tmp_path / "p.parquet"))
    rows, counts = (evaluate(spec(data, e, columns=columns)) for e in ("exact", "streaming"))

    keys = ("scheme", "groups", "groups_on_both_sides", "independent_unit", "independent_units")
    assert rows.data["evaluation"]["groups_on_both_sides"] > 5
    assert all(counts.data["evaluation"][k] == rows.data["evaluation"][k] for k in keys)


def test_groups_may_lie_in_several_files_or_shards(tmp_path):
    """The same to the last digit; counts alone have no places of scores, which areas need."""
    frame = grouped_rows().with_columns(pl.col("patient").fill_null("p0"))
    counted = []
    whole = evaluate(
        spec(str(written(frame, tmp_path / "all.parquet")), "streaming", slices=["site"])
    )
    files = []
    for k, part in enumerate((frame[:200], frame[200:])):
        files.append(str(written(part, tmp_path / f"{k}.parquet")))
        of_shard = from_dict(spec(files[-1], "streaming", slices=["site"]))
        _, content = count_shard(of_shard, *inputs(of_shard), Cache(None), silent)
        counted.append(str(tmp_path / f"{k}.counts"))
        (tmp_path / f"{k}.counts").write_bytes(content)

    parts, shards = (
        evaluate(spec(data, "streaming", slices=["site"])) for data in (files[::-1], counted)
    )

    assert parts.metrics.equals(whole.metrics)
    assert parts.comparisons.equals(whole.comparisons)
    assert parts.gaps.equals(whole.gaps)
    assert whole.gaps.filter(metric="auc")["p_value"].count() == 2
    of_areas = pl.col("metric").is_in(["auc", "rank_loss", "gini"])
    assert shards.metrics.filter(~of_areas).equals(whole.metrics.filter(~of_areas))
    assert shards.metrics.filter(of_areas)["low"].null_count() > 0
    assert NO_PLACES in shards.comparisons["undefined"].to_list()


def test_a_file_of_rows_in_groups_may_lack_a_class(tmp_path):
    frame = grouped_rows().with_columns(pl.col("patient").fill_null("p0")).sort("y")
    classes = frame.partition_by("y", maintain_order=True)
    files = [str(written(part, tmp_path / f"{k}.parquet")) for k, part in enumerate(classes)]
    whole = evaluate(spec(str(written(frame, tmp_path / "all.parquet")), "streaming"))

    parts = evaluate(spec(files, "streaming"))

    assert parts.metrics.equals(whole.metrics)
    assert parts.comparisons.equals(whole.comparisons)


def test_single_rows_as_groups_are_independent(tmp_path):
    frame = grouped_rows().with_columns(patient=pl.int_range(pl.len()))
    data = str(written(frame, tmp_path / "p.parquet"))
    grouped, plain = spec(data, "streaming"), spec(data, "streaming")
    del plain["columns"]

    one, other = evaluate(grouped), evaluate(plain)

    assert one.metrics.equals(other.metrics)
    assert one.data["groups"]["number"] == 900


def test_what_of_groups_is_not_counted_is_refused(tmp_path, monkeypatch):
    data = str(written(grouped_rows(), tmp_path / "p.parquet"))
    with pytest.raises(SpecError, match="weighted rows in groups"):
        evaluate(spec(data, "streaming", columns={"weight": "w"}))
    monkeypatch.setattr("reportgen.engines.group_counting.MOST_LINES", 100)
    with pytest.raises(DataError, match="more than 100 kinds"):
        evaluate(spec(data, "streaming"))


def test_lines_stand_for_rows():
    """Every form over groups gives of lines what it gives of the rows that they stand for."""
    random = np.random.default_rng(0)
    code, flags = random.integers(0, 30, 400), random.random((3, 400)) < 0.6
    rows = pl.DataFrame({"group": code, **dict(zip("abc", flags, strict=True))})
    lines = rows.group_by(pl.all()).len().sort(pl.all())
    of_rows = Groups(code, 30)
    of_lines = Groups(lines["group"].to_numpy(), 30, lines["len"].cast(pl.Float64).to_numpy())
    question = Question(("a", "b"), "accuracy")

    def forms(frame: pl.DataFrame, groups: Groups) -> list[float | None]:
        a, b, c = (frame[name].to_numpy() for name in "abc")
        value, effect = mean_effect(a.astype(float), groups) or (0.0, None)
        return [
            value,
            effect and effect.design,
            intraclass_correlation(a, groups),
            mcnemar_groups((a, b), groups, question).p_value,
            cochran_groups([a, b, c], groups, question).p_value,
            rao_scott(a, SampleDesign(groups=groups), 0.5, Question(("a",), "accuracy")).p_value,
        ]

    assert lines.height < 200
    assert forms(lines, of_lines) == pytest.approx(forms(rows, of_rows), rel=1e-9)
