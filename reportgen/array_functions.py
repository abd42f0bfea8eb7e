"""Expressions of a few columns as functions of arrays: of few rows a plan costs more than its work.

They are evaluated step by step from the serialised expression, as Polars would to the last
digit; an expression with a step that is not known here is left to Polars.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from scipy.special import xlogy

from reportgen.array_types import Floats
from reportgen.small_queries import selected


class ArrayFunctions:
    """Element-wise expressions of Float64 columns, on arrays with a row per table.

    >>> share = pl.col("a") / (pl.col("a") + pl.col("b"))
    >>> ArrayFunctions({"share": share}, ("a", "b"))(np.array([[1.0, 3.0], [2.0, 2.0]])).tolist()
    [[0.25], [0.5]]
    """

    def __init__(self, expressions: Mapping[str, pl.Expr], columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self._expressions = tuple(expressions.values())
        self._trees = tuple(_tree(e) for e in self._expressions)

    def __call__(self, rows: Floats) -> Floats:
        """A column of each function, NaN where it is null."""
        return self._evaluated(slice(None), rows)

    def each(self, rows: Floats) -> Floats:
        """Each function on rows of its own: function × row × column becomes function × row."""
        parts = (self._evaluated(slice(k, k + 1), of_one) for k, of_one in enumerate(rows))
        return np.concatenate([part.T for part in parts])

    def left_to_polars(self) -> bool:
        """Whether a step is not known here."""
        return _program(self._trees, self.columns) is None

    def _evaluated(self, which: slice, rows: Floats) -> Floats:
        program = _program(self._trees[which], self.columns)
        if program is not None:
            return program.run(rows)
        frame = pl.DataFrame(rows, schema=self.columns, orient="row")
        named = {str(k): one for k, one in enumerate(self._expressions[which])}
        return selected(frame, named).cast(pl.Float64).to_numpy()


_OF_PYTHON = '{"PythonFunction": null}'
"""The tree of an expression that Polars cannot write: its step is not known."""


def _tree(expression: pl.Expr) -> str:
    """An expression's steps as JSON; Polars writes a function in Python with cloudpickle alone."""
    try:
        return expression.meta.serialize(format="json")
    except pl.exceptions.ComputeError:
        return _OF_PYTHON


class _Column(NamedTuple):
    """Numbers or flags, and which are null: None where none can be."""

    values: Any
    null: Any = None


_Step: TypeAlias = Callable[..., _Column]


class _Program:
    """Steps, each on the results of earlier ones; what several expressions share is one step."""

    def __init__(self, trees: Sequence[str], columns: Sequence[str]) -> None:
        self._columns = columns
        self._steps: list[tuple[_Step, tuple[int, ...]]] = []
        self._known: dict[object, int] = {}
        self._outputs = [self._place(json.loads(tree)) for tree in trees]

    def run(self, rows: Floats) -> Floats:
        """A column of each expression."""
        results = [_Column(np.ascontiguousarray(column)) for column in rows.T]
        with np.errstate(all="ignore"):
            for step, at in self._steps:
                results.append(step(*[results[k] for k in at]))
        values = np.empty((len(rows), len(self._outputs)))
        for k, place in enumerate(self._outputs):
            value, null = results[place]
            values[:, k] = value if null is None else np.where(null, np.nan, value)
        return values

    def _place(self, node: Any) -> int:
        """The place of the result of a node of the tree; a KeyError where its step is not known."""
        ((kind, of),) = node.items()
        if kind == "Column":
            return self._columns.index(of)
        if kind == "Alias":
            return self._place(of[0])
        if kind == "Cast" and of["dtype"] == {"Literal": "Float64"}:
            return self._place(of["expr"])
        if kind == "Literal":
            constant = _constant(of)
            return self._added(repr(of), lambda: constant, ())
        inputs, name = _INPUTS[kind](of)
        at = tuple(self._place(one) for one in inputs)
        return self._added((name, at), _STEPS[name], at)

    def _added(self, key: object, step: _Step, at: tuple[int, ...]) -> int:
        if key not in self._known:
            self._known[key] = len(self._columns) + len(self._steps)
            self._steps.append((step, at))
        return self._known[key]


@lru_cache(maxsize=1024)
def _program(trees: tuple[str, ...], columns: tuple[str, ...]) -> _Program | None:
    """None where a step is not known."""
    try:
        return _Program(trees, columns)
    except (KeyError, ValueError):
        return None


def _constant(of: Mapping[str, Any]) -> _Column:
    if of in _NULLS:
        return _Column(np.float64(0), np.True_)
    (number,) = of["Dyn"].values()
    return _Column(np.float64(number))


_NULLS = ({"Scalar": {"Null": "Null"}}, {"Scalar": {"Null": "Float64"}})

_CHOSEN_BY_ARGUMENTS = {'"Replace"', '"Log"', '{"Pow": "Generic"}'}


def _of_function(of: Mapping[str, Any]) -> tuple[Sequence[Any], str]:
    """Arguments that choose the step belong to its name."""
    name, inputs = json.dumps(of["function"]), of["input"]
    if name in _CHOSEN_BY_ARGUMENTS:
        return inputs[:1], name + json.dumps(inputs[1:])
    return inputs, name


_INPUTS: Mapping[str, Callable[[Any], tuple[Sequence[Any], str]]] = {
    "BinaryExpr": lambda of: ((of["left"], of["right"]), of["op"]),
    "Ternary": lambda of: ((of["predicate"], of["truthy"], of["falsy"]), "Ternary"),
    "Function": _of_function,
}
"""What a node is made from, and the name of its step."""


def _either(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return a | b


def _of_values(function: Callable[..., Any]) -> _Step:
    """Null where an argument is."""

    def step(*columns: _Column) -> _Column:
        null = reduce(_either, (column.null for column in columns))
        return _Column(function(*[column.values for column in columns]), null)

    return step


def _greater(a: Any, b: Any) -> Any:
    """Of numbers, NaN is the greatest."""
    return (a > b) | (np.isnan(a) & ~np.isnan(b))


def _equal(a: Any, b: Any) -> Any:
    return (a == b) | (np.isnan(a) & np.isnan(b))


def _and(a: _Column, b: _Column) -> _Column:
    """Null where an argument is and the other is not false."""
    null = _either(a.null, b.null)
    if null is not None:
        null = null & _either(a.values, a.null) & _either(b.values, b.null)
    return _Column(a.values & b.values, null)


def _chosen(predicate: _Column, truthy: _Column, falsy: _Column) -> _Column:
    """``falsy`` where the predicate is null, too."""
    true = predicate.values if predicate.null is None else predicate.values & ~predicate.null
    null = None
    if truthy.null is not None or falsy.null is not None:
        null = np.where(true, *(one.null is not None and one.null for one in (truthy, falsy)))
    return _Column(np.where(true, truthy.values, falsy.values), null)


def _null_where_zero(column: _Column) -> _Column:
    return _Column(column.values, _either(column.null, column.values == 0))


def _sum(*columns: _Column) -> _Column:
    """The sum of what is not null, by halves."""
    return _Column(_by_halves([_filled(column, 0.0) for column in columns]))


def _by_halves(values: Sequence[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    return _by_halves(values[:half]) + _by_halves(values[half:])


def _extreme(of_two: Callable[[Any, Any], Any]) -> _Step:
    """Of what is neither null nor NaN."""

    def step(*columns: _Column) -> _Column:
        every = all(column.null is not None for column in columns)
        null = reduce(np.logical_and, (c.null for c in columns)) if every else None
        return _Column(reduce(of_two, (_filled(column, np.nan) for column in columns)), null)

    return step


def _filled(column: _Column, value: float) -> Any:
    return column.values if column.null is None else np.where(column.null, value, column.values)


def _logarithm(base: float) -> _Step:
    """SciPy's is that of the C library, as in Polars; NumPy's may differ in the last digit."""
    if base == math.e:
        return _of_values(lambda x: xlogy(1.0, x))
    return _of_values(lambda x: xlogy(1.0, x) / math.log(base))


_STEPS: Mapping[str, _Step] = {
    "Plus": _of_values(np.add),
    "Minus": _of_values(np.subtract),
    "Multiply": _of_values(np.multiply),
    "TrueDivide": _of_values(np.divide),
    "Gt": _of_values(_greater),
    "GtEq": _of_values(lambda a, b: ~_greater(b, a)),
    "Eq": _of_values(_equal),
    "And": _and,
    "Ternary": _chosen,
    '{"Boolean": "Not"}': _of_values(np.logical_not),
    '"Negate"': _of_values(np.negative),
    '"Abs"': _of_values(np.abs),
    '{"Pow": "Sqrt"}': _of_values(np.sqrt),
    '{"Pow": "Generic"}[{"Literal": {"Dyn": {"Int": 2}}}]': _of_values(np.square),
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
    '{"SumHorizontal": {"ignore_nulls": true}}': _sum,
    '"MinHorizontal"': _extreme(np.fmin),
    '"MaxHorizontal"': _extreme(np.fmax),
}
