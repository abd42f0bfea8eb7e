"""A margin of estimates is one of the squared error, unless the spec names another measure."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.records.decision import Decision
from reportgen.results import evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def decided(*, heavy: bool = False, alike: bool = False, **comparisons: object) -> Decision:
    """Two models of 400 rows; heavy tails leave MSE without a test, so that MAE decides."""
    random = np.random.default_rng(5)
    truth, noise = random.normal(50, 10, 400), random.normal(0, 1, (2, 400))
    if heavy:
        noise = random.standard_t(3, (2, 400))
    if alike:
        noise[1] = noise[0] / 2 + 0.01 * noise[1]
    frame = pl.DataFrame({"y": truth, "a": truth + 2 * noise[0], "b": truth + 4 * noise[1]})
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"truth": "y", "models": models, **QUICK, "comparisons": {"margin": 5, **comparisons}}
    results = evaluate(spec, frame)
    into = translator("zh", names_of(results.to_dict()))
    for text in of_squares(results.decision):
        into.text(text)
    assert not into.missing
    return results.decision


def of_squares(decision: Decision) -> list[str]:
    return [one.text for one in decision.caveats if one.code == "margin_of_squares"]


@pytest.mark.parametrize("heavy", [False, True])
def test_page_one_says_that_a_margin_is_one_of_squared_errors(heavy):
    decision = decided(heavy=heavy)
    (text,) = of_squares(decision)

    assert text.startswith("The margin of 5 is one of MSE, in squared units of the truth: ")
    assert (decision.measure, decision.margin) == (
        ("mean_absolute_error", None) if heavy else ("mean_squared_error", 5)
    )
    assert ("margin" in decision.headline) is not heavy


def test_a_margin_that_no_recommended_test_answers_is_said_to_be_left_open():
    decision = decided(alike=True)
    (text,) = of_squares(decision)

    assert decision.relation == "level"
    assert "units of the truth. No test of it is recommended here: “comparisons" in text


def test_a_margin_of_the_measure_that_the_spec_names_needs_no_word():
    decision = decided(primary="mae")

    assert decision.margin == 5
    assert not of_squares(decision)
