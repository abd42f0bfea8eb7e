"""Closed-form intervals of areas and of average precision."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student

from reportgen import intervals
from reportgen.intervals.average_precision import influences
from reportgen.results import evaluate
from tests.breadth import breadth
from tests.interval_limits import limits_of


def test_the_logit_interval_of_average_precision_is_that_of_boyd_eng_and_page():
    frame = pl.DataFrame({"tp": [0.0, 30.0, 50.0], "fp": [0.0, 4.0, 70.0]}).with_columns(
        tp2=pl.col("tp"), fp2=pl.col("fp")
    )
    low, high = limits_of(intervals.AVERAGE_PRECISION, pl.lit(0.8))
    limits = frame.select(low=low, high=high).row(0)
    half_width = 1.959963984540054 / (50 * 0.8 * 0.2) ** 0.5
    centre = np.log(0.8 / 0.2)
    assert limits == pytest.approx([1 / (1 + np.exp(-centre - s * half_width)) for s in (-1, 1)])
    # Weights of two are the rows twice over, not more rows.
    twice = {name: 2 * pl.col(name) for name in ("tp", "fp")}
    heavier = frame.select(**twice, **{f"{name}2": 2 * column for name, column in twice.items()})
    assert heavier.select(low=low, high=high).row(0) == pytest.approx(limits)


def test_negatives_of_large_weight_widen_the_limits_of_average_precision():
    """With negatives that weigh nine times as much limits from positives alone covered 0.76."""
    plain = pl.DataFrame({"tp": [50.0], "tp2": [50.0], "fp": [60.0], "fp2": [60.0]})
    heavy, light = (
        plain.with_columns(fp=k * pl.col("fp"), fp2=k**2 * pl.col("fp")) for k in (9, 0.5)
    )
    low, high = limits_of(intervals.AVERAGE_PRECISION, pl.lit(0.4))

    rows = [frame.select(low=low, high=high).row(0) for frame in (plain, heavy, light)]
    # Negatives worth 60 rows stand beside 60 / 9 · 50 / 60 positives; √(50 · 50 / 9) = 50 / 3.
    fewer = pl.DataFrame({"tp": [50 / 3], "tp2": [50 / 3], "fp": [20.0], "fp2": [20.0]})
    assert rows[1] == pytest.approx(fewer.select(low=low, high=high).row(0))
    assert rows[2] == pytest.approx(rows[0])


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_an_area_of_precision_at_the_end_of_its_range_has_wilsons_limits(value):
    frame = pl.DataFrame({"tp": [50.0], "tp2": [50.0], "fp": [90.0], "fp2": [90.0]})
    low, high = limits_of(intervals.AVERAGE_PRECISION, pl.lit(value, pl.Float64))
    limits = frame.select(low=low, high=high).row(0)
    assert limits == pytest.approx(intervals.wilson_limits(value * 50, 50))


@pytest.mark.parametrize("positives", [1.0, 5.0, 50.0, 99.0])
def test_a_higher_area_of_precision_never_has_a_lower_limit(positives):
    """On the logit scale the width grows without bound towards 0 and 1."""
    values = np.concatenate([[0.0], np.logspace(-9, -2, 15), np.linspace(0.011, 0.989, 100)])
    values = np.concatenate([values, 1 - np.logspace(-2, -9, 15), [1.0]])
    frame = pl.DataFrame(
        {"value": values, "tp": positives, "tp2": positives, "fp": 90.0, "fp2": 90.0}
    )
    low, high = limits_of(intervals.AVERAGE_PRECISION, pl.col("value"))
    each = frame.with_row_index().group_by("index", maintain_order=True)
    limits = each.agg(low=low.first(), high=high.first())

    assert (np.diff(limits["low"].to_numpy()) >= -1e-12).all()
    assert (np.diff(limits["high"].to_numpy()) >= -1e-12).all()
    inside = (limits["low"].to_numpy() <= values) & (values <= limits["high"].to_numpy())
    assert inside.all()


@pytest.mark.parametrize(("positives", "value"), [(50.0, None), (100.0, 0.8), (100.0, 1.0)])
def test_an_area_of_precision_is_left_to_the_bootstrap_from_100_positives_on(positives, value):
    counts = {"tp": positives, "tp2": positives, "fp": 900.0, "fp2": 900.0}
    frame = pl.DataFrame({name: [count] for name, count in counts.items()})
    low, high = limits_of(intervals.FEW_POSITIVES, pl.lit(value, pl.Float64))
    assert frame.select(low=low, high=high).row(0) == (None, None)


def test_delongs_logit_interval_stays_inside_the_unit_interval_and_is_delongs_to_first_order():
    interval = intervals.delong_logit(pl.lit(0.03**2))
    low, high = pl.select(**dict(zip("lh", limits_of(interval, pl.lit(0.97)), strict=True))).row(0)
    assert low < 0.97 - 1.96 * 0.03
    assert 0.97 < high < 1
    narrow = limits_of(intervals.delong_logit(pl.lit(1e-4**2)), pl.lit(0.7))
    plain = limits_of(intervals.Wald("delong", pl.lit(1e-4**2)), pl.lit(0.7))
    limits = pl.select(*(e.alias(str(k)) for k, e in enumerate((*narrow, *plain)))).row(0)
    assert limits[:2] == pytest.approx(limits[2:], abs=1e-7)


def test_a_score_interval_of_an_area_solves_the_equation_of_its_limits():
    """Newcombe's method 5: z² times his variance at the limit is the squared distance to it."""
    for area, (positives, negatives) in ((0.8, (12, 30)), (0.5, (1, 9)), (0.97, (40, 40))):
        for limit in intervals.delong_score(area, None, positives, negatives):
            shape = (1 - limit) / (2 - limit) + limit / (1 + limit)
            spread = 1 + ((positives + negatives) / 2 - 1) * shape
            spread *= limit * (1 - limit) / (positives * negatives)
            assert (area - limit) ** 2 == pytest.approx(1.959963984540054**2 * spread)


def test_a_score_interval_of_an_area_is_delongs_where_rows_are_many():
    low, high = intervals.delong_score(0.8, 0.002**2, 20_000, 30_000)
    assert (low, high) == pytest.approx((0.8 - 1.96 * 0.002, 0.8 + 1.96 * 0.002), abs=5e-5)


@pytest.mark.parametrize("variance", [None, 0.0, 0.01])
def test_a_score_interval_of_an_area_exists_at_both_ends_and_mirrors(variance):
    for area in (0.0, 0.3, 1.0):
        low, high = intervals.delong_score(area, variance, 1, 8)
        mirrored = intervals.delong_score(1 - area, variance, 1, 8)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)
        assert 0 <= low <= area <= high <= 1
        assert low < high


def test_the_average_precision_of_all_rows_slices_and_labels_has_limits_by_its_influences():
    random = np.random.default_rng(1)
    truth = random.random(600) < 0.5
    score = 1 / (1 + np.exp(-random.normal(2 * truth - 1)))
    frame = pl.DataFrame({"y": truth, "p": score, "site": ["n", "s"] * 300})
    spec = {"bootstrap": {"replicates": 0}, "slices": ["site"]}
    of_two = {**spec, "truth": "y", "models": {"m": {"score": "p"}}}
    of_labels = {
        **spec,
        "task": "multilabel",
        "truth": {"u": "y"},
        "models": {"m": {"scores": {"u": "p"}}},
    }
    labels = evaluate(of_labels, frame).metrics.filter(pl.col("class") == "u")
    for metrics in (evaluate(of_two, frame).metrics, labels):
        for part, chosen in ((None, slice(None)), ("site = n", slice(None, None, 2))):
            [row] = metrics.filter(
                pl.col("slice").eq_missing(part), metric="average_precision"
            ).to_dicts()
            assert (row["low"], row["high"]) == pytest.approx(
                logit_limits(truth[chosen], score[chosen])
            )


def logit_limits(positive, score):
    """From the average precision that is left when a row is given a little more weight."""
    rows, few = len(score), min(positive.sum(), (~positive).sum())
    area = weighted_precision(positive, score, np.ones(rows))
    more = 1 + 1e-6 * np.eye(rows)
    adds = np.array([(weighted_precision(positive, score, w) - area) / 1e-6 for w in more])
    error = np.sqrt((adds**2).sum() * few / (few - 1))
    spread = (adds**4).sum() - (adds**2).sum() ** 2 / rows
    df = min(2 * (adds**2).sum() ** 2 / spread * (rows - 1) / rows, few - 1)
    width = student.ppf(0.975, df) * error / (area * (1 - area))
    odds = [area / (1 - area) * np.exp(side * width) for side in (-1, 1)]
    return [odd / (1 + odd) for odd in odds]


def weighted_precision(positive, score, weight):
    order = np.argsort(-score)
    hits = (weight * positive)[order]
    return (hits * hits.cumsum() / weight[order].cumsum()).sum() / hits.sum()


@breadth("weighted", [False, True], [True])
def test_rows_in_groups_of_one_have_the_limits_of_average_precision_of_plain_rows(weighted):
    random = np.random.default_rng(5)
    truth = random.random(300) < 0.2
    columns = {"y": truth, "p": random.normal(truth).round(1), "g": range(300)}
    frame = pl.DataFrame(columns | {"w": random.integers(1, 4, 300)})
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "bootstrap": {"replicates": 0}}
    weight = {"weight": "w"} if weighted else {}
    limits = [
        evaluate(spec | {"columns": weight | group}, frame)
        .metrics.filter(metric="average_precision")
        .select("value", "low", "high")
        .row(0)
        for group in ({}, {"group": "g"})
    ]
    assert limits[1] == pytest.approx(limits[0], rel=0 if not weighted else 0.01)


def test_average_precision_that_rests_on_few_groups_has_wider_limits():
    random = np.random.default_rng(6)
    group = np.repeat(np.arange(40), 15)
    truth = random.random(600) < 1 / (1 + np.exp(1.5 - random.normal(size=40)[group]))
    frame = pl.DataFrame({"y": truth, "p": random.normal(truth), "g": group})
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "bootstrap": {"replicates": 0}}
    plain, grouped = (
        evaluate(spec | {"columns": columns}, frame)
        .metrics.filter(metric="average_precision")
        .select(pl.col("high") - pl.col("low"))
        .item()
        for columns in ({}, {"group": "g"})
    )
    assert grouped > 1.1 * plain


@pytest.mark.parametrize("digits", [1, 9])
def test_rows_in_the_order_of_their_scores_add_the_same_to_an_average_precision(digits):
    """Rows that come in ascending order are not sorted; few digits tie."""
    random = np.random.default_rng(3)
    score, positive = np.sort(random.normal(size=200).round(digits)), random.random(200) < 0.3
    mixed = random.permutation(200)
    in_order, out_of_order = influences(score, positive), influences(score[mixed], positive[mixed])

    assert in_order.value == out_of_order.value
    assert (in_order.adds[mixed] == out_of_order.adds).all()
