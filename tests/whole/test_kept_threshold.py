"""The advice to keep a threshold that the evaluated rows chose."""

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from reportgen.results import evaluate
from reportgen.translation import translator


@pytest.mark.parametrize("replicates", [0, 60])
def test_a_kept_threshold_that_the_rows_chose_says_so_and_what_it_costs_elsewhere(replicates):
    random = np.random.default_rng(1)
    truth = random.random(400) < 0.3
    frame = pl.DataFrame({"y": truth, "s": expit(random.normal(1.5 * truth - 1.5))})
    spec = {
        "truth": "y",
        "models": {"a": {"score": "s"}},
        "costs": {"false_negative": 5, "false_positive": 1},
        "threshold": {"minimise": "cost"},
        "bootstrap": {"replicates": replicates},
    }

    text = evaluate(spec, frame).decision.action.text

    assert ": it was chosen on these rows, so no other one costs less on them. " in text
    assert text.endswith("Evaluate it on other rows.") == (not replicates)
    assert ("corrected for the choice by the bootstrap 0." in text) == (replicates > 0)
    into = translator("zh", {"a"})
    into.text(text, "p")
    assert not into.missing


def test_a_threshold_that_is_kept_and_that_no_row_chose_is_the_cheapest_on_these_rows():
    frame = pl.DataFrame({"y": [False, False, True, True] * 10, "s": [0.1, 0.2, 0.8, 0.9] * 10})
    costs = {"false_negative": 5, "false_positive": 1}
    spec = {"truth": "y", "models": {"a": {"score": "s"}}, "costs": costs, "threshold": 0.8}

    text = evaluate(spec, frame).decision.action.text

    assert text == "Keep the threshold of a at 0.8: no other one costs less on these rows."


def test_a_threshold_that_validation_rows_chose_is_the_cheapest_on_these():
    random = np.random.default_rng(2)
    truth = random.random(600) < 0.3
    frame = pl.DataFrame({"y": truth, "s": expit(random.normal(1.5 * truth - 1.5))})
    frame = frame.with_columns(
        role=pl.when(pl.int_range(600) < 200).then(pl.lit("validation")).otherwise(pl.lit("test"))
    )
    spec = {
        "truth": "y",
        "models": {"a": {"score": "s"}},
        "columns": {"role": "role"},
        "costs": {"false_negative": 5, "false_positive": 1},
        "threshold": {"minimise": "cost"},
        "bootstrap": {"replicates": 0},
    }

    text = evaluate(spec, frame).decision.action.text

    assert text.endswith(": no other one costs less on the validation rows.")
    into = translator("zh", {"a"})
    into.text(text, "p")
    assert not into.missing
