"""Replicates of measures that are made of sums: each sum once for all that read it."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.metrics.aggregates import WEIGHT, Aggregate, Recorded
from reportgen.metrics.pairs import quantile, quantile_of_equal_weights
from reportgen.metrics.registry import ratio

_WEIGHT_SUM, _REPLICATE = "weight sum", "replicate"


def added_parts(frame: pl.DataFrame, aggregates: Recorded, sizes: Integers) -> pl.DataFrame:
    """Every aggregate by its name, a line for each ``replicate`` of so many rows, one by one.

    Each as the expression of its measure has it, to the last digit: what a sum over a replicate
    is less its mean is written out for its rows, where an expression would do so again for each
    measure.
    """
    replicate = np.repeat(np.arange(len(sizes)), sizes)
    rows = frame.with_columns(pl.Series(_REPLICATE, replicate).set_sorted())
    plain = {
        n: _of_rows(a) for n, a in aggregates.items() if a.kind not in ("products", "quantile")
    }
    factors = {str(v): v for a in aggregates.values() if a.kind == "products" for v in a.values}
    totals = {f"total {k}": (WEIGHT * value).sum() for k, value in enumerate(factors.values())}
    table = _by_replicate(rows, plain | totals | {_WEIGHT_SUM: WEIGHT.sum()})
    if factors:
        means = table.select(
            ratio(pl.col(total), pl.col(_WEIGHT_SUM)).alias(f"mean {k}")
            for k, total in enumerate(totals)
        )
        mean_of_row = means[replicate]
        away = {
            text: value - pl.col(f"mean {k}") for k, (text, value) in enumerate(factors.items())
        }
        products = {n: _product(a, away) for n, a in aggregates.items() if a.kind == "products"}
        table = table.hstack(_by_replicate(rows.hstack(mean_of_row), products).drop(_REPLICATE))
    quantiles = {n: a for n, a in aggregates.items() if a.kind == "quantile"}
    return table.hstack(_quantiles(rows, quantiles, sizes))


def _of_rows(aggregate: Aggregate) -> pl.Expr:
    (value,) = aggregate.values
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
    whole = pl.col(_REPLICATE).shift(1).last().alias("whole")
    lazy = rows.lazy().with_columns(pl.col(_REPLICATE).set_sorted())
    groups = lazy.group_by(_REPLICATE, maintain_order=True).agg(**columns, whole=whole)
    return groups.drop("whole").collect(engine="in-memory")


def _quantiles(rows: pl.DataFrame, quantiles: Recorded, sizes: Integers) -> list[pl.Series]:
    """Of replicates of one size whose rows weigh the same all at once."""
    weight = rows.select(WEIGHT).to_series()
    if (sizes != sizes[0]).any() or weight.min() != weight.max():
        expressions = {n: quantile(a.values[0], a.level) for n, a in quantiles.items()}
        table = _by_replicate(rows, expressions).drop(_REPLICATE)
        return table.get_columns()
    return [
        pl.Series(name, quantile_of_equal_weights(_matrix(rows, a, sizes), a.level))
        for name, a in quantiles.items()
    ]


def _matrix(rows: pl.DataFrame, aggregate: Aggregate, sizes: Integers) -> Floats:
    return rows.select(aggregate.values[0]).to_series().to_numpy().reshape(len(sizes), -1)
