"""Few groups of unequal size: no gate passes by limits that do not hold, and no gap is tested."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
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
