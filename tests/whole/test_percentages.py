"""Scores from 0 to 100 are no probabilities, and the report says what would make them so."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

SPEC = MappingProxyType({"truth": "y", "models": {"m": {"score": "p"}}, "threshold": 0.5, **QUICK})


def of(scale: float) -> Results:
    random = np.random.default_rng(2)
    score = random.random(300)
    truth = (random.random(300) < score).astype(int)
    return evaluate(dict(SPEC), pl.DataFrame({"y": truth, "p": scale * score}))


def texts(results: Results) -> list[str]:
    return [c.text for c in results.decision.caveats if c.code == "percentages"]


def test_scores_up_to_100_are_said_to_look_like_percentages():
    results = of(100)

    [text] = texts(results)
    assert text.startswith("The scores of m look like percentages: divided by 100")
    reasons = [s["reason"] for s in results.skipped if s["what"] == "calibration"]
    assert reasons == ["the scores look like percentages: divide them by 100"]
    into = translator("zh", names_of(results.to_dict()))
    for english in (text, *reasons):
        into.text(english)
    assert not into.missing


def test_probabilities_and_scores_up_to_ten_are_no_percentages():
    assert not texts(of(1))
    assert not texts(of(10))
    assert [s["reason"] for s in of(10).skipped if s["what"] == "calibration"] == [
        "the scores are not probabilities"
    ]
