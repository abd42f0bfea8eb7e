"""What measures of a sweep are made of: all rows, and those that each step adds."""

from __future__ import annotations

import polars as pl

from reportgen.metrics.registry import FP, TP

P, N = TP.last(), FP.last()
ALL = P + N
NEW_TP, NEW_FP = TP - TP.shift(1, fill_value=0.0), FP - FP.shift(1, fill_value=0.0)
NEW = NEW_TP + NEW_FP
SCORE = pl.when(pl.col("threshold").is_finite()).then(pl.col("threshold"))
