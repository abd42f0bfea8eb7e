"""What wider limits, or errors that no row shows, leave of tests: by hand, on either side."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.comparing.skewed_values import against_skewed
from reportgen.comparing.undeclared_limits import is_undone_by
from reportgen.comparing.unseen_costs import UnseenCost, against_unseen
from reportgen.comparisons.records import Comparison
from reportgen.metric_names import COST
from reportgen.records.limit_widths import UndeclaredGroup
from reportgen.tables.comparisons import ComparisonRow

WIDER: Any = {
    "column": "site",
    "sampled": True,
    "limits": [
        {"measure": name, "models": ["a", "b"], "times_as_wide": 2.0}
        for name in ("auc", "mean_squared_error")
    ],
}
"""Limits twice as wide with the column as group."""

COLUMNS: list[UndeclaredGroup] = [WIDER]


def margin_test(shows: str, metric: str, low: float, high: float) -> Any:
    """A test that establishes a margin of 0.1, with these limits about 0."""
    return ComparisonRow(
        models=("a", "b"),
        metric=metric,
        reject=True,
        shows=shows,
        estimate=0.0,
        low=low,
        high=high,
        against=0.1,
    )


@pytest.mark.parametrize(
    ("shows", "metric", "low", "high", "undone"),
    [
        ("equivalence", "auc", -0.04, 0.04, False),
        ("equivalence", "auc", -0.06, 0.04, True),
        ("equivalence", "auc", -0.04, 0.06, True),
        ("non_inferiority", "auc", -0.06, 0.04, True),
        ("non_inferiority", "auc", -0.04, 0.06, False),  # better by more than the margin
        ("non_inferiority", "mean_squared_error", -0.06, 0.04, False),
        ("non_inferiority", "mean_squared_error", -0.04, 0.06, True),
    ],
)
def test_a_margin_is_undone_by_wider_limits_on_the_side_that_it_is_about(
    shows, metric, low, high, undone
):
    """Equivalence is about both sides, non-inferiority about the worse one."""
    assert is_undone_by(margin_test(shows, metric, low, high), COLUMNS) is undone


@pytest.mark.parametrize(
    ("low", "high", "open_"),
    [(0.05, 0.3, True), (-0.3, -0.05, True), (0.15, 0.3, False), (-0.3, -0.15, False)],
)
def test_what_no_row_shows_may_outweigh_a_saving_of_either_model(low, high, open_):
    unseen = UnseenCost("C", 50.0, 0.1)
    record = Comparison(
        comparison="declared_costs", metric=COST, models=("a", "b"), low=low, high=high
    )

    assert list(against_unseen(record, unseen)) == ([str(unseen)] if open_ else [])
    assert not list(against_unseen(record, None))


@pytest.mark.parametrize(("side", "open_"), [(None, True), ("less", False)])
def test_a_one_sided_claim_near_a_bound_is_refuted_by_one_sided_limits(side, open_):
    """At t of −5 with 4 df the limit of 0.95 excludes the claim, and that of 0.975 holds it."""
    values = {"estimate": 0.016, "against": 0.04, "statistic": -5.0, "df": 4.0}
    record = Comparison(
        comparison="one_sample_t",
        metric="error_rate",
        models=("a",),
        unit="data sets",
        p_value=0.008,
        side=side,
        **values,
    )

    assert bool(list(against_skewed(record))) is open_
