"""Gates over few data sets at the true value: ``… tests.simulations.gates_over_data_sets 200``.

Two models that are alike on average, on data sets in each of which one or the other separates the
classes better. Of each gate, which is just met or missed, the share of reports in which it passes,
and of those in which it fails; and the share in which limits of pooled rows alone would pass it.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from reportgen.spec.gates import parse
from tests.quick import QUICK
from tests.simulations.further_winners import SETS, in_data_sets
from tests.simulations.whole_reports import scored

NUMBERS, ROWS, PREVALENCE = (5, 8, 12), 40, 0.4
POPULATION = 2500
"""Data sets of the sample that says what is true."""

SINGLE = ("auc", "accuracy", "f1", "brier_score")
DIFFERENCES = tuple(f"a.{name} - b.{name} > 0" for name in ("auc", "accuracy", "f1"))


def report(sets: int, random: np.random.Generator, *gates: str) -> Results:
    """The report of so many data sets."""
    frame = in_data_sets(sets, ROWS, PREVALENCE)(random)
    spec = {**scored(gates=list(gates)), "data": "frame", "columns": SETS, **QUICK}
    return evaluate(spec, frame)


@cache
def gates() -> tuple[str, ...]:
    """Those on one model at its true value, whose mean over data sets is that of pooled rows."""
    frame = in_data_sets(POPULATION, ROWS, PREVALENCE)(np.random.default_rng(5))
    spec = {**scored("a"), "data": "frame", "columns": SETS, **QUICK}
    values = evaluate(spec, frame).metrics.filter(
        pl.all_horizontal(pl.col("slice", "class").is_null())
    )
    single = []
    for name in SINGLE:
        of_metric = values.filter(metric=name)
        over_sets = of_metric.filter(average="folds")["value"].to_list()
        pooled = of_metric.filter(pl.col("average").is_null())["value"].item()
        op = "<=" if name == "brier_score" else ">="
        single.append(f"a.{name} {op} {over_sets[0] if over_sets else pooled!r}")
    return (*single, *DIFFERENCES)


def counted(sets: int, runs: int) -> Counter[tuple[str, str]]:
    """How often each gate is in each state, and meets its limit by pooled rows alone."""
    counts: Counter[tuple[str, str]] = Counter()
    for run in range(runs):
        results = report(sets, np.random.default_rng([sets, run]), *gates())
        for row in results.gates.iter_rows(named=True):
            counts[row["gate"], row["state"]] += 1
            counts[row["gate"], f"on {row['basis']}"] += 1
            counts[row["gate"], "by pooled rows"] += by_pooled_rows(row["gate"], results)
    return counts


def by_pooled_rows(text: str, results: Results) -> bool:
    """Whether the limits of all rows meet a gate."""
    gate = parse(text)
    if gate.right is None:
        rows = results.metrics.filter(
            pl.all_horizontal(pl.col("slice", "class", "average").is_null()),
            metric=gate.left.metric,
            model=gate.left.model,
        )
        return all(gate.holds(end) for end in rows.select("low", "high").row(0))
    rows = results.differences.filter(metric=gate.left.metric, basis="pooled rows").drop_nulls(
        "low"
    )
    ends = [end for row in rows.select("low", "high").rows() for end in row]
    signs = {models[0] for models in rows["models"].to_list()}
    sign = 1 if signs == {gate.left.model} else -1
    return bool(ends) and all(gate.holds(sign * end) for end in ends)


def main(runs: str = "200") -> None:
    """Print a line per number of data sets and gate."""
    for sets in NUMBERS:
        counts = counted(sets, int(runs))
        for gate in gates():
            of_gate = {kind: n / int(runs) for (name, kind), n in counts.items() if name == gate}
            text = ", ".join(f"{kind} {share:.3f}" for kind, share in of_gate.items())
            print(f"{sets} data sets, {gate}: {text}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
