"""Evaluation end to end, in Python: what the results hold and how they read back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.errors import DataError, EmptyError
from reportgen.measuring.curve_tables import MOST_POINTS
from reportgen.measuring.own_cost_limits import own_cost_limits
from reportgen.metrics import METRICS
from reportgen.results import Results, evaluate
from reportgen.spec import from_dict
from reportgen.sweeping import sweep
from tests.breadth import breadth
from tests.cases import METRIC_NAMES, agrees, all_cases, rows
from tests.contracts import results_validator
from tests.quick import FEW
from tests.results_data import evaluated, metric, predictions

SCORED = [c for c in all_cases("binary") if "y_score" in c["spec"]]


LABELLED = [c for c in all_cases("binary") if "y_pred" in c["spec"]]


def case_results(case: dict[str, Any], tmp_path) -> dict[str, Any]:
    spec = case["spec"]
    kind = "score" if "y_score" in spec else "label"
    model = {kind: spec.get("y_score") or spec["y_pred"]}
    columns = {"weight": spec["sample_weight"]} if "sample_weight" in spec else {}
    frame = rows(case)
    frame.write_parquet(tmp_path / "case.parquet")
    built = evaluate(
        from_dict(
            {
                "data": "case.parquet",
                "truth": spec["y_true"],
                "positive": str(spec["positive"]),
                "models": {"m": model},
                "columns": columns,
                "intervals": {"auc": "delong", "ratios": "delta"},
                "bootstrap": {"replicates": 0},
            },
            tmp_path,
        )
    )
    return json.loads(built.to_json())


@breadth("case", SCORED + LABELLED, 6, ids=lambda c: c["case"])
def test_results_json_holds_the_values_that_outside_programs_give(case, tmp_path):
    results = case_results(case, tmp_path)
    values = {row["metric"]: row for row in results["metrics"]}
    checked = 0
    for name in case["expected"]:
        row = values.get(METRIC_NAMES.get(name, name))
        by_label = row and METRICS[row["metric"]].on == "counts"
        if row is None or bool(by_label) != ("y_pred" in case["spec"]):
            continue
        assert agrees(case, name, row["value"]), name
        assert (row["value"] is None) == (row["undefined"] is not None)
        checked += 1
    assert checked >= 4
    if "auc_delong.lower" in case["expected"]:
        assert agrees(case, "auc_delong.lower", values["auc"]["low"])
        assert agrees(case, "auc_delong.upper", values["auc"]["high"])
    if "roc.fpr" in case["expected"]:
        (roc,) = results["curves"]["roc"]
        assert agrees(case, "roc.fpr", roc["false_positive_rate"])
        assert agrees(case, "roc.tpr", roc["recall"])
        (cost,) = results["curves"]["cost_envelope"]
        assert agrees(case, "cost_envelope.x", cost["probability_cost"])
        assert agrees(case, "cost_envelope.y", cost["normalised_cost"])


def test_results_read_back_as_they_were_written(tmp_path):
    built = evaluated(predictions(), tmp_path, slices=["site"])
    text = built.to_json()
    assert Results.from_json(text).to_json() == text


def test_results_json_has_no_nan_and_no_infinity(tmp_path):
    frame = predictions().with_columns(y=pl.lit("yes"))
    text = evaluated(frame, tmp_path).to_json()
    json.loads(text, parse_constant=pytest.fail)


def test_the_order_of_the_rows_does_not_change_the_results(tmp_path):
    one = evaluated(predictions(), tmp_path)
    other = evaluated(predictions().sample(fraction=1, shuffle=True, seed=1), tmp_path)
    assert one.metrics.equals(other.metrics, null_equal=True)
    for column in ("statistic", "p_value", "estimate", "low", "high"):
        expected = pytest.approx(one.comparisons[column].to_list(), abs=1e-12, rel=1e-12)
        assert other.comparisons[column].to_list() == expected
    assert one.comparisons["verdict"].equals(other.comparisons["verdict"])
    assert all(one.curves[name].equals(other.curves[name]) for name in one.curves)


def test_a_model_that_gives_labels_only_has_no_rank_measures_and_says_why(tmp_path):
    built = evaluated(predictions(), tmp_path, models={"rules": {"label": "says"}})
    row = metric(built, "auc", "rules")
    assert row["value"] is None
    assert "labels" in row["undefined"]
    assert metric(built, "accuracy", "rules")["value"] > 0.5
    assert set(built.curves) == {"confusion"}
    assert "labels" in built.skipped[0]["reason"]


def test_supplied_labels_are_respected_and_their_disagreements_counted(tmp_path):
    both = {"a": {"score": "a", "label": "says"}}
    built = evaluated(predictions(), tmp_path, models=both)
    frame = predictions()
    expected = ((frame["a"] >= 0.5) != (frame["says"] == "yes")).sum()
    assert built.data["models"][0]["disagreements"] == expected > 0
    assert metric(built, "tp")["value"] == ((frame["says"] == "yes") & (frame["y"] == "yes")).sum()


def test_one_class_only_gives_a_report_without_rank_measures(tmp_path):
    built = evaluated(predictions().filter(y="yes"), tmp_path)
    assert metric(built, "auc")["undefined"] == "only one class is present"
    assert metric(built, "recall")["value"] is not None
    assert "roc" not in built.curves
    assert built.decision.measure == "accuracy"


def test_no_rows_with_role_test_is_an_error(tmp_path):
    frame = predictions().with_columns(role=pl.lit("validation"))
    with pytest.raises(EmptyError, match="role test"):
        evaluated(frame, tmp_path, columns={"role": "role"})


def test_slices_are_measured_by_themselves(tmp_path):
    frame = predictions()
    built = evaluated(frame, tmp_path, slices=["site", ["site", "role"]])
    north = frame.filter(site="north")
    assert metric(built, "n", slice="site = north")["value"] == north.height
    names = set(built.metrics["slice"].drop_nulls())
    assert len(names) == 6
    assert "site = south, role = test" in names


def test_weighted_rows_have_intervals_by_their_effective_size(tmp_path):
    built = evaluated(predictions(), tmp_path, columns={"weight": "w"})
    plain = evaluated(predictions(), tmp_path)
    row = metric(built, "recall")
    assert row["interval"] == "wilson_modified (effective size)"
    width = row["high"] - row["low"]
    assert width > metric(plain, "recall")["high"] - metric(plain, "recall")["low"]
    tests = set(built.comparisons["comparison"])
    assert "mcnemar_weighted" in tests
    assert not tests & {"mcnemar_midp", "mcnemar"}


def test_differences_are_from_the_baseline(tmp_path):
    built = evaluated(predictions(), tmp_path, baseline="a")
    assert built.comparisons["models"].to_list()[0] == ["b", "a"]
    assert built.decision.baseline == "a"
    assert built.decision.models[0].standing == "leader"


@pytest.mark.slow
def test_a_long_curve_is_thinned_and_a_short_one_is_whole(tmp_path):
    long = evaluated(predictions(6000), tmp_path)
    short = evaluated(predictions(300), tmp_path)
    assert long.curves["roc"].filter(model="a").height < MOST_POINTS
    assert short.curves["roc"].filter(model="a").height == 301


def test_a_frame_from_python_gives_the_same_numbers_as_its_file(tmp_path):
    frame = predictions()
    from_file = evaluated(frame, tmp_path)
    models = {"a": {"score": "a"}, "b": {"score": "b"}}
    spec = {"data": "in memory", "truth": "y", "positive": "yes", "models": models, **FEW}
    from_memory = evaluate(from_dict(spec, tmp_path), frame)
    assert from_memory.metrics.equals(from_file.metrics, null_equal=True)


def test_results_json_keeps_to_its_published_schema(tmp_path):
    both = {"a": {"score": "a"}, "rules": {"label": "says"}}
    for frame in (predictions(), predictions().filter(y="no")):
        built = evaluated(frame, tmp_path, models=both, slices=["site"])
        results_validator().validate(json.loads(built.to_json()))


def test_the_top_level_names_are_what_they_say():
    frame = pl.DataFrame({"truth": [True, False], "score": [0.7, 0.2]})
    assert reportgen.sweep(frame).select(reportgen.metrics.auc()).item() == 1
    assert all(getattr(reportgen, name) is not None for name in reportgen.__all__)


def test_costs_of_single_rows_are_summed_over_the_rows_that_err(tmp_path):
    frame = predictions().with_columns(amount=pl.int_range(1, 201).cast(pl.Float64))
    costs = {"false_negative": {"column": "amount"}, "false_positive": 3}
    built = evaluated(frame, tmp_path, costs=costs, slices=["site"])
    predicted, true = frame["a"] >= 0.5, frame["y"] == "yes"
    missed = frame.filter(true & ~predicted)["amount"].sum()
    total = missed + 3 * (~true & predicted).sum()
    assert metric(built, "total_cost")["value"] == pytest.approx(total)
    assert metric(built, "cost_sensitive_error_rate")["value"] == pytest.approx(total / 200)
    trivial = min(frame.filter(true)["amount"].sum(), 3 * (~true).sum())
    assert metric(built, "savings")["value"] == pytest.approx(1 - total / trivial)
    mean = frame.filter(true)["amount"].mean()
    at = true.mean() * mean / (true.mean() * mean + (1 - true.mean()) * 3)
    assert metric(built, "probability_cost")["value"] == pytest.approx(at)
    worst = frame.filter(true)["amount"].sum() + 3 * (~true).sum()
    assert metric(built, "normalised_cost")["value"] == pytest.approx(total / worst)


@breadth("weight", [None, "w"], ["w"])
def test_the_mean_of_own_costs_has_limits_from_what_every_error_would_cost(tmp_path, weight):
    frame = predictions().with_columns(amount=pl.int_range(1, 201).cast(pl.Float64))
    costs = {"false_negative": {"column": "amount"}, "false_positive": 3}
    columns = {"weight": weight} if weight else {}
    built = evaluated(frame, tmp_path, costs=costs, columns=columns)
    row = metric(built, "cost_sensitive_error_rate")
    predicted, true = (frame["a"] >= 0.5).to_numpy(), (frame["y"] == "yes").to_numpy()
    possible = np.where(true, frame["amount"].to_numpy(), 3.0)
    w = frame["w"].cast(pl.Float64).to_numpy() if weight else np.ones(200)
    low, high = own_cost_limits(possible, predicted != true, true, w)
    mean = np.average(np.where(predicted != true, possible, 0.0), weights=w)
    assert row["interval"] == "possible costs"
    assert row["value"] == pytest.approx(mean)
    assert (row["low"], row["high"]) == pytest.approx((low, high))


def test_the_costs_of_two_decisions_are_compared_row_by_row(tmp_path):
    from scipy.stats import ttest_rel

    frame = predictions().with_columns(amount=pl.int_range(1, 201).cast(pl.Float64))
    costs = {"false_negative": {"column": "amount"}, "false_positive": 3}
    built = evaluated(frame, tmp_path, costs=costs)
    (row,) = built.comparisons.filter(comparison="paired_cost").to_dicts()
    true = (frame["y"] == "yes").to_numpy()
    price = np.where(true, frame["amount"], 3.0)
    cost = {m: price * ((frame[m] >= 0.5).to_numpy() != true) for m in row["models"]}
    expected = ttest_rel(*cost.values())
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert (row["low"], row["high"]) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert evaluated(frame, tmp_path).comparisons.filter(comparison="paired_cost").is_empty()


def test_rows_judged_once_per_repeat_count_once_for_intervals(tmp_path):
    frame = predictions(100).drop("role")
    thrice = pl.concat([frame.with_columns(repeat=pl.lit(str(k))) for k in range(3)])
    thrice = thrice.with_columns(fold=pl.lit("all"))  # which says that the models were fitted again
    columns = {"id": "id", "repeat": "repeat", "fold": "fold"}
    once, repeated = evaluated(frame, tmp_path), evaluated(thrice, tmp_path, columns=columns)
    for name, kind in (("accuracy", "effective size"), ("f1", "effective size")):
        one, three = metric(once, name), metric(repeated, name)
        assert three["value"] == pytest.approx(one["value"])
        assert three["low"] == pytest.approx(one["low"], abs=1e-9)
        assert three["interval"].endswith(f"({kind})")
    one, three = metric(once, "auc"), metric(repeated, "auc")
    assert three["high"] - three["low"] == pytest.approx(one["high"] - one["low"], rel=0.02)
    recommendation = dict(repeated.comparisons.select("comparison", "recommendation").iter_rows())
    assert "recommended" not in recommendation.values()
    # McNemar's test with an example's rows as a group speaks of these fits, the plain ones of none
    assert recommendation.get("mcnemar_midp", "avoid") == "avoid"


def test_a_single_class_is_a_caveat_of_the_verdict(tmp_path):
    built = evaluated(predictions().filter(y="no"), tmp_path)
    assert built.decision.severe[0].code == "one_class"
    assert built.decision.state == "inconclusive"


def test_a_mapping_is_a_spec():
    frame = pl.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.6, 0.7]})
    built = evaluate({"truth": "y", "models": {"m": {"score": "p"}}}, frame)
    assert metric(built, "auc", "m")["value"] == 0.75


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_sweep_refuses_what_is_not_a_number(score):
    with pytest.raises(ValueError, match="finite"):
        sweep(pl.DataFrame({"truth": [True, False], "score": [0.5, score]}))


def test_a_sweep_refuses_labels_that_are_text():
    with pytest.raises(TypeError, match="Boolean"):
        sweep(pl.DataFrame({"truth": ["yes", "no"], "score": [0.5, 0.1]}))


PERFECT_ROWS = pl.DataFrame({"y": [0, 0, 0, 1, 1], "p": [0.1, 0.2, 0.3, 0.8, 0.9]})


PERFECT = evaluate(
    {"truth": "y", "models": {"m": {"score": "p"}}, "intervals": {"auc": "delong"}},
    PERFECT_ROWS,
)


def test_a_perfect_ranking_is_not_told_as_certain():
    assert "no_width" in {caveat.code for caveat in PERFECT.decision.caveats}


def test_a_perfect_ranking_has_limits_that_allow_for_its_few_rows():
    built = evaluate({"truth": "y", "models": {"m": {"score": "p"}}}, PERFECT_ROWS)
    area = metric(built, "auc", "m")
    assert (area["value"], area["high"], area["interval"]) == (1, 1, "delong score")
    assert 0.3 < area["low"] < 0.5
    assert "no_width" not in {caveat.code for caveat in built.decision.caveats}


WHOLE = json.loads(PERFECT.to_json())


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        json.dumps({"schema": WHOLE["schema"]}),
        json.dumps({**WHOLE, "metrics": [{"metric": 1}]}),
        json.dumps({**WHOLE, "metrics": None}),
        json.dumps({**WHOLE, "curves": {"roc": [{}]}}),
        json.dumps({**WHOLE, "curves": {"no such": []}}),
    ],
)
def test_results_that_are_not_whole_are_refused(text):
    with pytest.raises(DataError) as refused:
        Results.from_json(text)

    assert refused.value.problems[0].code == "results-json"


def test_results_of_another_version_are_refused_with_one_line_for_each_difference():
    """Not with one for each of hundreds of rows."""
    record = json.loads(PERFECT.to_json())
    for row in record["metrics"]:
        del row["least"]
        row["lowest"] = None

    with pytest.raises(DataError) as refused:
        Results.from_json(json.dumps(record), "results.json")

    others = len(record["metrics"]) - 1
    assert [(p.place, p.message) for p in refused.value.problems] == [
        ("results.json, metrics[0].least", f"is missing (also in {others} other entries)"),
        ("results.json, metrics[0].lowest", f"is unknown (also in {others} other entries)"),
    ]
    assert "another version" in refused.value.problems[-1].hint
