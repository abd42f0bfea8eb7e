"""How many rows have a weight of 0, and what the scores of a row add up to, are printed."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.results.privacy.cells import Least
from reportgen.results.privacy.data_facts import without_small_counts
from reportgen.sections.data import Data, facts
from tests.quick import QUICK

WEIGHTED = {"truth": "y", "models": {"a": {"label": "a"}}, "columns": {"weight": "w"}, **QUICK}


def rows_of(data):
    (text,) = (fact.value for fact in facts(data) if fact.name == "Rows")
    return text


def test_rows_of_weight_0_are_counted_among_those_that_are_tested():
    train = pl.DataFrame({"y": [0, 1], "a": [0, 1], "w": [0.0, 0.0], "r": ["train"] * 2})
    test = pl.DataFrame({"y": [0, 1] * 20, "a": [0, 1] * 20, "w": [0.0] * 6 + [1.0] * 34})
    frame = pl.concat([train, test.with_columns(r=pl.lit("test"))])
    spec = {**WEIGHTED, "columns": {"weight": "w", "role": "r"}}
    data = evaluate(spec, frame).data

    assert data["weights"]["rows_of_zero"] == 6
    assert rows_of(data) == "42, of which 34 evaluated; 6 rows of weight 0 left out"


def test_rows_of_weight_0_do_not_make_enough_rows_for_a_test_of_squared_errors():
    random = np.random.default_rng(1)
    truth, errors = random.normal(size=400), random.normal(size=(2, 400))
    table = {"y": truth, "a": truth + errors[0], "b": truth + errors[1], "w": [0.0, 1.0] * 200}
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"truth": "y", "task": "regression", "models": models, "columns": {"weight": "w"}}
    for weights, why in ((table["w"], "200 rows cannot rule out"), ([1.0] * 400, None)):
        results = evaluate({**spec, **QUICK}, pl.DataFrame(table | {"w": weights}))
        tests = results.comparisons.filter(
            metric="mean_squared_error", comparison="paired_t_weighted"
        )
        [reason] = tests["why"]
        assert reason == why or reason.startswith(why)


@pytest.mark.parametrize(("least", "published"), [(5, 6), (7, None)])
def test_few_rows_of_weight_0_are_withheld(least, published):
    frame = pl.DataFrame({"y": [0, 1] * 20, "a": [0, 1] * 20, "w": [0.0] * 6 + [1.0] * 34})
    data = without_small_counts(evaluate(WEIGHTED, frame).data, Least(least))

    assert data["weights"]["rows_of_zero"] == published


def test_a_warning_of_sums_has_their_ends_and_the_model_as_it_is_named():
    frame = pl.DataFrame(
        {"y": ["p", "q", "r"], "p": [0.5, 0.1, 0.2], "q": [0.4, 0.8, 0.2], "r": [0.3, 0.3, 0.9]}
    )
    models = {"m": {"scores": {name: name for name in "pqr"}}}
    section = Data.from_results(evaluate({"truth": "y", "models": models, **QUICK}, frame), [])

    (caution,) = (one for one in section.warnings if one.title == "Data check: sums")
    assert caution.text.startswith("m: scores, not probabilities: in 3 rows ")
    assert caution.text.endswith(" they do not add up to 1 but to between 1.2 and 1.3.")
