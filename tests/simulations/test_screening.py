"""What is screened is what a report says."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tests.simulations.screened import SCREENED
from tests.simulations.screening import comparisons, outcomes, without_measures


def said_of(name: str, *, alone: bool) -> set[tuple[object, ...]]:
    """Test, measure, models, p and recommendation of one data set of a situation."""
    case = SCREENED[name]
    with without_measures() if alone else nullcontext():
        rows = comparisons(case, case.draw(np.random.default_rng(3)))
    return {
        (
            row["comparison"],
            row["metric"],
            frozenset(row["models"]),
            row["p_value"] and round(row["p_value"], 9),
            row["recommendation"],
        )
        for row in rows.filter(pl.col("slice").is_null()).to_dicts()
    }


@pytest.mark.parametrize(
    "name",
    [
        "20 groups of 15, one of 30 %",
        "30 rows, weights, regression",
        "200 points in time, memory 0.5, regression",
        "10 folds of 40 rows, centroids",
    ],
)
def test_without_measures_are_those_of_the_whole_report(name):
    """Without the measures each test has the same p and the same recommendation."""
    alone = said_of(name, alone=True)

    assert alone == said_of(name, alone=False)
    assert any(row[-1] == "recommended" for row in alone)


def test_only_recommended_tests_and_margins_without_a_reason_against_them_count():
    row = {"slice": None, "reject": True, "shows": "difference", "comparison": "t", "metric": "auc"}
    margin = row | {"shows": "non_inferiority", "recommendation": "valid"}
    rows = pl.DataFrame(
        [
            row | {"recommendation": "recommended", "why": "x"},
            row | {"recommendation": "valid", "why": None, "comparison": "z"},
            margin | {"why": None},
            margin | {"why": "few rows", "metric": "accuracy"},
        ]
    )

    case = SCREENED["30 rows"]
    assert outcomes(rows, case) == {"t of auc": True, "non_inferiority by t of auc": True}
    assert outcomes(rows, replace(case, measures=("accuracy",))) == {}
    assert outcomes(rows, replace(case, differ=True)) == {"non_inferiority by t of auc": True}
