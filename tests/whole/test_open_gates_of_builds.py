"""Why gates are open, where some are against earlier builds and others are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.sections.gates import gates_table
from tests.quick import QUICK

MET = "the value meets the limit, but part of its interval does not"


def notes() -> list[str]:
    """One gate whose value meets its limit, and one against a build, whose difference does not."""
    random = np.random.default_rng(2)
    truth = random.random(100) < 0.5
    frame = pl.DataFrame({"y": truth, "p": truth + random.normal(size=100)})
    gates = ["m.recall >= 0.5", "m.auc >= previous - 0.01"]
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "gates": gates, **QUICK}
    results = evaluate(spec, frame)
    against = pl.col("gate").str.contains("previous")
    seen = {"observed": -0.05, "low": -0.09, "high": -0.004, "confidence": 0.999}
    rows = results.gates.with_columns(
        **{
            name: pl.when(against).then(value).otherwise(pl.col(name))
            for name, value in seen.items()
        },
        why=pl.when(against).then(None).otherwise(pl.lit(MET)),
        state=pl.lit("inconclusive"),
    )
    return list(gates_table(replace(results, gates=rows)).notes)


def test_the_reason_of_one_gate_is_not_given_for_those_against_builds():
    assert f"Inconclusive, m.recall >= 0.5: {MET}." in notes()


def test_open_gates_against_a_build_are_explained():
    assert (
        "A gate against one build fails where the whole interval misses the limit, and is "
        "inconclusive where part of it does."
    ) in notes()
