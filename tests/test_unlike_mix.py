"""Models on rows of their own: what the mix of a declared slice explains is no conclusion."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.records.model import Results
from reportgen.results import evaluate
from reportgen.translation import translator
from tests.quick import QUICK

SIZES = {("A", "mild"): 675, ("A", "severe"): 125, ("B", "mild"): 153, ("B", "severe"): 647}


def evaluated(right: dict[tuple[str, str], float], **spec: object) -> Results:
    """Two models, A on mild rows mostly and B on severe ones, right in these shares."""
    rows = [
        {
            "id": f"{model}{part}{k}",
            "model": model,
            "severity": part,
            "y": k % 2,
            "right": k < n * share,
        }
        for (model, part), n in SIZES.items()
        for share in [right[model, part]]
        for k in range(n)
    ]
    frame = pl.DataFrame(rows).with_columns(
        pred=pl.when("right").then("y").otherwise(1 - pl.col("y")), w=pl.int_range(pl.len()) % 3 + 1
    )
    return evaluate(
        {
            "truth": "y",
            "models": {"column": "model", "label": "pred"},
            "columns": {"id": "id"},
            **QUICK,
            **spec,
        },
        frame,
    )


SIMPSON = {("A", "mild"): 0.89, ("A", "severe"): 0.54, ("B", "mild"): 0.97, ("B", "severe"): 0.71}


def test_a_lead_that_the_mix_of_a_slice_reverses_is_none():
    decision = evaluated(SIMPSON, slices=["severity"]).decision
    assert decision.relation == "no conclusion"
    assert "differ in the shares of severity: with equal shares B − A is +0.1" in decision.headline
    into = translator("zh", {"A", "B", "severity"})
    into.text(decision.headline, "p")
    assert not into.missing


def test_a_lead_of_which_one_mix_leaves_no_significant_difference_is_none():
    """A is better in either part by 0.01, and ahead by 0.2 as its rows are mild."""
    alike = {("A", "mild"): 0.93, ("A", "severe"): 0.62, ("B", "mild"): 0.92, ("B", "severe"): 0.61}
    decision = evaluated(alike, slices=["severity"]).decision

    assert decision.relation == "no conclusion"
    assert "with equal shares A − B is +0.011 (−0.0" in decision.headline


def test_weighted_rows_of_models_on_their_own_rows_have_no_winner():
    """No test allows for the weights, so that no mix of slices can make the loser lead."""
    decision = evaluated(SIMPSON, slices=["severity"], columns={"id": "id", "weight": "w"}).decision
    assert decision.relation == "no conclusion"


def test_without_the_slice_nothing_is_known_of_the_mix():
    assert evaluated(SIMPSON).decision.headline.startswith("A beats B")


@pytest.mark.parametrize("slices", [[], ["severity"]])
def test_a_lead_within_slices_stays(slices):
    ahead = {key: 0.95 if key[0] == "A" else 0.6 for key in SIZES}

    assert evaluated(ahead, slices=slices).decision.headline.startswith("A beats B")


def test_an_auc_over_all_rows_is_no_mean_of_those_of_slices():
    """Its test stands, though the same frame has another mix of slices by model."""
    random = np.random.default_rng(2)
    rows = []
    for (model, part), n in SIZES.items():
        truth = random.random(n) < (0.2 if part == "mild" else 0.8)
        lift = 1.0 if model == "A" else 0.2
        score = truth * lift + (part == "severe") + random.normal(size=n)
        ids = [f"{model}{part}{k}" for k in range(n)]
        columns = {"id": ids, "y": truth, "p": score}
        rows.append(pl.DataFrame(columns).with_columns(model=pl.lit(model), severity=pl.lit(part)))
    spec = {"truth": "y", "models": {"column": "model", "score": "p"}, "columns": {"id": "id"}}
    results = evaluate(spec | QUICK | {"slices": ["severity"]}, pl.concat(rows))
    areas = results.comparisons.filter(metric="auc", unit="samples")

    assert areas.height > 0
    assert not areas["why"].fill_null("").str.contains("same mix").any()
