"""The test of probability losses of several classes, and of skills."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons import Question, probability_losses
from reportgen.results import Results, evaluate
from tests.simulations.class_probabilities import designs, level, of_losses

CLASSES = "xyz"
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


@pytest.mark.parametrize(("skill", "of"), [("brier_skill", BRIER), ("d2_log_loss", LOG)])
def test_a_skill_is_tested_as_its_loss_and_differs_as_the_skills_do(skill, of):
    results = named(BRIER, LOG, "brier_skill", "d2_log_loss")
    tests = results.comparisons.filter(comparison="probability_losses")
    (of_skill,), (of_loss,) = (tests.filter(metric=name).to_dicts() for name in (skill, of))
    values = dict(results.metrics.filter(metric=skill).select("model", "value").iter_rows())

    assert of_skill["p_value"] == pytest.approx(of_loss["p_value"])
    assert of_skill["statistic"] == pytest.approx(-of_loss["statistic"])
    assert of_skill["estimate"] == pytest.approx(values["a"] - values["b"])


def test_weights_have_no_such_test_and_say_so():
    results = named(BRIER, columns=(("weight", "w"),))
    (row,) = results.comparisons.filter(comparison="probability_losses").to_dicts()

    assert row["p_value"] is None
    assert "weight" in row["undefined"]


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
