"""Area under the cost curve: test of its difference, interval corrected for optimism."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

from reportgen.clusters import Groups
from reportgen.comparisons import Question, cost_covariance, expected_cost
from reportgen.comparisons.cross_fitting import FOLDS, DealtCells
from reportgen.curves import hull
from reportgen.metrics import METRICS
from reportgen.resampling import BootstrapSettings, bootstrap, bootstrap_pair
from reportgen.sweeping import sweep
from reportgen.sweeping.sorting import ranking_of


def normal_scores(seed: int, positives: int, negatives: int, gap: float = 1.5) -> pl.DataFrame:
    """Two correlated scores that separate the classes equally well."""
    random = np.random.default_rng(seed)
    truth = np.repeat([True, False], [positives, negatives])
    shared, noise = random.standard_normal((2, len(truth)))
    other = 0.5 * shared + np.sqrt(0.75) * noise
    return pl.DataFrame({"truth": truth, "a": shared + gap * truth, "b": other + gap * truth})


def normal_cost(gap: float) -> float:
    """Area under the lower envelope of two unit normals that are ``gap`` apart."""
    x = np.linspace(0, 1, 20_001)[1:-1]
    at = (np.log((1 - x) / x) + gap**2 / 2) / gap
    cost = norm.sf(at) * (1 - x) + norm.cdf(at - gap) * x
    return float(np.trapezoid(np.r_[0, cost, 0], np.r_[0, x, 1]))


@pytest.mark.parametrize("weight", [None, "w"])
def test_between_the_area_of_the_rows_that_choose_thresholds_and_that_of_others(weight):
    """By its optimism the cost lies above the plug-in area: three eighths trained, five tried."""
    rows = normal_scores(0, 40, 70).with_columns(
        pl.col("a", "b").round(1), w=pl.Series(np.arange(110) % 3 + 1.0)
    )
    costs = cost_covariance(rows, ("a", "b"), weight=weight)
    for score, area, optimism in zip(("a", "b"), costs.areas, costs.optimism, strict=True):
        outline = hull(sweep(rows, score=score, weight=weight))
        value = outline.select(METRICS["expected_total_cost"].build()).item()
        assert optimism > 0
        assert area == pytest.approx(value + 5 / 8 * optimism, abs=1e-14)


def test_the_cost_depends_neither_on_the_order_of_the_rows_nor_on_the_scale_of_the_scores():
    rows = normal_scores(4, 60, 90).with_columns(pl.col("a").round(1))
    other = rows.sample(fraction=1, shuffle=True, seed=1).with_columns(pl.col("a", "b").exp())
    here, there = (cost_covariance(frame, ("a", "b")) for frame in (rows, other))
    assert there.areas == pytest.approx(here.areas, abs=1e-14)
    assert there.covariance[0] == pytest.approx(here.covariance[0], rel=1e-9)


def test_many_distinct_scores_are_thresholds_in_cells_of_like_many_rows():
    rows = normal_scores(5, 20_000, 20_000)
    costs = cost_covariance(rows, ("a", "b"))
    assert costs.areas == pytest.approx([normal_cost(1.5)] * 2, abs=0.003)


def test_labels_against_scores_made_of_them_are_no_difference():
    """The scores say nothing more than the labels: the plug-in area favours them."""
    random = np.random.default_rng(6)
    truth = np.arange(400) % 2 == 0
    labels = np.where(random.random(400) < 0.8, truth, ~truth)
    scores = labels + random.random(400) / 2
    rows = pl.DataFrame({"truth": truth, "a": scores, "b": labels.astype(float)})
    record = expected_cost(rows, COSTS)
    assert record.p_value > 0.2


COSTS = Question(("a", "b"), "expected_total_cost")


def test_the_standard_error_is_that_of_resampled_rows():
    rows = normal_scores(1, 400, 500)
    record = expected_cost(rows, COSTS)
    paired = bootstrap_pair(
        rows, ["expected_total_cost"], scores=("a", "b"), options=BootstrapSettings(600)
    )
    (low, high), (error,) = (record.low, record.high), paired["standard_error"]
    assert record.estimate == pytest.approx(paired["value"][0], abs=error / 5)
    assert (high - low) / (2 * 1.959964) == pytest.approx(error, rel=0.1)


def test_a_model_that_costs_less_is_the_better_one():
    rows = normal_scores(2, 150, 150).with_columns(b=pl.col("b") / 4 - pl.col("truth") * 0.2)
    record = expected_cost(rows, COSTS)
    assert record.estimate < 0
    assert record.high < 0
    assert record.p_value < 1e-5


def test_like_rankings_and_single_rows_have_no_test():
    rows = normal_scores(3, 20, 20)
    same = expected_cost(rows.with_columns(b=pl.col("a").exp()), COSTS)
    assert (same.p_value, same.estimate) == (None, 0)
    one = expected_cost(rows.filter(pl.col("truth") | (pl.int_range(pl.len()) == 20)), COSTS)
    assert one.undefined == "a class has fewer than two rows"
    none = expected_cost(rows.filter("truth"), COSTS)
    assert none.undefined == "a class has fewer than two rows"


@pytest.mark.slow
@pytest.mark.parametrize(("positives", "negatives"), [(50, 50), (200, 200), (1000, 1000)])
@pytest.mark.parametrize("gap", [0.8, 1.5, 2.5])
def test_the_test_rejects_a_true_null_hypothesis_about_as_often_as_it_says(
    positives, negatives, gap
):
    rejected = [
        expected_cost(normal_scores(seed, positives, negatives, gap), COSTS).p_value < 0.05
        for seed in range(400)
    ]
    assert 0.02 <= np.mean(rejected) <= 0.09


@pytest.mark.slow
@pytest.mark.parametrize(("positives", "negatives"), [(50, 50), (40, 400), (300, 300)])
@pytest.mark.parametrize("gap", [0.8, 1.5])
def test_the_interval_covers_where_plain_quantiles_do_not(positives, negatives, gap):
    expected, covered, plain = normal_cost(gap), [], []
    for seed in range(150):
        rows = normal_scores(1000 + seed, positives, negatives, gap)
        table = bootstrap(
            rows, ["expected_total_cost"], score="a", options=BootstrapSettings(200, seed=seed)
        )
        low, high, error, value = table.select("low", "high", "standard_error", "value").row(0)
        covered.append(low <= expected <= high)
        plain.append(abs(value - expected) <= 1.96 * error)
    assert np.mean(covered) >= 0.86
    assert np.mean(covered) > np.mean(plain)


def test_copies_of_rows_do_not_try_the_thresholds_that_they_chose():
    """Of each row 15 copies, a group: as optimistic as the rows alone, if groups stay together."""
    rows = normal_scores(5, 20, 30)
    copied, code = pl.concat([rows] * 15), np.tile(np.arange(50), 15)
    groups = Groups(code, 50)

    alone = cost_covariance(rows, ("a", "b")).optimism
    together = cost_covariance(copied, ("a", "b"), groups=groups).optimism
    dealt_by_row = cost_covariance(copied, ("a", "b")).optimism

    assert together == pytest.approx(alone, rel=0.35)
    assert (dealt_by_row < alone / 4).all()


def test_groups_of_one_row_are_dealt_as_rows():
    rows = normal_scores(6, 40, 60)

    plain = cost_covariance(rows, ("a", "b"))
    result = cost_covariance(rows, ("a", "b"), groups=Groups(np.arange(100), 100))

    assert (result.areas == plain.areas).all()
    assert (result.optimism == plain.optimism).all()


@pytest.mark.parametrize("weight", [None, "w"])
def test_the_rows_of_a_cell_of_like_scores_are_dealt_into_all_folds(weight):
    random = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "truth": random.random(600) < 0.4,
            "score": random.integers(0, 3, 600) / 2,
            "w": random.uniform(0.5, 2, 600),
        }
    )
    cells = DealtCells.of(ranking_of(frame, truth="truth", score="score", weight=weight))

    for dealt in cells.folds:
        assert dealt.sum(axis=1) == pytest.approx(np.ones(3))
        assert dealt == pytest.approx(np.full((3, FOLDS), 1 / FOLDS), abs=0.15)


@pytest.mark.parametrize("unit", [0.1, 1 / 3, 7.0])
@pytest.mark.parametrize("groups", [None, Groups(np.arange(40) // 2, 20)])
def test_costs_do_not_depend_on_the_unit_of_the_weights(groups, unit):
    """A cell that a fold holds whole is empty for the others, whatever its sums round to."""
    random = np.random.default_rng(2)
    rows = pl.DataFrame(
        {
            "truth": random.random(40) < 0.5,
            "a": random.random(40),
            "b": random.integers(0, 4, 40) / 4,
            "w": random.gamma(2, 1, 40),
        }
    )
    one, other = (
        cost_covariance(frame, ("a", "b"), weight="w", groups=groups)
        for frame in (rows, rows.with_columns(pl.col("w") * unit))
    )

    assert other.areas == pytest.approx(one.areas, rel=1e-9)
    assert other.optimism == pytest.approx(one.optimism, rel=1e-9)


def test_half_a_row_of_a_cell_rounds_alike_in_every_unit_of_the_weights():
    """Weights of 1, 1, 1, 1 and 2 are worth 36/8 rows."""
    rows = pl.DataFrame(
        {"truth": [True, False] * 25, "score": np.arange(50) // 10 / 5, "w": [1.0] * 50}
    ).with_columns(w=pl.when(pl.int_range(50) % 10 >= 8).then(2.0).otherwise("w"))
    one, other = (
        DealtCells.of(ranking_of(frame, truth="truth", score="score", weight="w")).folds
        for frame in (rows, rows.with_columns(pl.col("w") * 0.1))
    )

    for dealt, expected in zip(other, one, strict=True):
        assert dealt == pytest.approx(expected)
