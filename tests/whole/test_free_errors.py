"""Costs of two classes with an error that costs nothing: then a constant prediction is free."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK


def texts(**costs: float) -> list[str]:
    random = np.random.default_rng(3)
    truth = random.random(200) < 0.4
    frame = pl.DataFrame({"y": np.where(truth, "ill", "well"), "p": truth + random.random(200)})
    models = {"m": {"score": "p"}}
    spec = {"truth": "y", "positive": "ill", "models": models, "costs": costs, **QUICK}
    results = evaluate(spec, frame)
    texts = [one.text for one in results.decision.caveats if one.code == "free_error"]
    assert not without_chinese(results, texts)
    return texts


@pytest.mark.parametrize(
    ("costs", "error", "always"),
    [
        ({"false_negative": 5, "false_positive": 0}, "A false positive", "ill"),
        ({"false_negative": 0, "false_positive": 5}, "A false negative", "well"),
    ],
)
def test_page_one_says_which_constant_prediction_is_free(costs, error, always):
    assert texts(**costs) == [
        f"{error} costs nothing here, so that always predicting {always} costs nothing: no model "
        "can cost less. Declare what it costs."
    ]


def test_it_says_nothing_where_both_errors_cost_something():
    assert texts(false_negative=5, false_positive=1) == []
