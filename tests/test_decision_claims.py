"""What page one concludes from claims about one model."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from reportgen.sections import summary
from reportgen.sections.score_data import values
from reportgen.sections.score_tests import ScoreTests
from reportgen.sections.verdict import Verdict


def claims(frame: pl.DataFrame, **more: Any) -> Results:
    return evaluate(more, frame)


@cache
def claimed() -> Results:
    random = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "m": ["tree"] * 10,
            "s": [f"s{i}" for i in range(10)],
            "v": 0.13 + 0.02 * random.normal(size=10),
        }
    )
    columns = {"dataset": "s", "model": "m", "value": "v"}
    requested = ["tree.error_rate = 0.1", "tree.error_rate <= 0.15"]
    return claims(
        frame,
        task="comparison",
        measure="error_rate",
        columns=columns,
        comparisons={"claims": requested},
    )


def test_the_verdict_on_one_model_with_claims_is_that_of_the_claims():
    results = claimed()
    decision, section = results.decision, ScoreTests.from_results(results, [])

    assert decision.headline == "tree: 1 of the 2 claims is refuted"
    assert decision.sentence.startswith("The error rate of tree is above the claimed 0.1: ")
    assert "limits of the claims are not adjusted for multiplicity" in decision.sentence
    assert "not adjusted for the number of claims" in str(section.claims.notes)
    assert "The error rate of tree is above" in summary.text(results)


def test_one_model_has_no_rank_and_no_leader():
    results = claimed()
    tables = [
        Verdict.from_results(results, []).models,
        ScoreTests.from_results(results, []).ranks,
        *values(results),
    ]
    heads = [t.caption + str(t.notes) + str([c.label for c in t.columns]) for t in tables]
    printed = " ".join([*heads, summary.text(results)]).lower()

    assert "rank" not in printed
    assert " won" not in printed
    assert "lead" not in printed
    assert results.decision.models[0].mean_rank is None
