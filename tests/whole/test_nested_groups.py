"""Groups that lie in one site each: a conclusion is one on these sites."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def compared(columns: dict[str, str], slices: list[str], **more: object) -> Results:
    """Two models on 40 patients of 5 rows, in 4 sites; a visit is at any of three times."""
    random = np.random.default_rng(8)
    patient, row = np.repeat(np.arange(40), 5), np.arange(200)
    truth = random.random(200) < 0.5
    frame = pl.DataFrame(
        {
            "y": truth,
            "a": truth + random.normal(size=200),
            "b": random.normal(size=200),
            "patient": patient,
            "site": [f"s{k}" for k in patient % 4],
            "sex": [f"x{k}" for k in patient % 2],
            "visit": [f"v{k}" for k in row % 3],
        }
    )
    models = {name: {"score": name} for name in "ab"}
    return evaluate(
        {"truth": "y", "models": models, "columns": columns, "slices": slices, **QUICK, **more},
        frame,
    )


def said(results: Results) -> list[str]:
    return [one.text for one in results.decision.caveats if one.code == "nested_groups"]


def test_page_one_says_for_which_sites_the_conclusion_holds():
    results = compared({"group": "patient"}, ["site", "sex", "visit"])
    (text,) = said(results)
    into = translator("zh", names_of(results.to_dict()))
    into.text(text)

    assert results.decision.relation == "ahead"
    assert text == (
        "Each group has one value of site. Tests and limits generalise to further groups, not to "
        "further values of site: the conclusion holds for these 4 values alone."
    )
    assert results.data["groups"]["nested_in"] == ["site"]
    assert not into.missing


@pytest.mark.parametrize("columns", [{}, {"group": "site"}])
def test_rows_that_are_no_groups_or_groups_that_are_the_sites_say_nothing(columns):
    assert not said(compared(columns, ["site"]))


def test_values_of_which_some_are_withheld_are_not_counted():
    """Each site has cells of few rows."""
    privacy = {"small_cells": 8}
    results = compared({"group": "patient"}, ["site", "sex"], privacy=privacy)
    (text,) = said(results)

    assert "for these values alone" in text
