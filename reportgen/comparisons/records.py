"""What every comparison returns: one record, its table, and the question that starts it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import chdtri, fdtri, ndtri, stdtrit

from reportgen.comparisons.registry import TESTS
from reportgen.comparisons.wording import measure
from reportgen.metric_names import parted
from reportgen.metrics import find
from reportgen.tables import Comparisons
from reportgen.tables.checked import column_types
from reportgen.tables.comparisons import (
    ComparisonRow,
    Unit,
)

LEAST_P = 1e-300
"""A p-value that a float cannot hold stands as this: it is never 0."""

TOO_SMALL = "p is too small for a floating-point number and is given as 1e-300"


LimitsAt = Callable[[float], tuple[float, float] | None]
"""The limits of an effect at a level of confidence; None where the data have none."""


@dataclass(frozen=True, kw_only=True)
class ComparisonFields(ComparisonRow):
    """What is known of a test: the columns of ``Comparisons``, and what serves its verdict.

    The columns are as that table says. Of the others ``confidence`` is that of the limits,
    ``less_is_better`` of the estimate; ``limits_at`` gives the limits at other levels, where they
    are not of quantiles of t or normal. ``observations`` is how many units there were where that is
    not the number of all rows, folds or data sets; of two samples ``shared`` says how many examples
    are in both, null where nothing tells. Over folds ``fold_means`` has the mean of each model,
    ``above_chance`` how many of its standard errors the lower one is above what guessing gives, and
    ``informedness`` that of each model where the measure has no such value. ``other_unit``: values
    lie outside the bounds of the measure, as those in percent do. ``areas`` are the AUCs of a test
    of a margin. ``drift``: differences in order of time have no one mean, or return to it too
    slowly to tell. ``mean_beyond``: limits of the mean difference reach beyond the margin that a
    test of the median is about. ``worth``: how many independent time points a series is worth.
    ``null`` fills the places of the registered null hypothesis, but for that of the measure.
    """

    confidence: float = 0.95
    less_is_better: bool = False
    limits_at: LimitsAt | None = field(default=None, compare=False)
    observations: int | None = None
    shared: int | None = None
    above_chance: float | None = None
    informedness: tuple[float, ...] = ()
    other_unit: bool = False
    fold_means: tuple[float, ...] = ()
    areas: tuple[float, ...] = ()
    drift: bool = False
    mean_beyond: bool = False
    worth: float | None = None
    null: Mapping[str, str] | None = field(default=None, compare=False)


TakenFields = ParamSpec("TakenFields")
Of = TypeVar("Of")
Result = TypeVar("Result")


def fields_by_name(
    _fields: Callable[TakenFields, object],
) -> Callable[
    [Callable[Concatenate[Of, ...], Result]], Callable[Concatenate[Of, TakenFields], Result]
]:
    """A method that takes these fields by name, for the type check; it stays as it is."""
    return lambda method: method


def fields_by_name_after(
    _fields: Callable[TakenFields, object],
) -> Callable[
    [Callable[Concatenate[Of, str, ...], Result]],
    Callable[Concatenate[Of, str, TakenFields], Result],
]:
    """The same of one whose first argument is a name."""
    return lambda method: method


@dataclass(frozen=True, kw_only=True)
class Comparison(ComparisonFields):
    """A test of one claim, pair or group of models."""

    @fields_by_name(ComparisonFields)
    def with_fields(self, **values: Any) -> Comparison:
        """The same with other values: ``dataclasses.replace`` in a twentieth of its time."""
        changed: Comparison = object.__new__(Comparison)
        vars(changed).update(vars(self), **values)
        return changed


@dataclass(frozen=True, slots=True)
class Question:
    """What a test is asked: which models, which measure, over which units, at which levels.

    ``less_is_better`` is the registry's for a known measure where it is None. ``other_unit`` is
    as in ``Comparison``.
    """

    models: tuple[str, ...]
    metric: str
    alpha: float = 0.05
    confidence: float = 0.95
    less_is_better: bool | None = None
    slice: str | None = None
    unit: Unit = "rows"
    caveats: tuple[str, ...] = ()
    few_units: tuple[str, ...] = ()
    other_unit: bool = False

    @property
    def lower_is_better(self) -> bool:
        """Whether less of the measure is better."""
        return lower_is_better(self.metric) if self.less_is_better is None else self.less_is_better

    @fields_by_name_after(ComparisonFields)
    def record(self, comparison: str, /, **given: Any) -> Comparison:
        """The record of a test of this question, with its results or why it is ``undefined``."""
        info = TESTS[comparison]
        places = {"measure": measure(self.metric), **(given.get("null") or {})}
        record = Comparison(
            comparison=comparison,
            metric=self.metric,
            models=self.models,
            null_hypothesis=info.null_hypothesis.format(**places),
            alpha=self.alpha,
            confidence=self.confidence,
            slice=self.slice,
            unit=self.unit,
            less_is_better=self.lower_is_better,
            other_unit=self.other_unit,
            label=info.label,
            short=info.short,
            symbol=info.symbol,
            shows=info.shows,
        )
        caveats = (*given.get("caveats", ()), *self.caveats)
        few_units = (*given.get("few_units", ()), *self.few_units)
        record = floored(
            record.with_fields(**{**given, "caveats": caveats, "few_units": few_units})
        )
        if record.undefined is not None:
            return record
        critical = critical_statistic(record)
        return record if critical is None else record.with_fields(critical_statistic=critical)

    def undefined(self, reason: str, *comparisons: str) -> list[Comparison]:
        """The records of these tests without a value."""
        return [self.record(name, undefined=reason) for name in comparisons]


def critical_statistic(record: Comparison) -> float | None:
    """The value at which a statistic rejects at α, by its distribution; null without one.

    Tests of ± statistics are two-sided unless they look to one side, as those of claims may, and
    those of equivalence and non-inferiority do.

    >>> question = Question(("a", "b"), "accuracy")
    >>> round(question.record("paired_t_folds", statistic=1.0, df=9.0).critical_statistic, 3)
    2.262
    >>> round(question.record("mcnemar", statistic=1.0, df=1.0).critical_statistic, 3)
    3.841
    """
    if record.statistic is None or record.shows == "probability":
        return None
    one_sided = record.side is not None or record.shows != "difference"
    tail = 1 - record.alpha / (1 if one_sided else 2)
    df, more = record.df or math.inf, record.df_denominator or math.inf
    quantiles: dict[str, Callable[[], Any]] = {
        "z": lambda: ndtri(tail),
        "t": lambda: stdtrit(df, tail) if math.isfinite(df) else ndtri(tail),
        "χ²": lambda: chdtri(df, record.alpha),
        "Q": lambda: chdtri(df, record.alpha),
        "F": lambda: fdtri(df, more, 1 - record.alpha),
    }
    quantile = quantiles.get(record.symbol)
    return None if quantile is None else float(quantile())


def lower_is_better(metric: str) -> bool:
    """Whether less of a measure is better, as the registry has it.

    >>> [lower_is_better(m) for m in ("error_rate", "accuracy", "a measure of one's own")]
    [True, False, False]
    """
    definition = find(parted(metric)[0])
    return definition is not None and definition.better == "lower"


def has_better_end(metric: str) -> bool:
    """Whether more or less of a measure is better; of one of a spec's own it is.

    >>> [has_better_end(m) for m in ("accuracy", "mean_error", "a measure of one's own")]
    [True, False, True]
    """
    definition = find(parted(metric)[0])
    return definition is None or definition.better is not None


def floored(record: Comparison) -> Comparison:
    """The record with a p-value that is never 0."""
    if record.p_value is None or record.p_value >= LEAST_P:
        return record
    return record.with_fields(p_value=LEAST_P, p_note=TOO_SMALL)


def table(records: Iterable[Comparison]) -> DataFrame[Comparisons]:
    """The records as a typed table."""
    types = column_types(Comparisons)
    rows = list(records)
    columns = {name: [getattr(record, name) for record in rows] for name in types}
    return Comparisons.validate(pl.DataFrame(columns, schema=types))
