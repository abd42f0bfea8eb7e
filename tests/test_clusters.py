"""Rows in groups: robust variances, which are the plain ones where rows are independent."""

import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reportgen.clustered_areas import ClassesByGroup, area_variances, clustered_areas
from reportgen.clusters import (
    Effect,
    Groups,
    covariance_of_sum,
    degrees_of_freedom,
    intraclass_correlation,
    ranks_of_hashes,
    t_quantile,
    variance_of_sum,
)
from reportgen.comparisons import area_covariance as covariance_of_areas
from reportgen.comparisons.area_covariances import placement_shares

CODES = st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=40)


def test_codes_are_dense_and_a_missing_name_is_a_group_of_its_own():
    groups = Groups.of(pl.Series(["x", None, "y", "x", None]))

    assert groups.number == 4
    assert sorted(set(groups.code)) == [0, 1, 2, 3]
    assert groups.code[0] == groups.code[3]
    assert groups.code[1] != groups.code[4]


@pytest.mark.parametrize(
    "names",
    [
        pl.Series([7, 3, 3, 9, 7]),
        pl.Series([10**12, -5, -5, 10**15, 10**12]),
        pl.Series([7, 3, 3, 9, 7, None]),
    ],
)
def test_integers_keep_their_order(names):
    assert Groups.of(names).code[:5].tolist() == [1, 0, 0, 2, 1]


def test_texts_have_the_order_of_their_hashes():
    """In any order of the rows, and also where the first bits of two hashes are the same."""
    names = pl.Series(np.random.default_rng(2).integers(0, 300, 2000)).cast(pl.String)
    for rows in (names, names.sort()):
        expected = rows.hash().rank("dense").to_numpy() - 1
        assert (Groups.of(rows).code == expected).all()
    hashes = np.array([2, 1, 2**63 + 1, 1, 2**63, 0], np.uint64)
    assert ranks_of_hashes(hashes)[0].tolist() == [2, 1, 4, 1, 3, 0]


@given(CODES)
def test_sums_by_group_are_those_of_polars(codes):
    values = np.arange(len(codes), dtype=float)
    named = [code or f"row {k}" for k, code in enumerate(codes)]
    frame = pl.DataFrame({"group": named, "value": values})
    expected = frame.group_by("group").agg(pl.col("value").sum())["value"]

    sums = Groups.of(pl.Series(codes, dtype=pl.String)).sums(values)

    assert sorted(sums) == sorted(expected)


def test_the_variance_is_the_sandwich_of_a_mean_with_clusters():
    """Of the intercept alone, by matrices: (X'X)⁻¹ Σ X_g'e_g e_g'X_g (X'X)⁻¹·G/(G − 1)."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 7, 50)
    values = rng.normal(size=50)
    residual, design = values - values.mean(), np.ones((50, 1))
    bread = np.linalg.inv(design.T @ design)
    meat = sum(
        design[codes == g].T
        @ np.outer(residual[codes == g], residual[codes == g])
        @ design[codes == g]
        for g in range(7)
    )

    variance = variance_of_sum(residual / 50, Groups.of(pl.Series(codes)))

    assert variance == pytest.approx((bread @ meat @ bread).item() * 7 / 6, rel=1e-12)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50))
def test_one_row_per_group_has_a_design_effect_of_one(values):
    influence = np.array(values) - np.mean(values)
    groups = Groups.of(pl.Series(range(len(values))))
    assert variance_of_sum(influence, groups) == pytest.approx(variance_of_sum(influence), rel=1e-9)


def test_copies_of_rows_count_once():
    """Each row three times as a group: a design effect of 3, but for the corrections n/(n − 1)."""
    values = np.random.default_rng(2).normal(size=40)
    influence = np.repeat(values - values.mean(), 3)
    groups = Groups.of(pl.Series(np.repeat(np.arange(40), 3)))

    ratio = variance_of_sum(influence, groups) / variance_of_sum(influence)
    assert ratio == pytest.approx(3 * (40 / 39) / (120 / 119))
    assert intraclass_correlation(influence, groups) == pytest.approx(1)


def test_the_intraclass_correlation_is_the_one_of_the_analysis_of_variance():
    """Shrout & Fleiss (1979), table 2: ICC(1, 1) = 0.17, doi:10.1037/0033-2909.86.2.420."""
    ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    groups = Groups.of(pl.Series(np.repeat(np.arange(6), 4)))

    assert intraclass_correlation(np.ravel(ratings), groups) == pytest.approx(0.166, abs=0.0005)


@pytest.mark.parametrize("unit", [2.0**-500, 2.0**-200, 2.0**200, 2.0**400])
def test_degrees_of_freedom_depend_on_no_unit(unit):
    """Fourth powers of such sums are no floats."""
    sums = np.random.default_rng(3).normal(size=40) ** 3

    assert degrees_of_freedom(sums * unit) == degrees_of_freedom(sums) < 39


def test_groups_that_carry_most_of_the_variance_leave_few_degrees_of_freedom():
    """One of G alone leaves 2·(G − 1)/(G − 1) = 2 of a formula that equal ones take to G − 1."""
    alike, one = np.tile([1.0, -1.0], 20), np.append(np.zeros(39), 1.0)

    assert degrees_of_freedom(alike) == 39
    assert degrees_of_freedom(one) == pytest.approx(2)
    noise = np.random.default_rng(5).normal(size=(200, 40))
    assert all(1 <= degrees_of_freedom(sums) <= 39 for sums in noise)


def test_one_group_has_no_variance():
    groups = Groups.of(pl.Series(["a", "a"]))

    assert np.isnan(variance_of_sum([1.0, -1.0], groups))
    assert np.isnan(covariance_of_sum(groups.sums(np.array([[1.0], [-1.0]])))).all()
    assert np.isnan(intraclass_correlation([1.0, -1.0], groups))


def _two_models(rows: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    truth = rng.random(rows) < 0.4
    return pl.DataFrame(
        {
            "truth": truth,
            "a": np.round(truth + rng.normal(size=rows), 1),
            "b": np.round(truth + rng.normal(size=rows), 1),
            "weight": rng.uniform(0.2, 3, rows),
        }
    )


@pytest.mark.parametrize("weight", [None, "weight"])
def test_areas_of_one_row_per_group_have_the_covariance_of_delong(weight):
    frame = _two_models()
    groups = Groups.of(pl.Series(range(frame.height)))

    plain = covariance_of_areas(frame, ("a", "b"), weight=weight)
    estimates = covariance_of_areas(frame, ("a", "b"), weight=weight, groups=groups)

    assert estimates.areas == pytest.approx(plain.areas, rel=1e-12)
    assert estimates.covariance == pytest.approx(plain.covariance, rel=1e-12)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_areas_in_groups_have_the_covariance_of_obuchowski(weight):
    """The formula of the paper, written out with loops over pairs, weights as shares.

    Sums of groups of unlike size, or weight, are those of leaving out the group.
    """
    frame, codes = _two_models(), np.random.default_rng(4).integers(0, 9, 60)
    codes[frame["truth"].to_numpy()] %= 5  # some groups have no positive
    truth, groups = frame["truth"].to_numpy(), Groups.of(pl.Series(codes))
    w = frame[weight].to_numpy() if weight else np.ones(60)
    sums = {True: np.zeros((9, 2)), False: np.zeros((9, 2))}
    for k, name in enumerate("ab"):
        score = frame[name].to_numpy()
        above = (score[:, None] > score) + 0.5 * (score[:, None] == score)
        placed = np.where(
            truth,
            (above * (w * ~truth)).sum(axis=1) / w[~truth].sum(),
            (above.T * (w * truth)).sum(axis=1) / w[truth].sum(),
        )
        area = (w * placed)[truth].sum() / w[truth].sum()
        for row in range(60):
            share = w[row] / w[truth == truth[row]].sum()
            sums[bool(truth[row])][codes[row], k] += share * (placed[row] - area)
    for side, number in ((True, 5), (False, 9)):
        rows = truth == side
        share = np.bincount(codes[rows], w[rows], minlength=9) / w[rows].sum()
        sums[side] *= ((1 - 1 / number) / (1 - share))[:, None]
    a, b = sums[True], sums[False]
    expected = 5 / 4 * a.T @ a + 9 / 8 * b.T @ b + 9 / 8 * (a.T @ b + b.T @ a)

    estimates = covariance_of_areas(frame, ("a", "b"), weight=weight, groups=groups)

    assert len(np.unique(codes[truth])) == 5
    assert len(np.unique(codes[~truth])) == 9
    assert estimates.covariance == pytest.approx(expected, rel=1e-10)


def test_an_area_with_a_class_in_one_group_has_no_variance():
    groups = Groups.of(pl.Series(["a", "a", "b", "c"]))
    positive = np.array([True, True, False, False])

    assert np.isnan(
        clustered_areas(np.zeros((4, 1)), ClassesByGroup(positive, groups)).covariance
    ).all()


def test_a_variance_is_inflated_as_far_as_limits_by_students_t_reach():
    """t(39) = 2.022691 and z = 1.959964: Beyer (1991), Standard Mathematical Tables."""
    assert t_quantile(0.95, 39) == pytest.approx(2.022691, abs=1e-6)
    assert Effect(3.0, 39).inflation(0.95) == pytest.approx(
        3 * (2.022691 / 1.959964) ** 2, rel=1e-5
    )


def test_a_million_rows_are_summed_in_milliseconds():
    codes = np.random.default_rng(5).integers(0, 200_000, 1_000_000)
    groups, values = Groups.of(pl.Series(codes)), np.ones(1_000_000)
    groups.sums(values)
    start = time.perf_counter()
    for _ in range(5):
        groups.sums(values)
    assert (time.perf_counter() - start) / 5 < 0.1


def test_limits_of_an_area_allow_for_the_pull_of_large_groups_and_for_few_groups_of_a_class():
    """Without this limits covered 0.89 to 0.93 in 12 groups, and in 20 of which one has 30 %."""
    random = np.random.default_rng(8)
    code = np.repeat(np.arange(7), [30, 8, 5, 5, 4, 4, 4])
    positive = (random.random(60) < 0.5) & (code < 2)
    score = positive + random.normal(size=60) + random.normal(size=7)[code]
    away = placement_shares(score, positive)
    away -= away[positive].mean()

    sums, parts = np.zeros((2, 7)), []
    for k, side in enumerate((positive, ~positive)):
        sizes = np.array([(side & (code == g)).sum() for g in range(7)])
        present = (sizes > 0).sum()
        for g in range(7):
            pull = (1 - 1 / present) / (1 - sizes[g] / sizes.sum())
            sums[k, g] = pull * away[side & (code == g)].sum() / sizes.sum()
        parts.append((present / (present - 1) * (sums[k] ** 2).sum(), present - 1))
    both = 2 * 7 / 6 * (sums[0] * sums[1]).sum()
    freedom = sum(v for v, _ in parts) ** 2 / sum(v**2 / df for v, df in parts)

    of_areas = area_variances(away, ClassesByGroup(positive, Groups(code, 7)))
    assert of_areas.of_groups == pytest.approx(sum(v for v, _ in parts) + both)
    assert of_areas.degrees_of_freedom == pytest.approx(
        min(freedom, degrees_of_freedom(sums.sum(axis=0)))
    )
    assert of_areas.degrees_of_freedom < 6


@pytest.mark.parametrize(("held", "separation"), [(4, 1.0), (4, 3.0), (2, 1.0)])
def test_few_groups_of_a_class_leave_the_difference_of_two_areas_few_degrees_of_freedom(
    held, separation
):
    """With Pan and Wall's alone the test rejected 0.10 where 4 of 40 groups had all positives."""
    random, code = np.random.default_rng(held), np.repeat(np.arange(40), 5)
    positive = code < held
    scores = random.normal(size=(2, 200)) + random.normal(size=(2, 40))[:, code]
    scores += separation * positive
    frame = pl.DataFrame({"truth": positive, "a": scores[0], "b": scores[1]})
    areas = covariance_of_areas(frame, ["a", "b"], groups=Groups(code, 40))

    away = np.subtract(*(placement_shares(score, positive) for score in scores))
    welch = stats.ttest_ind(
        *(away.reshape(40, 5).mean(axis=1)[rows] for rows in (slice(held), slice(held, 40))),
        equal_var=False,
    )
    expected = min(welch.df, 2 * (held - 1))

    assert areas.degrees_of_freedom((0, 1)) == pytest.approx(expected)
    assert degrees_of_freedom(areas.sums[:, 0] - areas.sums[:, 1]) > expected


@pytest.mark.parametrize("seed", [432, 1535, 2209, 2984])
def test_variances_of_weighted_areas_are_never_negative(seed):
    """One group of half the rows, classes of unlike weights: rows that made it negative."""
    random = np.random.default_rng(seed)
    code = np.where(np.arange(60) < 30, 0, random.integers(1, 12, 60))
    positive = random.random(60) < 0.4
    weights = np.exp(1.2 * random.normal(size=60))
    score = random.normal(size=60) + positive + random.normal(size=12)[code]
    placed = placement_shares(score, positive, weights)
    area = np.average(placed[positive], weights=weights[positive])
    groups = Groups.of(pl.Series(code))

    classes = ClassesByGroup(positive, groups, weights)

    assert clustered_areas((placed - area)[:, None], classes).covariance[0, 0] >= 0
