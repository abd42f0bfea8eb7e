"""The advice to keep a threshold that the evaluated rows chose."""

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from reportgen.results import evaluate
from reportgen.translation import translator
from tests.page_text import without_chinese


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


def test_costs_at_thresholds_that_the_rows_chose_are_corrected_in_the_same_way():
    random = np.random.default_rng(4)
    truth = random.random(400) < 0.3
    shared = 1.2 * truth + random.normal(size=400)
    scores = {m: expit(shared + 0.4 * random.normal(size=400) - 1) for m in "ab"}
    spec = {
        "truth": "y",
        "models": {m: {"score": m} for m in "ab"},
        "costs": {"false_negative": 5, "false_positive": 1},
        "threshold": {"minimise": "cost"},
        "bootstrap": {"replicates": 60},
    }

    results = evaluate(spec, pl.DataFrame({"y": truth, **scores}))
    text = results.decision.action.text

    assert text.count("corrected for the choice by the bootstrap 0.") == 2
    assert " is level with " in text
    assert "cross-fitted" not in text
    assert not without_chinese(results, [text])


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
