"""What two periods differ in: tests of shift, and a change split into mix and within."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, ks_2samp, ncx2
from sklearn.metrics import roc_auc_score

from reportgen.comparing.change_parts import Named, Period, change_of_mean
from reportgen.comparing.period_changes import RankedPeriod, change_of_area
from reportgen.comparisons.two_periods import (
    PeriodUnits,
    PermutationTest,
    Quantity,
    binned,
    kolmogorov_smirnov,
    permutation_test,
    stability_index,
)
from tests.simulations.shifts import SITUATIONS, levels

PARTS = ("change", "mix", "within")


NAMED = Named("m", "accuracy", "site", ("a", "b", "c"))


def half_widths(change):
    """Of the limits of the change, of the mix and within."""
    ends = [(getattr(change, f"{p}_low"), getattr(change, f"{p}_high")) for p in PARTS]
    return [(high - low) / 2 for low, high in ends]


@pytest.mark.parametrize(
    ("before", "now", "p", "q"),
    [
        ([20.0, 30.0, 50.0], [20.0, 20.0, 10.0], [0.2, 0.3, 0.5], [0.4, 0.4, 0.2]),
        ([10.0, 0.0], [5.0, 5.0], [10.5 / 11, 0.5 / 11], [0.5, 0.5]),
    ],
)
def test_the_stability_index_is_the_sum_over_bins_of_which_empty_ones_have_half_a_row(
    before, now, p, q
):
    by_hand = sum((b - a) * np.log(b / a) for a, b in zip(p, q, strict=True))

    assert stability_index(np.array(before), np.array(now)) == pytest.approx(by_hand)


def test_the_distance_of_distribution_functions_is_that_of_scipy_and_counts_weights():
    random = np.random.default_rng(5)
    first, second = random.normal(size=80).round(1), random.normal(0.4, size=60).round(1)
    twice = Quantity(first, np.full(80, 2.0)), Quantity(np.repeat(second, 3))

    assert kolmogorov_smirnov(*twice) == pytest.approx(ks_2samp(first, second).statistic)


def test_rows_give_the_same_p_by_their_counts_and_as_units():
    random = np.random.default_rng(7)
    sides = [Quantity(random.normal(mean, size=90)) for mean in (0.0, 0.35)]
    alone = PeriodUnits(np.arange(90), np.arange(90))

    by_counts, by_units = (permutation_test(*sides, units)[0] for units in (PeriodUnits(), alone))
    assert by_counts == pytest.approx(by_units, abs=0.03)
    assert 0.001 < by_counts < 0.3


def test_the_upper_limit_of_the_index_is_that_of_scipy_and_the_same_by_counts_and_as_units():
    """Of independent rows N is about 1/(1/n + 1/m), so that limits of few rows are far apart."""
    random = np.random.default_rng(11)
    alone = PeriodUnits(np.arange(400), np.arange(300))
    sides = Quantity(random.normal(size=400)), Quantity(random.normal(0.3, size=300))
    bins = binned(*sides)

    limits = [
        permutation_test(*sides, units).upper_limit(*bins, 0.05) for units in (PeriodUnits(), alone)
    ]
    rows = 1 / (1 / 400 + 1 / 300)
    noncentral = ncx2(9, limits[0] * rows)

    assert limits[0] == pytest.approx(limits[1], rel=0.05)
    assert noncentral.cdf(stability_index(*bins) * rows) == pytest.approx(0.05, abs=0.02)


def test_the_limit_has_the_degrees_of_freedom_of_the_permutations():
    """Indices like twice a χ² with 2 df, of ten bins: the rows are in few groups."""
    before, now = np.full(10, 10.0), np.array([20.0, *[10.0] * 8, 0.5])
    test = PermutationTest(1.0, 2 * chi2(2).ppf((np.arange(20_000) + 0.5) / 20_000))
    limit = test.upper_limit(before, now, 0.05)

    assert ncx2(2, limit / 2).cdf(stability_index(before, now) / 2) == pytest.approx(
        0.05, abs=0.001
    )


def test_rows_of_groups_leave_a_larger_shift_open():
    random = np.random.default_rng(3)
    values = [np.repeat(random.normal(size=30), 10) for _ in range(2)]
    sides = [Quantity(side) for side in values]
    groups = PeriodUnits(np.repeat(np.arange(30), 10), np.repeat(np.arange(30), 10))
    plain, grouped = (
        permutation_test(*sides, units).upper_limit(*binned(*sides), 0.05)
        for units in (PeriodUnits(), groups)
    )

    assert stability_index(*binned(*sides)) < plain < grouped
    assert (
        permutation_test(sides[0], sides[0], groups).upper_limit(*binned(*sides[:1] * 2), 0.05) == 0
    )


def test_rows_of_one_group_count_as_one():
    random = np.random.default_rng(3)
    values = [np.repeat(random.normal(size=8), 50) for _ in range(2)]
    sides = [Quantity(side) for side in values]
    groups = PeriodUnits(np.repeat(np.arange(8), 50), np.repeat(np.arange(8), 50))

    assert permutation_test(*sides, PeriodUnits())[0] == 0.001
    assert permutation_test(*sides, groups)[0] > 0.05


def test_many_units_are_merged_at_random_and_tested_as_they_are():
    random = np.random.default_rng(6)
    first, second = random.normal(size=12_000), random.normal(0.06, size=9_000)
    by_counts = permutation_test(Quantity(first), Quantity(second), PeriodUnits())
    alone = PeriodUnits(np.arange(12_000), np.arange(9_000))
    by_units = permutation_test(Quantity(first), Quantity(second), alone)

    assert len(by_units.indices) == 999
    assert by_counts[0] < 0.05
    assert by_units[0] < 0.05


@pytest.mark.parametrize("name", ["rows, 150 and 100", "8 groups of 10 and 8 of 10"])
def test_the_tests_hold_their_level_where_nothing_shifts(name):
    result = levels(SITUATIONS[name], 30, seed=1)

    assert max(result["truth"], result["score"], result["slices"], result["any, adjusted"]) <= 0.185


def periods(limits=True):
    random = np.random.default_rng(0)
    sides = []
    for size, shares, means in ((400, (0.5, 0.3, 0.2), 0.9), (300, (0.2, 0.3, 0.5), 0.8)):
        cells = random.choice(3, size, p=shares)
        values = (random.random(size) < means - 0.1 * cells).astype(float)
        units = np.arange(size) + 400 * len(sides)
        sides.append(Period(values, cells, np.ones(size), units if limits else None))
    return sides


def test_mix_and_within_add_up_to_the_change():
    before, now = periods()
    change = change_of_mean(replace(NAMED, units="rows"), before, now)

    assert change.mix + change.within == pytest.approx(change.change, abs=1e-12)
    assert change.change == pytest.approx(now.values.mean() - before.values.mean())
    assert sum(part.mix + part.within for part in change.parts) == pytest.approx(change.change)


def test_equal_values_in_all_cells_leave_nothing_within():
    sides = [
        Period(np.array([1.0, 0.0, 1.0, 1.0])[cells], np.array(cells), np.ones(len(cells)))
        for cells in ([0, 1, 2], [0, 1, 1, 1])
    ]
    change = change_of_mean(NAMED, *sides)

    assert (change.within, change.mix) == pytest.approx((0.0, 0.25 - 2 / 3))
    assert change.interval is None


def test_limits_are_as_wide_as_those_of_resampled_rows():
    before, now = periods()
    change = change_of_mean(replace(NAMED, units="rows"), before, now)
    random = np.random.default_rng(1)
    resampled = []
    for _ in range(1500):
        sides = []
        for side in (before, now):
            at = random.integers(0, len(side.values), len(side.values))
            sides.append(Period(side.values[at], side.cells[at], side.weights))
        one = change_of_mean(NAMED, *sides)
        resampled.append((one.change, one.mix, one.within))
    assert half_widths(change) == pytest.approx(1.96 * np.std(resampled, axis=0), rel=0.08)


def test_limits_are_as_wide_as_those_of_resampled_groups_whose_level_goes_with_their_slices():
    random = np.random.default_rng(3)
    sides, size = [], 5
    for count, slope in ((300, 0.5), (30, 3.0)):
        level = np.repeat(random.normal(size=count), size)
        noise = random.normal(size=(2, count * size))
        cells = np.clip(np.rint(level + 0.7 * noise[0]) + 1, 0, 2).astype(int)
        values = level + slope * cells + 0.3 * noise[1]
        units = np.repeat(np.arange(count), size) + 300 * len(sides)
        sides.append(Period(values, cells, np.ones(count * size), units))
    change = change_of_mean(replace(NAMED, units="groups"), *sides)
    resampled = []
    for _ in range(600):
        again = []
        for side in sides:
            groups = random.integers(0, len(side.values) // size, len(side.values) // size)
            at = (groups[:, None] * size + np.arange(size)).ravel()
            again.append(Period(side.values[at], side.cells[at], side.weights))
        one = change_of_mean(NAMED, *again)
        resampled.append((one.change, one.mix, one.within))
    assert half_widths(change) == pytest.approx(1.96 * np.std(resampled, axis=0), rel=0.12)


def test_a_change_of_an_area_is_split_over_pairs_of_slices():
    random = np.random.default_rng(2)
    sides, areas = [], []
    for north in (0.7, 0.3):
        cells = (random.random(300) > north).astype(int)
        truth = random.random(300) < 0.4
        scores = (random.normal(size=300) + truth * (1 + 2 * cells)).round(1)
        sides.append(RankedPeriod(scores, truth, cells, np.ones(300)))
        areas.append(roc_auc_score(truth, scores))
    change = change_of_area(Named("m", "auc", "site", ("north", "south")), *sides)

    assert (change.before, change.now) == pytest.approx(areas)
    assert change.mix + change.within == pytest.approx(areas[1] - areas[0])
    assert len(change.parts) == 4
    assert change.mix > 0


def test_limits_of_an_area_are_as_wide_as_those_of_resampled_rows():
    random = np.random.default_rng(4)
    named, sides = Named("m", "auc", "site", ("north", "south")), []
    for north in (0.7, 0.4):
        cells = (random.random(250) > north).astype(int)
        truth = random.random(250) < 0.4
        scores = random.normal(size=250) + truth * (1 + cells)
        units = np.arange(250) + 250 * len(sides)
        sides.append(RankedPeriod(scores, truth, cells, random.exponential(size=250), units))
    change = change_of_area(replace(named, units="rows"), *sides)
    resampled = []
    for _ in range(600):
        at = [random.integers(0, 250, 250) for _ in sides]
        lines = [
            RankedPeriod(side.scores[k], side.positive[k], side.cells[k], side.weights[k])
            for side, k in zip(sides, at, strict=True)
        ]
        one = change_of_area(named, *lines)
        resampled.append((one.change, one.mix, one.within))
    assert half_widths(change) == pytest.approx(1.96 * np.std(resampled, axis=0), rel=0.12)
