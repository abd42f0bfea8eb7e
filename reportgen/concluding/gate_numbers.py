"""The numbers that gates ask for: values with their intervals, and differences of two models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from reportgen.comparisons.wording import measure
from reportgen.concluding.gate_differences import (
    EstimatedDifference,
    GateLimits,
    over_data_sets,
)
from reportgen.concluding.gate_reasons import in_order, why_undefined
from reportgen.metric_names import MEAN_OVER_FOLDS, parted
from reportgen.records.limit_widths import OF_MANY_FITS
from reportgen.records.rows import SHARED_IN_TIME
from reportgen.records.withheld_parts import REASON
from reportgen.spec.gates import Side


@dataclass(frozen=True, slots=True)
class GateNumber:
    """A value, between what bounds it is known, and the interval around it, which holds these.

    An end of an interval has none around it, but was taken from one.
    """

    value: float
    bounds: tuple[float, float]
    interval: GateLimits
    taken_from: GateLimits


def of_both(left: GateLimits, right: GateLimits) -> GateLimits:
    """Limits of a difference from those of its sides, whatever their correlation.

    Both sides are within their limits in at least 1 − 2α of all samples.

    >>> [round(end, 2) for end in of_both((0.7, 0.9), (0.6, 0.75)) or ()]
    [-0.05, 0.3]
    """
    if left is None or right is None:
        return None
    return left[0] - right[1], left[1] - right[0]


class NoValueError(Exception):
    """A gate asks for a number that is not there; says why.

    ``is_withheld`` where that may be for the sake of small counts, or limits do not hold.
    """

    def __init__(self, reason: str, hint: str | None = None, *, is_withheld: bool = False) -> None:
        super().__init__(reason)
        self.hint = hint
        self.is_withheld = is_withheld


def number_of(side: Side, metrics: pl.DataFrame) -> GateNumber:
    """The number of one side of a gate.

    Raises:
        NoValueError: it has no value, or not the end of an interval that is asked for.
    """
    metric, average = parted(side.metric)
    name = f"{measure(metric) if average is None else side.metric} of {side.model}"
    rows = metrics.filter(
        pl.col("metric") == metric,
        pl.col("model") == side.model,
        pl.col("average").eq_missing(average),
        pl.all_horizontal(pl.col("slice", "class").is_null()),
    )
    if rows.is_empty():
        raise NoValueError(f"{name} is not in the results")
    row = rows.row(0, named=True)
    if row["value"] is None:
        if row["undefined"] == REASON:
            raise NoValueError(f"{name} is {REASON}", is_withheld=True)
        raise NoValueError(*why_undefined(name, row, metrics))
    interval = None if row["low"] is None or row["high"] is None else (row["low"], row["high"])
    value, least, most = row["value"], row["least"], row["most"]
    bounds = (value, value) if least is None or most is None else (least, most)
    if side.bound is None:
        return GateNumber(value, bounds, interval, interval)
    if interval is None:
        of_model = metrics.filter(model=side.model, undefined=REASON)
        why = f"{name} has no interval ({row['no_interval']})"
        no_limits = row["no_interval"] in (SHARED_IN_TIME, OF_MANY_FITS)
        raise NoValueError(why, is_withheld=no_limits or not of_model.is_empty())
    end, open_ = row[side.bound], bounds[1] - bounds[0]  # which the limit holds already
    within = (end, end + open_) if side.bound == "low" else (end - open_, end)
    return GateNumber(end, within, None, interval)


def difference_of(
    sides: tuple[Side, Side], differences: pl.DataFrame, comparisons: pl.DataFrame | None
) -> EstimatedDifference | None:
    """Return a difference between models, its interval and their basis, where there is one."""
    left, right = sides
    if left.bound or right.bound or left.metric != right.metric:
        return None
    pair, (metric, average) = [left.model, right.model], parted(left.metric)
    rows = differences.filter(pl.col("metric") == left.metric, pl.col("value").is_not_null())
    if average == MEAN_OVER_FOLDS:
        rows = differences.filter(metric=metric, basis="mean over folds").drop_nulls("value")
    for row in rows.iter_rows(named=True):
        sign = {tuple(pair): 1, tuple(pair[::-1]): -1}.get(tuple(row["models"]))
        if sign is None:
            continue
        ends = None if row["low"] is None else sorted((sign * row["low"], sign * row["high"]))
        return EstimatedDifference(
            sign * row["value"],
            None if ends is None else (ends[0], ends[1]),
            row["basis"],
            allows_time=in_order(row["interval"])
            or row["basis"] == "data sets"
            or _is_of_recommended_folds(row, metric, comparisons),
        )
    is_mean = average == MEAN_OVER_FOLDS
    return over_data_sets(sides, comparisons) if is_mean else None


def _is_of_recommended_folds(
    row: Mapping[str, Any], metric: str, comparisons: pl.DataFrame | None
) -> bool:
    """Whether a mean over folds is that of a recommended test, whose limits page one has."""
    if comparisons is None or row["basis"] != "mean over folds":
        return False
    pair = pl.col("models").list.set_symmetric_difference(list(row["models"])).list.len() == 0
    tests = comparisons.filter(
        pair, pl.col("slice").is_null(), pl.col("unit").is_in(["folds", "repeats"]), metric=metric
    )
    return "recommended" in tests["recommendation"]
