"""The tests that may be recommended hold their level, and what they replace does not.

The small form looks for gross faults in a few seconds; `make levels` measures every situation.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom

from reportgen.comparisons import TESTS, Pairs, Question, mcnemar
from reportgen.intervals import PAIRED
from tests.breadth import breadth
from tests.simulations import group_folds, rare_folds, rows, slices, whole_folds
from tests.simulations.__main__ import MODULES
from tests.simulations.situations import ALPHA, SITUATIONS, measured

SLOW = pytest.mark.slow

MOST = 0.065
"""What a test that may be recommended rejects at most where nothing differs."""

HOLD = {
    "diebold_mariano": (
        "30 points of time, autoregression 0.8",
        "100 points of time, autoregression 0",
        "100 points of time, autoregression 0.9",
        "100 points of time, autoregression 0.6 and 0.3",
        "300 points of time, autoregression 0.5",
    ),
    "delong_long_run": (
        "400 points of time, autocorrelation 0.8 of scores and classes, 0.3 positive",
    ),
    "diebold_mariano_groups": (
        "1200 rows, 24 groups, 200 points of time: groups and points, autocorrelation 0.8",
        "600 rows, 10 groups, 600 points of time: groups alone",
    ),
    "delong_groups_long_run": (
        "1200 rows, 24 groups, 200 points of time, AUCs with 0.3 positive: groups and points, "
        "autocorrelation 0.5",
    ),
    "expected_cost": (
        "scores made of the other model's labels, 30 positives of 60",
        "scores and labels with like cost curves, 10 positives of 60",
        "normal scores and labels with one area, 100 positives of 200",
        "normal scores and labels with one area, 1000 positives of 2000",
        "normal scores against a perfect model, 10 positives of 60",
        "normal scores against a perfect model, 100 positives of 200",
        "scores with AUC 0.80, 30 positives of 60",
    ),
    "mcnemar_midp": ("decisions, 20 rows", "decisions, 200 rows"),
    "non_inferiority_score": (
        "a difference of the margin, 60 rows",
        "AUCs of 0.93 and 0.98, 30 positives and 30 negatives",
        "40 groups of 15, a difference in AUC of the margin",
    ),
    "corrected_resampled_t": ("10 folds, 200 rows, centroids",),
    "corrected_t_repeats": (
        "5 × 2 folds, 60 rows, no signal",
        "15 splits, 60 rows, signal 0.5, where AUC is recommended",
        "15 splits, 400 rows, signal 0.15, where AUC is recommended",
    ),
    "wilcoxon": ("two models on 6 data sets", "two models on 15 data sets, ties"),
    "delong": ("normal scores and labels with one AUC, 10 positives of 60",),
    "obuchowski": ("40 groups of 15", "20 groups of 30 on average, five models"),
    "mcnemar_groups": ("40 groups of 15 on average",),
    "cochran_groups": ("20 groups of 30 on average, five models",),
    "expected_cost_groups": ("20 groups of 30 on average",),
    "rao_scott": ("40 groups of 15 on average, a share of 0.7, greater",),
    "mcnemar_weighted": (
        "200 rows, weights of log-spread 1, 30% discordant",
        "200 rows, 10% of 10 times the weight, 10% of the light discordant",
        "20 groups of 15, weights of log-spread 0.5",
    ),
    "rao_scott_weighted": (
        "200 rows, weights of log-spread 1, a share of 0.7, greater",
        "1000 rows, weights of log-spread 1, a share of 0.9, less",
        "40 groups of 15, weights of log-spread 0.5, a share of 0.7, two-sided",
    ),
    "paired_t": (
        "50 rows, errors of the second model t(3), sizes, where recommended",
        "300 rows, errors of the second model t(3), where recommended",
        "500 rows, errors of the second model of one size, where recommended",
    ),
    "paired_t_weighted": (
        "20 rows, weights of log-spread 1, normal errors, where recommended",
        "200 rows, weights of log-spread 0.5, alike heavy errors, where recommended",
        "200 rows, weights of log-spread 1, heavy errors, where recommended",
        "40 groups of 15, weights of log-spread 1, normal errors, where recommended",
    ),
    "declared_costs": (
        "costs 5 : 1, 10% and 0% of the positives missed, 50 positives of 2000",
        "costs 20 : 1, 3% and 0% of the positives missed, 100 positives of 1000",
        "costs 10 : 1, 30% and 10% of the positives missed, 40 groups of 15",
        "costs 20 : 1, 30% and 10% of the positives missed, 400 rows, weights of log-spread 0.5",
        "costs of three classes, 20 of 400 costly, 5% of them missed",
    ),
    "rao_scott_blocks": (
        "1000 points of time, autocorrelation 0.8, a share of 0.3, two-sided",
        "1000 points of time, autocorrelation 0.8, a share of 0.1, less",
    ),
    "paired_t_groups": (
        "40 groups of 15, numbers",
        "10 groups of 15, groups of one model with heavy tails, where recommended",
        "40 groups of 15, rows of one model with heavy tails, where recommended",
        "40 groups of 15, groups of one model with heavy tails, where recommended",
        "200 groups of 3, groups of one model with heavy tails, where recommended",
    ),
    "non_inferiority": (
        "1000 rows, no heavy tails, MSE larger by 1, where nothing is against it",
        "600 rows, rows of heavy tails, MSE larger by 0.3, where nothing is against it",
    ),
    "gap:recall": ("20 groups of 30 on average, nested slices",),
    "gap:auc": (
        "slices of 30 and 300 rows, AUC 0.8, heavy errors",
        "20 groups of 30 on average, crossing slices",
    ),
    "gap:root_mean_squared_error": (
        "slices of 30 and 300 rows, AUC 0.6, normal errors",
        "20 groups of 15 on average, numbers, nested slices",
    ),
    "gap:mean_absolute_error": ("10 groups of 15, numbers, crossing slices",),
    "gap:precision": ("40 groups of 15, crossing slices",),
}
"""Situations in which a test is said to hold its level."""

CASES = [(test, name) for test, names in HOLD.items() for name in names]


ONE_OF_EACH = [(test, names[0]) for test, names in HOLD.items()]


def band(runs: int) -> float:
    """What a test with a level of ``MOST`` exceeds in one of 700 simulations."""
    return MOST + 3 * sqrt(MOST * (1 - MOST) / runs)


@breadth(("test", "name"), CASES, ONE_OF_EACH)
def test_a_test_that_may_be_recommended_holds_its_level(test, name):
    scenario = SITUATIONS[name]
    runs = 25
    rates = {r.test: r for r in measured(name, round(runs / scenario.share), power=False)}
    assert rates[test].level <= band(runs)


@pytest.mark.slow
@pytest.mark.parametrize(("test", "name"), CASES)
def test_of_two_thousand_true_nulls_it_rejects_few(test, name):
    scenario = SITUATIONS[name]
    rates = {r.test: r for r in measured(name, round(2000 / scenario.share), power=False)}
    assert rates[test].level <= MOST


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "most"), [(400, MOST), pytest.param(4000, MOST, marks=SLOW)])
def test_the_recommendation_of_a_test_selects_no_data_in_which_models_differ(runs, most):
    """Of the reports that recommend it; chosen by the better AUC it rejected 0.26 of these."""
    name = "15 splits, 100 rows, signal 0.3, where AUC is recommended"
    [rates] = measured(name, runs, power=False)
    assert rates.defined > 0.1
    assert rates.level <= most * rates.defined


OVER_FOLDS = (
    (group_folds, group_folds.DESIGNS[0]),
    (rare_folds, rare_folds.DESIGNS[2]),
    (rare_folds, rare_folds.DESIGNS[4]),
)


@pytest.mark.parametrize(("module", "design"), OVER_FOLDS)
@pytest.mark.parametrize("runs", [20, pytest.param(1000, marks=SLOW)])
def test_over_folds_of_groups_and_of_rare_classes_what_is_recommended_rejects_few(
    module, design, runs
):
    """Of each of two measures, among the data sets in which its test is recommended."""
    outcomes = [module.rejected(design, np.random.default_rng([8, k])) for k in range(runs)]
    counts = np.sum(outcomes, axis=0)[:, 1:]
    assert counts[0, 0] > 0
    for recommended, rejected in counts[counts[:, 0] > 0]:
        assert rejected <= band(recommended) * recommended


@breadth("design", whole_folds.DESIGNS, 2)
def test_a_report_over_folds_has_the_p_and_the_recommendation_that_are_simulated(design):
    assert whole_folds.compared(design, seed=0) == [(True, True)] * 2


def test_what_was_replaced_rejects_too_often():
    """Fixed lags where losses persist, naive t-tests of folds that overlap and of rare costs."""
    lags = {r.test: r for r in measured("100 points of time, autoregression 0.8", 120, power=False)}
    assert lags["diebold_mariano_lags"].level > 2 * ALPHA
    naive = {r.test: r for r in measured("15 splits, 200 rows, centroids", 320, power=False)}
    assert naive["paired_t_folds"].level > 2 * ALPHA
    rare = "costs 20 : 1, 3% and 0% of the positives missed, 30 positives of 600"
    of_costs = {r.test: r for r in measured(rare, 60, power=False)}
    assert of_costs["paired_cost"].level > 2 * ALPHA > of_costs["declared_costs"].level


def rejections(n: int, discordant: float, form: str) -> tuple[float, float]:
    """Exact rejections of a form of McNemar's test: of a true null, and of shares 3 : 1."""
    level = power = 0.0
    for m in range(1, n + 1):
        chance = float(binom.pmf(m, n, discordant))
        if chance < 1e-9:
            continue
        for few in range(m // 2 + 1):
            records = mcnemar(Pairs(n - m, few, m - few, 0), QUESTION)
            [p] = [r.p_value for r in records if r.comparison == form]
            if p >= ALPHA:
                break
            both = {few, m - few}
            level += chance * sum(float(binom.pmf(k, m, 0.5)) for k in both)
            power += chance * sum(float(binom.pmf(k, m, 0.75)) for k in both)
    return level, power


QUESTION = Question(("a", "b"), "accuracy", alpha=ALPHA)


@breadth("rows_", [20, 50], 1)
@pytest.mark.parametrize("discordant", [0.1, 0.3, 0.6])
def test_the_midp_test_comes_nearer_to_its_level_than_the_exact_one_and_does_not_exceed_it(
    rows_, discordant
):
    midp, exact = (
        rejections(rows_, discordant, form) for form in ("mcnemar_midp", "mcnemar_exact")
    )
    assert exact[0] <= midp[0] <= 0.0505  # Fagerland et al. (2013): 0.0501 at most in table 6
    assert exact[1] <= midp[1]


@pytest.mark.parametrize("rows_", [20, 50])
@pytest.mark.parametrize("form", ["midp_paired", "tango"])
def test_the_limits_beside_mcnemars_test_cover(rows_, form):
    """Exactly, over all tables: at least 0.93, whatever the share of discordant rows."""
    tables = [(b, c) for b in range(rows_ + 1) for c in range(rows_ + 1 - b)]
    limits = np.array([PAIRED[form](rows_ - b - c, b, c, 0, 0.95) for b, c in tables])
    counts = np.array(tables)
    for discordant in (0.1, 0.3, 0.6, 0.9):
        for share in (0.5, 0.6, 0.8, 1.0):
            only = binom.pmf(counts.sum(axis=1), rows_, discordant) * binom.pmf(
                counts[:, 0], counts.sum(axis=1), share
            )
            true = discordant * (2 * share - 1)
            inside = (limits[:, 0] <= true + 1e-9) & (true - 1e-9 <= limits[:, 1])
            assert only[inside].sum() >= 0.93


def test_normal_scores_and_labels_have_one_area():
    q = rows.SHARE_OF_LABELS
    assert q * (1 - q) == pytest.approx(rows.normal_cost(1.5))


OF_EACH_KIND = {one.draw.__code__: name for name, one in reversed(SITUATIONS.items())}


@pytest.mark.parametrize("name", OF_EACH_KIND.values())
def test_one_situation_of_each_kind_can_be_drawn(name):
    """With an effect, where there is one, as without: nobody runs all of them every day."""
    assert measured(name, max(round(1 / SITUATIONS[name].share), 1))


def test_every_situation_makes_registered_tests():
    # All situations are registered by their import.
    assert MODULES
    for test, names in HOLD.items():
        assert test in TESTS or test.removeprefix("gap:") in slices.MEASURES
        assert set(names) <= SITUATIONS.keys()
