"""What measures of estimates are made of: sums over rows, which add up, and their extremes.

In a frame of rows these are expressions. Where rows were counted in parts ``of_parts`` gives
columns of what was added up instead, so that one definition of a measure serves both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal

import polars as pl

from reportgen.metrics.registry import Metric, ratio
from reportgen.metrics.settings import MetricSettings
from reportgen.small_queries import is_once, plain_sums

WEIGHT = pl.col("weight").cast(pl.Float64)

Kind = Literal["total", "products", "every", "least", "greatest", "quantile", "constant", "row"]

_MARK = "@"

_CONSTANT, _OF_ROW = f"{_MARK}constant:", f"{_MARK}row:"

_OF_CLASSES = {"base", "bases"}
"""Columns of the classes: what reads them is an expression over these."""


@dataclass(frozen=True)
class About:
    """How a value of a column changes with a ``constant`` that stands for it.

    With ``slopes`` it is the distance from the constant times the first of them above it and the
    second below. Without it is a deviance, the constant the mean: of rows with the mean m those
    from c add up to those from m and the deviance of m from c times their weight.
    Banerjee et al. (2005), *Clustering with Bregman Divergences*, JMLR 6, 1705-1749.
    """

    constant: pl.Expr
    column: str = "truth"
    slopes: tuple[float, float] | None = None


@dataclass(frozen=True)
class Aggregate:
    """One number of some rows.

    ``total`` is the weighted sum of a value, ``products`` that of the products of the distances of
    two values from their means; ``every`` says whether a condition holds in each row. A
    ``constant`` follows from other aggregates; values of further ones may read it beside the rows.
    A ``row`` is no aggregate but a number of each row, which is known before rows are drawn.
    A ``total`` of rows of which some have no value takes these for 0; its last value is null there.
    """

    kind: Kind
    values: tuple[pl.Expr, ...]
    level: float = 0.0
    about: About | None = None

    @cached_property
    def name(self) -> str:
        """Its column: the same for the same values."""
        content = "|".join([str(self.level), *map(str, self.values)])
        return f"{_MARK}{self.kind}:{hashlib.sha256(content.encode()).hexdigest()[:12]}"

    @cached_property
    def roots(self) -> frozenset[str]:
        """The columns that it reads."""
        return frozenset(root for value in self.values for root in value.meta.root_names())

    @property
    def reads_constants(self) -> bool:
        """Whether its values are of rows and of constants."""
        return any(is_constant(root) for root in self.roots)


def is_constant(column: str) -> bool:
    """Whether a column is a number that follows from aggregates."""
    return column.startswith(_CONSTANT)


Added = Callable[[pl.Expr], pl.Expr]
"""What adds up a column."""

Recorded = dict[str, Aggregate]
"""Aggregates by name."""

_RECORDED: ContextVar[Recorded | None] = ContextVar("recorded aggregates", default=None)

_WITH_CONSTANTS: ContextVar[bool] = ContextVar("constants are recorded", default=False)

_WITH_CLASSES: ContextVar[bool] = ContextVar("rows have columns of the classes", default=False)


@contextmanager
def of_parts(
    recorded: Recorded, *, constants: bool = False, classes: bool = False
) -> Iterator[None]:
    """Where aggregates of rows are columns, recorded by their names.

    What reads another aggregate stays an expression: of rows that stand for the truth. With
    ``constants`` it is recorded too, where it reads the other as ``of_every_row`` has it, and so
    are numbers of rows that ``once_per_row`` names. With ``classes`` the rows have their columns,
    and what is the same in every row.

    >>> with of_parts({}):
    ...     print(total(pl.col("truth")).meta.root_names()[0][:7])
    @total:
    """
    before, constants_before = _RECORDED.set(recorded), _WITH_CONSTANTS.set(constants)
    classes_before = _WITH_CLASSES.set(classes)
    try:
        yield
    finally:
        _RECORDED.reset(before)
        _WITH_CONSTANTS.reset(constants_before)
        _WITH_CLASSES.reset(classes_before)


def of_each_group(metric: Metric, settings: MetricSettings) -> pl.Expr:
    """``expression_of_groups`` of a frame of rows, built once."""
    taken = metric.taken(settings)
    if _RECORDED.get() is not None or not _can_be_kept(taken):
        return metric.expression_of_groups(**settings)
    return _of_each_group(metric.build, *taken.items())


@lru_cache(maxsize=1024)
def _of_each_group(build: Callable[..., pl.Expr], *taken: tuple[str, Any]) -> pl.Expr:
    with plain_sums():
        return build(**dict(taken))


def recorded_in_parts(
    metric: Metric, settings: MetricSettings, *, classes: bool = False
) -> tuple[pl.Expr, Mapping[str, Aggregate]]:
    """A measure over what it is made of, constants among it, and that by name."""
    taken = metric.taken(settings)
    build = _in_parts if _can_be_kept(taken) else _in_parts.__wrapped__
    return build(metric.build, classes, *taken.items())


def _can_be_kept(taken: Mapping[str, Any]) -> bool:
    """Whether an expression with these settings is the same each time."""
    return not is_once() and all(isinstance(value, float | int) for value in taken.values())


@lru_cache(maxsize=1024)
def _in_parts(
    build: Callable[..., pl.Expr], classes: bool, *taken: tuple[str, Any]
) -> tuple[pl.Expr, Mapping[str, Aggregate]]:
    recorded: Recorded = {}
    with of_parts(recorded, constants=True, classes=classes), plain_sums():
        expression = build(**dict(taken))
    return expression, MappingProxyType(recorded)


def of_every_row(number: pl.Expr) -> pl.Expr:
    """A number that follows from aggregates, the same in every row."""
    return _column("constant", number)


def once_per_row(value: pl.Expr) -> pl.Expr:
    """A number of each row that takes long to compute: a row that is drawn again has it already."""
    return _column("row", value)


def _column(kind: Kind, value: pl.Expr) -> pl.Expr:
    recorded = _RECORDED.get()
    if recorded is None or not _WITH_CONSTANTS.get():
        return value
    column = Aggregate(kind, (value,))
    recorded.setdefault(column.name, column)
    return pl.col(column.name)


def total(value: pl.Expr, added: Added = pl.Expr.sum, *, about: About | None = None) -> pl.Expr:
    """Weighted sum, which ``added`` makes of rows."""
    return _of("total", (value,), added(WEIGHT * value), about=about)


def total_of_defined(value: pl.Expr, added: Added = pl.Expr.sum) -> pl.Expr:
    """Weighted sum over the rows in which a value is defined; null is no value of the others."""
    filled = value.fill_null(0.0)
    return _of("total", (filled, value), added(WEIGHT * filled))


def weight_sum(added: Added = pl.Expr.sum) -> pl.Expr:
    """Sum of the weights."""
    return _of("total", (pl.lit(1.0),), added(WEIGHT))


def mean(value: pl.Expr, added: Added = pl.Expr.sum, *, about: About | None = None) -> pl.Expr:
    """Weighted mean, null without rows."""
    return ratio(total(value, added, about=about), weight_sum(added))


def products(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """Weighted sum of the products of the distances of two values from their means."""
    if _RECORDED.get() is None:
        return (WEIGHT * (one - mean(one)) * (other - mean(other))).sum()
    return _of("products", (one, other), pl.lit(None))


def squared_distances(value: pl.Expr) -> pl.Expr:
    """Weighted sum of the squared distances from the mean."""
    if _RECORDED.get() is None:
        return (WEIGHT * (value - mean(value)) ** 2).sum()
    return _of("products", (value, value), pl.lit(None))


def every(condition: pl.Expr) -> pl.Expr:
    """Whether a condition holds in each row."""
    return _of("every", (condition,), condition.all())


def least(value: pl.Expr) -> pl.Expr:
    """The smallest value."""
    return _of("least", (value,), value.min())


def greatest(value: pl.Expr) -> pl.Expr:
    """The largest value."""
    return _of("greatest", (value,), value.max())


def in_every_row(value: pl.Expr) -> pl.Expr:
    """What is the same in every row."""
    return greatest(value) if _WITH_CLASSES.get() else value.first()


def at_level(value: pl.Expr, level: float, of_rows: pl.Expr) -> pl.Expr:
    """A quantile, ``of_rows`` in a frame of rows."""
    return _of("quantile", (value,), of_rows, level)


def _of(
    kind: Kind,
    values: tuple[pl.Expr, ...],
    of_rows: pl.Expr,
    level: float = 0.0,
    about: About | None = None,
) -> pl.Expr:
    recorded = _RECORDED.get()
    aggregate = Aggregate(kind, values, level, about)
    of_classes = aggregate.roots & _OF_CLASSES and not _WITH_CLASSES.get()
    if recorded is None or of_classes or _reads_aggregates(aggregate):
        return of_rows
    recorded.setdefault(aggregate.name, aggregate)
    return pl.col(aggregate.name).first()


def _reads_aggregates(aggregate: Aggregate) -> bool:
    """Whether it reads others than constants and numbers of rows."""
    read = [root for root in aggregate.roots if root.startswith(_MARK)]
    return not all(root.startswith((_CONSTANT, _OF_ROW)) for root in read)


def aggregates_of(metric: Metric, level: float = 0.95) -> Mapping[str, Aggregate]:
    """What a measure is made of."""
    return _aggregates_of(metric.build, *metric.taken({"level": level}).items())


@lru_cache(maxsize=1024)
def _aggregates_of(
    build: Callable[..., pl.Expr], *taken: tuple[str, float]
) -> Mapping[str, Aggregate]:
    """The same from what builds the measure, whatever its interval, and the settings it takes."""
    recorded: Recorded = {}
    with of_parts(recorded), plain_sums():
        build(**dict(taken))
    factors = [v for a in recorded.values() if a.kind == "products" for v in a.values]
    totals = [Aggregate("total", (value,)) for value in factors]
    return MappingProxyType(recorded | {a.name: a for a in totals})


def loss_of(metric: Metric, level: float = 0.95) -> pl.Expr:
    """What a row gives of a measure that is a mean, but for its sign; null where it gives none."""
    return _loss(metric, level).values[-1]


OF_DEFINED = "rows with {}"
"""The rows that have a value of a measure that only some rows may have."""


def losses_of_some(metrics: Iterable[Metric]) -> dict[str, pl.Expr]:
    """The same by name of the measures that only some rows may have."""
    means = (m for m in metrics if m.mean)
    return {m.name: loss_of(m) for m in means if len(_loss(m, 0.95).values) > 1}


def _loss(metric: Metric, level: float) -> Aggregate:
    recorded = aggregates_of(metric, level).values()
    return next(a for a in recorded if a.kind == "total" and a.roots)
