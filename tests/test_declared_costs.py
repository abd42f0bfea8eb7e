"""The test of declared costs: what the costly errors that no row shows may do to a mean cost."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import reportgen
from reportgen.clusters import Groups
from reportgen.comparisons import Pairs, Question, declared_costs, mcnemar
from reportgen.comparisons.grouped import mean_difference_in_groups
from reportgen.intervals import tango
from reportgen.sample_design import SampleDesign

ASKED = Question(("a", "b"), "cost_sensitive_error_rate")


def losses(values: dict[float, int], costliest: float) -> pl.DataFrame:
    """Rows whose costs differ by these numbers, each so often."""
    table = pl.DataFrame({"difference": [*values], "rows": [*values.values()]})
    difference = pl.col("difference").cast(pl.Float64)
    return table.select(
        "rows",
        first=difference.clip(0),
        second=-difference.clip(None, 0),
        costliest=pl.lit(costliest),
    )


def standardised(values: dict[float, int], costliest: float) -> float:
    """The same by SciPy's maximisation of the likelihood of shares with mean 0."""
    at = np.unique([*values, -costliest, costliest])
    counts = np.array([float(values.get(value, 0)) for value in at])
    rows = counts.sum()
    solution = minimize(
        lambda p: -(counts * np.log(p)).sum(),
        (counts + 0.5) / (counts + 0.5).sum(),
        jac=lambda p: -counts / p,
        bounds=[(1e-12, 1)] * len(at),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ at},
        ],
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return float(counts @ at / np.sqrt(rows * (solution.x @ at**2)))


@pytest.mark.parametrize(
    ("values", "costliest"),
    [
        ({0.0: 6, 1.0: 14}, 20.0),
        ({-5.0: 2, -1.0: 3, 0.0: 40, 1.0: 9, 5.0: 1}, 5.0),
        ({-1.0: 30, 0.0: 60, 20.0: 1}, 20.0),
    ],
)
def test_the_statistic_is_that_of_the_likeliest_shares_without_a_difference(values, costliest):
    test = declared_costs(losses(values, costliest), ASKED)

    assert test.statistic == pytest.approx(standardised(values, costliest), rel=1e-6)


@given(*(st.integers(1, 60) for _ in range(4)))
def test_where_all_errors_cost_the_same_it_is_mcnemars_with_limits_of_tango(both, a, b, neither):
    values = {0.0: both + neither, 1.0: b, -1.0: a}
    test = declared_costs(losses(values, 1.0), ASKED)
    of_counts = {r.comparison: r for r in mcnemar(Pairs(both, a, b, neither), ASKED)}

    assert test.p_value == pytest.approx(of_counts["mcnemar_uncorrected"].p_value, rel=1e-9)
    assert (test.low, test.high) == pytest.approx(tango(both, b, a, neither), abs=1e-7)


@given(
    st.dictionaries(st.sampled_from([-1.0, -0.1, 0.1, 0.5, 1.0]), st.integers(1, 10**5)),
    st.integers(1, 10**6),
    st.floats(1.0, 50.0),
)
def test_limits_leave_0_out_exactly_where_it_rejects(values, same, costliest):
    test = declared_costs(losses({0.0: same, **values}, costliest), ASKED)
    if test.undefined:
        assert not values
        return
    assert -costliest <= test.low <= test.estimate <= test.high <= costliest
    if abs(test.p_value - 0.05) > 1e-6:
        assert (test.p_value < 0.05) == (test.low > 0 or test.high < 0)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_the_costs_scales_the_limits_and_nothing_else(unit):
    values = {-5.0: 2, -1.0: 3, 0.0: 40, 1.0: 9, 5.0: 1}
    test = declared_costs(losses(values, 5.0), ASKED)
    scaled = declared_costs(losses({unit * v: n for v, n in values.items()}, 5.0 * unit), ASKED)

    assert scaled.p_value == pytest.approx(test.p_value, rel=1e-9)
    limits = (scaled.low / unit, scaled.high / unit)
    assert limits == pytest.approx((test.low, test.high), abs=1e-7)


def test_a_model_without_a_dear_error_is_not_cheaper_for_certain():
    """14 false alarms of one model, no missed case of either: one would cost 20."""
    table = losses({0.0: 186, 1.0: 14}, 20.0)

    assert declared_costs(table, ASKED).p_value > 0.4
    assert declared_costs(table.with_columns(costliest=1.0), ASKED).p_value < 0.001


@pytest.mark.parametrize("of", ["groups", "weights"])
def test_in_groups_and_with_weights_it_allows_for_dear_errors_too(of):
    rows = np.arange(200)
    table = pl.DataFrame({"first": (rows % 14 == 0) * 1.0, "second": rows * 0.0})
    groups = Groups(rows // 5, 40) if of == "groups" else None
    weights = 1 + rows % 3 * 0.5 if of == "weights" else None

    def p(costliest: float) -> float:
        known = table.with_columns(costliest=pl.lit(costliest))
        return declared_costs(known, ASKED, SampleDesign(weights, groups=groups)).p_value

    assert p(1.0) < 0.01
    assert p(20.0) > 0.3


@pytest.mark.parametrize("heavy", [1.0, 3.0])
def test_weighted_groups_allow_for_two_dear_errors_of_a_group_and_a_row(heavy):
    """Of groups of four rows that weigh the same, and all could cost 5."""
    random = np.random.default_rng(9)
    first, second = random.integers(0, 2, (2, 40)).astype(float)
    groups, weights = Groups(np.arange(40) // 4, 10), np.where(np.arange(40) < 8, heavy, 1.0)
    table = pl.DataFrame({"first": first, "second": second, "costliest": [5.0] * 40})
    test = declared_costs(table, ASKED, SampleDesign(weights, groups=groups))
    observed = mean_difference_in_groups(first, second, groups, weights=weights)
    of_row = 5 * (weights**2).sum() / weights.sum()
    of_group = 5 * 4 * (weights**2).sum() / weights.sum()
    more = 2 * of_row * of_group / weights.sum() ** 2

    assert test.estimate == pytest.approx(observed.value)
    assert test.estimate / test.statistic == pytest.approx(np.sqrt(observed.error**2 + more))


def test_groups_of_one_row_are_rows():
    table = pl.DataFrame(
        {
            "first": [0.0, 1.0, 0.0, 5.0] * 10,
            "second": [1.0, 1.0, 5.0, 5.0] * 10,
            "costliest": [1.0, 1.0, 5.0, 5.0] * 10,
        }
    )
    alone = Groups(np.arange(40), 40)

    assert declared_costs(table, ASKED, SampleDesign(groups=alone)) == declared_costs(table, ASKED)


def test_rows_that_a_model_says_nothing_of_are_left_out():
    table = losses({0.0: 20, 1.0: 5, -1.0: 9}, 1.0).with_columns(pl.col("rows").cast(pl.Int64))
    more = pl.DataFrame({"rows": [7], "first": [None], "second": [1.0], "costliest": [1.0]})

    assert declared_costs(pl.concat([table, more.cast(table.schema)]), ASKED) == declared_costs(
        table, ASKED
    )


def test_several_classes_are_compared_by_what_their_errors_cost():
    random = np.random.default_rng(4)
    truth = random.choice(3, 300, p=[0.6, 0.3, 0.1])
    frame = {"truth": np.array(["low", "mid", "high"])[truth]}
    for name, right in (("a", 0.8), ("b", 0.6)):
        kept = random.random(300) < right
        frame[name] = np.array(["low", "mid", "high"])[np.where(kept, truth, (truth + 1) % 3)]
    costs = {"low": {"mid": 1}, "mid": {"high": 2}, "high": {"low": 9}}
    spec = {
        "truth": "truth",
        "classes": ["low", "mid", "high"],
        "models": {"a": {"label": "a"}, "b": {"label": "b"}},
        "costs": costs,
    }
    results = reportgen.evaluate(spec, pl.DataFrame(frame))

    [test] = results.comparisons.filter(comparison="declared_costs").to_dicts()
    mean = {
        name: results.metrics.filter(metric="cost_sensitive_error_rate", model=name)["value"].item()
        for name in ("a", "b")
    }
    assert test["recommendation"] == "recommended"
    assert test["estimate"] == pytest.approx(mean["a"] - mean["b"])
    assert test["better"] == "a"
