"""Poisson deviances of few counts have no recommended test."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.breadth import sample_size
from tests.simulations.counts import rejected


def compared(mean: float) -> Results:
    """Counts of 400 rows, their mean and half of it."""
    truth = np.random.default_rng(4).poisson(mean, 400)
    frame = pl.DataFrame({"y": truth, "a": np.full(400, mean), "b": np.full(400, mean / 2)})
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "comparisons": {"primary": "poisson_deviance"}}
    return evaluate({**spec, "bootstrap": {"replicates": 200}}, frame)


@pytest.mark.parametrize(("mean", "recommendation"), [(0.025, "valid"), (0.5, "recommended")])
def test_the_test_of_poisson_deviances_decides_from_thirty_counts_on(mean, recommendation):
    results = compared(mean)
    row = results.comparisons.filter(metric="poisson_deviance", comparison="paired_permutation")

    assert row["recommendation"].to_list() == [recommendation]
    if recommendation == "valid":
        into = translator("zh", names_of(results.to_dict()))
        into.text(row["why"][0])
        assert row["why"][0].startswith("the true values add up to ")
        assert not into.missing


def test_the_level_holds_from_thirty_counts_on():
    sets = sample_size(60, 300)
    error = (0.05 * 0.95 / sets) ** 0.5

    assert rejected(200, 0.3, 0.0, sets) < 0.065 + 3 * error
