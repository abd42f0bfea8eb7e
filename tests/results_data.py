"""Predictions of two models, written and evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from reportgen.spec import from_dict
from tests.quick import FEW


def predictions(size: int = 200, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.random(size) < 0.4
    scores = [np.clip(k * truth + random.random(size) * 0.7, 0, 1) for k in (0.3, 0.1)]
    return pl.DataFrame(
        {
            "id": [f"r{i}" for i in range(size)],
            "y": np.where(truth, "yes", "no"),
            "a": scores[0],
            "b": scores[1],
            "says": np.where(scores[0] > 0.6, "yes", "no"),
            "site": random.choice(["north", "south"], size),
            "role": random.choice(["validation", "test"], size),
            "w": random.integers(1, 4, size),
        }
    )


def evaluated(frame: pl.DataFrame, tmp_path, **changes: Any) -> Results:
    spec = {
        "data": "frame.parquet",
        "truth": "y",
        "positive": "yes",
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        **FEW,
        **changes,
    }
    frame.write_parquet(tmp_path / "frame.parquet")
    return evaluate(from_dict(spec, tmp_path))


def metric(results: Results, name: str, model: str = "a", slice: str | None = None) -> dict:
    rows = results.metrics.filter(
        pl.col("slice").eq_missing(pl.lit(slice, pl.String)), metric=name, model=model
    )
    return rows.row(0, named=True)
