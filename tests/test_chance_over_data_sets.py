"""Models that are better than guessing in most data sets, and those that are not."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen import evaluate
from tests.quick import QUICK


def at_chance(apart: np.ndarray) -> set[str]:
    """Of two models, the first one with classes so far apart by data set, the other random."""
    random = np.random.default_rng(1)
    sets = np.arange(len(apart) * 40) // 40
    truth = np.arange(len(sets)) % 2
    frame = pl.DataFrame(
        {
            "y": truth,
            "d": sets,
            "good": random.normal(size=len(sets)) + apart[sets] * truth,
            "none": random.normal(size=len(sets)),
        }
    )
    spec = {"truth": "y", "models": {m: {"score": m} for m in ("good", "none")}, **QUICK}
    spec |= {"columns": {"dataset": "d"}, "comparisons": {"primary": "auc"}}
    return {row.model for row in evaluate(spec, frame).decision.at_chance if row.class_ is None}


def test_a_model_above_one_half_in_all_of_nine_data_sets_is_better_than_chance():
    assert at_chance(np.array([4.0, 4.0, 0.9, 3.0, 4.0, 0.9, 3.0, 4.0, 1.0])) == {"none"}
