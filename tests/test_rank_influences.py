"""What a row adds to a rank correlation, and the limits that follow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.metrics import regression_correlation
from reportgen.rank_influences import of_kendall, of_spearman, pair_signs
from reportgen.rank_orders import Ranks
from tests.simulations.rank_correlations import DESIGNS, coverage, limits

Weighted = Callable[[Floats, Floats, Floats], float]


def spearman(y: Floats, f: Floats, weight: Floats) -> float:
    """Of rows with weights."""
    share = weight / weight.sum()
    a, b = (((v[:, None] > v) + (v[:, None] == v) / 2) @ share - 0.5 for v in (y, f))
    return float((share * a * b).sum() / np.sqrt((share * a * a).sum() * (share * b * b).sum()))


def kendall(y: Floats, f: Floats, weight: Floats) -> float:
    signs = [np.sign(v[:, None] - v) for v in (y, f)]
    agree, first, second = (weight @ s @ weight for s in (signs[0] * signs[1], *map(np.abs, signs)))
    return float(agree / np.sqrt(first * second))


@pytest.mark.parametrize("steps", [None, 3.0, 1.0])
@pytest.mark.parametrize(("added", "value"), [(of_spearman, spearman), (of_kendall, kendall)])
def test_what_a_row_adds_is_the_slope_of_the_correlation_by_its_weight(added, value, steps):
    random = np.random.default_rng(1)
    y, noise = random.normal(size=(2, 40))
    pairs = (
        (y, y + noise) if steps is None else (np.round(y * steps), np.round((y + noise) * steps))
    )
    more, ones = 1e-6 * np.eye(40), np.full(40, 1 / 40)
    up, down = (
        [value(*pairs, (1 - side * 1e-6) * ones + side * row) for row in more] for side in (1, -1)
    )

    slopes = (np.array(up) - np.array(down)) / 2e-6

    assert added(*pairs) == pytest.approx(slopes, abs=1e-8)


@pytest.mark.parametrize("number", [1, 2, 5, 64, 65])
def test_concordant_less_discordant_pairs_are_those_of_all_pairs(number):
    y, f = np.random.default_rng(number).integers(0, number, (2, number)).astype(float)

    expected = (np.sign(y[:, None] - y) * np.sign(f[:, None] - f)).sum(axis=1)

    assert pair_signs(Ranks.of(y), Ranks.of(f)).tolist() == expected.tolist()


def test_a_constant_has_no_rank_correlation():
    same, other = np.ones(5), np.arange(5.0)

    assert np.isnan(of_spearman(same, other)).all()
    assert np.isnan(of_kendall(other, same)).all()


def test_rows_that_return_in_groups_do_not_narrow_the_limits():
    y, noise = np.random.default_rng(4).normal(size=(2, 40))
    alone, doubled = (y, y + noise), (np.repeat(y, 2), np.repeat(y + noise, 2))

    once = limits(alone, Groups(np.arange(40), 40))
    twice = limits(doubled, Groups(np.arange(80) // 2, 40))

    assert np.array(twice) == pytest.approx(np.array(once), abs=0.03)
    (low, high), _ = limits(doubled, Groups(np.arange(80), 80))
    assert high - low < 0.8 * (twice[0][1] - twice[0][0])


def test_limits_hold_the_correlation_where_errors_grow_with_the_truth():
    """There limits of normal values hold it in 0.87 to 0.92."""
    by_measure = coverage(DESIGNS["errors that grow"], 120, 1, 60, 3)

    assert all(held >= 0.88 for _, held, *_ in by_measure)


def test_ranks_of_weighted_rows_are_not_compared_in_vain(monkeypatch):
    monkeypatch.setattr(regression_correlation, "agreement", None)
    frame = pl.DataFrame({"truth": [1.0, 2.0], "estimate": [1.0, 2.0], "weight": [1.0, 2.0]})

    assert frame.select(regression_correlation.kendall_tau()).item() is None
