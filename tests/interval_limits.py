"""The limits that an interval gives a value, over the frame that the value reads."""

from __future__ import annotations

import polars as pl

from reportgen.intervals import Interval
from reportgen.intervals.shapes import LimitExpressions


def limits_of(interval: Interval, value: pl.Expr, confidence: float = 0.95) -> LimitExpressions:
    """Lower and upper limit."""
    return interval.around(interval.estimate(value, confidence))
