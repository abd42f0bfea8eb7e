"""Whole reports of simulated data: false conclusions, coverage, and gates that agree with tests.

Run with ``-m slow`` for 300 data sets of each situation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from scipy.stats import binom

from tests.report_data import Rows, apart, autocorrelated, data_sets, resampled
from tests.report_designs import DESIGNS
from tests.report_levels import Shares, Situation, Truth

GROUP = {"group": "group"}
FITS = {name: name for name in ("id", "repeat", "fold", "role")}
SETS = {"dataset": "dataset", "model": "model", "value": "value"}
COSTS = {"false_negative": 5, "false_positive": 1}
GATES = ["a.auc - b.auc > 0", "a.accuracy - b.accuracy > 0", "a.brier_score - b.brier_score < 0"]
COST_GATES = [*GATES, "a.cost_sensitive_error_rate - b.cost_sensitive_error_rate < 0"]

LEVEL, PASSES = 0.065, 0.0325
"""Most rejections where nothing differs, and most gates that pass: one side."""

COVERS = ("auc", "accuracy", "balanced_accuracy", "recall", "f1", "brier_score", "mcc")

Spec = Callable[[Truth], Mapping[str, Any]]


def of_scores(models: str = "ab", **more: Any) -> Spec:
    spec = {"truth": "truth", "models": {m: {"score": m} for m in models}, **more}
    return lambda _: spec


def of_numbers(_: Truth) -> Mapping[str, Any]:
    gates = ["a.mean_squared_error - b.mean_squared_error < 0"]
    return {"truth": "truth", "models": {m: {"estimate": m} for m in "ab"}, "gates": gates}


def of_classes(_: Truth) -> Mapping[str, Any]:
    models = {m: {"scores": {k: m + k for k in "xyz"}} for m in "ab"}
    return {"truth": "truth", "models": models, "gates": ["a.accuracy - b.accuracy > 0"]}


def of_labels(_: Truth) -> Mapping[str, Any]:
    models = {m: {"scores": {k: m + k for k in "xyz"}} for m in "ab"}
    return {"truth": {k: f"is_{k}" for k in "xyz"}, "models": models}


def claims(truth: Truth) -> Mapping[str, Any]:
    """Claims that are just true."""
    named = [f"a.{m} >= {truth[m, 'a']:.6f}" for m in ("accuracy", "recall") if truth]
    return {**of_scores()(truth), "comparisons": {"claims": named}}


def of_table(**more: Any) -> Spec:
    return lambda _: {"task": "comparison", "measure": "accuracy", **more}


COSTLY = of_scores(costs=COSTS, gates=COST_GATES)
TREES = resampled("k_fold", "trees", 0.8, folds=10)
CENTROIDS = resampled("k_fold", "centroids", 0.5, folds=10)
LEAVE_ONE_OUT = resampled("leave_one_out", "centroids", 0.3, rows=40)
REPEATED = resampled("repeated_hold_out", "centroids", 0.5, repeats=15)

SITUATIONS = {
    "40 groups of 15": Situation(
        Rows(40, 15, 0.6),
        of_scores(costs=COSTS, gates=COST_GATES, slices=["site", "part"]),
        300,
        columns=GROUP,
    ),
    "groups of unequal size": Situation(
        Rows(40, 15, 0.6, unequal=True), COSTLY, 300, columns=GROUP
    ),
    "8 groups": Situation(Rows(8, 15, 0.6), COSTLY, columns=GROUP),
    "groups, three models": Situation(
        Rows(40, 15, 0.6, models="abc"), of_scores("abc"), columns=GROUP
    ),
    "groups, claims": Situation(Rows(40, 15, 0.6), claims, 300, columns=GROUP),
    "groups, numbers": Situation(Rows(40, 15, 0.6, task="regression"), of_numbers, columns=GROUP),
    "groups, classes": Situation(Rows(40, 15, 0.6, task="multiclass"), of_classes, columns=GROUP),
    "groups, labels": Situation(Rows(40, 15, 0.6, task="multilabel"), of_labels, columns=GROUP),
    "60 rows, 10 positives": Situation(Rows(60, positives=10, separation=1.5), COSTLY),
    "60 rows, ties": Situation(Rows(60, positives=10, separation=1.5, step=1.0), COSTLY),
    "200 rows, 10 positives": Situation(Rows(200, positives=10, separation=1.5), COSTLY),
    "200 rows": Situation(Rows(200), COSTLY, 1000),
    "five models and a baseline": Situation(
        Rows(200, models="abcde"), of_scores("abcde", baseline="a")
    ),
    "examples of their own": Situation(
        apart,
        lambda _: {"truth": "truth", "models": {"column": "model", "score": "p"}},
        columns={"id": "id"},
    ),
    "10 folds, trees": Situation(TREES, COSTLY, columns=FITS),
    "10 folds, centroids": Situation(CENTROIDS, COSTLY, columns=FITS),
    "15 splits": Situation(REPEATED, COSTLY, columns=FITS),
    "leave-one-out": Situation(LEAVE_ONE_OUT, of_scores(), columns=FITS),
    "in time, numbers": Situation(
        autocorrelated("regression"), of_numbers, columns={"time": "time"}
    ),
    "in time, decisions": Situation(
        autocorrelated("binary"), of_scores(gates=GATES[1:2]), columns={"time": "time"}
    ),
    "14 data sets": Situation(data_sets(14, "abcd"), of_table(), columns=SETS),
    "14 data sets, baseline": Situation(
        data_sets(14, "abcde"), of_table(baseline="a"), columns=SETS
    ),
    "3 data sets": Situation(data_sets(3, "abcd"), of_table(), columns=SETS),
    **DESIGNS,
}

QUICK = ("8 groups", "15 splits")

ONE_SIDED = 0.04
"""Most limits on one side that miss the truth."""


CHANCE = 1e-4
"""How rarely chance alone may show a share: every situation has a hundred of them."""


def above(shares: Shares, kind: str, most: float) -> Shares:
    """What happens more often than allowed, beyond the chance of so few runs (binomial tail)."""
    return {
        name: (rejected, runs)
        for name, (rejected, runs) in shares.items()
        if name[0] == kind and binom.sf(rejected - 1, runs, most) < CHANCE
    }


def below(shares: Shares, kind: str, least: float, measures: tuple[str, ...]) -> Shares:
    """Limits that cover less often than required, beyond the chance of so few runs."""
    return {
        name: (rejected, runs)
        for name, (rejected, runs) in shares.items()
        if name[0] == kind
        and name[1].split(" ")[0] in measures
        and binom.cdf(rejected, runs, least) < CHANCE
    }


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        *((name, 6) for name in QUICK),
        *(pytest.param(name, 300, marks=pytest.mark.slow) for name in SITUATIONS),
    ],
)
def test_reports_of_models_that_do_not_differ_conclude_no_more_than_their_level(name, runs):
    situation = SITUATIONS[name]
    shares = situation.counted(runs)

    if situation.alike:
        assert not above(shares, "rejects", LEVEL)
        assert not above(shares, "concludes", LEVEL)
    assert not above(shares, "margin", LEVEL)
    assert not above(shares, "gap", LEVEL)
    assert not above(shares, "passes", PASSES)
    assert not above(shares, "disagrees", 0.0)
    if situation.scale:
        assert not below(shares, "covers", 0.92, COVERS)
        of_covers = {k: v for k, v in shares.items() if k[1].split(" ")[0] in COVERS}
        assert not above(of_covers, "too high", ONE_SIDED)
        assert not above(of_covers, "too low", ONE_SIDED)
    if not name.startswith(("in time", "leave-one-out")):
        assert not below(shares, "covers difference", 0.92, COVERS)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_limits_of_differences_under_leave_one_out_allow_for_the_fits(runs):
    """Those of rows as of one model covered 0.77 to 0.90."""
    shares = SITUATIONS["leave-one-out"].counted(runs)
    covered = {name[1] for name in shares if name[0] == "covers difference"}

    assert any(name.startswith("accuracy of") for name in covered)
    assert not any(name.startswith("auc of") for name in covered)
    assert not below(shares, "covers difference", 0.92, COVERS)


def test_leave_one_out_recommends_no_test():
    shares = SITUATIONS["leave-one-out"].counted(2)

    assert not [name for name in shares if name[0] == "rejects"]
    assert shares["concludes", "a model is ahead"] == (0, 2)
