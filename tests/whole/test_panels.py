"""Two models on the same groups at every time point: what the test of losses allows for."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.clusters import Groups
from reportgen.comparisons import Question, diebold_mariano, diebold_mariano_groups, paired_t_groups
from reportgen.comparisons.diebold_mariano import autocorrelation
from tests.quick import QUICK
from tests.simulations import panels, withheld_in_time
from tests.simulations.test_levels import band

OUTSIDE = json.loads(
    (Path(__file__).parents[1] / "reference" / "panel.json").read_text(encoding="utf-8")
)
QUESTION = Question(("a", "b"), "mean_absolute_error")


def rows(values: np.ndarray) -> tuple[pl.DataFrame, Groups]:
    """Losses that differ by the values, by group and time point."""
    groups, points = values.shape
    frame = pl.DataFrame({"point": np.tile(np.arange(points), groups), "first": values.ravel()})
    group = Groups.of(pl.Series(np.repeat(np.arange(groups), points)))
    return frame.with_columns(second=pl.lit(0.0)), group


def persistent(kind: str, seed: int, groups: int = 12, points: int = 90) -> np.ndarray:
    return panels.differences(np.random.default_rng(seed), kind, groups, points)[0]


def test_the_error_over_a_fixed_number_of_lags_is_that_of_driscoll_and_kraay_by_statsmodels():
    means = np.array(OUTSIDE["differences"]).mean(axis=1)
    losses = pl.DataFrame({"first": means, "second": np.zeros(len(means))})
    record = diebold_mariano(losses, QUESTION)[1]

    assert record.estimate == pytest.approx(OUTSIDE["mean"], rel=1e-10)
    error = record.estimate / record.statistic
    assert error == pytest.approx(OUTSIDE["driscoll_kraay_error"], rel=1e-9)


def test_shocks_that_all_groups_share_add_to_the_variance_between_them():
    """By hand: of each cosine transform what its groups do not account for."""
    values = persistent("groups persist, shocks", 5)
    frame, groups = rows(values)
    record = diebold_mariano_groups(frame, groups, QUESTION)
    both = tuple(frame[side].to_numpy() for side in ("first", "second"))
    alone = paired_t_groups(both, groups, QUESTION)
    added = values - values.mean()
    number, points = values.shape
    weights = int(record.assumptions[1].split(", ")[-1].split()[0])
    rho = autocorrelation(added.mean(axis=0))
    order = np.arange(1, weights + 1)
    cosines = math.sqrt(2 / points) * np.cos(
        np.pi * order[:, None] * (np.arange(points) + 0.5) / points
    )
    falls = 1 + 2 * rho / (1 - rho) ** 2 * (1 - np.cos(np.pi * order / points))
    z = cosines @ added.T
    own = z.var(axis=1, ddof=1) / number
    shared = (falls * (z.mean(axis=1) ** 2 - own)).mean() / points
    of_groups = values.mean(axis=1).var(ddof=1) / number

    assert 0 < shared < (falls * own).mean() / points
    assert record.estimate / record.statistic == pytest.approx(math.sqrt(of_groups + shared))
    assert alone.estimate / alone.statistic == pytest.approx(math.sqrt(of_groups))
    assert record.df == min(number - 1, weights)


def test_persistence_within_groups_is_counted_once():
    """Where groups share nothing the error is on average near that of independent groups."""
    ratios = []
    for seed in range(60):
        values = persistent("groups persist", seed)
        record = diebold_mariano_groups(*rows(values), QUESTION)
        of_groups = values.mean(axis=1).std(ddof=1) / math.sqrt(len(values))
        ratios.append(record.estimate / record.statistic / of_groups)
    assert min(ratios) == pytest.approx(1)
    assert np.mean(ratios) < 1.45  # 1.62 where own persistence counts in groups and in time


@pytest.mark.parametrize("kind", ["groups persist", "both persist", "shocks persist"])
def test_of_panels_in_which_nothing_differs_few_are_rejected(kind):
    rates = panels.rates(kind, 12, 90, 150)
    assert rates["panel"][0] <= band(150)
    if kind != "groups persist":
        assert rates["groups"][0] > 0.15


def of_stores(points: int, gain: float, seed: int = 3) -> pl.DataFrame:
    """Twelve stores over days; the second model has errors that are larger by a share."""
    random = np.random.default_rng(seed)
    shape = (12, points)
    truth = random.normal(10, 3, shape)
    errors = random.normal(size=(2, *shape)) * np.array([1, 1 + gain])[:, None, None]
    days = np.tile(np.arange(points), 12)
    stores = np.repeat(np.arange(12), points)
    return pl.DataFrame(
        {
            "store": stores,
            "day": days,
            "y": truth.ravel(),
            "a": (truth + errors[0]).ravel(),
            "b": (truth + errors[1]).ravel(),
        }
    )


SPEC = {
    "data": "x",
    "truth": "y",
    "models": {"a": {"estimate": "a"}, "b": {"estimate": "b"}},
    "columns": {"group": "store", "time": "day"},
    **QUICK,
}


def test_twelve_stores_over_ninety_days_are_enough_for_a_conclusion():
    results = evaluate(SPEC, of_stores(90, 0.5))
    assert results.decision.test == "diebold_mariano_groups"
    assert results.decision.headline.startswith("a beats b")
    of_groups = results.comparisons.filter(comparison="paired_t_groups")
    assert all("share at a time point" in why for why in of_groups["why"])


def test_fewer_days_are_too_few():
    results = evaluate(SPEC, of_stores(60, 0.5))
    assert results.decision.relation == "no conclusion"
    assert "needs at least 90" in results.decision.headline


@pytest.mark.parametrize(("seed", "adds"), [(3, True), (5, False)])
def test_where_time_adds_nothing_the_test_of_groups_is_the_same_and_left_out(seed, adds):
    results = evaluate(SPEC, of_stores(365, 0.2, seed))
    of_measure = results.comparisons.filter(metric="mean_absolute_error")
    assumed = of_measure.filter(comparison="diebold_mariano_groups")["assumptions"].to_list()[0]
    assert any("add nothing" in text for text in assumed) != adds
    assert ("paired_t_groups" in of_measure["comparison"].to_list()) == adds
    asked = evaluate(SPEC | {"comparisons": {"test": "paired_t_groups"}}, of_stores(365, 0.2, seed))
    assert "paired_t_groups" in asked.comparisons["comparison"].to_list()


def test_limits_by_group_are_withheld_where_shocks_persist_and_hold_where_groups_do():
    of_all, _, without = withheld_in_time.rates("shocks persist", 8, 90, 25)

    assert of_all < 0.8
    assert without >= 0.9
    of_all, of_given, without = withheld_in_time.rates("groups differ and persist", 8, 90, 25)
    assert min(of_all, of_given) >= 0.88
    assert without <= 0.4
