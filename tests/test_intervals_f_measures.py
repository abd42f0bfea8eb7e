"""Score limits of F-beta: those of outside programs where F is a share, and their properties."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import brentq, minimize_scalar

from reportgen.clusters import EffectAt
from reportgen.intervals import Delta, FMeasure, f_measure_limits, modified_wilson
from reportgen.metrics import METRICS
from tests.breadth import breadth
from tests.interval_limits import limits_of

RANDOM = np.random.default_rng(0)
TABLES = RANDOM.integers(0, 40, (300, 3)).astype(float)
TABLES = TABLES[TABLES.sum(axis=1) > 0]


def limits(tables, beta, confidence=0.95):
    tp, fp, fn = np.asarray(tables, float).T
    return f_measure_limits(tp, fp, fn, np.full(len(tables), beta**2), confidence)


def value(tables, beta):
    tp, fp, fn = np.asarray(tables, float).T
    return (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)


def test_limits_of_f1_are_those_of_the_jaccard_index():
    """F1 = 2J / (1 + J), and J is a binomial share of the rows that are positive anywhere."""
    rows = TABLES.sum(axis=1)
    share = modified_wilson(TABLES[:, 0] / rows, rows)
    for end, of_share in zip(limits(TABLES, 1), share, strict=True):
        assert end == pytest.approx(2 * of_share / (1 + of_share), abs=1e-8)


@pytest.mark.parametrize("beta", [0.1, 0.5, 1, 2, 10])
def test_limits_hold_the_value_and_stay_in_bounds(beta):
    low, high = limits(TABLES, beta)
    of_table = value(TABLES, beta)
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert (low <= of_table + 1e-12).all()
    assert (high >= of_table - 1e-12).all()
    assert (low[of_table == 0] == 0).all()
    assert (high[of_table == 1] == 1).all()


@breadth("table", [(60, 25, 45), (90, 50, 30), (80, 0, 90), (70, 65, 0)], 2, ids=str)
@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_limits_are_where_the_score_of_the_most_likely_cells_is_z(table, beta):
    """The variance under the constraint is found by a search over the likelihood instead."""
    tp, fp, fn = table

    def score(f):
        a, b, c = (1 + beta**2) * (1 - f), beta**2 * f, f

        def minus_log_likelihood(p_tp):
            p_fn = (a * p_tp - c * (1 - p_tp)) / (b - c)
            cells = np.array([p_tp, 1 - p_tp - p_fn, p_fn])
            if (cells <= 0).any():
                return 1e9
            return -(np.array([tp, fp, fn]) @ np.log(cells))

        edges = sorted([c / (a + c), b / (a + b)])
        p_tp = minimize_scalar(
            minus_log_likelihood, bounds=edges, method="bounded", options={"xatol": 1e-12}
        ).x
        p_fn = (a * p_tp - c * (1 - p_tp)) / (b - c)
        variance = a**2 * p_tp + b**2 * p_fn + c**2 * (1 - p_tp - p_fn)
        return (a * tp - b * fn - c * fp) / np.sqrt(sum(table) * variance)

    low, high = (end[0] for end in limits([table], beta))
    of_table = value([table], beta)[0]
    assert low == pytest.approx(brentq(lambda f: score(f) - 1.959964, 0.01, of_table), abs=1e-5)
    assert high == pytest.approx(brentq(lambda f: score(f) + 1.959964, of_table, 0.99), abs=1e-5)


def test_weights_of_a_unit_of_their_own_change_nothing_and_unequal_ones_widen():
    counts = {"tp": 30.0, "fp": 8.0, "fn": 12.0}
    shape = FMeasure(2.0, Delta())

    def ends(weight, squares):
        cells = {k: n * weight for k, n in counts.items()}
        frame = pl.DataFrame([cells | {f"{k}2": n * squares for k, n in counts.items()}])
        low, high = limits_of(shape, METRICS["f2"].build())
        return frame.select(low=low, high=high).row(0)

    assert ends(7.0, 49.0) == pytest.approx(ends(1.0, 1.0))
    assert ends(1.0, 2.0) == pytest.approx([e[0] for e in limits([[15, 4, 6]], 2.0)])


def test_groups_make_rows_worth_less():
    shape, effect = FMeasure(0.5, Delta()), EffectAt(2.0, 30.0, 2.0)
    assert shape.inflated([30.0, 8.0, 12.0, 0.25], effect) == [15.0, 4.0, 6.0, 0.25]


def test_f_without_positives_and_predicted_ones_has_no_limits():
    assert np.isnan([end[0] for end in limits([[0, 0, 0]], 1.0)]).all()
