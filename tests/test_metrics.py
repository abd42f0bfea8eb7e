"""Properties that hold for every metric of the registry."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.counting import counts
from reportgen.curves import hull
from reportgen.measuring.binary_model import FRAMES
from reportgen.metrics import GROUPS, METRICS, REGISTRY, find, mirrors
from reportgen.metrics.summaries import f_beta
from reportgen.multiclass import matrix
from reportgen.sweeping import bins, sweep
from tests.breadth import breadth, sample_size
from tests.cases import METRIC_NAMES, all_cases, peers

ON_COUNTS = [m for m in METRICS.values() if m.on == "counts"]
ON_SCORES = [m for m in METRICS.values() if m.on != "counts"]
COST_RATIOS = {"false_negative": 7.0, "false_positive": 2.0}

CELLS = ("tp", "fp", "fn", "tn")
EDGES = pl.DataFrame(
    [[a, b, c, d] for a in (0, 3) for b in (0, 1) for c in (0, 2) for d in (0, 5)]
    + [[10**9, 10**9, 10**9, 10**9], [1, 10**9, 10**9, 10**9], [10**9, 0, 1, 10**9]],
    schema=CELLS,
    orient="row",
)
COMPARED_BELOW = {"brier_skill", "pr_auc"}
"""Metrics whose outside value is computed in this file."""


def frame_for(metric, rows: pl.DataFrame, **names) -> pl.DataFrame:
    steps = sweep(rows, **names)
    frames = {"hull": hull, "bins": bins, **FRAMES}
    return frames[metric.on](steps)


def value_of(metric, rows: pl.DataFrame, **names) -> float | None:
    return frame_for(metric, rows, **names).select(metric.build()).item()


def scored(seed: int, rows: int, decimals: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.random(rows) < 0.4
    score = np.clip(0.3 * truth + 0.7 * random.random(rows), 0, 1).round(decimals)
    return pl.DataFrame({"truth": truth, "score": score, "weight": random.integers(0, 4, rows)})


DEGENERATE = {
    "no rows": pl.DataFrame(schema={"truth": pl.Boolean, "score": pl.Float64}),
    "one row": pl.DataFrame({"truth": [True], "score": [0.7]}),
    "only positives": pl.DataFrame({"truth": [True] * 3, "score": [0.2, 0.2, 0.9]}),
    "only negatives": pl.DataFrame({"truth": [False] * 3, "score": [0.0, 0.5, 1.0]}),
    "all tied": pl.DataFrame({"truth": [True, False, True, False], "score": [0.5] * 4}),
    "perfect": pl.DataFrame({"truth": [True, True, False, False], "score": [1.0, 0.9, 0.1, 0.0]}),
    "inverted": pl.DataFrame({"truth": [True, True, False, False], "score": [0.0, 0.1, 0.9, 1.0]}),
    "certain and wrong": pl.DataFrame({"truth": [True, False], "score": [0.0, 1.0]}),
    "any real score": pl.DataFrame({"truth": [True, False, True], "score": [-3.5, 0.0, 12.0]}),
}


def test_a_metric_of_counts_is_in_bounds_or_null_for_any_counts():
    measured = EDGES.select(**{m.name: m.expression(**COST_RATIOS) for m in ON_COUNTS})
    for metric in ON_COUNTS:
        values = measured[metric.name]
        assert values.is_not_nan().all(), metric.name
        assert values.drop_nulls().is_between(*metric.bounds).all(), metric.name
        assert values.is_finite().all(), metric.name


def test_a_metric_of_counts_is_the_same_for_integers_of_any_width():
    wide = EDGES.head(16)
    expressions = {m.name: m.build() for m in ON_COUNTS}
    values = wide.select(**expressions)
    for dtype in (pl.UInt8, pl.UInt32, pl.UInt64, pl.Float64):
        narrow = wide.cast(dtype).select(**expressions)
        for name in expressions:
            assert narrow[name].equals(values[name], null_equal=True), (name, dtype)


@pytest.mark.parametrize("kind", DEGENERATE)
def test_a_metric_of_scores_is_in_bounds_or_null_for_degenerate_rows(kind):
    for metric in ON_SCORES:
        value = value_of(metric, DEGENERATE[kind])
        low, high = metric.bounds
        assert value is None or low - 1e-12 <= value <= high + 1e-12, metric.name


COUNTS_ROWS = {"spiegelhalter_z", "hosmer_lemeshow", "debiased_calibration_error"}
"""Measures that set a distance against its chance variance: two like rows are not one twice."""


@settings(max_examples=sample_size(10, 25))
@given(seed=st.integers(0, 10**6), rows=st.integers(2, 60), decimals=st.integers(1, 16))
def test_a_weight_of_two_is_the_row_twice(seed, rows, decimals):
    weighted = scored(seed, rows, decimals)
    repeated = weighted.select(pl.exclude("weight").repeat_by("weight").explode(empty_as_null=True))
    metrics = [m for m in ON_SCORES if m.name not in COUNTS_ROWS]
    for on in {m.on for m in metrics}:
        together = [m for m in metrics if m.on == on]
        one, other = (
            frame_for(together[0], part, **names)
            .select(**{m.name: m.build() for m in together})
            .row(0, named=True)
            for part, names in ((weighted, {"weight": "weight"}), (repeated, {}))
        )
        assert one == other or one == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("metric", ON_SCORES, ids=lambda m: m.name)
@breadth("unit", [0.1, 3.0, 1e-9, 1e12], 1)
def test_the_unit_of_the_weights_does_not_matter(metric, unit):
    for seed in range(4):
        rows = scored(seed, 40, 2).filter(pl.col("weight") > 0)
        other = rows.with_columns(pl.col("weight") * unit)
        one, same = (value_of(metric, part, weight="weight") for part in (rows, other))
        assert (one is None) == (same is None)
        assert one is None or same == pytest.approx(one, rel=1e-9, abs=1e-12)


@pytest.mark.slow
def test_weighted_forecasts_that_are_calibrated_have_a_standard_normal_z():
    random = np.random.default_rng(5)
    z = []
    for _ in range(500):
        score = random.random(150)
        weight = random.pareto(3, 150) + 0.1
        rows = pl.DataFrame({"truth": random.random(150) < score, "score": score, "w": weight})
        z.append(value_of(METRICS["spiegelhalter_z"], rows, weight="w"))

    assert np.mean(z) == pytest.approx(0, abs=0.13)
    assert np.std(z) == pytest.approx(1, abs=0.1)


def test_the_bins_of_weighted_rows_count_by_their_effective_size():
    """A χ² of ten bins has mean 10; counted by weights of 1 and 9 it would have 8.2 times that."""
    random = np.random.default_rng(6)
    statistics = []
    samples = sample_size(100, 300)
    for _ in range(samples):
        score = random.uniform(0.05, 0.95, 400)
        weight = random.choice([1.0, 9.0], 400)
        rows = pl.DataFrame({"truth": random.random(400) < score, "score": score, "w": weight})
        statistics.append(value_of(METRICS["hosmer_lemeshow"], rows, weight="w"))

    error = 3 * 20**0.5 / samples**0.5  # a χ² of ten bins has the variance 20
    assert np.mean(statistics) == pytest.approx(10, abs=error)


@pytest.mark.parametrize("metric", ON_SCORES, ids=lambda m: m.name)
def test_the_order_of_the_rows_does_not_change_a_metric(metric):
    rows = scored(1, 500, 2)
    values = {value_of(metric, rows.sample(fraction=1, shuffle=True, seed=s)) for s in range(5)}
    assert len(values) == 1


@pytest.mark.parametrize(
    "metric", [m for m in ON_SCORES if not m.probability], ids=lambda m: m.name
)
def test_a_rank_metric_depends_on_the_order_of_the_scores_alone(metric):
    rows = scored(2, 300, 2)
    stretched = rows.with_columns(score=(pl.col("score") * 5 - 3).exp() - 100)
    assert value_of(metric, stretched) == pytest.approx(value_of(metric, rows), abs=1e-12)


@pytest.mark.parametrize("name", ["auc", "gini", "ks_statistic", "expected_total_cost"])
def test_swapping_the_classes_and_the_order_changes_nothing(name):
    rows = scored(3, 200, 1)
    swapped = rows.with_columns(truth=~pl.col("truth"), score=1 - pl.col("score"))
    assert value_of(METRICS[name], swapped) == pytest.approx(value_of(METRICS[name], rows))


def test_the_auc_and_the_rank_loss_are_computed_apart_and_sum_to_one():
    for seed in range(20):
        rows = scored(seed, 80, 1)
        total = value_of(METRICS["auc"], rows) + value_of(METRICS["rank_loss"], rows)
        assert total == pytest.approx(1, abs=1e-12)


def test_the_parts_of_the_brier_score_by_distinct_forecasts_add_up_to_it():
    rows = scored(4, 400, 1)
    parts = {name: value_of(m, rows) for name, m in METRICS.items() if name.startswith("brier_")}
    total = (
        parts["brier_reliability_distinct"]
        - parts["brier_resolution_distinct"]
        + parts["brier_uncertainty"]
    )
    assert total == pytest.approx(parts["brier_score"], abs=1e-12)


def test_probability_metrics_have_no_value_for_scores_outside_the_unit_interval():
    rows = pl.DataFrame({"truth": [True, False, True], "score": [1.5, 0.2, 0.7]})
    of_probabilities = [m for m in METRICS.values() if m.probability]
    assert len(of_probabilities) > 8
    assert all(value_of(m, rows) is None for m in of_probabilities)


def test_mcc_does_not_overflow():
    counts = pl.DataFrame({"tp": [10**9], "fp": [1], "fn": [1], "tn": [10**9]})
    assert counts.select(METRICS["mcc"].build()).item() == pytest.approx(1, abs=1e-8)


def test_f_beta_tends_to_precision_and_to_recall():
    counts = pl.DataFrame({"tp": [30], "fp": [10], "fn": [30], "tn": [5]})
    low, high = counts.select(low=f_beta(1e-6), high=f_beta(1e6)).row(0)
    assert (low, high) == (pytest.approx(0.75), pytest.approx(0.5))


def test_a_metric_says_what_a_reviewer_asks_of_it():
    for metric in METRICS.values():
        assert metric.label, metric.name
        assert metric.summary.endswith("."), metric.name
        assert metric.formula, metric.name
        assert metric.reference, metric.name
        assert metric.undefined, metric.name
        assert metric.group in GROUPS, metric.name
        assert "\n" not in metric.formula + metric.reference + metric.summary, metric.name


def test_every_metric_has_an_outside_value():
    expected = {n for c in all_cases("binary", "binary_cost") for n in c["expected"]}
    covered = {METRIC_NAMES.get(name, name) for name in expected}
    for case in peers("binary counts") + peers("binary scores"):
        covered |= {name for name, value in case["expected"].items() if value is not None}
    assert METRICS.keys() - covered - COMPARED_BELOW == set()


def test_brier_skill_is_scikit_learns_d2_of_the_brier_score():
    from sklearn.metrics import d2_brier_score

    rows = scored(5, 300, 3)
    expected = d2_brier_score(rows["truth"].to_numpy(), rows["score"].to_numpy())
    assert value_of(METRICS["brier_skill"], rows) == pytest.approx(expected, abs=1e-12)


def test_pr_auc_is_the_integral_of_precision_with_counts_linear_between_thresholds():
    from scipy.integrate import quad

    rows = scored(6, 60, 1)
    steps = sweep(rows)
    tp, fp = steps["tp"].to_numpy(), steps["fp"].to_numpy()

    # One piece per threshold; where only negatives are added nothing is integrated.
    pieces = zip(tp[:-1], tp[1:], fp[:-1], fp[1:], strict=True)
    area = 0.0
    for start, end, from_fp, to_fp in pieces:
        if end > start:
            slope = (to_fp - from_fp) / (end - start)
            area += quad(
                lambda t, s=start, f=from_fp, k=slope: t / (t + f + k * (t - s)), start, end
            )[0]
    assert value_of(METRICS["pr_auc"], rows) == pytest.approx(area / tp[-1], abs=1e-9)


@pytest.mark.parametrize("task", REGISTRY)
def test_every_metric_gives_a_column_of_its_own_name(task):
    for name, metric in REGISTRY[task].items():
        assert metric.expression().meta.output_name() == name


def test_rows_without_weight_leave_no_trace_in_the_hull():
    rows = scored(7, 200, 2).with_columns(weight=pl.Series([0.0, 1.0, 2.0, 1.0] * 50))
    weighted = rows.filter(pl.col("weight") > 0)
    counted = [hull(sweep(r, weight="weight")).select("tp", "fp") for r in (rows, weighted)]
    assert counted[0].equals(counted[1])


@pytest.mark.parametrize("number", [2, 3])
def test_weighted_counts_are_the_same_to_the_last_bit_each_time(number):
    """The streaming engine adds floats in another order each time."""
    random = np.random.default_rng(5)
    rows = pl.DataFrame(
        {
            "truth": random.integers(0, number, 300_000),
            "call": random.integers(0, number, 300_000),
            "w": random.random(300_000),
        }
    )
    if number == 2:
        decisions = rows.select("w", truth=pl.col("truth") > 0, predicted=pl.col("call") > 0)
        tables = [counts(decisions, weight="w") for _ in range(5)]
    else:
        call = pl.col("call")
        tables = [
            matrix(rows, number, truth="truth", prediction=call, weight="w") for _ in range(5)
        ]

    assert all(one.equals(tables[0]) for one in tables)


def test_a_metric_follows_from_one_of_its_own_task():
    """What a metric is the mirror of, or fixed by, is tested in its stead: it has to be there."""
    for task, registry in REGISTRY.items():
        for metric in registry.values():
            assert find(metric.tested_as, task).task == task, metric.name
            assert None in (metric.complement_of, metric.determined_by)


@pytest.mark.parametrize("name", ["error_rate", "rank_loss"])
def test_a_mirror_is_1_minus_its_metric(name):
    rows = scored(seed=3, rows=200, decimals=2).with_columns(predicted=pl.col("score") >= 0.5)
    names = {"truth": "truth", "weight": "weight"}
    mirror, metric = METRICS[name], METRICS[METRICS[name].complement_of]
    frames = {"counts": counts(rows, predicted="predicted", **names), "sweep": sweep(rows, **names)}
    values = [frames[m.on].select(m.build()).item() for m in (mirror, metric)]

    assert sum(values) == pytest.approx(1, abs=1e-12)
    assert mirror.name in mirrors(metric.name)
