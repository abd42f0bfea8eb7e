"""One rule orders the two models of a difference: the leader first, a declared baseline last."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.charts import figures
from reportgen.results import Results, evaluate
from reportgen.sections import comparisons, lookup
from tests.quick import QUICK

ROWS = 120
RNG = np.random.default_rng(5)
TRUTH = RNG.random(ROWS) < 0.45
NUMBER = RNG.normal(size=ROWS)
FRAME = pl.DataFrame(
    {
        "y": TRUTH,
        "t": NUMBER,
        "id": np.arange(ROWS),
        "f": np.arange(ROWS) % 5,
        "g": np.arange(ROWS) // 3,
        **{f"s{k}": TRUTH * s + RNG.normal(size=ROWS) for k, s in enumerate((0.6, 1.4, 1.0))},
        **{f"e{k}": NUMBER + s * RNG.normal(size=ROWS) for k, s in enumerate((0.9, 0.3, 0.5))},
    }
)
TABLE = pl.DataFrame(
    [
        {"set": f"d{i}", "model": f"s{k}", "value": 0.7 + 0.03 * k + 0.02 * RNG.normal()}
        for i in range(12)
        for k in range(3)
    ]
)

BINARY: dict[str, Any] = {"truth": "y", **QUICK}
CASES: dict[str, dict[str, Any]] = {
    "rows": BINARY | {"comparisons": {"margin": 0.2}},
    "folds": BINARY | {"columns": {"id": "id", "fold": "f"}, "comparisons": {"rope": 0.01}},
    "groups": BINARY | {"columns": {"group": "g"}},
    "numbers": {"truth": "t", "task": "regression", **QUICK},
    "data sets": {
        "task": "comparison",
        "measure": "accuracy",
        "columns": {"dataset": "set", "model": "model", "value": "value"},
    },
}
EVERY = pytest.mark.parametrize("case", CASES)

SKIPPED = {"models", "verdict", "assumptions", "null_hypothesis", "caveats", "p_report"}
"""Texts, and a p that ties between tests may share otherwise."""


@cache
def evaluated(case: str, names: str, baseline: str | None = None) -> Results:
    spec, frame = dict(CASES[case]), FRAME
    if case == "data sets":
        frame = TABLE.sort(
            pl.col("model").replace_strict({n: i for i, n in enumerate(names.split())})
        )
    elif case == "numbers":
        names = names.replace("s", "e")
        spec["models"] = {name: {"estimate": name} for name in names.split()}
    else:
        spec["models"] = {name: {"score": name} for name in names.split()}
    if baseline is not None:
        spec["baseline"] = baseline
    return evaluate(spec, frame)


@EVERY
def test_every_difference_of_the_leader_has_it_first(case):
    results = evaluated(case, "s0 s1 s2")
    leader = results.decision.leader
    pairs = [row for row in results.comparisons.to_dicts() if len(row["models"]) == 2]

    assert leader != "s0"
    assert leader in {row["models"][0] for row in pairs}
    assert leader not in {row["models"][1] for row in pairs}
    for row in results.differences.to_dicts():
        assert row["models"][1] != leader
    others = [m.difference for m in results.decision.models if m.difference is not None]
    if results.decision.measure in ("auc", "accuracy"):
        assert all(difference > 0 for difference in others)
    else:
        assert all(difference < 0 for difference in others)
    assert f"{leader} − " in results.decision.sentence


@EVERY
def test_a_declared_baseline_is_second_even_where_it_leads(case):
    leader = str(evaluated(case, "s0 s1 s2").decision.leader).replace("e", "s")
    results = evaluated(case, "s0 s1 s2", leader) if case != "numbers" else _numbers(leader)
    baseline = results.decision.baseline

    assert baseline == results.decision.leader
    for row in [*results.comparisons.to_dicts(), *results.differences.to_dicts()]:
        assert len(row["models"]) != 2 or row["models"][0] != baseline
    assert f" − {baseline}: " in results.decision.sentence
    assert f"{baseline} − " not in results.decision.sentence


def _numbers(leader: str) -> Results:
    return evaluated("numbers", "s0 s1 s2", leader.replace("s", "e"))


@EVERY
def test_the_order_in_which_models_are_declared_changes_no_number(case):
    """A reversed test is the test of the reversed pair, for every test of two models."""
    first, second = (evaluated(case, names) for names in ("s0 s1 s2", "s2 s1 s0"))
    of = {_key(row): row for row in second.comparisons.to_dicts()}

    compared = [row for row in first.comparisons.to_dicts() if len(row["models"]) == 2]
    assert compared
    for row in compared:
        other = of[_key(row)]
        for name in row.keys() - SKIPPED:
            value = row[name]
            if isinstance(value, float | list):
                is_simulated = row["comparison"] == "bayesian_signed_rank"
                value = pytest.approx(value, rel=1e-9, abs=0.02 if is_simulated else 1e-12)
            assert other[name] == value, (row["comparison"], name)
        if row["comparison"] != "bayesian_signed_rank":
            assert other["verdict"] == row["verdict"]


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return (row["comparison"], row["metric"], *row["models"])


def test_the_figure_and_the_table_of_tests_name_pairs_as_page_one_does():
    results = evaluated("rows", "s0 s1 s2")
    figure = next(f for f in figures(results) if f.id == "differences")
    shown = comparisons.table_of_tests(results, [r for r in lookup.compared(results) if r.p_value])

    assert {pair.split(" − ")[0] for pair in figure.table["Pair"]} == {"s1", "s2"}
    assert not any("s2 − s1" in str(row.group) + str(row.cells) for row in shown.rows)
