"""Measures without each group: as of the rows that are left, each time."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.clusters import Groups
from reportgen.measuring import without_groups
from reportgen.measuring.metric_set import few_at_once
from reportgen.measuring.without_groups import values_without_each
from reportgen.metrics.registry import REGISTRY

SMOOTH = [m for m in REGISTRY["regression"].values() if m.influence is not None]


def rows(seed: int, number: int, kind: str) -> tuple[pl.DataFrame, Groups]:
    """Estimates of a kind, in six groups of unlike sizes."""
    random = np.random.default_rng(seed)
    truth = 1e6 + random.normal(size=number)
    estimate = truth + random.standard_t(3, size=number)
    weight = np.ones(number)
    match kind:
        case "tied":
            truth, estimate = truth.round(), estimate.round()
        case "weighted":
            weight = random.choice([0.3, 1.0, 2.0], number)
        case "constant in all groups but one":
            truth[random.integers(0, 6, number) > 0] = 5.0
        case "without error":
            estimate = truth.copy()
    frame = pl.DataFrame({"truth": truth, "estimate": estimate, "weight": weight})
    return frame, Groups.of(pl.Series(np.minimum(random.integers(0, 9, number), 5)))


@pytest.mark.parametrize(
    "kind", ["plain", "tied", "weighted", "constant in all groups but one", "without error"]
)
@pytest.mark.parametrize("number", [12, 300])
def test_a_measure_without_a_group_is_that_of_the_other_rows(kind, number):
    frame, groups = rows(number, number, kind)
    expressions = {m.name: m.expression() for m in SMOOTH}
    left = [few_at_once(frame.filter(groups.code != g), expressions) for g in range(groups.number)]
    measures = [m for m in SMOOTH if any(one[m.name] is not None for one in left)]
    values = values_without_each(frame, measures, groups, {}, number)
    assert values.keys() == {m.name for m in measures}
    for name, of_groups in values.items():
        expected = [np.nan if one[name] is None else one[name] for one in left]
        assert of_groups == pytest.approx(expected, rel=1e-11, abs=1e-13, nan_ok=True), name


def test_perfect_estimates_leave_no_rounding_without_a_group():
    frame, groups = rows(0, 50, "without error")
    [r2] = [m for m in SMOOTH if m.name == "r2"]
    assert values_without_each(frame, [r2], groups, {}, 50)["r2"].tolist() == [1.0] * 6


def test_sums_are_read_once_of_any_number_of_rows_and_orders_of_few(monkeypatch):
    monkeypatch.setattr(without_groups, "READ", 50)
    frame, groups = rows(1, 40, "plain")
    left_out = {m.name for m in SMOOTH} - values_without_each(frame, SMOOTH, groups, {}, 40).keys()
    assert left_out == {"mean_absolute_error_gain", "kendall_tau", "spearman_rho"}


def test_of_many_groups_no_measure_is_computed_without_each():
    number = without_groups.MOST + 1
    frame, _ = rows(2, number, "plain")
    assert values_without_each(frame, SMOOTH, Groups(np.arange(number), number), {}, number) == {}
