"""Trends are part of the results: earlier values, limits, marks, and a change that adds up."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from reportgen.builds import accept, build
from reportgen.charts.trends import figures, usual_changes
from reportgen.history.mix import is_mean, split
from reportgen.results import Results
from tests.page_text import page_text

SPEC = """
name: night
data: rows.csv
truth: y
positive: "1"
models: {m: {score: p}, other: {score: q}}
columns: {id: id}
slices: [site]
bootstrap: {replicates: 0}
intervals: {ratios: delta}
history: {least: 3}
gates: [m.auc within history, m.accuracy >= previous - 0.05]
sections: [verdict, trend]
output: {formats: [json]}
"""


def rows(seed: int, shares: tuple[float, float, float]) -> pl.DataFrame:
    """A night with a hard site, and other sites than the night before."""
    rng, m = np.random.default_rng(seed), 300
    site, y = rng.choice(["a", "b", "c"], m, p=shares), rng.random(m) < 0.4
    z = rng.normal(size=m) + np.where(site == "c", 0.2, 1.5) * (y - 0.5)
    sides = {"p": 1 / (1 + np.exp(-2 * z)), "q": 1 / (1 + np.exp(-z))}
    ids = [f"{seed}-{k}" for k in range(m)]
    return pl.DataFrame({"id": ids, "y": y.astype(int), "site": site, **sides})


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> list[Results]:
    folder = tmp_path_factory.mktemp("nights")
    spec = folder / "report.yaml"
    spec.write_text(SPEC)
    result = []
    for night in range(5):
        shares = (0.2, 0.2, 0.6) if night == 4 else (0.5, 0.3, 0.2)
        rows(night, shares).write_csv(folder / "rows.csv")
        if night == 3:
            spec.write_text(SPEC.replace("0.05", "0.04"))
        done = build(spec, date=dt.date(2026, 1, 1 + night))
        result.append(done.results)
        if night == 1:
            accept(done.path, "first good one")
    return result


def test_a_first_build_has_no_trend(nights: list[Results]) -> None:
    assert nights[0].trends is None
    assert '"trends"' not in nights[0].to_json()


def test_a_trend_has_the_values_of_the_builds_themselves(nights: list[Results]) -> None:
    trends = nights[-1].trends
    assert trends is not None
    auc, accuracy = trends.numbers
    assert (auc.number, accuracy.number) == ("m.auc", "m.accuracy")
    assert [p.value for p in auc.points] == [one.numbers("m")["auc"] for one in nights]
    assert [p.date for p in auc.points] == [f"2026-01-0{day}" for day in range(1, 6)]
    assert auc.points[-1].build is None
    assert [p.accepted for p in auc.points] == [None, "first good one", None, None, None]
    assert [p.limit is None for p in auc.points] == [True, True, True, True, False]
    assert all(p.limit is None for p in accuracy.points)
    assert ["spec" in p.changed for p in auc.points] == [False, False, False, True, False]
    assert usual_changes(auc) == {"test rows"}


def test_a_change_is_the_sum_of_its_parts(nights: list[Results]) -> None:
    assert nights[-1].trends is not None
    (change,) = nights[-1].trends.changes
    total = nights[-1].numbers("m")["accuracy"] - nights[-2].numbers("m")["accuracy"]
    assert change.metric == "accuracy"  # an area is no mean over slices
    assert change.mix + change.within == pytest.approx(total, abs=1e-12)
    assert change.mix < -0.02  # the hard site has three times as many rows
    assert {part.slice for part in change.slices} == {f"site = {name}" for name in "abc"}


def test_results_alone_give_the_same_section(nights: list[Results]) -> None:
    again = Results.from_json(nights[-1].to_json())
    assert again.trends == nights[-1].trends
    page = page_text(again)
    assert page == page_text(nights[-1])
    assert "5 builds from 2026-01-01 to 2026-01-05" in page
    assert "S spec" in page
    assert "D test rows" not in page
    assert [figure.id for figure in figures(again)] == ["trend_0", "trend_1"]


def test_a_slice_of_one_side_only_changes_the_mix() -> None:
    then, now = {"a": (1.0, 0.9)}, {"a": (0.5, 0.9), "b": (0.5, 0.5)}
    parts = split(then, now)
    assert sum(part.mix for part in parts.values()) == pytest.approx(0.7 - 0.9)
    assert all(part.within == 0 for part in parts.values())
    assert is_mean(now, 0.7)


def test_other_rows_in_the_same_slices_change_within() -> None:
    parts = split({"a": (0.5, 0.9), "b": (0.5, 0.7)}, {"a": (0.5, 0.8), "b": (0.5, 0.7)})
    assert parts["a"].within == pytest.approx(-0.05)
    assert all(part.mix == 0 for part in parts.values())


def test_the_trend_of_a_chinese_report_is_in_chinese(nights: list[Results]) -> None:
    results = replace(nights[-1], spec={**nights[-1].spec, "language": "zh"})
    page = page_text(results)
    text = re.sub("<(script|style|svg).*?</\\1>|<[^>]*>", "\n", page, flags=re.DOTALL)

    assert "5 次构建" in text
    assert re.findall(r"[^\n]*\b(?:builds?|since|change|history;|share)\b[^\n]*", text) == []
