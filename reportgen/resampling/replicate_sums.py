"""What measures of rows are made of, as sums, extremes and quantiles of each replicate."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.metrics.aggregates import WEIGHT, Aggregate, Recorded
from reportgen.metrics.pairs import (
    ascending_shares,
    quantile,
    quantile_of_equal_weights,
    quantile_of_shares,
)
from reportgen.metrics.registry import ratio

_WEIGHT_SUM = "weight sum"

REPLICATE = "replicate"
"""The column of its number."""


def added_parts(frame: pl.DataFrame, aggregates: Recorded, sizes: Integers) -> pl.DataFrame:
    """Every aggregate by its name, a line for each ``replicate`` of so many rows, one by one.

    Each as the expression of its measure has it, to the last digit: what reads constants, or
    distances from means, has those of its replicate written out for its rows, where an expression
    would compute them again for each measure.
    """
    replicate = np.repeat(np.arange(len(sizes)), sizes)
    missing = {n: v for n, v in of_each_row(aggregates).items() if n not in frame.columns}
    rows = frame.with_columns(pl.Series(REPLICATE, replicate).set_sorted(), **missing)
    apart = ("products", "quantile", "constant", "row")
    first = {n: a for n, a in aggregates.items() if not a.reads_constants}
    plain = {n: _of_rows(a) for n, a in first.items() if a.kind not in apart}
    factors = {str(v): v for a in aggregates.values() if a.kind == "products" for v in a.values}
    totals = {f"total {k}": (WEIGHT * value).sum() for k, value in enumerate(factors.values())}
    table = _by_replicate(rows, plain | totals | {_WEIGHT_SUM: WEIGHT.sum()})
    quantiles = {n: a for n, a in aggregates.items() if a.kind == "quantile"}
    table = table.hstack(_quantiles(rows, quantiles, sizes))
    constants = _constants(aggregates)
    means = {
        f"mean {k}": ratio(pl.col(total), pl.col(_WEIGHT_SUM)).first()
        for k, total in enumerate(totals)
    }
    if not constants and not means:
        return table
    of_replicate = _by_replicate(table, constants | means).drop(REPLICATE)
    away = {text: value - pl.col(f"mean {k}") for k, (text, value) in enumerate(factors.items())}
    second = {n: _product(a, away) for n, a in aggregates.items() if a.kind == "products"}
    second |= {n: _of_rows(a) for n, a in aggregates.items() if n not in first}
    beside = rows.hstack(of_replicate[replicate])
    return table.hstack(_by_replicate(beside, second).drop(REPLICATE))


def constants_of(table: pl.DataFrame, aggregates: Recorded) -> pl.DataFrame:
    """The constants that follow from a table of the other aggregates, a line for each replicate."""
    constants = _constants(aggregates)
    return _by_replicate(table, constants).drop(REPLICATE) if constants else pl.DataFrame()


def _constants(aggregates: Recorded) -> dict[str, pl.Expr]:
    return {n: a.values[0] for n, a in aggregates.items() if a.kind == "constant"}


def of_each_row(aggregates: Recorded) -> dict[str, pl.Expr]:
    """Those that are numbers of rows."""
    return {name: a.values[0] for name, a in aggregates.items() if a.kind == "row"}


def _of_rows(aggregate: Aggregate) -> pl.Expr:
    value = aggregate.values[0]
    match aggregate.kind:
        case "total":
            return (WEIGHT * value).sum() if aggregate.roots else WEIGHT.sum()
        case "every":
            return value.all()
        case "least":
            return value.min()
        case _:
            return value.max()


def _product(aggregate: Aggregate, away: dict[str, pl.Expr]) -> pl.Expr:
    one, other = (away[str(value)] for value in aggregate.values)
    if str(aggregate.values[0]) == str(aggregate.values[1]):
        return (WEIGHT * one**2).sum()
    return (WEIGHT * one * other).sum()


def _by_replicate(rows: pl.DataFrame, columns: dict[str, pl.Expr]) -> pl.DataFrame:
    # A shift cannot be pieced together from parts of a group: with one beside it no sum is.
    whole = pl.col(REPLICATE).shift(1).last().alias("whole")
    lazy = rows.lazy().with_columns(pl.col(REPLICATE).set_sorted())
    groups = lazy.group_by(REPLICATE, maintain_order=True).agg(**columns, whole=whole)
    return groups.drop("whole").collect(engine="in-memory")


def _quantiles(rows: pl.DataFrame, quantiles: Recorded, sizes: Integers) -> list[pl.Series]:
    """Of replicates of one size all at once."""
    if (sizes != sizes[0]).any():
        expressions = {n: quantile(a.values[0], a.level) for n, a in quantiles.items()}
        table = _by_replicate(rows, expressions).drop(REPLICATE)
        return table.get_columns()
    weights = _matrix(rows, WEIGHT, sizes)
    alike = weights.size == 0 or weights.min() == weights.max()
    by_value: dict[str, Recorded] = {}
    for name, aggregate in quantiles.items():
        by_value.setdefault(str(aggregate.values[0]), {})[name] = aggregate
    columns = []
    for of_value in by_value.values():
        values = _matrix(rows, next(iter(of_value.values())).values[0], sizes)
        shares = None if alike else ascending_shares(values, weights)
        for name, aggregate in of_value.items():
            level = aggregate.level
            at = (
                quantile_of_equal_weights(values, level)
                if shares is None
                else quantile_of_shares(*shares, level)
            )
            columns.append(pl.Series(name, at))
    return columns


def _matrix(rows: pl.DataFrame, value: pl.Expr, sizes: Integers) -> Floats:
    return rows.select(value).to_series().to_numpy().reshape(len(sizes), -1)
