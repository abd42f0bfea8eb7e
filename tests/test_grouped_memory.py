"""What the rows of a model in groups hold once its measures are there."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.measuring.grouped import GroupedRows

ROWS = 400


def grouped() -> GroupedRows:
    random = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "truth": random.random(ROWS) < 0.3,
            "group": random.integers(0, 50, ROWS),
            "score": random.random(ROWS),
        }
    )
    return GroupedRows.of(frame, "score", None)


def test_arrays_that_are_needed_once_are_freed_and_effects_are_the_same():
    rows = grouped()
    values = {"auc": 0.5, "average_precision": 0.4}
    effects = rows.effects(values)
    rows.forget()

    assert not {"groups", "score", "classes", "scratch", "forecasts"} & rows.__dict__.keys()
    assert rows.groups.code.shape == rows.score.shape == (ROWS,)
    again = grouped()
    again.forget()
    assert again.effects(values) == effects
