"""Every value of the reference cases that belongs to what is built."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from reportgen import intervals
from reportgen.comparisons import (
    Pairs,
    Question,
    area_covariance,
    delong,
    mcnemar,
    paired_counts,
)
from reportgen.comparisons.delong import pair_of_areas
from reportgen.counting import counts
from reportgen.curves import cost_envelope, hull, precision_recall, roc
from reportgen.metrics import METRICS
from reportgen.metrics.ranking import delong_variance
from reportgen.sweeping import bins, sweep, with_squares
from tests.cases import METRIC_NAMES, agrees, all_cases, rows
from tests.interval_limits import limits_of

BINARY = all_cases("binary")
SCORED = [case for case in BINARY if "y_score" in case["spec"]]
LABELLED = [case for case in BINARY if "y_pred" in case["spec"]]
PAIRED = all_cases("mcnemar", "mcnemar_table")


def name_of(case: dict[str, Any]) -> str:
    return str(case["case"])


def truth(case: dict[str, Any]) -> pl.DataFrame:
    spec = case["spec"]
    return rows(case).with_columns(truth=pl.col(spec["y_true"]) == spec["positive"])


def confusion(case: dict[str, Any]) -> pl.DataFrame:
    spec = case["spec"]
    decisions = {"model": pl.col(spec["y_pred"]) == spec["positive"]}
    return counts(truth(case), predicted=decisions, weight=spec.get("sample_weight"))


def steps(case: dict[str, Any]) -> Any:
    spec = case["spec"]
    return sweep(truth(case), score=spec["y_score"], weight=spec.get("sample_weight"))


def assert_metrics(case: dict[str, Any], frame: pl.DataFrame, source: str) -> int:
    named = {name: METRIC_NAMES.get(name, name) for name in case["expected"]}
    metrics = {
        name: METRICS[ours]
        for name, ours in named.items()
        if ours in METRICS and METRICS[ours].on == source
    }
    settings = {
        f"false_{k}": case["spec"].get(f"cost_f{k[0]}", 1.0) for k in ("negative", "positive")
    }
    for name, metric in metrics.items():
        value = frame.select(metric.expression(**settings)).item()
        assert agrees(case, name, value), (name, value, case["expected"][name])
    return len(metrics)


@pytest.mark.parametrize("case", LABELLED + all_cases("binary_cost"), ids=name_of)
def test_a_measure_of_counts_has_the_value_that_outside_programs_give(case):
    assert assert_metrics(case, confusion(case), "counts") >= min(2, len(case["expected"]))


@pytest.mark.parametrize("case", SCORED, ids=name_of)
def test_a_measure_of_a_sweep_has_the_value_that_outside_programs_give(case):
    count = assert_metrics(case, steps(case), "sweep")
    count += assert_metrics(case, hull(steps(case)), "hull")
    count += assert_metrics(case, bins(steps(case)), "bins")
    assert count >= min(5, len(case["expected"]))


@pytest.mark.parametrize("case", SCORED, ids=name_of)
def test_a_curve_has_the_points_that_outside_programs_give(case):
    s, expected = steps(case), case["expected"]
    r, p, c = roc(s), precision_recall(s), cost_envelope(hull(s))
    curves = {
        "roc.fpr": r["false_positive_rate"],
        "roc.tpr": r["recall"],
        "pr.recall": p["recall"],
        "pr.precision": p["precision"],
        "cost_envelope.x": c["probability_cost"],
        "cost_envelope.y": c["normalised_cost"],
    }
    for name in curves.keys() & expected.keys():
        assert agrees(case, name, curves[name].to_list()), name
    if "roc.thresholds" in expected:
        thresholds = s["threshold"].to_list()
        assert thresholds[1:] == pytest.approx(expected["roc.thresholds"][1:], abs=1e-12)


@pytest.mark.parametrize("case", SCORED, ids=name_of)
@pytest.mark.parametrize(("prefix", "confidence"), [("auc_delong", 0.95), ("auc_delong90", 0.9)])
def test_the_interval_of_the_auc_is_delongs(case, prefix, confidence):
    if f"{prefix}.lower" not in case["expected"]:
        return
    interval = intervals.Wald("delong", delong_variance())
    low, high = limits_of(interval, METRICS["auc"].build(), confidence)
    limits = with_squares(steps(case)).select(low=low, high=high, var=delong_variance())
    assert agrees(case, f"{prefix}.lower", limits["low"][0])
    assert agrees(case, f"{prefix}.upper", limits["high"][0])
    if prefix == "auc_delong":
        assert agrees(case, "auc_delong.var", limits["var"][0])


@pytest.mark.parametrize("case", all_cases("delong"), ids=name_of)
def test_delongs_test_has_the_values_that_outside_programs_give(case):
    spec, frame = case["spec"], truth(case)
    pair = (spec["score_a"], spec["score_b"])
    record, estimates = delong(frame, Question(pair, "auc")), area_covariance(frame, pair)
    plain = pair_of_areas("delong", estimates, (0, 1), Question(pair, "auc"))
    values = {
        "auc_a": estimates.areas[0],
        "auc_b": estimates.areas[1],
        "delong.cov": estimates.covariance[0, 1],
        "delong.z": record.statistic,
        "delong.p": record.p_value,
        "delong.diff_lower": plain.low,
        "delong.diff_upper": plain.high,
    }
    for name, value in values.items():
        assert agrees(case, name, value), name


@pytest.mark.parametrize("case", PAIRED, ids=name_of)
def test_mcnemars_tests_have_the_values_that_outside_programs_give(case):
    spec = case["spec"]
    if spec["task"] == "mcnemar_table":
        (both, only_b_wrong), (only_a_wrong, neither) = spec["table"]
        pairs = Pairs(both, only_b_wrong, only_a_wrong, neither)
    else:
        frame = rows(case).with_columns(truth=pl.col(spec["y_true"]) == 1)
        pairs = paired_counts(frame, pl.col(spec["pred_a"]) == 1, pl.col(spec["pred_b"]) == 1)
    question = Question(("a", "b"), "accuracy")
    record = {r.comparison: r for r in mcnemar(pairs, question, interval="newcombe_paired")}
    values = {
        "mcnemar.chi2": record["mcnemar_uncorrected"].statistic,
        "mcnemar.p": record["mcnemar_uncorrected"].p_value,
        "mcnemar_cc.chi2": record["mcnemar"].statistic,
        "mcnemar_cc.p": record["mcnemar"].p_value,
        "mcnemar_exact.p": record["mcnemar_exact"].p_value,
        "mcnemar_midp.p": record["mcnemar_midp"].p_value,
        "discordant_12": pairs.only_b_wrong,
        "discordant_21": pairs.only_a_wrong,
        "diff": record["mcnemar"].estimate,
        "newcombe_paired.lower": record["mcnemar"].low,
        "newcombe_paired.upper": record["mcnemar"].high,
    }
    assert values.keys() <= case["expected"].keys()
    for name, value in values.items():
        assert agrees(case, name, value), name


@pytest.mark.parametrize("case", all_cases("proportion_ci"), ids=name_of)
def test_wilsons_interval_has_the_limits_that_outside_programs_give(case):
    spec = case["spec"]
    low, high = intervals.wilson_limits(spec["x"], spec["n"], spec["conf"])
    assert agrees(case, "wilson.lower", low)
    assert agrees(case, "wilson.upper", high)
