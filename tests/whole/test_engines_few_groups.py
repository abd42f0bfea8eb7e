"""Counted rows in few groups: their models differ in no more groups than there are."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.quick import QUICK

NUMBERS = {"truth": "x", "models": {"p": {"estimate": "p"}, "q": {"estimate": "q"}}}
CLASSES = {"truth": "y", "models": {"p": {"score": "p"}, "q": {"score": "q"}}}


@pytest.mark.parametrize("groups", [3, 5, 12])
@pytest.mark.parametrize("models", [NUMBERS, CLASSES], ids=["numbers", "classes"])
def test_tests_of_few_groups_are_recommended_as_of_rows_in_memory(tmp_path, models, groups):
    random = np.random.default_rng(2)
    truth = random.normal(size=360)
    noise = random.normal(size=(2, 360)) * [[0.4], [0.9]]
    frame = pl.DataFrame(
        {"x": truth, "y": truth > 0, "g": np.arange(360) % groups, "p": truth + noise[0]}
    ).with_columns(q=pl.Series(truth + noise[1]))
    frame.write_parquet(tmp_path / "rows.parquet")
    spec = {**models, "threshold": 0, "columns": {"group": "g"}, **QUICK}
    if models is NUMBERS:
        del spec["threshold"]
    spec["data"] = str(tmp_path / "rows.parquet")
    exact, counted = (
        {
            (row["comparison"], row["metric"]): (row["recommendation"], row["why"])
            for row in evaluate({**spec, "engine": engine}, allowed_roots=None)
            .comparisons.filter(pl.col("undefined").is_null())
            .to_dicts()
        }
        for engine in ("exact", "streaming")
    )

    for key in exact.keys() & counted.keys():
        assert counted[key] == exact[key]
    assert ("recommended" in {one for one, _ in counted.values()}) == (groups == 12)
