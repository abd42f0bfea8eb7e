"""Means over folds, with their t intervals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.special import expit, logit

from reportgen.intervals.bounded_means import bounded_t
from reportgen.results import evaluate
from tests.quick import QUICK


def rows(folds: int = 5, repeats: int = 1) -> pl.DataFrame:
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, 100)
    frames = [
        pl.DataFrame(
            {
                "id": np.arange(100),
                "y": truth,
                "p": np.clip(0.3 * truth + 0.7 * random.random(100), 0, 1),
                "fold": random.permutation(100) % folds,
                "repeat": np.full(100, k),
            }
        )
        for k in range(repeats)
    ]
    return pl.concat(frames)


def means(frame: pl.DataFrame, columns: dict[str, str], **given) -> dict[str, dict]:
    spec = {"data": "d.csv", "truth": "y", "models": {"m": {"score": "p"}}, "columns": columns}
    metrics = evaluate({**spec, **QUICK, **given}, frame).metrics
    return {row["metric"]: row for row in metrics.filter(average="folds").to_dicts()}


def accuracies(frame: pl.DataFrame, *keys: str) -> np.ndarray:
    right = (pl.col("p") >= 0.5) == (pl.col("y") == 1)
    return frame.group_by(keys).agg(right.mean().alias("v"))["v"].to_numpy()


@pytest.mark.parametrize(("folds", "repeats"), [(5, 1), (4, 3)])
def test_the_mean_over_folds_has_the_t_interval_corrected_for_overlap(folds, repeats):
    frame = rows(folds, repeats)
    columns = {"id": "id", "fold": "fold", "repeat": "repeat"} if repeats > 1 else {"fold": "fold"}
    row = means(frame, columns)["accuracy"]
    values = accuracies(frame, "repeat", "fold")
    error = np.sqrt(values.var(ddof=1) * (1 / len(values) + 1 / (folds - 1)))
    low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), error)

    assert (row["value"], row["interval"]) == (pytest.approx(values.mean()), "corrected t")
    assert (row["low"], row["high"]) == (pytest.approx(max(low, 0)), pytest.approx(min(high, 1)))


def test_data_sets_are_independent_and_have_t_limits_that_allow_for_a_bound():
    frame = rows().with_columns(dataset=pl.col("fold"))
    row = means(frame.drop("fold"), {"dataset": "dataset"})["accuracy"]
    values = accuracies(frame, "dataset")
    plain = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    value = values.mean()
    on_log_odds = (plain[1] - value) / (value * (1 - value))

    assert row["interval"] == "bounded t"
    assert row["low"] < plain[0] < row["high"] < min(plain[1], 1)
    assert row["high"] == pytest.approx(expit(logit(value) + on_log_odds))
    assert row["low"] == pytest.approx(expit(logit(value) - on_log_odds - on_log_odds**2 / 2))


@pytest.mark.parametrize("lowest", [0.0, -np.inf])
def test_limits_of_a_mean_near_a_bound_reach_far_from_it_and_mirror_those_near_another(lowest):
    low, high = bounded_t(0.9, 0.05, (lowest, 1.0))
    mirrored = bounded_t(0.1, 0.05, (0.0, 1 - lowest))

    assert 0.9 - low > 1.5 * 0.05 > 0.05 > high - 0.9
    assert (1 - low, 1 - high) == pytest.approx(mirrored[::-1])


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-np.inf, 1.0)])
def test_wider_limits_of_a_mean_near_a_bound_hold_narrower_ones_and_stay_inside(bounds):
    limits = [bounded_t(0.9, width, bounds) for width in (0.001, 0.05, 0.0999, 0.1001, 0.3, 9)]
    lows, highs = (list(ends) for ends in zip(*limits, strict=True))

    assert lows == sorted(lows, reverse=True)
    assert highs == sorted(highs)
    assert lows[2] == pytest.approx(lows[3], abs=0.01)
    assert bounds[0] <= lows[-1] == pytest.approx(max(bounds[0], 0.9 - 9), abs=0.6)
    assert bounded_t(1.0, 0.1, bounds) == (0.9, 1.0)


def test_a_fold_without_both_classes_leaves_the_mean_area_undefined():
    frame = rows().with_columns(y=pl.when(pl.col("fold") == 0).then(1).otherwise("y"))
    row = means(frame, {"fold": "fold"})["auc"]

    assert row["value"] is None
    assert row["undefined"] == "a fold has no value"


def test_folds_that_are_all_the_same_have_no_limits():
    frame = rows().with_columns(p=pl.col("y").cast(pl.Float64))

    assert means(frame, {"fold": "fold"})["accuracy"]["low"] is None


def test_without_folds_there_is_no_mean_over_them():
    assert means(rows(), {}) == {}


def test_a_gate_may_ask_for_the_mean_over_folds():
    gates = ["m.folds_accuracy.high >= 0.1", "m.folds_auc >= 0.5"]
    spec = {"data": "d.csv", "truth": "y", "models": {"m": {"score": "p"}}, "gates": gates}
    results = evaluate({**spec, "columns": {"fold": "fold"}}, rows())

    assert results.gates["state"][0] == "pass"
    assert set(results.gates["basis"]) == {"mean over folds"}


def test_a_gate_reads_means_over_folds_of_every_measure_that_has_them():
    """Whatever the primary measure is: limits of pooled rows are too narrow over folds."""
    frame = rows().with_columns(other=pl.col("p").reverse())
    spec = {"truth": "y", "models": {"m": {"score": "p"}, "k": {"score": "other"}}, **QUICK}
    gates = ["m.auc >= 0.5", "m.accuracy >= 0.1", "m.auc - k.auc >= 0"]
    results = evaluate({**spec, "columns": {"fold": "fold"}, "gates": gates}, frame)

    assert {"auc", "accuracy"} <= set(results.metrics.filter(average="folds")["metric"])
    assert (results.decision.measure, results.decision.basis) == ("accuracy", "mean over folds")
    assert results.gates["basis"].to_list() == ["mean over folds"] * 3


def test_a_gate_on_the_cost_reads_the_mean_over_folds_that_page_one_prints():
    frame = rows().with_columns(other=pl.col("p").reverse())
    spec = {"truth": "y", "models": {"m": {"score": "p"}, "k": {"score": "other"}}, **QUICK}
    costs = {"false_negative": 3, "false_positive": 1}
    declared = {"columns": {"fold": "fold"}, "costs": costs, "gates": ["m.cost <= 3"]}
    decides = {"comparisons": {"primary": "accuracy"}}
    results = evaluate({**spec, **declared, **decides}, frame)
    keys = {"metric": "cost_sensitive_error_rate", "average": "folds", "model": "m"}
    mean = results.metrics.filter(pl.col("slice").is_null(), **keys)

    (gate,) = results.gates.to_dicts()
    assert gate["basis"] == "mean over folds"
    assert (gate["observed"], gate["low"], gate["high"]) == mean.select("value", "low", "high").row(
        0
    )


@pytest.mark.parametrize("columns", [{}, {"fold": "fold"}])
def test_only_rows_of_several_fits_have_the_caveat_that_they_are_pooled(columns):
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "columns": columns, **QUICK}
    caveats = {c.code: c.text for c in evaluate(spec, rows()).decision.caveats}

    assert ("pooled_fits" in caveats) == bool(columns)
    if columns:
        assert "5 separately fitted models whose training sets overlap" in caveats["pooled_fits"]


def test_a_difference_over_folds_names_the_corrected_interval():
    """It is that of the corrected resampled t-test, not Student's."""
    frame = rows().with_columns(other=pl.col("p").reverse())
    models = {"m": {"score": "p"}, "k": {"score": "other"}}
    spec = {
        "truth": "y",
        "models": models,
        "columns": {"fold": "fold"},
        **QUICK,
    }
    results = evaluate({**spec, "comparisons": {"margin": 0.1}}, frame)

    row = results.differences.filter(metric="accuracy").row(0, named=True)
    assert (row["basis"], row["interval"]) == ("mean over folds", "corrected t")
    tests = dict(results.comparisons.select("comparison", "interval").drop_nulls().iter_rows())
    assert tests["corrected_resampled_t"] == tests["equivalence"] == "corrected t"
    assert tests["paired_t_folds"] == "t"
