"""Gates against earlier builds of a spec that does not say how often it is built."""

import polars as pl

from reportgen.results import evaluate
from reportgen.sections.gates import gates_table
from tests.quick import QUICK


def test_a_gate_against_the_previous_build_counts_daily_builds():
    frame = pl.DataFrame({"y": [0, 1] * 20, "p": [index / 40 for index in range(40)]})
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "gates": ["m.auc >= previous - 0.01"]}
    notes = " ".join(gates_table(evaluate({**spec, **QUICK}, frame)).notes)

    assert "1 false alarm a year together, with a build every day." in notes
