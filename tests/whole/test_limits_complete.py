"""Every number of a report has limits, or a reason why it has none, which the reader sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

import reportgen
from reportgen import tasks
from reportgen.measuring.no_interval import AT_BOUND, COUNT, OF_ONE_ERROR, OF_ONE_ROW, UNSTABLE
from reportgen.metrics import REGISTRY
from reportgen.results import Results
from reportgen.sections import sections
from reportgen.sections.tables import Cell, Note, Table
from tests.breadth import breadth

ROWS = 160
CLASSES = ("x", "y", "z")


@cache
def rows() -> pl.DataFrame:
    """Rows of every task, in groups and subgroups."""
    random = np.random.default_rng(7)
    kind = random.integers(0, 3, ROWS)
    number = np.exp(random.standard_normal(ROWS))
    columns: dict[str, Any] = {
        "kind": np.array(CLASSES)[kind],
        "number": number,
        "group": random.integers(0, 20, ROWS),
        "weight": random.integers(1, 4, ROWS),
        "day": np.arange(ROWS),
        "site": np.array(["p", "q"])[random.integers(0, 2, ROWS)],
    }
    for label in "uv":
        columns[label] = random.random(ROWS) < 0.4
    for model in "ab":
        for label in "uv":
            score = 2 * columns[label] - 1 + random.standard_normal(ROWS)
            columns[f"{model}_{label}"] = 1 / (1 + np.exp(-score))
        each = np.exp(random.standard_normal((ROWS, 3)) + np.eye(3)[kind])
        for place, name in enumerate(CLASSES):
            columns[f"{model}_{name}"] = each[:, place] / each.sum(1)
        near = number * np.exp(0.4 * random.standard_normal(ROWS))
        columns |= {f"{model}_number": near, f"{model}_low": 0.5 * near, f"{model}_high": 2 * near}
    return pl.DataFrame(columns)


def scores(model: str, names: str | tuple[str, ...]) -> dict[str, str]:
    return {name: f"{model}_{name}" for name in names}


def estimate(model: str) -> dict[str, str]:
    ends = {"low": f"{model}_low", "high": f"{model}_high"}
    return {"estimate": f"{model}_number", "quantile": 0.5, **ends}


TASKS: dict[str, dict[str, Any]] = {
    "binary": {
        "truth": "u",
        "models": {model: {"score": f"{model}_u"} for model in "ab"},
        "costs": {"false_negative": 3, "false_positive": 1},
    },
    "multiclass": {
        "truth": "kind",
        "models": {model: {"scores": scores(model, CLASSES)} for model in "ab"},
    },
    "multilabel": {
        "truth": {"u": "u", "v": "v"},
        "models": {model: {"scores": scores(model, "uv")} for model in "ab"},
    },
    "regression": {"truth": "number", "models": {model: estimate(model) for model in "ab"}},
}

DESIGNS: dict[str, dict[str, str]] = {
    "plain": {},
    "groups": {"group": "group"},
    "weights": {"weight": "weight"},
    "time": {"time": "day"},
}


@cache
def evaluated(task: str, design: str, measures: str | tuple[str, ...] = "all") -> Results:
    spec = {
        "data": "rows",
        "slices": ["site"],
        "columns": DESIGNS[design],
        "measures": measures,
        "bootstrap": {"replicates": 30},
        "intervals": {"bootstrap": "percentile"},
        **TASKS[task],
    }
    return reportgen.evaluate(spec, rows())


ALWAYS_UNSTABLE = {"top3_accuracy"}
"""Of three classes it is always 1."""


CASES = [
    (task, design)
    for task in TASKS
    for design in DESIGNS
    if design != "weights" or task == "multiclass"
]
QUICK = [
    *((task, "groups") for task in TASKS),
    ("binary", "plain"),
    ("regression", "plain"),
    ("multilabel", "time"),
    ("multiclass", "weights"),
]
"""Every task in groups, every other design of one or two tasks."""


@breadth(("task", "design"), CASES, QUICK)
def test_every_measure_has_limits_or_a_reason(task, design):
    """All rows, slices, classes and averages; and the general reason is that of few measures."""
    metrics = evaluated(task, design).metrics
    valued = metrics.filter(pl.col("value").is_not_null())
    without = valued.filter(pl.col("low").is_null())

    assert set(REGISTRY[task]) - set(metrics["metric"]) == set()
    assert without["no_interval"].null_count() == 0
    assert metrics["no_interval"].count() == without.height
    unstable = pl.col("no_interval").is_in([UNSTABLE, AT_BOUND]).fill_null(value=False)
    never = valued.group_by("metric").agg(unstable.all()).filter("no_interval")["metric"]
    assert set(never) <= ALWAYS_UNSTABLE


NAMED = {
    ("regression", "plain"): ("spearman_rho", "d2_absolute_error", "interval_width"),
    ("regression", "groups"): ("median_absolute_error",),
    ("multiclass", "plain"): ("brier_skill",),
    ("multilabel", "groups"): ("sample_f1",),
    ("binary", "groups"): ("average_precision",),
}


@breadth("case", NAMED, [*NAMED][2:4] + [*NAMED][:1], ids="-".join)
def test_a_measure_that_the_spec_names_has_limits_in_slices(case):
    """They hold the value; in groups they are those of whole groups."""
    named = pl.col("slice").is_not_null() & pl.col("metric").is_in(NAMED[case])
    of_all = pl.all_horizontal(pl.col("class", "average").is_null())
    in_slices = evaluated(*case, NAMED[case]).metrics.filter(named, of_all)

    assert set(in_slices["metric"]) == set(NAMED[case])
    assert in_slices["low"].null_count() == 0
    assert in_slices.select((pl.col("low") <= pl.col("value")).all()).item()
    assert in_slices.select((pl.col("value") <= pl.col("high")).all()).item()
    if "groups" in case:
        assert in_slices["interval"].str.contains("groups").all()


@breadth("task", TASKS, ["multiclass", "regression"])
def test_what_the_table_of_slices_prints_has_limits_in_groups(task):
    """Whatever measures the spec names; but for means of squares that are nearly those of a row."""
    metrics = evaluated(task, "groups", "core").metrics
    in_slices = metrics.filter(pl.col("slice").is_not_null(), pl.col("class").is_null())
    of_one = pl.col("no_interval").eq_missing(OF_ONE_ROW)
    without = in_slices.filter(pl.col("low").is_null() & ~of_one).select("metric", "average").rows()

    assert set(without) & set(tasks.TASKS[task].slice_measures) == set()
    assert set(in_slices.filter(of_one)["metric"]) <= set(OF_ONE_ERROR)
    assert in_slices.filter(of_one)["slice"].n_unique() < in_slices["slice"].n_unique()


def tables(value: Any) -> Iterator[Table]:
    """Every table of a section."""
    if isinstance(value, Table):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from tables(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from tables(getattr(value, field.name))


def without_limits(table: Table) -> Iterator[str]:
    """Cells in columns of intervals without limits and without a note, of their own or the row."""
    limited = [c.key for c in table.columns if "interval" in (c.spanner or "")]
    marks = {
        n.mark for n in table.notes if isinstance(n, Note) and n.text.startswith("No interval")
    }
    for row in table.rows:
        measure = row.cells.get("measure")
        of_row = measure.note if isinstance(measure, Cell) else None
        if marks & set((of_row or "").split(", ")):
            continue
        for key in limited:
            cell = row.cells.get(key)
            if not isinstance(cell, Cell) or cell.kind == "muted":
                continue
            if cell.low is None and cell.note is None:
                yield f"{table.id} {row.cells}"


@breadth(
    ("task", "design"), [(t, d) for t in TASKS for d in ("groups", "time")], QUICK[:4] + QUICK[6:7]
)
def test_a_printed_value_has_limits_or_a_footnote(task, design):
    """In every table whose columns promise an interval."""
    results = evaluated(task, design)
    of_report = [table for part in sections(results, ()) for table in tables(part)]

    assert of_report
    assert [cell for table in of_report for cell in without_limits(table)] == []


def test_a_count_is_said_to_be_one():
    counts = evaluated("binary", "plain").metrics.filter(no_interval=COUNT)

    assert set(counts["metric"]) == {"n", "tp", "fp", "fn", "tn"}
