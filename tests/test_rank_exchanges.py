"""Correlations of ranks of many exchanges at once are those of the measures, one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons.count_and_row_pairs import RowwisePair
from reportgen.comparisons.rank_exchanges import BY_RANKS
from reportgen.metrics import REGISTRY


@pytest.mark.parametrize("name", BY_RANKS)
@pytest.mark.parametrize(("rows", "digits"), [(2, 9), (5, 0), (40, 0), (40, 9)])
@pytest.mark.parametrize("grouped", [False, True])
def test_differences_after_exchanges_are_those_of_the_measure(name, rows, digits, grouped):
    random = np.random.default_rng(rows)
    truth = random.normal(size=rows)
    estimates = [(truth + random.normal(size=rows)).round(digits) for _ in "ab"]
    first, second = (
        pl.DataFrame({"truth": truth.round(digits), "estimate": e, "weight": 1.0})
        for e in estimates
    )
    if grouped:
        first = first.with_columns(group=pl.Series(np.arange(rows) // 2))
    metric = REGISTRY["regression"][name]
    group = "group" if grouped else None
    one_by_one = RowwisePair(first, second, metric.expression(), metric.bounds, group)
    at_once = replace(one_by_one, exchanged=BY_RANKS[name][0])

    slow, fast = (
        np.concatenate(list(pair._exchanged(60, np.random.default_rng(1))))
        for pair in (one_by_one, at_once)
    )
    np.testing.assert_allclose(fast, slow, rtol=0, atol=1e-12)


def test_estimates_that_do_not_vary_have_no_correlation():
    truth, constant = np.arange(4.0), np.ones(4)
    for differences, _ in BY_RANKS.values():
        assert np.isnan(differences(truth, constant, constant, np.zeros((1, 4), bool))).all()
