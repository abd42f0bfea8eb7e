"""Limits of means of few errors on the log scale, which cells give one by one.

They are those of the rows themselves where rows have no weights. With weights they differ by
the weights of three or more rows that share a cell, of which the sum and that of squares are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.intervals import MeanOfRows
from reportgen.measuring.independent_means import closed_form
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import limited_rows, measured_in_groups
from reportgen.measuring.without_groups import MOST
from reportgen.metrics import Metric
from reportgen.metrics.aggregates import loss_of
from reportgen.results.binned.limits_of_sums import LimitsByMethod
from reportgen.results.binned.number_sums import NumberCounts

_LOW, _HIGH, _ROWS = pl.col("low"), pl.col("high"), pl.col("rows")


def limits_of_few(
    counted: NumberCounts,
    place: tuple[int, int, str],
    limits: Mapping[str, LimitsByMethod],
    metrics: Iterable[Metric],
    values: Mapping[str, float | None],
) -> dict[str, LimitsByMethod]:
    """The limits of sums, but those of few errors from leaving out one row at a time.

    ``place`` is the model, scope and part. What may be negative, a share, and what reads the ends
    of an interval keep theirs.
    """
    if counted.rows(*place[1:]) > MOST:
        return dict(limits)
    spec, columns = counted.spec, counted.models[place[0]]
    level = columns.level or spec.confidence
    of_errors = [
        replace(m, interval=MeanOfRows(m.bounds, m.root, closed_form(m)))
        for m in metrics
        if m.name in limits and m.bounds[0] == 0 and _is_of_errors(m, level)
    ]
    if not of_errors:
        return dict(limits)
    rows = single_errors(counted.cells_of(*place), weighted=counted.weighted)
    alone = Groups(np.arange(rows.height), rows.height)
    number = MetricSubject(columns.name, confidence=spec.confidence)
    known = {m.name: float(value) for m in of_errors if (value := values[m.name]) is not None}
    measured = measured_in_groups(number, rows, of_errors, alone, known=known, level=level)
    of_each = {row["metric"]: row for row in limited_rows([measured])[0]}
    others = {name: of for name, of in limits.items() if name not in of_each}
    return others | {
        name: (row["low"], row["high"], str(row["interval"]))
        for name, row in of_each.items()
        if row["low"] is not None and row["high"] is not None
    }


def _is_of_errors(metric: Metric, level: float) -> bool:
    """Whether a core measure is one of errors alone: means that read no end of an interval are."""
    roots = () if metric.root else loss_of(metric, level).meta.root_names()
    return not (metric.proportion or {"low", "high"} & set(roots))


def single_errors(cells: pl.DataFrame, *, weighted: bool) -> pl.DataFrame:
    """A row for each error of some cells: ``truth`` less an ``estimate`` of 0, and its ``weight``.

    Up to two rows of a cell are at its ends, and a third is where their sum puts it; more are
    alike but for the ends. Of the weights of a cell their sum and that of their squares are kept.

    >>> cells = pl.DataFrame({"rows": [1, 3], "low": [1.0, 4.0], "high": [1.0, 5.0],
    ...                       "middle": [1.0, 4.4], "mass": [1.0, 3.0]})
    >>> single_errors(cells, weighted=False)["truth"].round(9).to_list()
    [1.0, 4.0, 4.2, 5.0]
    """
    position = pl.int_ranges(_ROWS).alias("position")
    rest = ((_ROWS * pl.col("middle") - _LOW - _HIGH) / (_ROWS - 2)).clip(_LOW, _HIGH)
    last = pl.col("position") == _ROWS - 1
    error = pl.when(pl.col("position") == 0).then(_LOW).when(last).then(_HIGH).otherwise(rest)
    weight = _weights() if weighted else pl.lit(1.0)
    rows = cells.with_columns(position).explode("position")
    return rows.select(truth=error, estimate=pl.lit(0.0), weight=weight)


def _weights() -> pl.Expr:
    """One weight that differs from the others of its cell."""
    mean = pl.col("mass") / _ROWS
    excess = (pl.col("mass2") - pl.col("mass") * mean).clip(lower_bound=0.0)
    away = (excess / (_ROWS * (_ROWS - 1))).sqrt()
    one = mean + pl.when(pl.col("position") == 0).then((_ROWS - 1) * away).otherwise(-away)
    return pl.when(_ROWS > 1).then(one.clip(lower_bound=0.0)).otherwise(mean)
