"""Every interval of a report over data sets says how it is computed."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.results.definitions.interval_texts import INTERVALS
from reportgen.translation import translator


@pytest.mark.parametrize("baseline", [None, "a"])
def test_the_intervals_of_tests_over_data_sets_have_a_text(baseline):
    random = np.random.default_rng(1)
    values = {name: random.random(9) for name in "abc"}
    frame = pl.DataFrame({"ds": [f"s{k}" for k in range(9)], **values})
    columns = {"dataset": "ds", "models": [*values]}
    spec = {"task": "comparison", "measure": "auc", "columns": columns, "baseline": baseline}
    used = evaluate(spec, frame).comparisons["interval"].drop_nulls().unique().to_list()

    assert {"order_statistics", "signed_rank"} < {*used} <= INTERVALS.keys()
    into = translator("zh", ())
    for name in used:
        into.text(INTERVALS[name].how)
    assert not into.missing
