"""Page one on data with a rare class: accuracy never decides in place of the AUC."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.records.decision import Decision
from reportgen.records.model import Results
from reportgen.sections import key_numbers, metric_table
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def drawn(rows: int, positives: int, above: float = np.inf) -> pl.DataFrame:
    """One model ranks the positives highest with hardly any spread.

    Those that the other scores ``above`` so much it ranks first of all rows.
    """
    random = np.random.default_rng(1)
    positive = np.arange(rows) < positives
    noise = random.normal(size=(2, rows))
    wide = np.where(positive, 1.9 + 1.3 * noise[1], noise[1])
    return pl.DataFrame(
        {
            "y": positive,
            "narrow": np.where(positive, 2.2 + 0.2 * noise[0], noise[0]),
            "wide": np.where(positive & (wide > above), 9.0, wide),
            "label": positive & (noise[0] > 0),
        }
    )


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Twenty positives of 600."""
    return drawn(600, 20)


def decided(frame: pl.DataFrame, **more: Any) -> Decision:
    return decided_results(frame, **more).decision


def decided_results(frame: pl.DataFrame, **more: Any) -> Results:
    spec = {
        "truth": "y",
        "models": {"narrow": {"score": "narrow"}, "wide": {"score": "wide"}},
        **QUICK,
    }
    return reportgen.evaluate(spec | more, frame)


def test_few_scores_that_hardly_vary_by_chance_do_not_make_a_winner(frame):
    decision = decided(frame)

    assert (decision.measure, decision.relation) == ("auc", "level")
    assert "DeLong's test for a rare class" in decision.sentence
    assert "ccuracy" not in decision.headline + decision.sentence


def test_a_better_top_of_the_list_that_is_not_clear_stands_first_alone():
    decision = decided(drawn(600, 20, above=1.2))

    assert decision.leader == "narrow"
    assert decision.headline.startswith("Average precision: wide 0.")
    assert "; narrow " in decision.headline
    assert not [c for c in decision.caveats if c.code == "top_of_the_list"]


def test_nobody_leads_where_the_auc_and_the_top_of_the_list_have_opposite_winners():
    frame = drawn(3_000, 100, above=1.2)
    results = decided_results(frame)
    decision = results.decision

    assert (decision.relation, decision.state) == ("no conclusion", "inconclusive")
    assert decision.headline.startswith("No model leads: narrow ranks all rows better (AUC 0.")
    assert ", wide the top of the list (average precision 0." in decision.headline
    assert decision.sentence.startswith("narrow − wide in AUC: +0.")
    assert "wide has a higher average precision than narrow, 0." in decision.sentence
    assert decision.caveats[0].code == "opposed_list"
    for text in (decision.headline, decision.caveats[0].text):
        into = translator("zh", names_of(results.to_dict()))
        into.text(text, "li")
        assert not into.missing


def test_the_auc_decides_where_the_spec_says_so_and_the_top_of_the_list_is_a_caveat():
    decision = decided(drawn(3_000, 100, above=1.2), comparisons={"primary": "auc"})

    assert (decision.relation, decision.leader) == ("ahead", "narrow")
    [text] = [c.text for c in decision.caveats if c.code == "top_of_the_list"]
    assert text.startswith("wide has a higher average precision than narrow, 0.")


def test_over_folds_the_pooled_average_precision_leads(frame):
    folds = frame.with_columns(fold=pl.int_range(pl.len()) % 5)
    decision = decided(folds, columns={"fold": "fold"})

    assert decision.basis == "mean over folds"
    assert decision.headline.startswith("Pooled average precision: narrow 0.")


LIMITED = r"0\.\d+ \({}0\.\d+ to 0\.\d+\)"
"""A value and its limits, the first of which have their level."""


@pytest.mark.parametrize("models", [["wide"], ["narrow", "wide"], ["narrow", "wide", "label"]])
@pytest.mark.parametrize("columns", [{}, {"fold": "fold"}])
def test_average_precisions_of_the_headline_have_their_limits(frame, models, columns):
    """Without them twice the value reads as a difference, of which there is no test."""
    rows = frame.with_columns(pl.col("label").cast(float), fold=pl.int_range(pl.len()) % 5)
    results = decided_results(rows, models={m: {"score": m} for m in models}, columns=columns)
    headline = results.decision.headline
    first, other = LIMITED.format("95\xa0% CI "), LIMITED.format("")

    if len(models) == 1:
        assert re.match(f"wide: (pooled )?average precision {first}, AUC ", headline)
    else:
        others = f", \\w+ {other}" * (len(models) - 1)
        assert re.match(rf"(Pooled a|A)verage precision: \w+ {first}{others}; ", headline)
    assert headline.count("95\xa0% CI") == 1
    into = translator("zh", names_of(results.to_dict()))
    assert "置信区间" in into.text(headline)
    assert not into.missing


def test_a_baseline_without_an_auc_is_compared_in_balanced_accuracy(frame):
    models = {"label": {"label": "label"}, "wide": {"score": "wide"}}

    decision = decided(frame, models=models, baseline="label", threshold=0.5)

    assert decision.measure == "balanced_accuracy"


LABELS = {"models": {"a": {"label": "a"}, "b": {"label": "b"}}}


@pytest.fixture(scope="module")
def labelled() -> pl.DataFrame:
    """A hundredth positive: one model is right about nine of ten of them, one about half."""
    row = np.arange(3000)
    positive = row < 30
    return pl.DataFrame(
        {
            "y": positive,
            "a": np.where(positive, row % 10 > 0, row % 40 == 0),
            "b": np.where(positive, row % 2 > 0, row % 50 == 0),
        }
    )


def test_balanced_accuracy_decides_between_labels_of_a_rare_class(labelled):
    decision = decided(labelled, **LABELS)

    assert (decision.measure, decision.relation) == ("balanced_accuracy", "ahead")
    assert (decision.leader, decision.test) == ("a", "balanced_decisions")
    assert "the other has an accuracy of 0.990" in decision.caveats[0].text


def test_accuracy_below_that_of_the_common_class_says_nothing_of_a_rare_one(labelled):
    """Over folds there is no test of the balanced accuracy."""
    folded = labelled.with_columns(fold=pl.int_range(pl.len()) % 10)
    decision = decided(folded, **LABELS, columns={"fold": "fold"})

    assert decision.relation == "no conclusion"
    assert decision.headline.endswith("accuracy says little about a rare class")
    assert decision.sentence.endswith("always predicting the common class (0.990).")
    assert "worse" not in " ".join(c.text for c in decision.caveats)
    assert decision.at_chance == ()


def test_declared_costs_decide_in_place_of_the_accuracy(labelled):
    costs = {"false_negative": 100, "false_positive": 1}
    decision = decided(labelled, **LABELS, costs=costs)

    assert (decision.measure, decision.relation) == ("cost_sensitive_error_rate", "ahead")
    assert (decision.leader, decision.test) == ("a", "declared_costs")


def test_costs_that_no_model_lowers_are_those_of_the_cheaper_class(labelled):
    costs = {"false_negative": 1, "false_positive": 1}
    decision = decided(labelled, **LABELS, costs=costs)

    assert decision.relation == "at chance"
    assert "always predicting the cheaper class (0.010 per row)" in decision.headline


def test_a_single_model_and_rows_of_one_class_keep_the_accuracy(labelled):
    alone = decided(labelled, models={"a": {"label": "a"}})
    positives = decided(labelled.filter("y"), **LABELS, positive=True)

    assert "always predicting the most frequent class" in alone.headline
    assert positives.measure == "accuracy"
    assert "rare" not in positives.headline


def test_the_difference_in_average_precision_stands_with_its_limits_where_positives_are_rare():
    spec = {
        "truth": "y",
        "models": {"narrow": {"score": "narrow"}, "wide": {"score": "wide"}},
        **QUICK,
    }
    rows = drawn(3_000, 100, above=1.2)
    results = reportgen.evaluate(spec, rows)
    [row] = results.differences.filter(metric="average_precision").to_dicts()
    text = results.decision.sentence

    assert row["models"] == ["narrow", "wide"]
    assert row["low"] < row["value"] < row["high"] < 0
    assert f"a difference of +{-row['value']:.3f} (95\N{NO-BREAK SPACE}% CI " in text
    assert f"{-row['low']:.3f})" in text
    common = rows.filter(pl.col("y") | (pl.int_range(pl.len()) < 400))
    [other] = (
        reportgen.evaluate(spec, common).differences.filter(metric="average_precision").to_dicts()
    )
    assert other["undefined"].startswith("no closed form")


def test_of_many_models_those_with_the_best_top_of_the_list_are_compared_in_it():
    random = np.random.default_rng(2)
    rows = drawn(900, 30).with_columns(
        pl.Series(f"m{k}", random.normal(size=900)) for k in range(3)
    )
    names = ("narrow", "wide", "m0", "m1", "m2")
    spec = {"truth": "y", "models": {name: {"score": name} for name in names}, **QUICK}
    results = reportgen.evaluate(spec, rows)
    values = results.metrics.filter(pl.col("slice").is_null(), metric="average_precision").sort(
        "value"
    )
    limited = results.differences.filter(pl.col("low").is_not_null(), metric="average_precision")

    assert limited.height == 4
    assert limited["models"].list.contains(values["model"][-1]).all()


def test_nobody_is_best_in_a_measure_that_is_good_where_nothing_is_predicted_positive():
    """Balanced accuracy decides, and stands in the table; the error rate is in bold for none."""
    row = np.arange(2_000)
    positive = row % 50 == 0
    noisy = (positive & (row % 150 > 0)) | (row % 27 == 1)
    frame = pl.DataFrame({"y": positive, "never": row < 0, "noisy": noisy})
    models = {name: {"label": name} for name in ("never", "noisy")}
    results = reportgen.evaluate(
        {"truth": "y", "positive": "true", "models": models, **QUICK}, frame
    )
    measures = key_numbers.chosen(results)
    numbers = metric_table.MetricTable.of(results)

    assert results.decision.measure == "balanced_accuracy"
    assert ("balanced_accuracy", None) in measures
    assert numbers.best(("balanced_accuracy", None)) == "noisy"
    assert numbers.best(("error_rate", None)) is None


def test_measures_of_the_common_class_have_no_note_on_what_is_in_bold(labelled):
    """It would say that no model is better than all others, below a headline with a winner."""
    results = decided_results(labelled, **LABELS)
    shown = [(name, None) for name in ("error_rate", "specificity")]
    [table] = metric_table.tables(results, shown, id="errors", caption="Errors")

    assert results.decision.relation == "ahead"
    assert not any("bold" in str(note) for note in table.notes)
