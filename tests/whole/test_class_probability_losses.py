"""The test of probability losses of several classes, and of skills."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

from reportgen.clusters import Groups
from reportgen.comparisons import Comparison, Question, probability_losses
from reportgen.results import Results, evaluate
from reportgen.sample_design import SampleDesign
from tests.simulations.class_probabilities import designs, level, of_losses

CLASSES = "xyz"
ABC = list(enumerate(CLASSES))
BRIER, LOG = "brier_score", "log_loss"


@cache
def named(*measures: str, columns: tuple[tuple[str, str], ...] = ()) -> Results:
    """A report of two models of three classes that names measures; a is the better one."""
    random = np.random.default_rng(4)
    truth = random.integers(0, 3, 90)
    table = {"truth": np.array(list(CLASSES))[truth], "g": np.arange(90) // 3, "w": 1.0 + truth}
    for model, signal in (("a", 2.5), ("b", 0.5)):
        odds = random.normal(size=(90, 3)) + signal * np.eye(3)[truth]
        shares = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
        table |= {f"{model}{c}": shares[:, k] for k, c in enumerate(CLASSES)}
    scores = {m: {"scores": {c: f"{m}{c}" for c in CLASSES}} for m in "ab"}
    spec = {"data": "frame", "truth": "truth", "models": scores, "columns": dict(columns)}
    chosen = {"comparisons": {"measures": list(measures)}, "bootstrap": {"replicates": 20}}
    return evaluate({**spec, **chosen}, pl.DataFrame(table))


def standing(results: Results, measure: str) -> dict[str, str]:
    of_measure = results.comparisons.filter(metric=measure)
    return dict(of_measure.select("comparison", "recommendation").iter_rows())


@pytest.mark.parametrize("columns", [(), (("group", "g"),)], ids=["rows", "groups"])
def test_a_named_loss_or_skill_of_several_classes_has_a_recommended_test(columns):
    measures = (BRIER, LOG, "brier_skill", "d2_log_loss")
    results = named(*measures, columns=columns)

    for measure in measures:
        of = standing(results, measure)
        assert [name for name, r in of.items() if r == "recommended"] == ["probability_losses"]
        row = results.comparisons.filter(metric=measure, comparison="probability_losses")
        assert row["better"].to_list() == ["a"]


def test_a_gate_on_log_losses_allows_for_sure_errors_without_replicates_too():
    truth = np.arange(99) % 3
    mild, sure = np.full((99, 3), 0.05), np.full((99, 3), 0.0005)
    mild[range(99), truth], sure[range(99), truth] = 0.9, 0.999
    table = {f"{m}{c}": p[:, k] for m, p in zip("ab", (mild, sure), strict=True) for k, c in ABC}
    frame = pl.DataFrame({"truth": np.array(list(CLASSES))[truth], **table})
    scores = {m: {"scores": {c: f"{m}{c}" for c in CLASSES}} for m in "ab"}
    spec = {"data": "frame", "truth": "truth", "models": scores, "bootstrap": {"replicates": 0}}

    gates = evaluate({**spec, "gates": ["a.log_loss - b.log_loss > 0"]}, frame).gates

    (test,) = gates.to_dicts()
    assert (test["state"], test["low"] < 0 < test["observed"]) == ("inconclusive", True)


@pytest.mark.parametrize(("skill", "of"), [("brier_skill", BRIER), ("d2_log_loss", LOG)])
def test_a_skill_is_tested_as_its_loss_and_differs_as_the_skills_do(skill, of):
    results = named(BRIER, LOG, "brier_skill", "d2_log_loss")
    tests = results.comparisons.filter(comparison="probability_losses")
    (of_skill,), (of_loss,) = (tests.filter(metric=name).to_dicts() for name in (skill, of))
    values = dict(results.metrics.filter(metric=skill).select("model", "value").iter_rows())

    assert of_skill["p_value"] == pytest.approx(of_loss["p_value"])
    assert of_skill["statistic"] == pytest.approx(-of_loss["statistic"])
    assert of_skill["estimate"] == pytest.approx(values["a"] - values["b"])


@pytest.mark.parametrize("columns", [(), (("group", "g"),)], ids=["rows", "groups"])
def test_weighted_rows_have_the_test_and_differ_as_the_weighted_measures_do(columns):
    measures = (BRIER, LOG, "brier_skill", "d2_log_loss")
    results = named(*measures, columns=(("weight", "w"), *columns))

    for measure in measures:
        (row,) = results.comparisons.filter(
            metric=measure, comparison="probability_losses"
        ).to_dicts()
        of_measure = results.metrics.filter(
            pl.col("slice").is_null(), pl.col("class").is_null(), metric=measure
        )
        values = dict(of_measure.select("model", "value").iter_rows())
        assert (row["recommendation"], row["better"]) == ("recommended", "a")
        assert row["estimate"] == pytest.approx(values["a"] - values["b"])


def fields(test: Comparison) -> tuple[float | None, ...]:
    return test.estimate, test.p_value, test.low, test.high


@pytest.mark.parametrize("metric", [BRIER, LOG, "brier_skill"])
def test_weighted_groups_are_groups_where_weights_are_equal_and_rows_where_groups_are(metric):
    random = np.random.default_rng(5)
    truth, (a, b) = random.random(60) < 0.4, random.random((2, 60))
    frame = pl.DataFrame({"truth": truth, "a": a, "b": b})
    question, weights = Question(("a", "b"), metric), random.random(60) + 0.2
    groups, alone = (Groups.of(pl.int_range(60, eager=True) // size) for size in (4, 1))
    of_groups = probability_losses(frame, question, SampleDesign(groups=groups))
    of_weights = probability_losses(frame, question, SampleDesign(weights))

    for equal in (1.0, 7.0):
        both = probability_losses(frame, question, SampleDesign(np.full(60, equal), groups=groups))
        assert fields(both) == pytest.approx(fields(of_groups))
    both = probability_losses(frame, question, SampleDesign(weights, groups=alone))
    assert fields(both) == pytest.approx(fields(of_weights))


def test_a_weighted_row_is_as_many_rows_of_its_group():
    """Weights of 1 and 2, of whole groups, are those rows once and twice."""
    random = np.random.default_rng(6)
    truth, (a, b) = random.random(60) < 0.4, random.random((2, 60))
    frame = pl.DataFrame({"truth": truth, "a": a, "b": b, "g": np.arange(60) // 4})
    twice = pl.concat([frame, frame.filter(pl.col("g") < 7)])
    weights = np.where(frame["g"].to_numpy() < 7, 2.0, 1.0)
    question = Question(("a", "b"), BRIER)
    of_rows = probability_losses(twice, question, SampleDesign(groups=Groups.of(twice["g"])))
    weighted = probability_losses(
        frame, question, SampleDesign(weights, groups=Groups.of(frame["g"]))
    )

    assert weighted.estimate == pytest.approx(of_rows.estimate)
    # A further row may be a heavy one, so that the limits are a little wider.
    assert weighted.low < of_rows.low < of_rows.high < weighted.high
    assert weighted.high - weighted.low < 1.1 * (of_rows.high - of_rows.low)


@pytest.mark.parametrize(("metric", "times"), [(BRIER, 2), (LOG, 1)])
def test_two_of_several_classes_are_tested_as_two_classes(metric, times):
    """The Brier score counts both classes then, so that the difference is twice as large."""
    random = np.random.default_rng(3)
    truth, (a, b) = random.random(40) < 0.4, random.random((2, 40))
    frame = pl.DataFrame({"truth": truth, "a": a, "b": b})
    alone = probability_losses(frame, Question(("a", "b"), metric))
    both = [np.stack([1 - score, score], axis=1) for score in (a, b)]

    test = of_losses(metric, (truth.astype(float), *both))

    assert test.statistic == pytest.approx(alone.statistic)
    assert test.estimate == pytest.approx(times * alone.estimate)
    assert test.low == pytest.approx(times * alone.low, rel=1e-6)


def test_an_error_that_no_row_shows_is_counted():
    """One model is sure and wrong in 1 % of the rows, and both lose the same on average."""
    draw = designs(BRIER, 3, one_frequent=False)["rarely wrong, 0.01"]
    ours, exchanged = level(draw, BRIER, 60, 60, 20)

    assert ours <= 0.1
    assert exchanged > 0.3


def test_the_reason_is_that_of_the_leader_not_of_a_model_without_a_value():
    """One model is infinitely wrong, the best one is certain in rows that it has right."""
    random = np.random.default_rng(1)
    truth = random.integers(0, 3, 300)
    own = np.eye(3)[truth]
    columns = {"y": truth.astype(str)}
    for name, signal in (("best", 2.0), ("other", 1.9), ("infinite", 1.0)):
        odds = np.exp(signal * own + random.normal(size=own.shape))
        shares = odds / odds.sum(axis=1, keepdims=True)
        if name == "best":
            shares[:30] = own[:30]
        if name == "infinite":
            shares[:30] = own[:30][:, [1, 2, 0]]
        columns |= {f"{name}{k}": shares[:, k] for k in range(3)}
    spec = {
        "task": "multiclass",
        "truth": "y",
        "models": {
            m: {"scores": {str(k): f"{m}{k}" for k in range(3)}}
            for m in ("best", "other", "infinite")
        },
        "comparisons": {"primary": "log_loss"},
        "bootstrap": {"replicates": 20},
    }
    results = evaluate(spec, pl.DataFrame(columns))

    assert results.decision.relation == "no conclusion"
    assert "some probabilities of best are exactly 0 or 1" in results.decision.headline
