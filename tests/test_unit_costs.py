"""Costs of 1 have the interval of the error rate, and folds that overlap have wider limits."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.clusters import Groups
from reportgen.measuring.costs import with_error_rate
from reportgen.measuring.overlapping_folds import CORRECTED, OverlappingFolds
from reportgen.spec import from_dict

SPEC = {"data": "rows.csv", "truth": "y", "models": {"m": {"score": "p"}}}


def row(metric: str, value: float | None, low: float | None, model: str = "m", **more):
    high = None if low is None else low + 0.2
    of = {"model": model, "slice": None, "class": None, "average": None, "interval": "wilson"}
    return {"metric": metric, "value": value, "low": low, "high": high, **of, **more}


def limits(rows, **spec):
    result = with_error_rate(rows, from_dict({**SPEC, **spec}), "binary")
    return [(r["low"], r["high"], r["interval"]) for r in result if r["metric"] != "error_rate"]


COST = row("cost_sensitive_error_rate", 0.3, 0.0, interval="wald")


def test_costs_of_one_have_the_interval_of_the_error_rate_of_the_same_model_and_slice():
    rows = [row("error_rate", 0.3, 0.2), row("error_rate", 0.3, 0.25, slice="site = A"), COST]

    assert limits(rows) == [(0.2, 0.4, "wilson")]
    assert limits([*rows[:2], COST | {"slice": "site = A"}]) == [(0.25, 0.45, "wilson")]
    assert limits([*rows[:2], COST | {"model": "other"}]) == [(0.0, 0.2, "wald")]


def test_declared_costs_keep_their_own_interval():
    costs = {"false_negative": 1, "false_positive": 1}

    assert limits([row("error_rate", 0.3, 0.2), COST], costs=costs) == [(0.0, 0.2, "wald")]


@pytest.mark.parametrize(
    "error", [row("error_rate", 0.31, 0.2), row("error_rate", 0.3, None), row("recall", 0.3, 0.2)]
)
def test_a_cost_that_is_no_error_rate_or_one_without_limits_keeps_its_own(error):
    assert limits([error, COST])[-1] == (0.0, 0.2, "wald")


FOLDS = OverlappingFolds(Groups(np.arange(4), 4), 1.5)


def test_limits_over_overlapping_folds_are_as_far_as_their_longer_side_asks_for():
    record = FOLDS.widened({"value": 0.5, "low": 0.4, "high": 0.7, "interval": "t"})

    assert (record["low"], record["high"]) == pytest.approx((0.2, 0.8))
    assert record["interval"] == CORRECTED
    assert FOLDS.widened({"value": 0.5, "low": None, "high": None})["low"] is None
    assert FOLDS.widened({"value": None, "low": 0.1, "high": 0.2})["high"] == 0.2
