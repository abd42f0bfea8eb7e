"""The choice of a threshold, made again on resampled rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

from reportgen.measuring.thresholds import chosen
from reportgen.metrics import METRICS
from reportgen.resampling import ThresholdRule, threshold_uncertainty
from reportgen.sweeping import sweep


def rule(name: str, maximise: bool = True, admissible: pl.Expr | None = None) -> ThresholdRule:
    return ThresholdRule(
        METRICS[name].build(), maximise, pl.lit(value=True) if admissible is None else admissible
    )


def steps(seed: int, size: int, gap: float = 1.0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = np.arange(size) % 2 == 0
    return sweep(
        pl.DataFrame({"truth": truth, "score": random.standard_normal(size) + gap * truth})
    )


def test_the_best_value_less_its_optimism_is_what_the_threshold_is_worth_on_new_rows():
    """Youden's J of two normals: the observed maximum is too high, the corrected one is right."""
    worth, best, corrected = [], [], []
    for seed in range(60):
        sweep_table = steps(seed, 60)
        at, value = chosen(sweep_table, "informedness", maximise=True)
        estimate = threshold_uncertainty(
            sweep_table, rule("informedness"), replicates=100, seed=seed
        )
        worth.append(norm.cdf(at) - norm.cdf(at - 1))
        best.append(value)
        corrected.append(estimate.corrected)
        assert estimate.optimism > 0
    bias = [np.mean(np.subtract(estimate, worth)) for estimate in (best, corrected)]
    assert bias[0] > 0.06
    assert abs(bias[1]) < bias[0] / 2


def test_the_interval_of_the_threshold_holds_the_best_one_of_the_population():
    """The best threshold between two normals is in their middle."""
    held = []
    for seed in range(60):
        estimate = threshold_uncertainty(
            steps(seed, 200), rule("informedness"), replicates=150, seed=seed
        )
        held.append(estimate.loosest <= 0.5 <= estimate.strictest)
    assert np.mean(held) >= 0.85


def test_a_measure_to_be_made_small_has_optimism_below_zero():
    sweep_table, to_minimise = steps(1, 80), rule("error_rate", maximise=False)
    estimate = threshold_uncertainty(sweep_table, to_minimise, replicates=100)
    assert estimate.optimism < 0
    assert estimate.corrected > chosen(sweep_table, "error_rate", maximise=False)[1]


def test_the_limits_hold_in_every_replicate():
    sweep_table = steps(2, 200)
    recall = METRICS["recall"].build()
    estimate = threshold_uncertainty(
        sweep_table, rule("precision", admissible=recall >= 0.9), replicates=100
    )
    free = threshold_uncertainty(sweep_table, rule("precision"), replicates=100)
    assert estimate.strictest < free.strictest
    assert (
        threshold_uncertainty(sweep_table, rule("precision", admissible=recall > 1), replicates=100)
        is None
    )


def test_where_calling_nothing_is_best_the_interval_is_open_above():
    random = np.random.default_rng(3)
    truth = random.random(100) < 0.05
    sweep_table = sweep(pl.DataFrame({"truth": truth, "score": random.random(100)}))
    estimate = threshold_uncertainty(
        sweep_table, rule("error_rate", maximise=False), replicates=100
    )
    assert estimate.strictest is None


@pytest.mark.parametrize("truth", [[True, True], [False, False]])
def test_a_single_class_has_no_choice(truth):
    sweep_table = sweep(pl.DataFrame({"truth": truth, "score": [0.1, 0.9]}))
    assert threshold_uncertainty(sweep_table, rule("informedness"), replicates=10) is None


def test_the_seed_alone_decides_and_many_scores_share_cells():
    sweep_table = steps(4, 5000)
    first, again = (
        threshold_uncertainty(sweep_table, rule("mcc"), replicates=30, seed=5) for _ in range(2)
    )
    assert first == again
    at, value = chosen(sweep_table, "mcc", maximise=True)
    assert first.loosest <= at <= first.strictest
    assert first.corrected == pytest.approx(value, abs=0.03)
