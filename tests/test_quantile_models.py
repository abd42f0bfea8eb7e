"""Models that estimate a quantile are compared by the loss that it minimises."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.records.model import Results
from reportgen.results import evaluate


def compared(level: float | None, **spec: object) -> Results:
    """Two forecasts of the 0.9 quantile: one good, one that lies nearer to the mean."""
    random = np.random.default_rng(7)
    x = random.normal(size=300)
    columns = {"y": x + random.normal(size=300), "good": x + 1.2816, "low": x + 0.2}
    settings = {} if level is None else {"quantile": level}
    models = {name: {"estimate": name, **settings} for name in ("good", "low")}
    sampled = {"bootstrap": {"replicates": 200}}
    return evaluate({"truth": "y", "models": models, **sampled, **spec}, pl.DataFrame(columns))


@pytest.mark.parametrize(
    ("level", "measure", "leader"),
    [
        (0.9, "pinball_high", "good"),
        (0.5, "pinball_median", "low"),
        (None, "mean_squared_error", "low"),
    ],
)
def test_the_loss_that_the_estimates_minimise_decides(level, measure, leader):
    decision = compared(level).decision

    assert (decision.measure, decision.leader, decision.relation) == (measure, leader, "ahead")


def test_without_a_loss_of_their_level_no_test_of_errors_is_recommended():
    results = compared(0.95)
    tests = results.comparisons.filter(metric="mean_squared_error", comparison="paired_t")

    assert tests["recommendation"].to_list() == ["valid"]
    assert tests["why"].to_list() == ["the estimates are quantiles, which the pinball loss rates"]
    assert results.decision.relation != "ahead"


def test_without_resampling_the_loss_decides_all_the_same():
    decision = compared(0.9, bootstrap={"replicates": 0}).decision

    assert (decision.measure, decision.leader) == ("pinball_high", "good")
    assert decision.relation != "ahead"
