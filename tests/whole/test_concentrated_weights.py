"""Weights of which a few rows have most: how many rows of equal weight the rows are worth."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.sections.data import facts
from reportgen.sections.verdict import Verdict
from reportgen.translation import translator
from tests.quick import QUICK


def evaluated(spread, task="binary", **spec):
    """400 rows of which 100 are positive, with weights of this standard deviation of the log."""
    random = np.random.default_rng(6)
    truth = np.repeat([1.0, 0.0], [100, 300])
    frame = pl.DataFrame(
        {
            "y": truth + random.normal(0, 1, 400) if task == "regression" else truth.astype(int),
            "a": random.random(400) * 0.5 + truth / 2,
            "w": np.exp(spread * random.normal(size=400)),
        }
    )
    kind = {"estimate": "a"} if task == "regression" else {"score": "a"}
    positive = {} if task == "regression" else {"positive": 1, "threshold": 0.5}
    whole = {
        "truth": "y",
        "models": {"a": kind},
        "columns": {"weight": "w"},
        **positive,
        **QUICK,
        **spec,
    }
    return reportgen.evaluate(whole, frame), frame


def caveats(results):
    return [c.text for c in results.decision.caveats if c.code == "concentrated_weights"]


def test_page_one_says_what_the_class_of_the_least_worth_is_worth():
    results, frame = evaluated(1.5)
    weight = frame.filter(pl.col("y") == 1)["w"]
    worth = weight.sum() ** 2 / (weight**2).sum()
    assert results.data["weights"]["part"] == "1"
    assert results.data["weights"]["part_effective"] == pytest.approx(worth)
    (text,) = caveats(results)
    assert text == (
        f"Weights are uneven: the 100 rows of class 1 count for as much as {worth:.0f} with equal "
        "weights."
    )
    into = translator("zh", {"a", "1"})
    into.text(text, "p")
    assert not into.missing


def test_estimates_of_a_number_have_no_class():
    (text,) = caveats(evaluated(2.0, "regression")[0])
    assert text.startswith("Weights are uneven: the 400 rows count for as much as ")


def test_nearly_equal_weights_are_not_named_and_the_worth_is_among_the_data():
    results, frame = evaluated(0.3)
    worth = round(frame["w"].sum() ** 2 / (frame["w"] ** 2).sum())
    assert not caveats(results)
    (fact,) = [one for one in facts(results.data) if one.name == "Weights"]
    assert fact.value.endswith(f"; worth {worth} rows of equal weight")


def test_rows_without_weights_have_no_worth():
    frame = evaluated(1.0)[1]
    spec = {"truth": "y", "positive": 1, "models": {"a": {"score": "a"}}}
    assert reportgen.evaluate(spec, frame).data["weights"] is None


def test_a_rarer_class_of_many_rows_is_said_to_be_worth_few():
    random = np.random.default_rng(6)
    truth = np.repeat([1, 0], [100, 300])
    scores = {name: random.random(400) * 0.8 + truth / 5 for name in "ab"}
    frame = pl.DataFrame({"y": truth, **scores, "w": random.pareto(1.1, 400)})
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "positive": 1, "models": models, "threshold": 0.5}

    weighted = reportgen.evaluate({**spec, "columns": {"weight": "w"}}, frame)
    (text,) = [c.text for c in weighted.decision.caveats if c.text.startswith("The rarer class")]
    assert " rows of equal weight; the normal approximation is rough below 30." in text
    assert not any("rarer class has" in caveat.text for caveat in weighted.decision.caveats)
    assert not caveats(weighted)  # which would say it again


def test_a_model_of_that_name_is_not_compared_with_itself_in_the_heading():
    frame = pl.DataFrame({"y": [1, 0] * 20, "model": [1, 0] * 19 + [0, 1], "b": [1, 0, 0, 0] * 10})
    models = {name: {"label": name} for name in ("model", "b")}
    results = reportgen.evaluate({"truth": "y", "positive": 1, "models": models}, frame)
    labels = [column.label for column in Verdict.from_results(results, []).models.columns]

    assert any(label.startswith("model − other model (") for label in labels)
