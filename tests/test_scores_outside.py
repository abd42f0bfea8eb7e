"""A few scores that are none of a probability take a model's measures of probabilities away."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen import evaluate
from tests.test_translation import assert_translated


def test_page_one_says_that_a_few_scores_took_the_measures_of_probabilities_away():
    random = np.random.default_rng(1)
    truth = random.random(300) < 0.4
    score = np.clip(0.3 * truth + 0.6 * random.random(300), 0, 1)
    frame = pl.DataFrame({"y": truth.astype(int), "slip": score, "whole": score})
    frame = frame.with_columns(slip=pl.when(pl.int_range(300) == 7).then(1.7).otherwise("slip"))
    models = {name: {"score": name} for name in ("slip", "whole")}
    results = evaluate({"truth": "y", "models": models, "bootstrap": {"replicates": 100}}, frame)
    (check,) = (c for c in results.data["checks"] if c["name"] == "range")
    said = [c.text for c in results.decision.caveats if c.code == "scores_outside"]

    assert check["detail"].endswith("in 1 row they are not from 0 to 1, such as 1.7")
    assert said == [
        "slip has no measures of probabilities, as a few of its scores are not from 0 to 1."
    ]
    assert_translated(results)
