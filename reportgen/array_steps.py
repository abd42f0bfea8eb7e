"""The steps of expressions on arrays, by the names that Polars writes for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from scipy.special import boxcox1p, inv_boxcox, xlogy


class ArrayColumn(NamedTuple):
    """Numbers or flags, and which are null: None where none can be."""

    values: Any
    null: Any = None

    @classmethod
    def of(cls, values: pl.Series) -> ArrayColumn:
        """The numbers of a column, as Float64."""
        null = values.is_null().to_numpy() if values.null_count() else None
        return cls(values.cast(pl.Float64).to_numpy(), null)


ArrayStep: TypeAlias = Callable[..., ArrayColumn]


def _either(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return a | b


def _of_values(function: Callable[..., Any]) -> ArrayStep:
    """Null where an argument is."""

    def step(*columns: ArrayColumn) -> ArrayColumn:
        values, null = [], None
        for of_column, of_null in columns:  # twice as fast as ``reduce``
            values.append(of_column)
            if of_null is not None:
                null = of_null if null is None else null | of_null
        return ArrayColumn(function(*values), null)

    return step


def _greater(a: Any, b: Any) -> Any:
    """Of numbers, NaN is the greatest."""
    return (a > b) | (np.isnan(a) & ~np.isnan(b))


def _equal(a: Any, b: Any) -> Any:
    return (a == b) | (np.isnan(a) & np.isnan(b))


def _divided(a: Any, b: Any) -> Any:
    """Polars divides one number by a constant, and multiplies many with the inverse."""
    return a * (1 / b) if b.ndim == 0 and a.size > 1 else a / b


def _and(a: ArrayColumn, b: ArrayColumn) -> ArrayColumn:
    """Null where an argument is and the other is not false."""
    null = _either(a.null, b.null)
    if null is not None:
        null = null & _either(a.values, a.null) & _either(b.values, b.null)
    return ArrayColumn(a.values & b.values, null)


def _or(a: ArrayColumn, b: ArrayColumn) -> ArrayColumn:
    """Null where an argument is and the other is not true."""
    null = _either(a.null, b.null)
    true = _true(a) | _true(b)
    return ArrayColumn(true, None if null is None else null & ~true)


def _true(column: ArrayColumn) -> Any:
    return column.values if column.null is None else column.values & ~column.null


def _nulls(column: ArrayColumn) -> Any:
    return np.zeros(np.shape(column.values), bool) if column.null is None else column.null


def _chosen(predicate: ArrayColumn, truthy: ArrayColumn, falsy: ArrayColumn) -> ArrayColumn:
    """``falsy`` where the predicate is null, too."""
    true = _true(predicate)
    null = None
    if truthy.null is not None or falsy.null is not None:
        null = np.where(true, *(one.null is not None and one.null for one in (truthy, falsy)))
    return ArrayColumn(np.where(true, truthy.values, falsy.values), null)


def _null_where_zero(column: ArrayColumn) -> ArrayColumn:
    return ArrayColumn(column.values, _either(column.null, column.values == 0))


def _sum(*columns: ArrayColumn) -> ArrayColumn:
    """The sum of what is not null, by halves."""
    return ArrayColumn(_by_halves([_filled(column, 0.0) for column in columns]))


def _by_halves(values: Sequence[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    return _by_halves(values[:half]) + _by_halves(values[half:])


def _extreme(of_two: Callable[[Any, Any], Any]) -> ArrayStep:
    """Of what is neither null nor NaN."""

    def step(*columns: ArrayColumn) -> ArrayColumn:
        every = all(column.null is not None for column in columns)
        null = reduce(np.logical_and, (c.null for c in columns)) if every else None
        return ArrayColumn(reduce(of_two, (_filled(column, np.nan) for column in columns)), null)

    return step


def _filled(column: ArrayColumn, value: float) -> Any:
    return column.values if column.null is None else np.where(column.null, value, column.values)


def _logarithm(base: float) -> ArrayStep:
    """SciPy's is that of the C library, as in Polars; NumPy's may differ in the last digit.

    So are its exponential and its log(1 + x), as Box-Cox transforms of power 0.
    """
    if base == math.e:
        return _of_values(lambda x: xlogy(1.0, x))
    return _of_values(lambda x: xlogy(1.0, x) / math.log(base))


STEPS: Mapping[str, ArrayStep] = {
    "Plus": _of_values(np.add),
    "Minus": _of_values(np.subtract),
    "Multiply": _of_values(np.multiply),
    "TrueDivide": _of_values(_divided),
    "Gt": _of_values(_greater),
    "GtEq": _of_values(lambda a, b: ~_greater(b, a)),
    "Lt": _of_values(lambda a, b: _greater(b, a)),
    "LtEq": _of_values(lambda a, b: ~_greater(a, b)),
    "Eq": _of_values(_equal),
    "And": _and,
    "Or": _or,
    "Ternary": _chosen,
    '{"Boolean": "Not"}': _of_values(np.logical_not),
    '{"Boolean": "IsFinite"}': _of_values(np.isfinite),
    '{"Boolean": "IsNull"}': lambda column: ArrayColumn(_nulls(column)),
    '{"Boolean": "IsNotNull"}': lambda column: ArrayColumn(~_nulls(column)),
    '"Exp"': _of_values(lambda x: inv_boxcox(x, 0.0)),
    '"Negate"': _of_values(np.negative),
    '"Abs"': _of_values(np.abs),
    '{"Pow": "Sqrt"}': _of_values(np.sqrt),
    '{"Pow": "Generic"}[{"Literal": {"Dyn": {"Int": 2}}}]': _of_values(np.square),
    '{"Pow": "Generic"}[{"Literal": {"Dyn": {"Int": 3}}}]': _of_values(lambda x: x * x * x),
    '{"Trigonometry": "ArcTanh"}': _of_values(lambda x: 0.5 * boxcox1p(2 * x / (1 - x), 0.0)),
    '"Replace"'
    '[{"Literal": {"Dyn": {"Float": 0.0}}}, {"Literal": {"Scalar": {"Null": "Float64"}}}]': (
        _null_where_zero
    ),
    '"Log"[{"Literal": {"Dyn": {"Int": 2}}}]': _logarithm(2),
    f'"Log"[{{"Literal": {{"Dyn": {{"Float": {math.e}}}}}}}]': _logarithm(math.e),
    '{"Clip": {"has_min": true, "has_max": true}}': _of_values(np.clip),
    '{"Clip": {"has_min": true, "has_max": false}}': _of_values(
        lambda x, least: np.where(x < least, least, x)
    ),
    '{"Clip": {"has_min": false, "has_max": true}}': _of_values(
        lambda x, most: np.where(x > most, most, x)
    ),
    '{"SumHorizontal": {"ignore_nulls": true}}': _sum,
    '"MinHorizontal"': _extreme(np.fmin),
    '"MaxHorizontal"': _extreme(np.fmax),
}
"""By the name of a node of the serialised expression, with what arguments choose."""
