"""Models that estimate a quantile are compared by the loss that it minimises."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import mean_pinball_loss

from reportgen.array_types import Floats
from reportgen.errors import SpecError
from reportgen.records.model import Results
from reportgen.results import evaluate
from reportgen.sections import key_numbers, lookup
from reportgen.sections.comparisons import null_hypotheses
from tests.quick import BY_DELTA, QUICK

ENDS = (("low", -1), ("high", 1))


def columns() -> dict[str, Floats]:
    """A truth and two forecasts of its 0.9 quantile."""
    random = np.random.default_rng(7)
    x = random.normal(size=300)
    return {"y": x + random.normal(size=300), "good": x + 1.2816, "low": x + 0.2}


def rows(results: Results, metric: str, model: str) -> list[dict[str, object]]:
    """The numbers of a measure of a model on all rows."""
    return results.metrics.filter(pl.col("slice").is_null(), metric=metric, model=model).to_dicts()


SAMPLED = {"bootstrap": {"replicates": 200}, **BY_DELTA}
"""As many replicates as a significant difference needs."""


@cache
def compared(level: float | None, replicates: int = 200) -> Results:
    """Two forecasts of the 0.9 quantile: one good, one that lies nearer to the mean."""
    settings = {} if level is None else {"quantile": level}
    models = {name: {"estimate": name, **settings} for name in ("good", "low")}
    sampled = {**SAMPLED, "bootstrap": {"replicates": replicates}}
    return evaluate({"truth": "y", "models": models, **sampled}, pl.DataFrame(columns()))


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


def test_any_quantile_has_its_loss_with_limits():
    results = compared(0.95)
    decision = results.decision
    (loss,) = rows(results, "pinball_loss(0.95)", "good")
    tests = results.comparisons.filter(metric="mean_squared_error", comparison="paired_t")

    assert (decision.measure, decision.leader) == ("pinball_loss(0.95)", "good")
    y, good = columns()["y"], columns()["good"]
    expected = mean_pinball_loss(y, good, alpha=0.95)
    assert loss["value"] == pytest.approx(expected, rel=1e-12)
    assert loss["low"] < loss["value"] < loss["high"]
    assert tests["why"].to_list() == ["the estimates are quantiles, which the pinball loss rates"]


def test_quantiles_that_hold_the_truth_too_seldom_are_a_caveat():
    results = compared(0.9)
    (share,) = rows(results, "quantile_coverage", "low")
    texts = [c.text for c in results.decision.caveats if c.code == "nominal_coverage"]

    assert share["value"] == np.mean(columns()["y"] <= columns()["low"])
    assert share["interval"] == "wilson_modified"
    assert len(texts) == 1
    assert texts[0].startswith("The 0.9 quantiles of low are too low: ")


def test_estimates_of_means_have_no_coverage_of_quantiles():
    (share,) = rows(compared(None), "quantile_coverage", "low")

    assert share["value"] is None
    assert share["undefined"] == "the estimates are not declared as quantiles"


def test_reports_of_quantiles_leave_out_errors_of_means():
    shown = [metric for metric, _ in key_numbers.chosen(compared(0.9))]

    assert shown == ["quantile_coverage", "pinball_high"]


def test_quantiles_off_in_a_slice_are_named_in_either_direction():
    random = np.random.default_rng(3)
    site = np.repeat(["north", "south"], 300)
    y = random.normal(size=600)
    q90 = np.where(site == "north", 1.2816, 2.6)
    frame = pl.DataFrame({"y": y, "q": q90, "site": site})
    models = {"m": {"estimate": "q", "quantile": 0.9}}
    results = evaluate({"truth": "y", "models": models, "slices": ["site"], **QUICK}, frame)
    (text,) = [c.text for c in results.decision.caveats if c.code == "coverage_in_slice"]

    assert text.startswith("In site = south ")
    assert "simultaneously at least" in text


@pytest.mark.parametrize("shared", [True, False])
def test_intervals_around_the_same_estimates_are_compared_by_their_winkler_score(shared):
    random = np.random.default_rng(5)
    mean = random.normal(size=300)
    frame = pl.DataFrame(
        {
            "y": mean + random.normal(size=300),
            "mean": mean,
            "copy": mean,
            **{f"{end}{width}": mean + sign * width for width in (1, 2) for end, sign in ENDS},
        }
    )
    models = {
        "narrow": {"estimate": "mean", "low": "low1", "high": "high1", "level": 0.95},
        "wide": {"estimate": "copy", "low": "low2", "high": "high2", "level": 0.95},
    }
    if shared:
        models["wide"]["estimate"] = "mean"
    decision = evaluate({"truth": "y", "models": models, **SAMPLED}, frame).decision

    assert (decision.measure, decision.leader) == ("winkler_score", "wide")
    assert decision.relation == "ahead"


def test_the_same_estimate_twice_is_refused_where_the_intervals_are_the_same_too():
    models = {name: {"estimate": "m", "low": "l", "high": "h"} for name in ("a", "b")}
    frame = pl.DataFrame({"y": [1.0], "m": [1.0], "l": [0.0], "h": [2.0]})

    with pytest.raises(SpecError, match="repeated-column"):
        evaluate({"truth": "y", "models": models}, frame)


def test_without_resampling_the_loss_decides_all_the_same():
    decision = compared(0.9, replicates=0).decision

    assert (decision.measure, decision.leader) == ("pinball_high", "good")
    assert decision.relation != "ahead"


def test_few_rows_beyond_a_quantile_have_no_recommended_test():
    """90 rows have 9 beyond the 0.9 quantile."""
    few = {name: column[:90] for name, column in columns().items()}
    models = {name: {"estimate": name, "quantile": 0.9} for name in ("good", "low")}
    results = evaluate({"truth": "y", "models": models, **SAMPLED}, pl.DataFrame(few))
    (test,) = results.comparisons.filter(
        metric="pinball_high", comparison="paired_permutation"
    ).to_dicts()

    assert test["recommendation"] == "valid"
    assert test["why"].startswith("about 9 rows are expected beyond the quantile")


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"time": "t"}, "the time points count like about "),
        ({"group": "g"}, "60 groups count like about 6 rows beyond the quantile"),
    ],
    ids=str,
)
def test_points_of_time_and_groups_count_for_less_than_their_rows(columns, why):
    """240 rows have 24 beyond the 0.9 quantile; 60 groups, and points that are alike, fewer."""
    random = np.random.default_rng(3)
    y = np.repeat(random.normal(size=60), 4) + 0.001 * random.normal(size=240)
    frame = pl.DataFrame({"y": y, "t": range(240), "g": np.arange(240) // 4})
    frame = frame.with_columns(low=0.7, high=1.9)
    models = {name: {"estimate": name, "quantile": 0.9} for name in ("low", "high")}
    results = evaluate({"truth": "y", "models": models, "columns": columns}, frame)
    tests = results.comparisons.filter(metric="pinball_high").to_dicts()

    assert all(test["recommendation"] != "recommended" for test in tests)
    assert any((test["why"] or "").startswith(why) for test in tests)
    assert results.decision.relation != "ahead"


@pytest.mark.parametrize("loss", ["pinball_high", "winkler_score"])
def test_in_order_of_time_the_loss_of_quantiles_or_intervals_has_the_test_of_time(loss):
    random = np.random.default_rng(2)
    y = random.normal(size=300)
    frame = pl.DataFrame({"y": y, "low": y * 0 - 1, "high": y * 0 + 1.3, "t": range(300)})
    frame = frame.with_columns(other=pl.col("high") + 1, m=0.0, n=0.0)
    models = {
        "pinball_high": {
            "a": {"estimate": "high", "quantile": 0.9},
            "b": {"estimate": "other", "quantile": 0.9},
        },
        "winkler_score": {
            "a": {"estimate": "m", "low": "low", "high": "high", "level": 0.8},
            "b": {"estimate": "n", "low": "low2", "high": "other", "level": 0.8},
        },
    }[loss]
    frame = frame.with_columns(low2=pl.col("low"))
    spec = {"truth": "y", "models": models, "columns": {"time": "t"}, **SAMPLED}
    results = evaluate(spec, frame)
    tests = results.comparisons.filter(metric=loss, comparison="diebold_mariano")

    assert tests["recommendation"].to_list() == ["recommended"]
    assert (results.decision.measure, results.decision.leader) == (loss, "a")
    assert results.decision.relation == "ahead"


def test_in_panels_the_losses_of_quantiles_have_no_recommended_test():
    random = np.random.default_rng(7)
    y = (random.normal(size=(20, 1)) + random.normal(size=(20, 300))).ravel()
    frame = pl.DataFrame({"y": y, "g": np.arange(6000) // 300, "t": np.arange(6000) % 300})
    frame = frame.with_columns(good=1.8, low=-2.0)
    models = {name: {"estimate": name, "quantile": 0.9} for name in ("good", "low")}
    columns = {"time": "t", "group": "g"}
    results = evaluate({"truth": "y", "models": models, "columns": columns, **SAMPLED}, frame)
    tests = results.comparisons.filter(metric="pinball_high").to_dicts()

    assert any("within groups and over time" in (test["why"] or "") for test in tests)
    assert results.decision.relation == "no conclusion"


def test_null_hypotheses_name_the_losses_of_quantiles_without_their_levels():
    """A level behind a comma would read as a measure of its own."""
    data = columns()
    frame = pl.DataFrame({**data, "tenth": data["good"] - 2.5632, "lower": data["good"] - 3})
    ninth = {name: {"estimate": name, "quantile": 0.9} for name in ("good", "low")}
    tenth = {name: {"estimate": name, "quantile": 0.1} for name in ("tenth", "lower")}
    results = evaluate({"truth": "y", "models": {**ninth, **tenth}, **SAMPLED}, frame)
    [text] = null_hypotheses(lookup.compared(results), results)

    assert "pinball loss" in text
    assert "percentile" not in text
