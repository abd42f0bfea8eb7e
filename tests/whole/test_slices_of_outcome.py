"""Slices of one class each are the outcome, or follow from it: no model is off in them."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import expit

from reportgen.concluding.slice_caveats import sentences
from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def sliced(*columns: str) -> Results:
    """The true probability of an outcome; ``status`` is the outcome, ``site`` has nothing of it.

    In the slice ``small = few`` four rows are of one class by chance.
    """
    random = np.random.default_rng(4)
    p = expit(1.5 * random.normal(size=400) - 1)
    truth = random.random(400) < p
    few = np.isin(np.arange(400), np.flatnonzero(~truth)[:4])
    new = np.isin(np.arange(400), np.flatnonzero(~truth)[:100])
    frame = pl.DataFrame(
        {
            "y": truth,
            "p": p,
            "status": np.where(truth, "churned", "stayed"),
            "site": np.where(np.arange(400) % 2, "north", "south"),
            "small": np.where(few, "few", "many"),
            "new": np.where(new, "yes", "no"),
        }
    )
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "slices": list(columns), **QUICK}
    return evaluate(spec, frame)


def texts(results: Results, code: str) -> list[str]:
    return [one.text for one in results.decision.caveats if one.code == code]


def test_a_slice_that_is_the_outcome_says_nothing_of_calibration():
    results = sliced("status")
    (text,) = texts(results, "outcome_slices")
    into = translator("zh", names_of(results.to_dict()))
    into.text(text)

    assert text.startswith("Each slice of status is of one class: such slices are, or follow from")
    assert not texts(results, "off_in_slice")
    assert list(sentences(results)) == [text]
    assert not into.missing


def test_other_slices_are_compared_beside_one_that_is_the_outcome():
    told = list(sentences(sliced("status", "site")))

    assert told[0].startswith("Each slice of status is of one class")
    assert told[1].startswith("In no other slice do observed positives differ significantly")


def test_a_slice_of_one_class_beside_mixed_ones_may_follow_from_the_outcome():
    results = sliced("new")
    (text,) = texts(results, "off_in_slice")
    into = translator("zh", names_of(results.to_dict()))
    into.text(text)

    assert not texts(results, "outcome_slices")
    assert "m over-predicts in new = yes: 0 positives, " in text
    assert text.endswith(", unless the slice follows from the outcome.")
    assert not into.missing


def test_few_rows_of_one_class_are_no_outcome():
    assert not texts(sliced("small"), "outcome_slices")
