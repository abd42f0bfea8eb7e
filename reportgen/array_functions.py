"""Expressions of a few columns as functions of arrays: of few rows a plan costs more than its work.

They are evaluated step by step from the serialised expression, as Polars would to the last
digit; an expression with a step that is not known here is left to Polars.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import polars as pl

from reportgen.array_steps import STEPS, ArrayColumn, ArrayStep
from reportgen.array_types import Floats, Indices
from reportgen.small_queries import selected

FEW_ROWS = 2**12
"""Of more rows Polars is as fast, and does not hold the result of every step."""


class ArrayFunctions:
    """Element-wise expressions of numeric columns, on arrays with a row per table.

    A field of a struct is a column by the names of both: ``spread.low``.

    >>> share = pl.col("a") / (pl.col("a") + pl.col("b"))
    >>> ArrayFunctions({"share": share}, ("a", "b"))(np.array([[1.0, 3.0], [2.0, 2.0]])).tolist()
    [[0.25], [0.5]]
    """

    def __init__(self, expressions: Mapping[str, pl.Expr], columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self._expressions = dict(expressions)
        self._is_used = False

    @property
    def names(self) -> list[str]:
        """The names of the functions."""
        return list(self._expressions)

    def __call__(self, rows: Floats) -> Floats:
        """A column of each function, NaN where it is null."""
        return self._evaluated(self.names, rows)

    def of(self, rows: Floats, chosen: Indices) -> Floats:
        """The columns of some functions: of several by the steps of all, which are known."""
        if len(chosen) == 1:
            return self._evaluated([self.names[chosen.item()]], rows)
        return self(rows)[:, chosen]

    def each(self, rows: Floats) -> Floats:
        """Each function on rows of its own: function × row × column becomes function × row."""
        parts = (
            self._evaluated([name], of_one) for name, of_one in zip(self._trees, rows, strict=True)
        )
        return np.concatenate([part.T for part in parts])

    def of_frame(self, frame: pl.DataFrame) -> dict[str, list[Any]]:
        """The values of each function in the rows of a frame, None where it is null.

        By Polars at the first use: to read the steps takes as long as a plan, and pays from the
        second use on.
        """
        result = dict[str, list[Any]]()
        by_arrays, self._is_used = self._is_used and frame.height <= FEW_ROWS, True
        if by_arrays and self.left_to_polars < self._expressions.keys():
            program = self._program
            columns = [
                ArrayColumn.of(_read(frame, name)) if name in program.used else ArrayColumn(None)
                for name in self.columns
            ]
            result = dict(zip(program.names, program.lists(columns, frame.height), strict=True))
        others = {name: e for name, e in self._expressions.items() if name not in result}
        if others:
            result |= selected(frame, others).to_dict(as_series=False)
        return result

    @cached_property
    def left_to_polars(self) -> set[str]:
        """The functions with a step that is not known here."""
        return self._trees.keys() - set(self._program.names)

    @cached_property
    def _trees(self) -> dict[str, str]:
        return {name: _tree(e) for name, e in self._expressions.items()}

    @cached_property
    def _program(self) -> _Program:
        """What evaluates the functions whose steps are all known."""
        return _program(tuple(self._trees.items()), self.columns)

    def _evaluated(self, names: Sequence[str], rows: Floats) -> Floats:
        trees = tuple((name, self._trees[name]) for name in names)
        program = _program(trees, self.columns)
        values = np.empty((len(rows), len(names)))
        if program.names:
            values[:, [names.index(name) for name in program.names]] = program.run(rows)
        if others := {n: self._expressions[n] for n in names if n not in program.names}:
            frame = pl.DataFrame(rows, schema=self.columns, orient="row")
            by_polars = selected(frame, others).cast(pl.Float64).to_numpy()
            values[:, [names.index(name) for name in others]] = by_polars
        return values


def _read(frame: pl.DataFrame, name: str) -> pl.Series:
    column, _, part = name.partition(".")
    return frame[column].struct.field(part) if part else frame[column]


_OF_PYTHON = '{"PythonFunction": null}'
"""The tree of an expression that Polars cannot write: its step is not known."""


def _tree(expression: pl.Expr) -> str:
    """An expression's steps as JSON; Polars writes a function in Python with cloudpickle alone."""
    try:
        return expression.meta.serialize(format="json")
    except pl.exceptions.ComputeError:
        return _OF_PYTHON


class _Program:
    """Steps, each on the results of earlier ones; what several expressions share is one step."""

    def __init__(self, trees: Iterable[tuple[str, str]], columns: Sequence[str]) -> None:
        self._columns = columns
        self.names: list[str] = []
        """The expressions whose steps are all known."""
        self.used: set[str] = set()
        """The columns that it reads."""
        self._steps: list[tuple[ArrayStep, tuple[int, ...]]] = []
        self._known: dict[object, int] = {}
        self._outputs: list[int] = []
        for name, tree in trees:
            before = len(self._steps), self.used.copy()
            try:
                self._outputs.append(self._place(json.loads(tree)))
            except (KeyError, ValueError):
                self._forget(*before)
            else:
                self.names.append(name)

    def _forget(self, steps: int, used: set[str]) -> None:
        """Take back the steps of an expression with one that is not known."""
        del self._steps[steps:]
        last = len(self._columns) + steps
        self._known = {key: place for key, place in self._known.items() if place < last}
        self.used = used

    def run(self, rows: Floats) -> Floats:
        """A column of each expression, NaN where it is null."""
        values = np.empty((len(rows), len(self._outputs)))
        columns = [ArrayColumn(np.ascontiguousarray(column)) for column in rows.T]
        for k, (value, null) in enumerate(self._results(columns)):
            values[:, k] = value if null is None else np.where(null, np.nan, value)
        return values

    def lists(self, columns: Sequence[ArrayColumn], height: int) -> Iterator[list[float | None]]:
        """The values of each expression, None where it is null."""
        for value, null in self._results(columns):
            values = np.broadcast_to(np.asarray(value, np.float64), height).tolist()
            if null is None:
                yield values
            else:
                nulls = np.broadcast_to(null, height).tolist()
                yield [None if n else v for v, n in zip(values, nulls, strict=True)]

    def _results(self, columns: Sequence[ArrayColumn]) -> list[ArrayColumn]:
        results = list(columns)
        with np.errstate(all="ignore"):
            for step, at in self._steps:
                results.append(step(*[results[k] for k in at]))
        return [results[place] for place in self._outputs]

    def _place(self, node: Any) -> int:
        """The place of the result of a node of the tree; a KeyError where its step is not known."""
        ((kind, of),) = node.items()
        if kind == "Column":
            return self._read(of)
        if kind == "Alias":
            return self._place(of[0])
        if kind == "Cast" and of["dtype"] == {"Literal": "Float64"}:
            return self._place(of["expr"])
        if kind == "Literal":
            constant = _constant(of)
            return self._added(repr(of), lambda: constant, ())
        if kind == "Function" and "StructExpr" in of["function"]:
            (struct,), part = of["input"], of["function"]["StructExpr"]["FieldByName"]
            return self._read(f"{struct['Column']}.{part}")
        inputs, name = _INPUTS[kind](of)
        at = tuple(self._place(one) for one in inputs)
        return self._added((name, at), STEPS[name], at)

    def _read(self, column: str) -> int:
        place = self._columns.index(column)
        self.used.add(column)
        return place

    def _added(self, key: object, step: ArrayStep, at: tuple[int, ...]) -> int:
        if key not in self._known:
            self._known[key] = len(self._columns) + len(self._steps)
            self._steps.append((step, at))
        return self._known[key]


@lru_cache(maxsize=1024)
def _program(trees: tuple[tuple[str, str], ...], columns: tuple[str, ...]) -> _Program:
    """What evaluates those of the named trees whose steps are all known."""
    return _Program(trees, columns)


def _constant(of: Mapping[str, Any]) -> ArrayColumn:
    if of in _NULLS:
        return ArrayColumn(np.float64(0), np.True_)
    (number,) = of["Dyn"].values()
    if number is None:  # infinity, written without its sign
        raise KeyError(number)
    return ArrayColumn(np.float64(number))


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
