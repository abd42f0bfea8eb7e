"""Scores that seem to run the other way put no other model first."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from reportgen.sections import summary
from reportgen.sections.metric_table import MetricTable
from tests.page_text import without_chinese
from tests.quick import QUICK


def compared(distance: float, **more: object) -> Results:
    """A probability beside a distance, of which less is positive."""
    random = np.random.default_rng(6)
    truth = np.arange(600) % 2
    p = 1 / (1 + np.exp(0.4 - 0.8 * truth - random.normal(size=600)))
    frame = pl.DataFrame({"y": truth, "p": p, "dist": random.normal(size=600) - distance * truth})
    models = {name: {"score": name} for name in ("dist", "p")}
    spec = {"truth": "y", "models": models, "gates": ["p.auc - dist.auc > 0"], **QUICK}
    return evaluate({**spec, **more}, frame)


def test_no_model_beats_one_that_may_be_as_good_the_other_way_round():
    decision = compared(0.8).decision
    start, _, why = decision.headline.partition(": ")
    severe = [c.text for c in decision.caveats if c.severity == "severe"]

    assert (decision.state, decision.relation) == ("inconclusive", "no conclusion")
    assert start == "No conclusion on which model is better"
    assert why.startswith("the AUC of dist is 0.2")
    assert why.endswith(" if its scores run the other way")
    assert severe[0].startswith("The scores of dist seem to run the other way, ")
    assert any("check which class is positive" in caveat.text for caveat in decision.caveats)
    assert not without_chinese(compared(0.8), [decision.headline, *severe])


@pytest.mark.parametrize("distance", [-0.1, 0.2])
def test_a_model_that_is_worse_either_way_is_beaten(distance):
    decision = compared(distance).decision

    assert decision.headline.startswith("p beats dist: AUC 0.")
    assert decision.state == "pass"


def test_scores_that_are_negated_are_compared():
    decision = compared(-1.5).decision

    assert decision.headline.startswith("dist beats p: AUC 0.")


def test_nothing_else_says_that_a_misread_model_has_lost():
    results = compared(0.8)
    marked = "No value is in bold: the outputs of dist seem to run the other way."

    assert not [c.text for c in results.decision.caveats if "significantly ahead" in c.text]
    assert MetricTable.of(results).best(("auc", None)) is None
    assert marked in summary.text(results)
    assert not without_chinese(results, [marked])
