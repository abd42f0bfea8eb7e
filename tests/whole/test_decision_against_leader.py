"""Page one says what speaks against the leader: other tests, other averages, missed classes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl

from reportgen.concluding.lowest_class import never_predicted
from reportgen.results import Results, evaluate
from reportgen.sections import summary
from reportgen.sections.verdict import facts
from tests.page_text import without_chinese
from tests.quick import QUICK


def texts(results: Results, code: str) -> list[str]:
    return [c.text for c in results.decision.caveats if c.code == code]


@cache
def three_classes() -> Results:
    """The one nearly always predicts cat and never eel; the other ranks the rows, and errs more."""
    random = np.random.default_rng(4)
    names = np.array(["cat", "dog", "eel"])
    truth = np.repeat([0, 1, 2], (320, 80, 20))
    columns = {}
    for model, signal, prior in (("plain", 1.1, (1.6, 0, -9)), ("wide", 2.2, (0, 1.5, 1.5))):
        logits = signal * (truth[:, None] == np.arange(3)) + random.normal(size=(420, 3))
        odds = np.exp(logits + np.array(prior))
        shares = odds / odds.sum(axis=1, keepdims=True)
        columns |= {f"{model}_{name}": shares[:, k] for k, name in enumerate(names)}
    models = {m: {"scores": {c: f"{m}_{c}" for c in names.tolist()}} for m in ("plain", "wide")}
    frame = pl.DataFrame({"y": names[truth], **columns})
    return evaluate({"truth": "y", "models": models, **QUICK}, frame)


def test_a_class_that_a_model_never_predicts_comes_first_and_has_the_lowest_recall():
    results = three_classes()

    assert (results.decision.leader, results.decision.relation) == ("plain", "ahead")
    assert results.decision.caveats[0].text == "plain never predicts eel (20 rows)."
    assert results.decision.lowest.class_ == "eel"
    assert "plain never predicts eel" in summary.text(results).replace("\\", "")
    assert not without_chinese(results, texts(results, "never_predicted"))


def test_counts_that_are_withheld_do_not_make_a_class_that_is_never_predicted():
    results = three_classes()
    withheld = pl.when(pl.col("metric") == "fp").then(None).otherwise(pl.col("value"))
    left = results.metrics.filter(pl.col("metric") != "tp")

    assert [*never_predicted(results)]
    part = results.metrics.with_columns(value=withheld)
    assert not [*never_predicted(replace(results, metrics=part))]
    assert not [*never_predicted(replace(results, metrics=left))]


def test_a_higher_macro_average_of_another_model_stands_beside_the_accuracy_that_decides():
    lines = texts(three_classes(), "other_measure")

    assert [line[: line.index(",")] for line in lines] == [
        "wide has a higher macro AUC than plain",
        "wide has a higher macro F1 than plain",
    ]
    assert lines[0].endswith("the difference was not tested.")
    assert not without_chinese(three_classes(), lines)


@cache
def shifted() -> Results:
    """The same ranking power, and scores of one model that flag far more rows at 0.5."""
    random = np.random.default_rng(8)
    truth = np.arange(600) % 3 == 0
    signal = [1.6 * truth + random.normal(size=600) for _ in range(2)]
    frame = pl.DataFrame(
        {
            "y": truth,
            "low": 1 / (1 + np.exp(1.2 - signal[0])),
            "high": 1 / (1 + np.exp(-0.9 - signal[1] - 0.3 * truth)),
        }
    )
    models = {name: {"score": name} for name in ("low", "high")}
    return evaluate({"truth": "y", "models": models, **QUICK}, frame)


def test_a_significant_recommended_test_against_the_leader_is_on_page_one():
    results = shifted()
    (text,) = texts(results, "against_leader")
    test = results.comparisons.filter(
        metric="accuracy", recommendation="recommended", comparison="mcnemar_midp"
    ).row(0, named=True)

    assert (results.decision.measure, results.decision.leader) == ("auc", "high")
    assert test["better"] == "low"
    assert text.startswith(
        "At the thresholds in use low is significantly ahead of high in accuracy"
    )
    assert f"+{abs(test['estimate']):.3f}" in text
    assert "significantly ahead of high in accuracy" in summary.text(results)
    assert not without_chinese(results, [text])


def test_models_on_other_rows_have_shares_of_positives_of_their_own():
    size = np.arange(800)
    frame = pl.DataFrame(
        {
            "id": size,
            "model": np.where(size < 400, "a", "b"),
            "y": np.where(size < 400, size % 5 == 0, size % 4 == 0),
            "p": 0.5 + (size % 7) / 100,
        }
    )
    spec = {"truth": "y", "models": {"column": "model", "score": "p"}, **QUICK}
    results = evaluate(spec | {"columns": {"id": "id"}}, frame)
    (text,) = texts(results, "calibration_in_the_large")

    assert text.replace("\N{NO-BREAK SPACE}", " ").endswith(
        ", and 20.0 % and 25.0 % of their rows are positive."
    )
    (unpaired,) = texts(results, "unpaired")
    assert unpaired.endswith(": a and b have no row in common.")
    assert not without_chinese(results, [text, unpaired])


def test_models_on_rows_of_their_own_are_not_put_in_order():
    """One lacks a quarter of the rows; no test compares them."""
    size = np.arange(400)
    random = np.random.default_rng(5)
    truth = size % 3 == 0
    columns = {"id": size, "y": truth}
    every = pl.DataFrame({**columns, "model": "every", "p": truth + random.normal(size=400)})
    some = pl.DataFrame({**columns, "model": "some", "p": 2 * truth + random.normal(size=400)})
    spec = {"truth": "y", "models": {"column": "model", "score": "p"}, **QUICK}
    frame = pl.concat([every, some.filter(pl.col("id") % 4 > 0)])
    results = evaluate(spec | {"columns": {"id": "id"}}, frame)
    decision = results.decision

    assert decision.relation == "no conclusion"
    assert decision.headline.endswith(
        ": some lacks 100 of the 400 rows of every, a coverage of 75\N{NO-BREAK SPACE}%"
    )
    assert decision.sentence.startswith(
        "Each AUC comes from the model's own rows, so these values do not"
    )
    assert "highest" not in decision.sentence
    (why,) = (c.text for c in decision.caveats if c.code == "unpaired")
    assert "A comparison needs rows that every model has, under the same id" in why
    assert facts(results).startswith("700 predictions of 2 models, which share 300 rows · ")
    line = facts(results).partition(" · ")[0]
    assert not without_chinese(results, [decision.headline, decision.sentence, why, line])


def test_models_that_have_every_row_beside_one_that_lacks_some_are_named():
    """A test of the two needs no row of the third."""
    size, random = np.arange(400), np.random.default_rng(5)
    truth = size % 3 == 0
    parts = [
        pl.DataFrame({"id": size, "y": truth, "model": m, "p": truth + random.normal(size=400)})
        for m in ("one", "two", "some")
    ]
    parts[2] = parts[2].filter(pl.col("id") % 4 > 0)
    spec = {"truth": "y", "models": {"column": "model", "score": "p"}, "columns": {"id": "id"}}
    results = evaluate({**spec, **QUICK}, pl.concat(parts))

    assert results.data["on_common_rows"]["complete"] == ["one", "two"]
    (why,) = texts(results, "unpaired")
    assert why.endswith(
        " Only one and two, which have every row, are compared; values of the others come from "
        "different rows and do not rank them."
    )
    assert not without_chinese(results, [why])
    alone = evaluate({**spec, **QUICK}, pl.concat(parts[1:])).data["on_common_rows"]
    assert alone["complete"] == []


def test_one_threshold_for_probabilities_and_for_points_makes_no_model_more_accurate():
    random = np.random.default_rng(6)
    truth = np.arange(300) % 4 == 0
    signal = truth + random.normal(size=(2, 300))
    frame = pl.DataFrame(
        {"y": truth, "p": 1 / (1 + np.exp(0.8 - signal[0])), "points": 50 + 10 * signal[1]}
    )
    spec = {"truth": "y", "models": {name: {"score": name} for name in ("p", "points")}, **QUICK}
    results = evaluate(spec, frame)
    tests = results.comparisons.filter(metric="accuracy")

    assert tests["reject"].any()
    assert "recommended" not in tests["recommendation"].to_list()
    (why,) = set(tests.filter(comparison="mcnemar_midp")["why"])
    assert why == (
        "the threshold in use does not suit the scores of points, which predicts more than nine in "
        "ten negatives positive"
    )
    assert not without_chinese(results, [why])


def test_a_threshold_beyond_probabilities_is_named_and_decides_nothing():
    """Points of 0 to 100 beside probabilities: 50 suits the first alone."""
    random = np.random.default_rng(6)
    truth = np.arange(300) % 4 == 0
    odds = 2 * truth - 1.6 + random.normal(size=(2, 300))
    frame = pl.DataFrame({"y": truth, "points": 50 + 10 * odds[0], "p": 1 / (1 + np.exp(-odds[1]))})
    models = {name: {"score": name} for name in ("points", "p")}
    results = evaluate({"truth": "y", "models": models, "threshold": 50, **QUICK}, frame)
    tests = results.comparisons.filter(metric="accuracy")
    (text,) = texts(results, "threshold_beyond")

    assert text.startswith("The threshold 50 is beyond the scores of p, which are probabilities")
    assert texts(results, "one_class_decisions") == []
    assert tests["reject"].any()
    assert "recommended" not in tests["recommendation"].to_list()
    (why,) = set(tests.filter(comparison="mcnemar_midp")["why"])
    assert why.endswith("scores of p, which are probabilities, while it lies outside 0 to 1")
    assert not without_chinese(results, [text, why])
    usual = evaluate({"truth": "y", "models": models, "threshold": 0.5, **QUICK}, frame)
    assert texts(usual, "threshold_beyond") == []


def test_a_label_that_no_row_has_is_named_with_what_that_makes_of_averages():
    random = np.random.default_rng(7)
    truth = {"t_a": np.arange(200) % 2 == 0, "t_b": np.zeros(200, dtype=bool)}
    frame = pl.DataFrame({**truth, "a": random.random(200), "b": random.random(200)})
    spec = {"truth": {"a": "t_a", "b": "t_b"}, "models": {"m": {"scores": {"a": "a", "b": "b"}}}}
    results = evaluate(spec | {"task": "multilabel"} | QUICK, frame)
    (text,) = texts(results, "no_row_of_class")

    assert text == (
        "No row has the label b: its recall and the macro recall are undefined. Where a model "
        "predicts it, the F1 is 0 and counts in macro F1; where it does not, the F1 and the macro "
        "F1 are undefined."
    )
    averages = results.metrics.filter(average="macro").select("metric", "value")
    values = dict(averages.iter_rows())
    assert values["recall"] is None
    assert values["f1"] is not None
    assert not without_chinese(results, [text])


def test_models_in_long_form_without_an_id_are_not_said_to_have_other_rows():
    row = np.arange(60)
    truth = row % 3 == 0
    parts = [
        pl.DataFrame({"y": truth, "model": name, "p": truth * shift + row % 7})
        for name, shift in (("a", 2), ("b", 3))
    ]
    spec = {"truth": "y", "models": {"column": "model", "score": "p"}, **QUICK}
    results = evaluate(spec, pl.concat(parts))
    sentence, line = results.decision.sentence, facts(results).partition(" · ")[0]

    assert sentence.startswith("No test ranks the models: ")
    assert "own" not in line
    assert line.endswith("with no declaration of which rows belong together")
    assert not without_chinese(results, [sentence, line])
