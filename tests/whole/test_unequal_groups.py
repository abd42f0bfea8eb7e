"""Few groups of unequal size: no gate passes by limits that do not hold, and no gap is tested."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.measuring.cell_effects import CellTable, effects_of_cells
from reportgen.measuring.metric_set import MetricSet
from reportgen.metric_names import CELLS
from reportgen.metrics import METRICS
from tests.quick import QUICK

GATES = ["a.auc.low >= 0.55", "a.auc - b.auc > -0.2", "a.recall by site >= 0.2", "a.auc >= 1.0"]


def _results(sizes: list[int]) -> reportgen.Results:
    random = np.random.default_rng(4)
    site = np.repeat([f"s{k}" for k in range(len(sizes))], sizes)
    truth = random.integers(0, 2, len(site))
    score = {m: 1 / (1 + np.exp(1 - 2 * truth + random.normal(size=len(site)))) for m in "ab"}
    frame = pl.DataFrame({"y": truth, "site": site, "half": np.arange(len(site)) % 2, **score})
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}, "gates": GATES, **QUICK}
    return reportgen.evaluate(
        spec | {"columns": {"group": "site"}, "slices": ["site", "half"]}, frame
    )


def _states(results: reportgen.Results, gate: str) -> set[str]:
    return {row["state"] for row in results.gates.to_dicts() if row["gate"] == gate}


def test_limits_of_few_unequal_groups_pass_no_gate():
    unequal, equal = _results([400, *[40] * 8]), _results([80] * 9)

    for gate in GATES[:2]:
        assert _states(unequal, gate) == {"inconclusive"}
        assert _states(equal, gate) == {"pass"}
    why = unequal.gates["why"][0]
    assert why.startswith("the 9 groups are worth 3")
    assert why.endswith("from 5 on")
    assert _states(unequal, GATES[3]) == {"fail"}


def test_a_slice_of_one_group_has_no_limits_and_passes_no_gate():
    assert _states(_results([80] * 9), GATES[2]) == {"inconclusive"}


@pytest.mark.parametrize(("sizes", "tested"), [([400, *[40] * 8], False), ([80] * 9, True)])
def test_gaps_of_few_unequal_groups_are_not_tested(sizes, tested):
    gaps = _results(sizes).gaps.filter(pl.col("slicing").list.contains("half"), metric="auc")

    assert gaps.height == 2
    assert gaps["p_value"].is_not_null().all() == tested
    assert gaps["untested"].is_null().all() == tested


HOSPITALS = [
    [42, 21, 4, 15, 4, 4, 1, 2],
    [5, 16, 7, 19, 0, 18, 3, 2],
    [233, 24, 9, 3, 17, 3, 7, 4],
    [1120, 119, 100, 53, 59, 35, 29, 22],
]
"""True and false positives, false and true negatives by hospital, the first with 70 % of rows."""


def test_measures_of_one_table_say_the_same_of_guessing():
    """By the robust variance alone the limits of MCC leave out 0 and those of informedness do not.

    Its degrees of freedom and its size are those of what the largest group does by chance.
    """
    cells = np.array(HOSPITALS, np.float64)
    counted = cells.sum(axis=1)
    table = CellTable(cells, np.ones(8), counted, counted)
    measures = [METRICS[name] for name in ("informedness", "mcc", "cohen_kappa")]
    counts = pl.DataFrame(dict(zip(CELLS, counted[:, None], strict=True)))
    counts = counts.with_columns(pl.all().name.suffix("2"))

    effects = effects_of_cells([table], measures, {})
    [limits] = MetricSet(measures, 0.95).of_counts(counts, effects)

    assert all(low < 0 < value < high for value, low, high in limits.values())


def test_a_group_with_a_large_part_of_the_rows_is_named_and_powers_are_of_groups():
    random = np.random.default_rng(6)
    sizes = [240, *[8] * 39]
    group = np.repeat(np.arange(40), sizes)
    truth = random.random(len(group)) < 0.5
    frame = pl.DataFrame({"y": truth, "g": group})
    frame = frame.with_columns(
        pl.Series(name, truth + random.normal(size=len(group))) for name in ("a", "b")
    )
    models = {name: {"score": name} for name in ("a", "b")}
    spec = {"truth": "y", "models": models, "columns": {"group": "g"}, **QUICK}

    def said(rows: pl.DataFrame) -> list[str]:
        decision = reportgen.evaluate(spec, rows).decision
        assert " rows the smallest detectable" not in decision.sentence
        return [c.text for c in decision.caveats if c.code == "large_group"]

    assert said(frame) == [
        "One of the 40 groups has 43\N{NO-BREAK SPACE}% of the rows: values depend on it, and "
        "limits "
        "by group are wide."
    ]
    assert said(frame.filter(pl.col("g") > 0)) == []
