"""Limits at a threshold that the evaluated rows chose, and the gates that read them."""

from __future__ import annotations

from math import sqrt

import polars as pl
import pytest
from scipy.stats import norm

from reportgen.builds.earlier_gates import AT_CHOSEN
from reportgen.concluding.gates import NumbersOfGates, evaluate_gates
from reportgen.measuring.chosen_thresholds import OF_BOTH_SIDES, THRESHOLDS, for_every_threshold
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.metrics import METRICS
from reportgen.records.model import typed
from reportgen.results import Results
from reportgen.tables import Metrics
from tests.quick import BINARY_SPEC
from tests.results_data import evaluated, metric, predictions
from tests.whole.test_builds_earlier import SPEC, Nights

F1 = {"maximise": "f1"}
GATES = ["a.f1 >= 0.6", "a.f1 >= 0.3", "a.auc >= 0.8", "a.recall - b.recall > -0.9"]


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return evaluated(predictions(), tmp_path_factory.mktemp("a"), threshold=F1, gates=GATES)


@pytest.fixture(scope="module")
def fixed(chosen: Results, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The same decisions, at thresholds that are given."""
    models = {
        model["name"]: (pl.col(model["name"]) >= model["threshold"])
        for model in chosen.data["models"]
    }
    said = {
        f"says_{n}": pl.when(above).then(pl.lit("yes")).otherwise(pl.lit("no"))
        for n, above in models.items()
    }
    return evaluated(
        predictions().with_columns(**said),
        tmp_path_factory.mktemp("b"),
        models={n: {"score": n, "label": f"says_{n}"} for n in models},
        gates=GATES,
    )


@pytest.mark.parametrize("name", ["f1", "precision", "recall", "accuracy"])
def test_limits_hold_for_every_threshold_by_bonferronis_correction(chosen, fixed, name):
    times = norm.isf(0.025 / THRESHOLDS) / norm.isf(0.025)
    wide, narrow = metric(chosen, name), metric(fixed, name)
    assert wide["value"] == narrow["value"]
    for end, sign in (("low", 1), ("high", -1)):
        distance = times * sign * (narrow["value"] - narrow[end])
        assert sign * (wide["value"] - wide[end]) == pytest.approx(distance)
    assert wide["interval"] == f"{narrow['interval']}, every threshold"


@pytest.mark.parametrize("name", ["auc", "prevalence"])
def test_limits_of_what_no_threshold_changes_stay(chosen, fixed, name):
    assert metric(chosen, name) | {"threshold": None} == metric(fixed, name) | {"threshold": None}


def test_a_gate_passes_by_the_limits_that_allow_for_the_choice(chosen, fixed):
    assert fixed.gates["state"].to_list() == ["inconclusive", "pass", "inconclusive", "pass"]
    open_gate, *others = chosen.gates.to_dicts()
    assert (open_gate["low"], open_gate["high"]) == tuple(
        metric(chosen, "f1")[end] for end in ("low", "high")
    )
    assert open_gate["why"].endswith("rows with the role validation has narrower limits")
    assert [gate["state"] for gate in others] == ["pass", "inconclusive", "pass"]
    assert "validation" not in others[1]["why"]


def test_a_difference_has_the_limits_that_both_models_leave_it(chosen):
    row = chosen.differences.filter(metric="recall").row(0, named=True)
    first, second = (metric(chosen, "recall", model) for model in row["models"])
    assert row["low"] == first["low"] - second["high"]
    assert row["high"] == first["high"] - second["low"]
    assert row["interval"] == OF_BOTH_SIDES
    auc = chosen.differences.filter(metric="auc").row(0, named=True)
    assert auc["interval"] != OF_BOTH_SIDES


def test_an_average_over_labels_is_wider_by_the_root_of_their_number():
    row = MetricSubject("m").average("macro").row("f1", 0.5, 0.49, 0.51, interval="t")
    table = typed(Metrics, [row, {**row, "class": "x", "average": None}])
    thresholds = [{"class": name, "threshold": 0.5, "threshold_choice": None} for name in "wxyz"]
    model = {"name": "m", "outputs": ["scores"], "threshold_role": "same rows"}
    wide = for_every_threshold(
        table, [{**model, "thresholds": thresholds}], "multilabel", BINARY_SPEC
    )
    (mean, label) = wide.select(pl.col("value") - pl.col("low")).to_series().to_list()
    assert mean == pytest.approx(label * sqrt(4))


def test_a_number_without_limits_does_not_pass_where_the_rows_chose_the_threshold():
    row = MetricSubject("m").row(METRICS["f1"].name, 0.9)
    numbers = NumbersOfGates(typed(Metrics, [row]), pl.DataFrame(), chosen_here=frozenset("m"))
    (gate,) = evaluate_gates(["m.f1 >= 0.5"], numbers).to_dicts()
    assert gate["state"] == "inconclusive"
    assert gate["why"].startswith("the threshold was chosen on these rows, and no limits allow")


def test_a_claim_has_the_limits_that_the_report_prints_of_the_measure(tmp_path):
    claims = ["a.recall = 0.9", "b.recall >= 0.1"]
    results = evaluated(predictions(), tmp_path, threshold=F1, comparisons={"claims": claims})

    tests = results.comparisons.filter(pl.col("models").list.len() == 1)
    assert tests.height == 2
    for test in tests.to_dicts():
        of_model = pl.col("model") == test["models"][0]
        printed = results.metrics.filter(
            of_model, pl.all_horizontal(pl.col("slice", "class").is_null()), metric="recall"
        ).row(0, named=True)
        assert test["recommendation"] == "avoid"
        for key in ("low", "high", "interval"):
            assert test[key] == printed[key]
        assert test["interval"].endswith(", every threshold")


@pytest.mark.parametrize("chosen_here", [True, False])
def test_a_gate_against_an_earlier_build_says_that_its_limits_take_the_threshold_as_fixed(
    tmp_path, chosen_here
):
    threshold = "{maximise: f1}" if chosen_here else "0.5"
    gates = "gates: [m.f1 >= previous - 0.2, m.auc >= previous - 0.2]\n"
    head = SPEC.partition("gates:")[0]
    nights = Nights(tmp_path, f"{head}threshold: {threshold}\n{gates}")
    builds = [nights.build(k, nights.rows(k, fixed=True)) for k in range(2)]

    of_f1, of_auc = builds[1].results.gates.to_dicts()

    assert of_f1["basis"] == "200 paired rows"
    assert of_f1["why"] == (AT_CHOSEN if chosen_here else None)
    assert of_auc["why"] is None
