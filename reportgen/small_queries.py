"""Columns of small frames: planned as little as they can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import polars as pl

_SHARED = pl.QueryOptFlags.none(comm_subexpr_elim=True)
"""Where rows are few a plan costs more than it saves, but for what the columns share."""


_PLAIN = ContextVar("plain sums", default=False)


@contextmanager
def plain_sums() -> Iterator[None]:
    """Where ``total`` is a plain sum: of many small groups that is forty times as fast.

    >>> with plain_sums():
    ...     print(total(pl.col("a")))
    col("a").sum()
    """
    before = _PLAIN.set(True)
    try:
        yield
    finally:
        _PLAIN.reset(before)


_WORKED_OUT = ContextVar[dict[str, pl.Expr] | None]("values worked out before", default=None)


@contextmanager
def values_once() -> Iterator[dict[str, pl.Expr]]:
    """What ``total`` adds up is a column, here by its name, to be worked out before the sums.

    So is what ``once`` takes. A sum takes a value in seven places, for each of which Polars works
    it out anew.

    >>> with values_once() as values:
    ...     print(total(pl.col("a") * pl.col("b")).meta.root_names()[0])
    @0
    >>> [str(value) for value in values.values()]
    ['[(col("a")) * (col("b"))]']
    """
    values: dict[str, pl.Expr] = {}
    before = _WORKED_OUT.set(values)
    try:
        yield values
    finally:
        _WORKED_OUT.reset(before)


def is_once() -> bool:
    """Whether expressions are made whose values are columns."""
    return _WORKED_OUT.get() is not None


def once(value: pl.Expr) -> pl.Expr:
    """A value of each row that is read several times: within ``values_once`` its column."""
    values = _WORKED_OUT.get()
    if values is None or not value.meta.root_names():
        return value
    known = (name for name, other in values.items() if other.meta.eq(value))
    name = next(known, f"@{len(values)}")
    values.setdefault(name, value)
    return pl.col(name)


def total(value: pl.Expr) -> pl.Expr:
    """Sum that is the same in every order of the rows.

    Values are cut at a bit above which all sums of so many of them are exact. What is cut
    off adds up to less than the last digit, so that the order in which it is rounded is lost.
    Demmel & Nguyen (2013), doi:10.1109/ARITH.2013.9.

    >>> frame = pl.DataFrame({"a": [0.1, 0.2, 0.3, -0.6, 1e9]})
    >>> frame.select(total(pl.col("a"))).equals(frame.reverse().select(total(pl.col("a"))))
    True
    """
    if _PLAIN.get():
        return value.sum()
    value = once(value)
    largest = value.abs().max() * value.len()
    cut = 1.5 * pl.lit(2.0) ** largest.log(2).ceil()
    high = (value + cut) - cut
    exact = high.sum() + (value - high).sum()
    return pl.when(largest > 0).then(exact).otherwise(value.sum())


def selected(frame: pl.DataFrame, columns: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """The named columns.

    In memory and in one piece, so that sums of floats do not depend on how the rows were cut:
    threads cut them when they sort.
    """
    return collected(frame.rechunk().lazy().select(**columns))


def collected(query: pl.LazyFrame) -> pl.DataFrame:
    """What a query on few rows gives, in memory too."""
    return query.collect(engine="in-memory", optimizations=_SHARED)
