"""Page one names what it leaves out, what it rests on, and why it cannot say more."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from reportgen.charts import figures
from reportgen.concluding.conclusion import with_decision
from reportgen.results import Results, evaluate
from reportgen.sections import summary
from reportgen.sections.comparisons import ComparisonsSection
from reportgen.sections.data import Data
from reportgen.sections.key_numbers import KeyNumbers
from reportgen.sections.provenance import Provenance
from reportgen.sections.verdict import Verdict
from reportgen.spec import from_dict
from tests.quick import QUICK


def texts(results: Results, code: str) -> list[str]:
    return [c.text for c in results.decision.caveats if c.code == code]


@cache
def heavy(baseline: str | None = None) -> Results:
    """Estimates of a number; those of c have one error that outweighs all others."""
    random = np.random.default_rng(1)
    truth = random.normal(size=400)
    wild = np.where(np.arange(400) == 7, 25.0, 0.8 * random.normal(size=400))
    errors = {"a": 0.3 * random.normal(size=400), "b": 0.6 * random.normal(size=400), "c": wild}
    frame = pl.DataFrame({"y": truth, **{name: truth + e for name, e in errors.items()}})
    spec: dict[str, Any] = {"truth": "y", "task": "regression", **QUICK}
    spec |= {"models": {name: {"estimate": name} for name in errors}, "baseline": baseline}
    return evaluate(spec, frame)


def test_a_model_without_a_recommended_test_is_named_with_the_measured_reason():
    (text,) = texts(heavy(), "not_compared")

    assert text.startswith("c is not compared with a: a few errors outweigh all others (kurtosis ")
    assert "the paired t-test rejects too often" in text
    assert text in summary.text(heavy()).replace("\\", "")


def test_the_figure_of_differences_counts_and_fills_recommended_tests_alone():
    figure = next(f for f in figures(heavy()) if f.id == "differences")
    panels = [rows for rows in figure.chart["datasets"].values() if any("c5" in r for r in rows)]

    title = "Significant differences: MSE in the one pair that is tested and MAE in 3 of 3 pairs"
    assert figure.title == title
    assert "no test of the pair is recommended" in figure.subtitle
    filled = [{r["c0"] for r in rows if r["c5"] != "white"} for rows in panels]
    every = {"a − b", "a − c", "b − c"}
    assert sorted(filled, key=len) == [{"a − b"}, every]
    assert [{r["c0"] for r in rows} for rows in panels] == [every, every]


def test_a_table_without_bold_says_that_pairs_are_not_tested():
    """Of squared errors; the absolute ones are compared in every pair."""
    of_squares = pl.col("metric") != "mean_absolute_error"
    results = replace(heavy(), comparisons=heavy().comparisons.filter(of_squares))
    tables = KeyNumbers.from_results(results, []).tables

    assert any("In some measures, pairs of models have none" in str(t.notes) for t in tables)


def test_an_untested_baseline_leaves_no_conclusion_on_the_leader():
    """Of squared errors, where nothing else is compared."""
    results = heavy("c")
    squares = results.comparisons.filter(pl.col("metric") != "mean_absolute_error")
    spec = from_dict({k: v for k, v in results.spec.items() if k != "text"} | {"data": "frame"})
    results = with_decision(replace(results, comparisons=squares), spec)
    page = Verdict.from_results(results, [])

    assert results.decision.headline.startswith("No conclusion on a against c: ")
    assert [c.label.split()[0] for c in page.models.columns] == ["Model", "MSE", "RMSE"]
    assert not texts(results, "not_compared")


def test_absolute_errors_decide_where_no_test_of_squares_reaches_the_baseline():
    results = heavy("c")

    assert (results.decision.measure, results.decision.reference) == ("mean_absolute_error", "c")
    assert results.decision.relation == "ahead"


@cache
def three(baseline: str | None = None, **more: Any) -> Results:
    random = np.random.default_rng(2)
    truth = random.random(300) < 0.4
    frame = {f"m{k}": truth * s + random.normal(size=300) for k, s in enumerate((0.4, 1.2, 1.4))}
    models = {name: {"score": name} for name in frame}
    spec = {"truth": "y", "models": models, "baseline": baseline, **QUICK, **more}
    return evaluate(spec, pl.DataFrame({"y": truth, **frame}))


def test_notes_tell_the_families_of_pairs_with_and_without_the_baseline():
    results = three("m0")
    section = ComparisonsSection.from_results(results, [])
    of = {
        tuple(row["models"]): row
        for row in results.comparisons.to_dicts()
        if row["metric"] == "auc"
    }

    assert {pair: row["family_size"] for pair, row in of.items()} == {
        ("m2", "m1"): 3,
        ("m1", "m0"): 2,
        ("m2", "m0"): 2,
    }
    assert "Holm over the pairs with m0, for each measure; for other pairs, over all pairs" in str(
        section.ledger.notes
    )
    assert "over 2 comparisons" in str(Verdict.from_results(results, []).models.notes)


def test_the_correction_of_several_comparisons_stands_once_below_the_headline():
    for decision, count in ((three().decision, 3), (three("m0").decision, 2)):
        assert "adjusted" not in decision.headline
        assert decision.sentence.count(f"Holm-adjusted over {count} comparisons") == 1


def test_the_limits_of_a_sentence_have_the_signs_of_the_table():
    decision = three().decision
    reference = next(m for m in decision.models if m.difference_low is not None)
    ends = re.search(r"simultaneous CI (\S+) to (\S+),", decision.sentence)

    assert ends is not None
    assert ends[1][0] in "+−"
    assert ends[2][0] in "+−"
    assert (ends[1][0] == "−") == (reference.difference_low < 0)


def test_p_is_called_adjusted_only_where_there_is_more_than_one():
    several = ComparisonsSection.from_results(three(), [])
    alone = ComparisonsSection.from_results(small(), [])

    assert Verdict.from_results(three(), []).models.columns[-1].label == "Adjusted p"
    assert Verdict.from_results(small(), []).models.columns[-1].label == "p"
    assert "Adjusted" in [c.label for c in several.tests.columns]
    assert "Adjusted" not in [c.label for c in (*alone.tests.columns, *alone.ledger.columns)]


@cache
def small() -> Results:
    """Twelve rows, three of them positive."""
    random = np.random.default_rng(6)
    truth = np.arange(12) < 3
    scores = {
        name: 1 / (1 + np.exp(-s * (2 * truth - 1) - random.normal(size=12) + 0.3))
        for name, s in (("a", 1.0), ("b", 0.5))
    }
    models = {name: {"score": name} for name in scores}
    return evaluate({"truth": "y", "models": models, **QUICK}, pl.DataFrame({"y": truth, **scores}))


def test_twelve_rows_have_the_floor_of_p_the_value_of_guessing_and_why_accuracy_decides():
    results = small()
    test = results.comparisons.filter(comparison="mcnemar_midp").row(0, named=True)
    only = min(test["cross_table"][1:3]), sum(test["cross_table"][1:3])

    assert only[0] == 0  # all rows that differ favour one model, and p is at its floor
    assert test["reachable"] == test["p_value"] == 0.5 ** only[1]
    assert texts(results, "least_p") == [
        f"On these data p cannot fall below {test['reachable']:.3g} (McNemar's mid-p test): no "
        "difference can be significant at α = 0.05."
    ]
    assert texts(results, "measure") == [
        "Accuracy decides, as no test of AUC is recommended: the rarer class has 3 rows, and "
        "DeLong's test holds its level only from 10 on."
    ]
    assert "predicting the most frequent class (accuracy 0.750)" in results.decision.headline


def test_without_gates_no_file_says_that_the_build_passed():
    results = three()

    assert results.decision.state == "no gates"
    assert results.decision.state == "no gates"
    assert "**NO GATES**" in summary.text(results)
    assert small().decision.state == "inconclusive"
    assert small().decision.state_text == "INCONCLUSIVE (NO GATES)"


def test_a_failed_build_also_counts_its_open_gates():
    decision = three(gates=("m1.auc >= 0.99", "m2.auc - m1.auc > 0")).decision

    assert (decision.gates.failed, decision.gates.inconclusive) == (1, 1)
    assert decision.state_text == "FAIL: 1 of 2 gates failed, 1 is inconclusive"


def test_an_open_gate_on_rows_in_time_order_names_the_gate_that_can_be_decided():
    random = np.random.default_rng(11)
    truth, error = np.cumsum(random.normal(size=400)) * 0.1, random.normal(size=400)
    frame = pl.DataFrame(
        {"y": truth, "when": np.arange(400), "a": truth + 0.2 * error, "b": truth + 0.5 * error}
    )
    spec = {"truth": "y", "task": "regression", "columns": {"time": "when"}, **QUICK}
    spec |= {"models": {name: {"estimate": name} for name in "ab"}}
    names = ("root_mean_squared_error", "mean_squared_error")
    results = evaluate(spec | {"gates": [f"a.{name} - b.{name} < 0" for name in names]}, frame)
    open_, decided = results.gates.to_dicts()

    assert (open_["state"], decided["state"]) == ("inconclusive", "pass")
    assert open_["why"].endswith(
        "; write the gate on mean_squared_error, which the Diebold–Mariano test decides"
    )
    assert decided["why"] is None
    assert "write the gate on mean_squared_error" in str(
        Verdict.from_results(results, []).gates.notes
    )


def test_no_gate_is_suggested_that_no_recommended_test_decides():
    """DeLong's test over time is recommended from 200 points on."""
    random = np.random.default_rng(3)
    truth = random.random(80) < 0.5
    frame = pl.DataFrame({"y": truth, "when": np.arange(80) % 40})
    frame = frame.with_columns(a=truth + random.normal(size=80), b=random.normal(size=80))
    spec = {"truth": "y", "columns": {"time": "when"}, "threshold": 0.5, **QUICK}
    spec |= {"models": {name: {"score": name} for name in "ab"}}
    results = evaluate(spec | {"gates": ["a.average_precision - b.average_precision > 0"]}, frame)
    (gate,) = results.gates.to_dicts()

    assert gate["state"] == "inconclusive"
    assert gate["why"].endswith("the limits of this difference treat them as independent")


@cache
def private() -> Results:
    random = np.random.default_rng(3)
    truth = random.random(400) < 0.4
    frame = pl.DataFrame(
        {
            "y": truth,
            "site": np.where(np.arange(400) < 6, "few", np.where(np.arange(400) % 2, "n", "s")),
            "fold": np.arange(400) % 5,
            **{
                m: 1 / (1 + np.exp(-s * truth - random.normal(size=400)))
                for m, s in (("a", 1), ("b", 2))
            },
        }
    )
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}, "slices": ["site"], **QUICK}
    spec |= {"columns": {"fold": "fold"}, "costs": {"false_negative": 5, "false_positive": 1}}
    return evaluate(spec | {"privacy": {"small_cells": 5}}, frame)


def test_what_is_withheld_for_privacy_is_named_on_page_one_in_provenance_and_in_the_file():
    results = private()
    (line,) = texts(results, "withheld")
    left_out = "\n".join(Provenance.from_results(results, []).left_out)

    for kind in ("curves", "generalisation", "slices", "measures", "tests", "threshold advice"):
        assert kind in line
        assert f"{kind[:1].upper()}{kind[1:]}" in left_out
    for name in ("ROC curve", "site", "cost per row", "accuracy"):
        assert name in left_out
    assert left_out.count("withheld, as it would reveal small counts (privacy.small_cells: 5)") >= 8
    assert [item["names"] for item in results.skipped if item["what"] == "curves"]
    assert "few" not in left_out


def test_scores_that_are_no_probabilities_are_not_among_the_checks_that_passed():
    frame = pl.DataFrame(
        {"y": ["p", "q", "r"], "p": [0.5, 0.1, 0.2], "q": [0.4, 0.8, 0.2], "r": [0.3, 0.3, 0.9]}
    )
    scores = {name: name for name in "pqr"}
    results = evaluate({"truth": "y", "models": {"m": {"scores": scores}}, **QUICK}, frame)
    section = Data.from_results(results, [])

    assert "do not add up" not in str(section.facts)
    assert "do not add up" in str(section)


def test_models_that_tie_have_the_same_value_and_no_one_the_highest():
    truth = np.arange(80) % 2
    text = {name: np.where(np.arange(80) == k, 1 - truth, truth) for k, name in enumerate("ab")}
    frame = pl.DataFrame({"y": truth, **text})
    spec = {"truth": "y", "models": {name: {"label": name} for name in text}, **QUICK}
    decision = evaluate(spec, frame).decision

    assert decision.headline == "a and b have the same accuracy, 0.988"
    assert evaluate(spec | {"baseline": "b"}, frame).decision.headline.startswith("a and b have")


def level() -> Results:
    random = np.random.default_rng(4)
    truth = random.random(100) < 0.5
    frame = pl.DataFrame({"y": truth} | {m: truth + random.normal(size=100) for m in "ab"})
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}, **QUICK}
    return evaluate(spec, frame)


def test_differences_are_ruled_out_between_models_that_are_level_only():
    sentence, two = three().decision.sentence, level()

    assert "m2 is significantly ahead of m0. Differences of more than " in sentence
    assert "Differences of more than " in two.decision.sentence


def test_one_comparison_has_no_family_in_any_caption():
    results = small()
    section = ComparisonsSection.from_results(results, [])
    figure = next(f for f in figures(results) if f.id == "differences")

    assert "simultaneous" not in figure.subtitle
    assert "correction" not in figure.subtitle
    assert "family" not in str(section.ledger.notes)
    several = next(f for f in figures(three("m0")) if f.id == "differences")
    assert "over the pairs with m0 or, for other pairs, over all pairs" in several.subtitle


def test_every_p_of_a_family_is_said_to_be_adjusted():
    """Holm leaves the largest p as it is; it is adjusted all the same."""
    tests = three().comparisons.filter(comparison="delong")
    same = tests.filter(pl.col("p_value") == pl.col("p_adjusted"))

    assert same.height
    assert all(", Holm-adjusted" in text for text in tests["verdict"])


def test_a_baseline_without_scores_is_why_accuracy_decides():
    random = np.random.default_rng(5)
    truth = random.random(150) < 0.5
    frame = pl.DataFrame(
        {"y": truth.astype(int), "rules": (truth ^ (random.random(150) < 0.3)).astype(int)}
        | {m: truth + random.normal(size=150) for m in "ab"}
    )
    models = {"rules": {"label": "rules"}, "a": {"score": "a"}, "b": {"score": "b"}}
    spec = {"truth": "y", "models": models, "baseline": "rules", "threshold": 0.5, **QUICK}
    results = evaluate(spec, frame)

    assert texts(results, "measure") == ["Accuracy decides, as rules, the baseline, has no AUC."]


def test_a_section_of_tests_without_a_conclusion_says_so():
    results = small()
    section = ComparisonsSection.from_results(results, [])

    assert section.decision.startswith("Neither model is significantly better than always")


def test_the_matrix_of_pairs_has_the_leader_first_and_the_baseline_last():
    random = np.random.default_rng(9)
    truth = random.random(300) < 0.4
    signals = (0.2, 0.6, 1.0, 1.6)
    frame = {f"m{k}": truth * s + random.normal(size=300) for k, s in enumerate(signals)}
    spec = {"truth": "y", "models": {m: {"score": m} for m in frame}, "baseline": "m1", **QUICK}
    results = evaluate(spec, pl.DataFrame({"y": truth, **frame}))
    table = ComparisonsSection.from_results(results, []).matrices[0]

    assert [row.cells["model"] for row in table.rows] == ["m3", "m2", "m0", "m1"]
    assert str(table.rows[0].cells["m1"]).count("+0.")


def test_the_headline_of_equivalence_has_its_test_below_it():
    random = np.random.default_rng(14)
    truth = random.random(2500) < 0.5
    score = truth + random.normal(size=2500)
    frame = pl.DataFrame({"y": truth, "a": score, "b": score + 0.02 * random.normal(size=2500)})
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}, **QUICK}
    decision = evaluate(spec | {"comparisons": {"margin": 0.05}}, frame).decision

    assert decision.headline.endswith("are equivalent in AUC within ±0.05")
    assert "two one-sided score tests of equivalence: p < 0.001" in decision.sentence
