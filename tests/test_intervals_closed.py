"""Closed-form intervals: outside values, the ends of their range, and how often they cover."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import beta, binom, chi2

from reportgen import intervals
from reportgen.comparisons import Comparison, Pairs, Question, mcnemar
from reportgen.counting import counts
from reportgen.intervals import PAIRED, PROPORTIONS, UNPAIRED, optima
from reportgen.intervals.areas import hanley_mcneil_variance
from reportgen.measuring.cell_slopes import SMOOTH, TableCells
from reportgen.metrics import METRICS
from reportgen.sweeping import sweep, with_squares
from tests.breadth import breadth
from tests.cases import agrees, all_cases, rows
from tests.interval_limits import limits_of

BINARY = all_cases("binary")


def name_of(case) -> str:
    return str(case["case"])


def having(name: str, *tasks: str) -> list:
    return [c for c in all_cases(*tasks) if c["expected"].get(name) is not None]


def confusion(case) -> pl.DataFrame:
    spec = case["spec"]
    frame = rows(case).with_columns(truth=pl.col(spec["y_true"]) == spec["positive"])
    decisions = {"model": pl.col(spec["y_pred"]) == spec["positive"]}
    return counts(frame, predicted=decisions, weight=spec.get("sample_weight"))


def assert_limits(case, name: str, limits) -> None:
    low, high = limits
    assert agrees(case, f"{name}.lower", low), (name, low)
    assert agrees(case, f"{name}.upper", high), (name, high)


@pytest.mark.parametrize("case", all_cases("proportion_ci"), ids=name_of)
@pytest.mark.parametrize("name", sorted(PROPORTIONS.keys() - {"wilson_modified"}))
def test_the_limits_of_a_share_are_those_that_outside_programs_give(case, name):
    spec = case["spec"]
    assert_limits(case, name, PROPORTIONS[name](spec["x"], spec["n"], spec["conf"]))


@pytest.mark.parametrize("case", all_cases("proportion_ci"), ids=name_of)
def test_modified_wilson_limits_are_wilsons_or_those_of_one_side_where_these_are_wider(case):
    x, n, confidence = (case["spec"][key] for key in ("x", "n", "conf"))
    low, high = (case["expected"][f"wilson.{end}"] for end in ("lower", "upper"))
    few = 2 if n <= 50 else 3
    if 0 < x <= few:
        low = chi2.ppf(1 - confidence, 2 * x) / (2 * n)
    if 0 < n - x <= few:
        high = 1 - chi2.ppf(1 - confidence, 2 * (n - x)) / (2 * n)
    if x > 0:
        low = min(low, beta.ppf(1 - confidence, x, n - x + 1))
    if x < n:
        high = max(high, beta.ppf(confidence, x + 1, n - x))
    limits = PROPORTIONS["wilson_modified"](x, n, confidence)
    assert limits == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("trials", [1, 5, 10, 15, 26, 50, 100])
def test_modified_wilson_limits_cover_every_share_where_wilsons_do_not(trials):
    """Enumerated, so without any noise."""
    shares, x = np.linspace(0.5, 0.9995, 1000), np.arange(trials + 1)

    def least(name):
        low, high = np.array([PROPORTIONS[name](k, trials, 0.95) for k in x]).T
        held = (low[:, None] <= shares + 1e-12) & (high[:, None] >= shares - 1e-12)
        return (binom.pmf(x[:, None], trials, shares) * held).sum(axis=0).min()

    assert least("wilson_modified") >= 0.91
    assert least("wilson") < 0.89


@pytest.mark.parametrize("trials", [1, 2, 3, 5, 10, 15, 26, 50, 100])
def test_either_modified_wilson_limit_misses_in_at_most_5_per_cent(trials):
    """Enumerated: Wilson's lower limit of three trials does in 0.084, as gates read it."""
    x = np.arange(trials + 1.0)
    low, high = intervals.modified_wilson(x / trials, np.full(trials + 1, float(trials)))
    shares = np.concatenate([low[1:], high[:-1], np.linspace(0.001, 0.999, 500)])
    at = binom.pmf(x[:, None], trials, shares)
    assert (at * (low[:, None] > shares + 1e-9)).sum(axis=0).max() <= 0.05 + 1e-9
    assert (at * (high[:, None] < shares - 1e-9)).sum(axis=0).max() <= 0.05 + 1e-9
    assert high.tolist() == pytest.approx((1 - low[::-1]).tolist())


@pytest.mark.parametrize("case", all_cases("two_proportions"), ids=name_of)
@pytest.mark.parametrize("name", UNPAIRED)
def test_the_limits_of_an_unpaired_difference_are_those_that_outside_programs_give(case, name):
    spec = case["spec"]
    samples = (spec[part] for part in ("x1", "n1", "x2", "n2"))
    assert_limits(case, name, UNPAIRED[name](*samples, spec["conf"]))


AS_TESTED = {
    "midp_paired": "mcnemar_midp",
    "exact_paired": "mcnemar_exact",
    "corrected_paired": "mcnemar",
}
"""Limits that are made to agree with a test; its p has outside values."""


@pytest.mark.parametrize("case", all_cases("mcnemar_table"), ids=name_of)
@pytest.mark.parametrize("name", sorted(PAIRED.keys() - AS_TESTED.keys()))
def test_the_limits_of_a_paired_difference_are_those_that_outside_programs_give(case, name):
    (both, only_a), (only_b, neither) = case["spec"]["table"]
    assert_limits(case, name, PAIRED[name](both, only_a, only_b, neither, 0.95))


@pytest.mark.parametrize("rows", [20, 100, 400])
def test_mid_p_limits_lie_within_the_exact_ones(rows):
    """Of one discordant row of 100 they were -0.069 to 0.095, the exact ones -0.045 to 0.070."""
    for only_a, only_b in product(range(6), repeat=2):
        table = (rows - only_a - only_b, only_a, only_b, 0)
        of_midp, exact = (PAIRED[name](*table, 0.95) for name in ("midp_paired", "exact_paired"))
        assert exact[0] <= of_midp[0] <= of_midp[1] <= exact[1]


@pytest.mark.parametrize("case", having("acc_cp.lower", "binary"), ids=name_of)
def test_exact_limits_of_shares_of_a_table_are_those_that_outside_programs_give(case):
    tp, fp, fn, tn = confusion(case).select("tp", "fp", "fn", "tn").row(0)
    exact = intervals.clopper_pearson
    assert_limits(case, "acc_cp", exact(tp + tn, tp + fp + fn + tn))
    assert_limits(case, "recall_cp", exact(tp, tp + fn))
    assert_limits(case, "specificity_cp", exact(tn, fp + tn))


def is_added(interval):
    return isinstance(interval, intervals.SquareAndAdd)


RATIOS = {
    "lr_plus": ("positive_likelihood_ratio", intervals.POSITIVE_LIKELIHOOD_RATIO),
    "lr_minus": ("negative_likelihood_ratio", intervals.NEGATIVE_LIKELIHOOD_RATIO),
    "dor": ("diagnostic_odds_ratio", intervals.DIAGNOSTIC_ODDS_RATIO),
    "kappa_wald": ("cohen_kappa", intervals.COHEN_KAPPA),
}


@pytest.mark.parametrize("case", having("lr_plus.lower", "binary"), ids=name_of)
@pytest.mark.parametrize("name", RATIOS)
def test_the_limits_of_ratios_and_of_kappa_are_those_that_outside_programs_give(case, name):
    metric, interval = RATIOS[name]
    low, high = limits_of(interval, METRICS[metric].build())
    assert_limits(case, name, confusion(case).select(low=low, high=high).row(0))


@pytest.mark.parametrize("case", having("kappa_se", "binary"), ids=name_of)
def test_kappas_standard_error_is_the_one_that_outside_programs_give(case):
    table = confusion(case)
    variance = table.select(intervals.kappa_variance()).item()
    assert agrees(case, "kappa_se", variance**0.5)


@pytest.mark.parametrize("case", having("kappa_se", "multiclass"), ids=name_of)
def test_kappas_standard_error_holds_for_many_classes(case):
    spec = case["spec"]
    place = {label: k for k, label in enumerate(spec["labels"])}
    table = np.zeros((len(place),) * 2)
    for truth, call in rows(case).select(spec["y_true"], spec["y_pred"]).iter_rows():
        table[place[truth], place[call]] += 1
    slopes = SMOOTH["cohen_kappa"](cells := TableCells(table, table))[1]
    variance, _ = cells.powers(slopes - (table * slopes).sum() / table.sum())
    assert agrees(case, "kappa_se", variance**0.5)
    if "acc_cp.lower" in case["expected"]:
        assert_limits(case, "acc_cp", intervals.clopper_pearson(table.trace(), table.sum()))


@pytest.mark.parametrize("case", having("auc_hanley_mcneil.se", "binary"), ids=name_of)
def test_the_standard_error_of_an_area_alone_is_hanley_and_mcneils(case):
    spec = case["spec"]
    frame = rows(case).with_columns(truth=pl.col(spec["y_true"]) == spec["positive"])
    steps = with_squares(sweep(frame, score=spec["y_score"], weight=spec.get("sample_weight")))
    area, positives, negatives = steps.select(
        auc=METRICS["auc"].build(), tp=pl.col("tp").last(), fp=pl.col("fp").last()
    ).row(0)
    sizes = (pl.lit(area), pl.lit(positives), pl.lit(negatives))
    error = pl.select(hanley_mcneil_variance(*sizes).sqrt()).item()
    assert agrees(case, "auc_hanley_mcneil.se", error)
    low, high = limits_of(intervals.hanley_mcneil_interval(METRICS["auc"].build()), pl.col("auc"))
    limits = steps.with_columns(auc=pl.lit(area)).select(low=low.first(), high=high.first())
    z = intervals.normal_quantile(0.95)
    assert limits.row(0) == pytest.approx((max(area - z * error, 0), min(area + z * error, 1)))


@pytest.mark.parametrize("name", sorted(PROPORTIONS))
def test_the_limits_of_a_share_enclose_it_and_mirror(name):
    for trials in (1, 7, 250):
        for successes in {0, 1, trials // 2, trials - 1, trials}:
            low, high = PROPORTIONS[name](successes, trials, 0.9)
            assert 0 <= low <= successes / trials <= high <= 1
            mirrored = PROPORTIONS[name](trials - successes, trials, 0.9)
            assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


@cache
def mcnemar_tests(pairs: Pairs, confidence: float) -> dict[str, Comparison]:
    """Every form of the test, by name."""
    question = Question(("a", "b"), "accuracy", confidence=confidence)
    return {record.comparison: record for record in mcnemar(pairs, question)}


@breadth("confidence", [0.8, 0.95, 0.999], [0.95])
@pytest.mark.parametrize(("name", "test"), [*AS_TESTED.items(), ("tango", "mcnemar_uncorrected")])
def test_limits_leave_0_out_exactly_where_the_test_beside_them_rejects(name, test, confidence):
    for discordant in (*range(1, 21), 60, 401):
        for only_a in range(discordant + 1):
            pairs = Pairs(11, only_a, discordant - only_a, 7)
            record = mcnemar_tests(pairs, confidence)[test]
            assert record.interval == name
            rejects = record.p_value < 1 - confidence
            assert (record.low > 1e-12 or record.high < -1e-12) == rejects, pairs


TABLES = [(8, 0, 0, 2), (0, 10, 0, 0), (0, 0, 10, 0), (3, 5, 1, 1), (0, 2, 2, 0), (1, 0, 0, 0)]


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("table", TABLES)
def test_the_limits_of_a_paired_difference_enclose_it_and_mirror(name, table):
    both, only_a, only_b, neither = table
    low, high = PAIRED[name](*table, 0.95)
    assert -1 <= low <= (only_a - only_b) / sum(table) <= high <= 1
    mirrored = PAIRED[name](both, only_b, only_a, neither, 0.95)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)


@pytest.mark.parametrize("name", sorted(UNPAIRED.keys() - {"agresti_caffo"}))
@pytest.mark.parametrize("samples", [(0, 5, 0, 9), (5, 5, 9, 9), (5, 5, 0, 9), (2, 5, 3, 9)])
def test_the_limits_of_an_unpaired_difference_enclose_it_and_mirror(name, samples):
    low, high = UNPAIRED[name](*samples, 0.95)
    assert -1 <= low <= samples[0] / samples[1] - samples[2] / samples[3] <= high <= 1
    mirrored = UNPAIRED[name](*samples[2:], *samples[:2], 0.95)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)


def test_without_trials_there_is_no_share():
    for of_share in PROPORTIONS.values():
        with pytest.raises(ValueError, match="have no share"):
            of_share(0, 0, 0.95)
        with pytest.raises(ValueError, match="have no share"):
            of_share(3, 2, 0.95)
    for paired in PAIRED.values():
        with pytest.raises(ValueError, match="has no share"):
            paired(0, 0, 0, 0, 0.95)
    for unpaired in UNPAIRED.values():
        with pytest.raises(ValueError, match="0 trials"):
            unpaired(1, 2, 0, 0, 0.95)


@pytest.mark.parametrize(
    "name", ["wilson_modified", "wilson", "clopper_pearson", "jeffreys", "midp"]
)
def test_limits_of_a_share_cover_it_about_as_often_as_they_say(name):
    trials, shares = 40, np.linspace(0.05, 0.95, 37)
    limits = np.array([PROPORTIONS[name](x, trials, 0.95) for x in range(trials + 1)])
    random = np.random.default_rng(0)
    seen = random.binomial(trials, shares, (2000, len(shares)))
    inside = (limits[seen, 0] <= shares) & (shares <= limits[seen, 1])
    assert inside.mean() == pytest.approx(0.97 if name == "clopper_pearson" else 0.953, abs=0.01)
    assert inside.mean(axis=0).min() > (0.95 if name == "clopper_pearson" else 0.88)


@pytest.mark.parametrize("name", PAIRED)
def test_limits_of_a_paired_difference_cover_it_about_as_often_as_they_say(name):
    random, cells = np.random.default_rng(0), np.array([0.6, 0.2, 0.1, 0.1])
    limits = [PAIRED[name](*table, 0.95) for table in random.multinomial(80, cells, 400)]
    covered = np.mean([low <= cells[1] - cells[2] <= high for low, high in limits])
    # Those of the exact and of the corrected test are as conservative as these are.
    conservative = name in {"exact_paired", "corrected_paired"}
    assert 0.95 - 0.025 * (not conservative) <= covered <= (0.995 if conservative else 0.975)


@pytest.mark.parametrize("name", ["exact_paired", "corrected_paired"])
@pytest.mark.parametrize("table", [(112, 47, 48, 113), (6, 3, 3, 6)], ids=str)
def test_near_no_difference_a_correction_of_one_row_adds_little_more_than_a_row(name, table):
    low, high = PAIRED[name](*table, 0.95)
    plain_low, plain_high = PAIRED["tango"](*table, 0.95)
    rows = sum(table)
    assert 0 < plain_low - low < 1.1 / rows
    assert 0 < high - plain_high < 1.1 / rows


EMPTY_CELLS = [[0, 5, 5, 5], [5, 0, 5, 5], [5, 5, 0, 5], [5, 5, 5, 0], [5, 0, 0, 5], [0, 0, 0, 0]]


@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("cells", EMPTY_CELLS, ids=str)
def test_a_ratio_of_an_empty_cell_has_no_limits(name, cells):
    names = ("tp", "fp", "fn", "tn")
    frame = pl.DataFrame([cells], schema=names, orient="row").with_columns(
        pl.col(c).alias(f"{c}2") for c in names
    )
    metric, interval = RATIOS[name]
    value = METRICS[metric].build()
    low, high = limits_of(interval, value)
    row = frame.select(value=value, low=low, high=high).row(0, named=True)
    assert (row["low"] is None) == (row["high"] is None)
    if row["value"] is None or (row["value"] == 0 and name != "kappa_wald"):
        assert row["low"] is None
    if row["low"] is not None:
        assert row["low"] <= row["value"] <= row["high"] < np.inf


def test_weights_of_two_widen_nothing_and_narrow_nothing():
    names = ("tp", "fp", "fn", "tn")
    once = pl.DataFrame([[20.0, 10.0, 5.0, 15.0]], schema=names, orient="row")
    plain = once.with_columns(pl.col(c).alias(f"{c}2") for c in names)
    doubled = once.select(
        *(pl.col(c) * 2 for c in names), *((pl.col(c) * 4).alias(f"{c}2") for c in names)
    )
    for metric, interval in RATIOS.values():
        low, high = limits_of(interval, METRICS[metric].build())
        assert doubled.select(low=low, high=high).row(0) == pytest.approx(
            plain.select(low=low, high=high).row(0)
        )


@pytest.mark.parametrize("name", sorted(PROPORTIONS.keys() - {"jeffreys", "jeffreys_modified"}))
@pytest.mark.parametrize("trials", [0.3, 1.05, 1.9, 57.4])
def test_an_interval_of_a_share_of_weighted_rows_holds_the_share(name, trials):
    """Weighted successes are no whole numbers: fewer than a half of one may be all there is."""
    for share in (0, 0.0005, 0.02, 0.5, 0.98, 0.9995, 1):
        low, high = PROPORTIONS[name](share * trials, trials, 0.95)
        assert 0 <= low <= share + 1e-12
        assert share - 1e-12 <= high <= 1


def test_balanced_accuracy_has_the_limits_of_two_independent_shares_squared_and_added():
    table = pl.DataFrame({"tp": [9.0], "fp": [2.0], "fn": [1.0], "tn": [28.0]})
    table = table.with_columns(pl.all().name.suffix("2"))
    metric = METRICS["balanced_accuracy"]
    low, high = limits_of(metric.interval, metric.build())
    # Recall less the false-positive rate is a difference of two independent shares.
    recall, falsely = intervals.wilson_modified(9, 10), intervals.wilson_modified(2, 30)
    below = np.hypot(9 / 10 - recall[0], falsely[1] - 2 / 30)
    above = np.hypot(recall[1] - 9 / 10, 2 / 30 - falsely[0])
    difference = 9 / 10 - 2 / 30
    needed = [(1 + difference - below) / 2, (1 + difference + above) / 2]
    assert table.select(low=low, high=high).row(0) == pytest.approx(needed)


@pytest.mark.parametrize("name", [m.name for m in METRICS.values() if is_added(m.interval)])
def test_a_perfect_classifier_has_limits_by_square_and_add(name):
    """Of all but what is then undefined: ratios of an empty cell."""
    table = pl.DataFrame({"tp": [5.0], "fp": [0.0], "fn": [0.0], "tn": [20.0]})
    metric = METRICS[name]
    low, high = limits_of(metric.interval, metric.build())
    counted = table.with_columns(pl.all().name.suffix("2"))
    value, *limits = counted.select(value=metric.build(), low=low, high=high).row(0)
    if value is None:
        assert limits == [None, None]
    else:
        assert limits[0] <= value <= limits[1]
        assert limits[0] < limits[1]


def test_a_mean_cost_varies_as_if_half_a_row_that_costs_most_were_unseen():
    """Half of what one more such row adds to the sum of squares about the mean."""
    costs = np.array([0.0, 0.1, 0.1, 0.4])
    n, more = len(costs), np.append(costs, optima.LARGEST_COST)
    squares = [((rows - rows.mean()) ** 2).sum() for rows in (costs, more)]
    variance = optima.with_unseen(costs.var(ddof=1) / n, n, costs.mean())

    assert variance == pytest.approx(sum(squares) / 2 / n**2)
