"""Limits of measures of numbers that those of another measure settle.

No constant beats the best one of these rows: in every resample a measure against it is at most 0
where a model itself predicts a constant, so that limits from resamples end below 0 and leave out
the value of a constant that is as good. And no mean absolute error exceeds its root mean square:
with few groups the two are estimated from few sums each, and the upper limit of the one may lie
above that of the other. In simulations of 5 to 8 groups the cut limits held as often.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.metrics import REGISTRY
from reportgen.records.rows import rows_of
from reportgen.tables import Metrics
from reportgen.tables.results import MetricRow

OF_CONSTANT = (
    "the estimates are constant, and no constant is better than the best one of these rows"
)
"""Why a measure against the best constant has no limits."""

_R2, _BIAS, _SQUARES = "r2", "mean_error", "mean_squared_error"
_KEY = ("model", "slice")

_ROUNDING = 1e-9
"""A bias of so much of the standard deviation of the truth is none: the constant is its mean."""


def with_limits_of_constants(metrics: DataFrame[Metrics]) -> DataFrame[Metrics]:
    """The measures of numbers, those of constant estimates with the limits that their bias gives.

    Formula: R² = −b²/s² with b the bias and s² = MSE/(1 − R²) the variance of the truth, so that
    its limits are those of −b²/s², with 0 where those of the bias hold it. Of deviances the upper
    limit is 0 there. Against another constant than the mean there are none.
    """
    whole = metrics.filter(pl.all_horizontal(pl.col("class", "average").is_null()))
    rows = rows_of(whole, MetricRow)
    by_name = {(row["model"], row["slice"], row["metric"]): row for row in rows}
    constant = {
        (row["model"], row["slice"])
        for row in rows
        if row["metric"] == "pearson_r" and row["value"] is None
        if _value(by_name.get((row["model"], row["slice"], _R2))) is not None
    }
    if not constant:
        return metrics
    changed: list[dict[str, str | float | None]] = []
    for model, part in constant:
        of = {name: row for (m, s, name), row in by_name.items() if (m, s) == (model, part)}
        changed += _changed(of)
    ends = pl.DataFrame(changed, schema={n: metrics.schema[n] for n in (*_KEY, *_CHANGES)})
    keys = [*_KEY, "metric"]
    joined = metrics.join(
        ends.rename({n: f"new {n}" for n in _ENDS}).with_columns(is_new=True),
        on=keys,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    is_new = pl.col("is_new") & pl.all_horizontal(pl.col("class", "average").is_null())
    columns = [
        pl.when(is_new.fill_null(value=False)).then(f"new {n}").otherwise(n).alias(n) for n in _ENDS
    ]
    return Metrics.validate(joined.with_columns(columns).select(metrics.columns))


_ENDS = ("low", "high", "interval", "no_interval")
_CHANGES = ("metric", *_ENDS)


def _value(row: MetricRow | None) -> float | None:
    return None if row is None else row["value"]


def _changed(of: Mapping[str, MetricRow]) -> list[dict[str, str | float | None]]:
    """The new limits of a model's measures on some rows, by their names."""
    bias, squares = of.get(_BIAS), of.get(_SQUARES)
    ends: Sequence[float] = ()
    if bias is not None and bias["low"] is not None and bias["high"] is not None:
        ends = bias["low"], bias["high"]
    variance = (_value(squares) or 0.0) / (1 - (_value(of[_R2]) or 0.0))
    is_mean = abs(_value(bias) or 0.0) <= _ROUNDING * math.sqrt(variance)
    holds_0 = bool(ends) and min(ends) <= 0 <= max(ends)
    result = []
    for name, row in of.items():
        metric = REGISTRY["regression"].get(name)
        if metric is None or metric.best_constant is None or row["value"] is None:
            continue
        low, high, interval = row["low"], row["high"], row["interval"]
        if metric.best_constant != "mean":
            low, high, interval = None, None, None
        elif is_mean:
            continue
        elif name == _R2 and ends and bias is not None:
            far, near = (pick(end**2 for end in ends) / variance for pick in (max, min))
            low, high, interval = -far, 0.0 if holds_0 else -near, bias["interval"]
        elif holds_0 and low is not None:
            high = 0.0
        key = {"model": row["model"], "slice": row["slice"], "metric": name}
        why = OF_CONSTANT if low is None else None
        result.append({**key, "low": low, "high": high, "interval": interval, "no_interval": why})
    return result


_ABSOLUTE, _ROOT, _SQUARED = (
    "mean_absolute_error",
    "root_mean_squared_error",
    "mean_squared_error",
)
_OF = ("model", "slice", "class", "average")


def with_coherent_errors(metrics: DataFrame[Metrics]) -> DataFrame[Metrics]:
    """The measures of numbers, the limits of absolute errors and of squares cut to each other's.

    The upper limit of the mean absolute error is at most that of the root mean square; the lower
    one of the root mean square at least that of the mean absolute error, and squared of the mean
    square.
    """
    limits = metrics.filter(pl.col("low").is_not_null(), pl.col("high").is_not_null())

    def of(metric: str, end: str, name: str) -> pl.DataFrame:
        return limits.filter(metric=metric).select(*_OF, pl.col(end).alias(name))

    together = metrics.join(
        of(_ROOT, "high", "root_high"), on=_OF, how="left", nulls_equal=True, maintain_order="left"
    )
    together = together.join(
        of(_ABSOLUTE, "low", "absolute_low"),
        on=_OF,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    metric, low, high = pl.col("metric"), pl.col("low"), pl.col("high")
    absolute_low = pl.col("absolute_low")
    least = pl.when(metric == _SQUARED).then(absolute_low**2).otherwise(absolute_low)
    is_cut_above = (metric == _ABSOLUTE) & (high > pl.col("root_high"))
    is_cut_below = metric.is_in([_ROOT, _SQUARED]) & (low < least)
    cut = together.with_columns(
        low=pl.when(is_cut_below).then(least).otherwise(low),
        high=pl.when(is_cut_above).then(pl.col("root_high")).otherwise(high),
    )
    return Metrics.validate(cut.select(metrics.columns))
