"""The figure of slices has a panel for each measure that has a value, and no empty one."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.results import evaluate
from tests.charts_results import by_id
from tests.quick import QUICK


def test_models_that_give_labels_only_have_no_empty_panel_of_areas():
    row = np.arange(120)
    frame = pl.DataFrame(
        {"y": row % 2 == 0, "p": np.linspace(0, 1, 120), "site": np.array(list("uvw"))[row % 3]}
    ).with_columns(a=pl.col("y") ^ (row % 5 == 0))
    spec = {"truth": "y", "slices": ["site"], **QUICK}
    figures = {
        name: by_id(evaluate(spec | {"models": {"a": {name: column}}}, frame))["slices_0"]
        for name, column in (("label", "a"), ("score", "p"))
    }

    assert figures["label"].table.columns == ["Slice", "Model", "Error rate"]
    assert figures["score"].table.columns == ["Slice", "Model", "Error rate", "AUC"]
    assert [len(figures[name].chart["concat"]) for name in ("label", "score")] == [1, 2]
    assert "AUC" not in figures["label"].alt
