"""What measures of a table of truth and prediction are made of."""

from __future__ import annotations

import polars as pl

COUNT = pl.col("count").cast(pl.Float64)
N = COUNT.sum()
OF_TRUTH, OF_PREDICTION = COUNT.sum().over("truth"), COUNT.sum().over("predicted")
CORRECT = pl.col("truth") == pl.col("predicted")
