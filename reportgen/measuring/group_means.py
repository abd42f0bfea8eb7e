"""The means of each group of rows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Unpack

import polars as pl

from reportgen.array_types import Integers
from reportgen.metrics import Metric
from reportgen.metrics.aggregates import (
    OF_DEFINED,
    WEIGHT,
    Aggregate,
    Recorded,
    losses_of_some,
    of_each_group,
    recorded_in_parts,
)
from reportgen.metrics.settings import MetricArguments
from reportgen.resampling.replicate_sums import of_each_row

OF_GROUP = "weight of the group"
"""The column of it in ``means_by_group``."""

_ADDED = {"total", "every", "row"}


def means_by_group(
    frame: pl.DataFrame,
    metrics: Collection[Metric],
    code: Integers,
    **settings: Unpack[MetricArguments],
) -> pl.DataFrame:
    """The ``weight of the group`` and the group's own value of each mean, by ``group``.

    Of a mean of the rows that have a value their weight too. What several means are made of is
    added up once.
    """
    columns = {OF_GROUP: pl.col("weight").sum()}
    columns |= {
        OF_DEFINED.format(name): pl.col("weight").filter(loss.is_not_null()).sum()
        for name, loss in losses_of_some(metrics).items()
    }
    of_sums, aggregates = {}, Recorded()
    for metric in metrics:
        expression, recorded = recorded_in_parts(metric, settings)
        is_added = recorded.keys() >= set(expression.meta.root_names())
        if is_added and {a.kind for a in recorded.values()} <= _ADDED:
            of_sums[metric.name] = expression
            aggregates |= recorded
        else:
            columns[metric.name] = of_each_group(metric, settings)
    conditions = {n: a.values[0] for n, a in aggregates.items() if a.kind == "every"}
    hold = frame.select(**{n: v.all() for n, v in conditions.items()}) if conditions else None
    in_all: dict[str, bool] = {} if hold is None else hold.row(0, named=True)
    known = {n for n, a in aggregates.items() if a.kind == "row" or in_all.get(n)}
    added = {n: _in_group(a) for n, a in aggregates.items() if n not in known}
    rows = frame.lazy().with_columns(group=code, **of_each_row(aggregates))
    sums = rows.group_by("group").agg(**columns, **added).sort("group").collect(engine="in-memory")
    if not of_sums:
        return sums
    lines = sums.lazy().with_columns(pl.lit(True).alias(n) for n, holds in in_all.items() if holds)
    by_group = lines.with_columns(pl.col("group").set_sorted())
    means = by_group.group_by("group", maintain_order=True).agg(**of_sums)
    return sums.drop(added).hstack(means.collect(engine="in-memory").drop("group"))


def _in_group(aggregate: Aggregate) -> pl.Expr:
    value = aggregate.values[0]
    if aggregate.kind == "every":
        return value.all()
    return (WEIGHT * value).sum() if aggregate.roots else WEIGHT.sum()
