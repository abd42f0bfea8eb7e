"""Models that were evaluated on rows of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import reportgen
from reportgen.comparisons.unpaired import pooled_z
from reportgen.results import Results
from reportgen.sections import summary
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

LONG = {"column": "model", "score": "p"}


def rows(apart: bool = True, **more: Any) -> pl.DataFrame:
    """Two models in long form; ``apart``: no example is evaluated by both."""
    random = np.random.default_rng(5)
    parts = []
    for k, (model, signal, n) in enumerate((("a", 2.0, 90), ("b", 0.6, 120))):
        truth = random.random(n) < 0.5
        score = 1 / (1 + np.exp(-(signal * (truth - 0.5) + random.normal(size=n))))
        first = 1000 * k if apart else 0
        facts = {"id": np.arange(n) + first, "model": model, "y": truth.astype(int), "p": score}
        parts.append(pl.DataFrame({**facts, **more}))
    return pl.concat(parts)


def results_of(frame: pl.DataFrame, **more: Any) -> Results:
    spec = {"data": "frame", "truth": "y", "models": LONG, "columns": {"id": "id"}}
    return reportgen.evaluate({**spec, **QUICK, **more}, frame)


def test(results: Results, name: str) -> dict[str, Any]:
    return results.comparisons.filter(comparison=name).row(0, named=True)


test.__test__ = False  # it is called by the tests


def test_models_on_different_examples_are_compared_as_two_samples():
    frame = rows()
    results = results_of(frame)
    right = frame.with_columns(hit=(pl.col("p") >= 0.5) == (pl.col("y") == 1))
    correct, sizes = (
        right.group_by("model").agg(v).sort("model")["v"].to_list()
        for v in (pl.col("hit").sum().alias("v"), pl.len().alias("v"))
    )
    table = [[correct[1], sizes[1] - correct[1]], [correct[0], sizes[0] - correct[0]]]
    exact = test(results, "fisher")
    assert exact["models"] == ["a", "b"]
    assert exact["p_value"] == pytest.approx(stats.fisher_exact(table).pvalue)
    assert (exact["recommendation"], exact["why"]) == (
        "recommended",
        "the models were evaluated on different examples",
    )
    areas = dict(results.metrics.filter(metric="auc").select("model", "value").iter_rows())
    assert test(results, "two_aucs")["estimate"] == pytest.approx(areas["a"] - areas["b"])
    from_baseline = results_of(frame, baseline="a")
    assert test(from_baseline, "two_aucs")["estimate"] == pytest.approx(areas["b"] - areas["a"])
    for name in ("fisher", "two_aucs"):
        assert test(from_baseline, name)["models"] == ["b", "a"]
    decision = results.decision
    assert (decision.relation, decision.leader, decision.test) == ("ahead", "a", "two_aucs")
    assert test(results, "delong")["undefined"] == "a and b have no row in common"


@pytest.mark.parametrize("columns", [{}, {"id": "id"}])
def test_rows_that_may_be_the_same_examples_decide_nothing(columns):
    results = results_of(rows(apart=False), columns=columns)
    record = test(results, "two_aucs")
    assert record["recommendation"] == "valid"
    if columns:
        why = "both models have 90 examples, whose rows the test treats as independent"
        assert record["why"] == why
        assert not record["caveats"]
    else:
        assert record["why"].startswith("nothing shows that the models were evaluated on different")
        assert "are treated as independent" in record["caveats"][0]
    assert results.decision.relation == "no conclusion"


def test_models_on_different_groups_are_compared_by_group():
    """Rows that come three times each are no more evidence than once."""
    case = pl.concat_str("model", "id")
    frame = pl.concat([rows().with_columns(group=case, id=pl.col("id") * 3 + k) for k in range(3)])
    tests = results_of(frame, columns={"id": "id", "group": "group"}).comparisons
    right = rows().with_columns(hit=(pl.col("p") >= 0.5) == (pl.col("y") == 1))
    hits = [right.filter(model=model)["hit"].cast(float) for model in "ab"]

    assert not {"fisher", "two_aucs"} & set(tests["comparison"])
    clustered = tests.filter(comparison="two_samples_groups", metric="accuracy").row(0, named=True)
    assert clustered["p_value"] == pytest.approx(
        stats.ttest_ind(*hits, equal_var=False).pvalue, rel=0.01
    )


def test_an_example_that_both_models_judged_is_not_taken_for_a_repeat():
    """The accuracy of a model on n rows of its own has the interval of n rows."""
    distinct, both = (
        results_of(rows(apart=apart)).metrics.filter(metric="accuracy") for apart in (True, False)
    )
    assert distinct.select("low", "high").equals(both.select("low", "high"))


@pytest.mark.parametrize("metric", ["auc", "f1"])
@pytest.mark.parametrize(("apart", "state"), [(True, "pass"), (False, "inconclusive")])
def test_a_gate_between_samples_passes_where_a_test_of_them_is_recommended(metric, apart, state):
    results = results_of(rows(apart=apart), gates=[f"a.{metric} - b.{metric} > -0.3"])
    (gate,) = results.gates.to_dicts()

    assert gate["low"] > -0.3
    assert gate["state"] == state
    into = translator("zh", names_of(results.to_dict()))
    into.text(gate["why"] or "")
    assert not into.missing


def test_paired_models_have_no_tests_of_two_samples():
    frame = pl.concat([rows().head(90), rows().head(90).with_columns(model=pl.lit("b"))])
    assert results_of(frame).comparisons.filter(comparison="fisher").is_empty()


def test_weighted_rows_have_no_tests_of_two_samples():
    results = results_of(rows(w=2.0), columns={"id": "id", "weight": "w"})
    assert results.comparisons.filter(comparison="fisher").is_empty()


def test_a_test_of_two_shares_is_rough_below_five_expected_rows_of_a_kind():
    assert not pooled_z((5, 5), (50, 50)).rough
    assert pooled_z((5, 5), (50, 51)).rough
    assert pooled_z((45, 46), (50, 50)).rough


def test_a_model_that_is_not_ranked_is_compared_with_the_baseline_in_its_order():
    """Without an AUC, as its rows have one class, it stands in no order but the declared one."""
    of_one_class = (
        rows()
        .filter(model="a")
        .with_columns(model=pl.lit("c"), y=pl.lit(1), id=pl.col("id") + 5000)
    )
    frame = pl.concat([rows().with_columns(pl.col("y").cast(pl.Int32)), of_one_class])
    results = results_of(frame, baseline="a")
    pairs = results.comparisons.filter(comparison="fisher")["models"].to_list()

    assert [pair for pair in pairs if "a" in pair] == [["b", "a"], ["c", "a"]]


def test_values_on_shared_rows_are_of_the_deciding_measure_and_rank_nobody():
    """A model may have chosen the rows that it answered: no difference has limits there."""
    frame = rows(apart=False)
    results = results_of(frame)
    shared = frame.filter(pl.col("id") < 90)
    areas, correct = (
        [value(part) for part in shared.partition_by("model")] for value in (auc, hits)
    )
    common = results.data["on_common_rows"]

    assert common["rows"] == 90
    assert {"low", "high", "difference"}.isdisjoint(common)
    for metric, values in {"auc": areas, "accuracy": correct}.items():
        of_metric = [one["value"] for one in common["models"] if one["measure"] == metric]
        assert of_metric == pytest.approx(values, rel=1e-12)
    sentence = results.decision.sentence
    first, second = areas
    assert f"the AUC is {first:.3f} (a) and {second:.3f} (b). These values do not rank" in sentence
    into = translator("zh", names_of(results.to_dict()))
    into.text(sentence, "p")
    assert not into.missing
    hidden = results_of(frame, privacy={"small_cells": 3})
    assert "on_common_rows" not in hidden.data
    assert "both have" not in hidden.decision.sentence


def test_a_note_that_begins_with_a_model_leaves_its_name_as_it_is():
    frame = rows(apart=False).with_columns(pl.col("model").replace({"a": "some", "b": "every"}))
    text = summary.text(results_of(frame))

    assert "</sup> some lacks 30 of the 120 rows of every, a coverage of 75" in text
    assert "Some lacks" not in text


def auc(part: pl.DataFrame) -> float:
    """The share of pairs that the scores put in order, by Mann and Whitney's U."""
    positive, negative = (part.filter(y=label)["p"] for label in (1, 0))
    u = stats.mannwhitneyu(positive, negative).statistic
    return float(u) / (len(positive) * len(negative))


def hits(part: pl.DataFrame) -> float:
    return float(((part["p"] >= 0.5) == (part["y"] == 1)).mean())


def test_without_scores_the_accuracy_on_shared_rows_is_stated():
    models = {"column": "model", "label": "d"}
    frame = rows(apart=False).with_columns(d=(pl.col("p") >= 0.5).cast(int))
    assert "both have, the accuracy is" in results_of(frame, models=models).decision.sentence


def test_models_without_a_common_row_have_no_values_on_common_rows():
    assert "on_common_rows" not in results_of(rows()).data
