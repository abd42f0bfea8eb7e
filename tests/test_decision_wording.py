"""Sentences of page one say nothing twice, and their numbers are those of the tables."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.charts import figures
from reportgen.charts.captions import best
from reportgen.concluding.chance_sentences import chance_text
from reportgen.concluding.contest import Difference
from reportgen.concluding.headline_numbers import estimate_and_limits, size
from reportgen.concluding.section_reading import with_reading
from reportgen.concluding.threshold_advice import advice, advised
from reportgen.metric_names import COST
from reportgen.records.decision import AtChance, ThresholdChange
from reportgen.records.model import typed
from reportgen.results import Results, evaluate
from reportgen.sections.gates import gates_table
from reportgen.sections.models_by_rank import models_table
from reportgen.sections.verdict import facts
from reportgen.tables import Metrics
from reportgen.translation import translator
from tests.quick import QUICK

RANDOM = np.random.default_rng(7)
TRUTH = RANDOM.random(120) < 0.4
STRONG = TRUTH + RANDOM.normal(size=120)
SPEC = {"truth": "y", **QUICK}


def binary(scores: dict[str, Any], **spec: Any) -> Results:
    frame = pl.DataFrame({"y": TRUTH, **scores})
    return evaluate({**SPEC, "models": {m: {"score": m} for m in scores}, **spec}, frame)


def regression(errors: dict[str, Any], **spec: Any) -> Results:
    truth = RANDOM.normal(size=120)
    frame = pl.DataFrame({"y": truth, **{m: truth + error for m, error in errors.items()}})
    return evaluate({**SPEC, "models": {m: {"estimate": m} for m in errors}, **spec}, frame)


def test_the_difference_that_is_ruled_out_is_a_limit_of_the_table():
    noise = RANDOM.normal(size=120)
    results = binary({"a": STRONG, "b": STRONG + 0.9 * noise})
    (bound,) = re.findall(r"of more than (\S+).* are ruled out", results.decision.sentence)
    limits = [
        end.lstrip("+−")
        for row in models_table(results).rows
        for end in (row.cells["difference"].low, row.cells["difference"].high)
        if end
    ]

    assert results.decision.relation == "level"
    assert bound in limits


def test_models_worse_than_the_mean_are_named_once():
    errors = {m: RANDOM.normal(size=120) * 2 + 1 for m in ("a", "b")}
    decision = regression(errors, bootstrap={"replicates": 100}).decision

    assert decision.headline.startswith("Both models are significantly worse")
    assert [c for c in decision.caveats if c.code == "at_chance"] == []


def test_a_limit_below_zero_is_not_printed_as_zero():
    assert estimate_and_limits(-0.012, -0.054, -0.0002) == ("−0.012", "−0.054 to −0.0002")
    assert estimate_and_limits(-0.04, -3.1, 0.8) == ("0.0", "−3.1 to 0.8")


def test_of_two_claims_neither_is_refuted():
    claims = {"claims": ["a.error_rate <= 0.9", "a.error_rate <= 0.95"]}

    assert binary({"a": STRONG}, comparisons=claims).decision.headline == (
        "a: both claims are supported"
    )


def test_a_margin_has_the_decimals_of_the_observed_number():
    results = binary({"a": STRONG}, gates=["a.auc >= 0.5"])
    wide = {"observed": -5.51, "low": -18.6, "high": 5.5, "margin": 5.51}
    gates = results.gates.with_columns(**{name: pl.lit(value) for name, value in wide.items()})
    table = gates_table(replace(results, gates=gates))

    assert table.rows[0].cells["observed"].text == "−5.5"
    assert table.rows[0].cells["margin"].text == "+5.5"


def test_equivalence_beside_an_open_gate_is_explained():
    """Both read limits of one difference: a gate of 95 %, the test of equivalence of 90 %."""
    results = binary({"a": STRONG, "b": STRONG}, gates=["a.auc >= 0.5"])
    open_ = results.gates.with_columns(state=pl.lit("inconclusive"))
    equal = replace(results.decision, relation="equivalent")
    notes = gates_table(with_reading(replace(results, gates=open_, decision=equal))).notes

    assert "Gates read 95\u00a0% intervals, tests of equivalence 90\u00a0% intervals." in notes


CHANGE = ThresholdChange(
    model="a",
    current=0.5,
    proposed=0.4,
    cost_now=0.2,
    cost_then=0.22,
    saving=-0.02,
    low=-0.09,
    high=0.05,
    confidence=0.95,
    false_negatives=-1,
    false_positives=9,
    worthwhile=False,
    estimated="cross-fitted",
    text="",
)


def test_a_threshold_that_would_cost_more_is_no_saving():
    assert advice(CHANGE, "a") == (
        "Keep the threshold of a at 0.5: at 0.4 a row is expected to cost 0.020 more ("
        "95\u00a0% CI −0.050 to 0.090)."
    )


def test_a_saving_that_is_not_significant_decides_nothing():
    """It is no reason to keep a threshold either."""
    assert advice(replace(CHANGE, cost_then=0.18, saving=0.02), "a") == (
        "The data do not settle the threshold of a: lowering it from 0.5 to 0.4 might save 0.020 "
        "per row; the saving is not significant (95\u00a0% CI −0.090 to 0.050)."
    )


def test_a_threshold_at_which_one_class_alone_is_predicted_is_not_one_to_keep():
    kept = replace(CHANGE, proposed=0.5, false_negatives=0, false_positives=0, saving=0.0)
    assert advice(kept, "a", alone="every row positive") == (
        "At these costs no threshold of a costs less on these rows than predicting every row "
        "positive, as it does at 0.5."
    )


def test_the_advice_names_the_model_that_leads_and_says_which_costs_are_pooled():
    better = replace(CHANGE, cost_then=0.1, saving=0.1, low=0.05, high=0.15, worthwhile=True)
    text = advice(better, "b", pooled=True)

    assert text.startswith("Lower the threshold of a, from 0.5")
    assert text.endswith(" b is level with a and has no threshold to choose.")
    beside = advice(replace(better, leader_cost=0.13), "b")
    assert beside.endswith(
        " b is level with a and costs 0.130 per row at its best threshold (cross-fitted). "
        "This difference in cost is not tested."
    )
    present = advice(replace(better, leader_cost=0.13), "b", leader_now=0.12)
    assert present.endswith(
        " b is level with a and costs 0.120 per row at the threshold in use; no other threshold is "
        "expected to cost less. This difference in cost is not tested."
    )
    assert advice(replace(better, leader_cost=0.13), "b", leader_now=0.14) == beside
    assert ": pooled cost per row 0.200 → 0.100 " in text
    assert ": expected cost per row 0.200 → 0.100 " in advice(better, "a")


@pytest.mark.parametrize(("cost", "named"), [(0.08, True), (0.095, False)])
def test_a_model_that_ranks_worse_and_costs_clearly_less_is_named(cost, named):
    better = replace(CHANGE, cost_then=0.1, saving=0.1, low=0.05, high=0.15, worthwhile=True)
    metrics = typed(Metrics, [])

    action = advised(
        metrics, ["a"], [better, replace(better, model="b", cost_then=cost)], pooled=False
    )

    sentence = (
        " b would cost less: 0.080 per row at its best threshold (cross-fitted). "
        "This difference in cost is not tested."
    )
    assert action.model == "a"
    assert (action.cheaper == "b") == named
    assert action.text.endswith(sentence) == named


@pytest.mark.parametrize(("missed", "alarms"), [(-1, 0), (0, -3), (0, 0)])
def test_only_a_threshold_that_changes_no_error_is_the_cheapest(missed, alarms):
    same = replace(CHANGE, false_negatives=missed, false_positives=alarms)

    assert ("no other one costs less" in advice(same, "a")) == (missed == alarms == 0)


@pytest.mark.parametrize(
    ("low", "high", "limits"),
    [(0.0, 0.2, " (above 0, up to 0.200)"), (-0.2, -0.05, " (0.050 to 0.200)"), (None, None, "")],
)
def test_the_size_of_a_difference_has_limits_without_a_sign(low, high, limits):
    assert size(Difference(0.1, low, high, {}, 3)) == ("0.100", limits)


def test_a_test_that_speaks_of_two_models_names_them():
    values = [
        {"dataset": f"d{i}", "model": m, "auc": 0.7 + 0.01 * i * (m == "b" and i > 0)}
        for i in range(8)
        for m in ("a", "b")
    ]
    spec = {
        "task": "comparison",
        "columns": {"dataset": "dataset", "model": "model", "value": "auc"},
        "measure": "auc",
    }
    texts = [c.text for c in evaluate(spec, pl.DataFrame(values)).decision.caveats]

    assert any(text.startswith("b and a have the same value in 1 of 8 pairs") for text in texts)
    assert not any("two models" in text for text in texts)


def test_pooled_values_that_print_alike_are_no_range():
    folds = {"f": np.arange(120) // 2 % 5}
    frame = pl.DataFrame({"y": TRUTH, "a": STRONG, "b": STRONG, **folds})
    spec = {"models": {m: {"score": m} for m in "ab"}, "columns": {"fold": "f"}}
    title = best(evaluate({**SPEC, **spec}, frame), "auc", "AUC")

    assert re.fullmatch(r"Pooled AUC: 0\.\d{3} for both models", title)


def test_models_that_tie_in_every_fold_share_the_title():
    folds = {"f": np.arange(120) // 2 % 5}
    frame = pl.DataFrame({"y": TRUTH, "a": STRONG, "b": STRONG, **folds})
    spec = {"models": {m: {"score": m} for m in "ab"}, "columns": {"fold": "f"}}
    titles = [figure.title for figure in figures(evaluate({**SPEC, **spec}, frame))]

    assert "a and b have the same AUC in each of 5 folds" in titles


def test_the_average_truth_of_weighted_rows_is_said_to_be_unweighted():
    truth = RANDOM.normal(size=60)
    frame = pl.DataFrame({"y": truth, "a": truth + 0.1, "w": np.arange(60) + 1.0})
    spec = {"models": {"a": {"estimate": "a"}}, "columns": {"weight": "w"}}
    line = facts(evaluate({**SPEC, **spec}, frame))

    assert line.startswith("60 weighted rows · truth ")
    assert line.endswith(" (both unweighted)")


def test_labels_are_not_called_classes():
    random = np.random.default_rng(1)
    frame = pl.DataFrame({n: random.random(120) < 0.5 for n in ("one", "two")}).with_columns(
        **{f"{m}_{n}": random.random(120) for m in "abc" for n in ("one", "two")}
    )
    scores = {m: {"scores": {n: f"{m}_{n}" for n in ("one", "two")}} for m in "abc"}
    spec = {**SPEC, "truth": {"one": "one", "two": "two"}, "models": scores}
    decision = evaluate(spec, frame).decision

    assert not [caveat for caveat in decision.caveats if caveat.code == "at_chance"]
    assert decision.relation == "at chance"
    assert decision.headline.startswith(
        "a, b and c are not significantly better than chance on any of the 2 labels (a on two: AUC"
    )


def test_two_models_at_chance_on_a_label_have_both_values():
    rows = [
        AtChance("a", "auc", 0.51, 0.4, 0.62, 0.5, "rare"),
        AtChance("b", "auc", 0.94, 0.424, 1.0, 0.5, "rare", simultaneous=True),
    ]
    text = chance_text("auc", rows, {"task": "multilabel"}, worse=False)
    into = translator("zh", frozenset({"a", "b", "rare"}))
    into.text(text)

    assert text == (
        "a and b are not significantly better than chance on rare (a on rare: AUC 0.510, 0.400 to "
        "0.620; b on rare: AUC 0.940, 0.424 to 1.000 after correction)."
    )
    assert not into.missing


def test_the_basis_of_gates_has_the_words_of_the_table_of_models():
    results = binary({"a": STRONG, "b": STRONG + RANDOM.normal(size=120)}, gates=["a.auc >= 0.5"])

    assert "Basis: all rows." in gates_table(results).notes
    assert models_table(results).caption == "Models by AUC: all rows"


def test_equivalence_is_stated_once():
    models = {"a": STRONG, "b": STRONG + 0.01 * RANDOM.normal(size=120)}
    decision = binary(models, comparisons={"margin": 0.05}).decision

    assert decision.headline.endswith("are equivalent in AUC within ±0.05")
    assert "are equivalent" not in decision.sentence
    assert "two one-sided score tests of equivalence: p" in decision.sentence


def test_of_models_that_are_no_cheaper_than_guessing_those_that_cost_more_are_set_apart():
    saved = {"a": (0.15, -0.1, 0.4), "b": (0.02, -0.2, 0.3), "c": (-0.98, -1.5, -0.4)}
    rows = [
        AtChance(name, COST, 0.5 * (1 - one[0]), None, None, 0.5, above=one)
        for name, one in saved.items()
    ]
    text = chance_text(COST, rows, {"models": [{"name": "a"}, {"name": "b"}]}, worse=False)

    assert text.startswith(
        "a and b are not significantly cheaper than always predicting the cheaper class (0.500 per "
        "row), and c costs no less in these rows. Their relative savings, with simultaneous "
        "limits, are 0.15"
    )
    into = translator("zh", frozenset("abc"))
    into.text(text)
    assert not into.missing
