"""An AUC that only tells slices apart."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import evaluate


@pytest.mark.parametrize(("within", "said"), [(0.0, True), (2.0, False)])
def test_an_auc_that_comes_from_differences_between_slices_is_said(within, said):
    random = np.random.default_rng(4)
    site = random.integers(0, 4, 2000)
    truth = random.random(2000) < np.array([0.1, 0.3, 0.6, 0.9])[site]
    between = 2.0 if said else 0.0
    score = between * site + within * truth + random.normal(size=2000)
    frame = pl.DataFrame({"y": truth, "m": score, "site": [f"s{k}" for k in site]})
    models = {"m": {"score": "m"}}
    decision = evaluate({"truth": "y", "models": models, "slices": ["site"]}, frame).decision
    texts = [one.text for one in decision.caveats if one.code == "between_slices"]

    assert [
        text.startswith("Part of the AUC of m comes from distinguishing the slices of site")
        for text in texts
    ] == ([True] if said else [])
