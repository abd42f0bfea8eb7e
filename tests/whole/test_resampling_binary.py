"""The bootstrap of binary metrics: outside values, DeLong, pairs, groups, weights, determinism."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons import area_covariance
from reportgen.metrics import METRICS
from reportgen.resampling import BootstrapSettings, bootstrap, bootstrap_pair
from reportgen.sweeping import sweep
from tests.breadth import breadth
from tests.cases import agrees, all_cases, rows

NUMBERS = ("value", "low", "high", "standard_error")


def sample(number: int, seed: int = 0, decimals: int | None = None) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.random(number) < 0.3
    shared, noise = random.normal(size=number), random.normal(size=(2, number))
    a = 1 / (1 + np.exp(-(1.6 * truth - 0.8 + 0.8 * shared + 0.6 * noise[0])))
    b = 1 / (1 + np.exp(-(1.2 * truth - 0.6 + 0.8 * shared + 0.6 * noise[1])))
    frame = pl.DataFrame({"truth": truth, "a": a, "b": b})
    return frame if decimals is None else frame.with_columns(pl.col("a", "b").round(decimals))


def of(table: pl.DataFrame, metric: str) -> dict:
    return table.row(by_predicate=pl.col("metric") == metric, named=True)


@pytest.mark.parametrize("case", all_cases("bootstrap_accuracy"), ids=lambda c: c["case"])
def test_the_bootstrap_of_accuracy_has_the_limits_that_outside_programs_give(case):
    spec = case["spec"]
    frame = rows(case).with_columns(truth=pl.col(spec["y_true"]) == 1)
    table = bootstrap(
        frame,
        ["accuracy"],
        predicted=pl.col(spec["y_pred"]) == 1,
        options=BootstrapSettings(5000, confidence=spec["conf"], stratified=False),
    )
    accuracy = of(table, "accuracy")
    assert agrees(case, "bootstrap.se", accuracy["standard_error"])
    assert agrees(case, "bootstrap.percentile_lower", accuracy["low"])
    assert agrees(case, "bootstrap.percentile_upper", accuracy["high"])
    assert accuracy["interval"] == "bootstrap percentile"


@pytest.mark.parametrize("case", all_cases("bootstrap_auc"), ids=lambda c: c["case"])
def test_the_stratified_bootstrap_of_the_auc_is_that_of_all_resamples(case):
    spec = case["spec"]
    frame = rows(case).with_columns(truth=pl.col(spec["y_true"]) == spec["positive"])
    options = BootstrapSettings(20000, stratified=True)
    row = of(bootstrap(frame, ["auc"], score=spec["y_score"], options=options), "auc")
    assert agrees(case, "bootstrap.se", row["standard_error"])
    assert agrees(case, "bootstrap.percentile_lower", row["low"])
    assert agrees(case, "bootstrap.percentile_upper", row["high"])


@breadth(("number", "decimals"), [(400, 2), (2000, None), (30000, None)], 1)
def test_the_spread_of_the_auc_is_delongs_standard_error(number, decimals):
    frame = sample(number, decimals=decimals)
    row = of(bootstrap(frame, ["auc"], score="a"), "auc")
    delong = area_covariance(frame, ["a"]).covariance[0, 0] ** 0.5
    assert row["standard_error"] == pytest.approx(delong, rel=0.06)
    assert row["value"] == pytest.approx(area_covariance(frame, ["a"]).areas[0], abs=1e-12)


def test_a_difference_of_areas_spreads_as_delong_says():
    frame = sample(3000)
    row = of(bootstrap_pair(frame, ["auc"], scores=("a", "b")), "auc")
    delong = area_covariance(frame, ("a", "b"))
    v = delong.covariance
    variance = v[0, 0] + v[1, 1] - 2 * v[0, 1]
    assert row["standard_error"] == pytest.approx(variance**0.5, rel=0.06)
    assert row["value"] == pytest.approx(delong.areas[0] - delong.areas[1], abs=1e-12)
    assert row["p_value"] == 1 / 2001


def test_a_difference_of_accuracies_spreads_as_its_discordant_rows_say():
    frame = sample(800)
    calls = (pl.col("a") >= 0.5, pl.col("b") >= 0.5)
    row = of(bootstrap_pair(frame, ["accuracy"], predicted=calls), "accuracy")
    right = frame.select(*((c == pl.col("truth")).cast(pl.Float64) for c in calls[:1])).to_series()
    other = frame.select((calls[1] == pl.col("truth")).cast(pl.Float64)).to_series()
    gap = right - other
    assert row["value"] == pytest.approx(gap.mean())
    assert row["standard_error"] == pytest.approx(gap.std() / 800**0.5, rel=0.06)
    assert row["low"] < row["value"] < row["high"]


def test_the_p_value_of_a_difference_is_about_that_of_a_normal_test():
    frame = sample(600, seed=4)
    row = of(bootstrap_pair(frame, ["brier_score"], scores=("a", "b")), "brier_score")
    loss = frame.select((pl.col("a") - pl.col("truth")) ** 2 - (pl.col("b") - pl.col("truth")) ** 2)
    gap = loss.to_series()
    z = gap.mean() / (gap.std() / 600**0.5)
    from scipy.special import ndtr

    assert row["p_value"] == pytest.approx(2 * ndtr(-abs(z)), abs=0.02)


@breadth("method", ["percentile", "basic", "bca"], ["percentile"])
def test_the_limits_of_a_small_samples_auc_cover_it_about_as_often_as_they_say(method):
    random = np.random.default_rng(7)
    # AUC of N(1, 1) over N(0, 1) is Φ(1/√2).
    area, covered = 0.7602499389065233, []
    for seed in range(100):
        truth = np.arange(70) < 30
        frame = pl.DataFrame({"truth": truth, "score": random.normal(size=70) + truth})
        row = of(
            bootstrap(
                frame,
                ["auc"],
                score="score",
                options=BootstrapSettings(300, seed=seed, confidence=0.9, methods=(method,)),
            ),
            "auc",
        )
        covered.append(row["low"] <= area <= row["high"])
    assert np.mean(covered) == pytest.approx(0.89, abs=0.07)


def test_the_mean_score_of_a_group_of_copies_spreads_as_one_row():
    frame = sample(300, decimals=2).with_row_index("id")
    copies = pl.concat([frame] * 5)
    calls = pl.col("a") >= 0.5
    names = ("auc", "accuracy", "brier_score")
    options = {"score": "a", "predicted": calls}
    once = bootstrap(frame, names, **options)
    grouped = bootstrap(copies, names, **options, group="id")
    naive = bootstrap(copies, names, **options)
    for metric in names:
        error = of(once, metric)["standard_error"]
        assert of(grouped, metric)["standard_error"] == pytest.approx(error, rel=0.1)
        assert of(naive, metric)["standard_error"] == pytest.approx(error / 5**0.5, rel=0.1)


def test_groups_of_one_class_each_keep_the_sizes_of_the_classes():
    frame = sample(200, decimals=2).with_row_index("id")
    stratified = BootstrapSettings(stratified=True)
    options = {"predicted": "truth", "group": "id", "options": stratified}
    table = bootstrap(pl.concat([frame] * 2), ["prevalence"], **options)
    assert of(table, "prevalence")["low"] is None
    mixed = frame.with_columns(id=pl.col("id") % 40)
    table = bootstrap(mixed, ["prevalence"], **options)
    assert of(table, "prevalence")["standard_error"] > 0


def test_equal_weights_change_nothing_and_unequal_ones_spread_as_delong_says():
    frame = sample(1500, decimals=2).with_columns(
        two=pl.lit(2.0), w=pl.Series(np.random.default_rng(0).exponential(size=1500))
    )
    plain = bootstrap(frame, ["auc", "brier_score"], score="a")
    doubled = bootstrap(frame, ["auc", "brier_score"], score="a", weight="two")
    for name in NUMBERS:
        assert doubled[name].to_list() == pytest.approx(plain[name].to_list(), rel=1e-9)
    weighted = of(bootstrap(frame, ["auc"], score="a", weight="w"), "auc")
    delong = area_covariance(frame, ["a"], weight="w")
    assert weighted["value"] == pytest.approx(delong.areas[0], abs=1e-12)
    assert weighted["standard_error"] == pytest.approx(delong.covariance[0, 0] ** 0.5, rel=0.06)


def test_many_different_weights_are_binned_without_changing_the_spread():
    random = np.random.default_rng(1)
    frame = sample(40000).with_columns(w=pl.Series(random.exponential(size=40000)))
    row = of(
        bootstrap(frame, ["auc"], score="a", weight="w", options=BootstrapSettings(500)), "auc"
    )
    delong = area_covariance(frame, ["a"], weight="w").covariance[0, 0] ** 0.5
    assert row["standard_error"] == pytest.approx(delong, rel=0.08)


OF_EACH_FRAME = ("auc", "average_precision", "f1", "h_measure", "brier_reliability", "log_loss")


def test_the_seed_decides_and_the_order_of_the_rows_does_not():
    frame = sample(400).with_columns(
        w=pl.Series(np.random.default_rng(0).random(400)), g=pl.int_range(400) % 100
    )
    options = [{}, {"weight": "w"}, {"group": "g"}]
    for more in options:

        def limits_of(rows: pl.DataFrame, seed: int = 0, more=more) -> pl.DataFrame:
            calls = (pl.col("a") >= 0.5, pl.col("b") >= 0.5)
            return bootstrap_pair(
                rows,
                OF_EACH_FRAME,
                scores=("a", "b"),
                predicted=calls,
                options=BootstrapSettings(30, seed=seed),
                **more,
            )

        first, shuffled = (
            limits_of(frame),
            limits_of(frame.sample(fraction=1, shuffle=True, seed=3)),
        )
        assert first.equals(shuffled, null_equal=True) or all(
            first[n].to_list() == pytest.approx(shuffled[n].to_list(), rel=1e-12) for n in NUMBERS
        )
        assert not first["low"].equals(limits_of(frame, 1)["low"])


THREADS = """
import polars as pl, numpy as np
from reportgen.resampling import BootstrapSettings, bootstrap
r = np.random.default_rng(0)
t = r.random(30000) < 0.4
f = pl.DataFrame({"truth": t, "s": np.clip(0.3 * t + 0.7 * r.random(30000), 0, 1)})
intervals = bootstrap(f, score="s", predicted=pl.col("s") >= 0.5, options=BootstrapSettings(100))
print(pl.thread_pool_size(), intervals.rows())
"""


def test_the_number_of_threads_leaves_no_trace():
    """That of this process, and another one."""
    with redirect_stdout(StringIO()) as here:
        exec(THREADS, {})
    threads, _, printed = here.getvalue().partition(" ")
    other = "4" if threads == "1" else "1"
    run = subprocess.run(
        [sys.executable, "-c", THREADS],
        env=os.environ | {"POLARS_MAX_THREADS": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.partition(" ") == (other, " ", printed)


DEGENERATE = {
    "no rows": pl.DataFrame(schema={"truth": pl.Boolean, "a": pl.Float64}),
    "one row": pl.DataFrame({"truth": [True], "a": [0.7]}),
    "only positives": pl.DataFrame({"truth": [True] * 5, "a": [0.2, 0.2, 0.9, 0.4, 0.1]}),
    "all tied": pl.DataFrame({"truth": [True, False] * 20, "a": [0.5] * 40}),
    "perfect": pl.DataFrame({"truth": [True] * 20 + [False] * 20, "a": [1.0] * 20 + [0.0] * 20}),
    "inverted": pl.DataFrame({"truth": [True] * 9 + [False] * 9, "a": [0.1] * 9 + [0.9] * 9}),
    "any real score": pl.DataFrame({"truth": [True, False] * 9, "a": [3.5 * k for k in range(18)]}),
    "missing scores": pl.DataFrame({"truth": [True, False, True] * 9, "a": [0.3, None, 0.6] * 9}),
}


@pytest.mark.parametrize("kind", DEGENERATE)
@breadth("method", ["percentile", "basic", "bca"], ["bca"])
def test_degenerate_rows_give_limits_around_the_value_or_none(kind, method):
    frame = DEGENERATE[kind]
    calls = (pl.col("a") >= 0.5).alias("called")
    table = bootstrap(
        frame, score="a", predicted=calls, options=BootstrapSettings(80, methods=(method,))
    )
    for row in table.iter_rows(named=True):
        low, high = METRICS[row["metric"]].bounds
        assert (row["low"] is None) == (row["high"] is None) == (row["interval"] is None)
        if row["low"] is not None:
            assert low <= row["low"] <= row["value"] <= row["high"] <= high
            assert row["standard_error"] > 0


@pytest.mark.parametrize("kind", ["all tied", "perfect"])
def test_replicates_that_are_all_the_same_say_nothing(kind):
    row = of(bootstrap(DEGENERATE[kind], ["auc"], score="a", options=BootstrapSettings(80)), "auc")
    assert (row["low"], row["interval"], row["defined"]) == (None, None, 80)
    assert row["value"] is not None


def test_a_model_does_not_differ_from_itself():
    frame = sample(300).with_columns(b=pl.col("a") * 0.5)
    table = bootstrap_pair(
        frame,
        scores=("a", "b"),
        predicted=(pl.col("a") >= 0.5, pl.col("b") >= 0.25),
        options=BootstrapSettings(90),
    )
    for metric in ("auc", "average_precision", "f1", "accuracy", "ks_statistic"):
        row = of(table, metric)
        assert row["value"] == pytest.approx(0, abs=1e-12)
        assert row["low"] is None
        assert row["p_value"] is None


def test_metrics_that_need_what_is_not_given_are_left_out():
    frame = sample(50)
    assert set(
        bootstrap(frame, ["auc", "f1"], score="a", options=BootstrapSettings(9))["metric"]
    ) == {"auc"}
    assert set(
        bootstrap(frame, ["auc", "f1"], predicted="truth", options=BootstrapSettings(9))["metric"]
    ) == {"f1"}
    assert bootstrap(frame, ["auc", "f1"]).is_empty()


def test_costs_reach_the_metrics_that_take_them():
    frame = sample(200)
    calls = pl.col("a") >= 0.5
    names = ["cost_sensitive_error_rate"]
    plain = of(bootstrap(frame, names, predicted=calls, options=BootstrapSettings(50)), names[0])
    settings = {"false_negative": 3.0, "false_positive": 3.0}
    dear = of(
        bootstrap(frame, names, predicted=calls, options=BootstrapSettings(50), settings=settings),
        names[0],
    )
    assert dear["high"] == pytest.approx(3 * plain["high"])


@pytest.mark.slow
def test_many_rows_of_two_models_are_drawn_in_blocks_whatever_their_order():
    """Average precision, which few cells would change by more than it varies, has its limits."""
    random = np.random.default_rng(5)
    truth = random.random(60_000) < 0.1
    skill = random.normal(size=60_000) + 1.2 * truth
    frame = pl.DataFrame({"truth": truth, "a": skill, "b": skill + random.normal(size=60_000)})
    names = ["average_precision"]
    row, again = (
        bootstrap_pair(f, names, scores=("a", "b"), options=BootstrapSettings(400)).row(
            0, named=True
        )
        for f in (frame, frame[::-1])
    )

    assert row == again
    assert row["cell_error"] < 2 * row["standard_error"]
    precision = METRICS["average_precision"].expression()
    differences = []
    for index in random.integers(60_000, size=(40, 60_000)):
        values = [sweep(frame[index], score=s).select(precision).item() for s in ("a", "b")]
        differences.append(values[0] - values[1])
    assert np.std(differences, ddof=1) == pytest.approx(row["standard_error"], rel=0.35)
