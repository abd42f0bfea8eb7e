"""From truths and predictions of several labels in memory to the keys and columns of a spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from reportgen.errors import DataError, Problem
from reportgen.frames import polars_column, polars_frame
from reportgen.spec.document import SpecKeys
from reportgen.spec.nearest import listing

LabelSeries = dict[str, pl.Series]


def several_truths(truth: Any) -> LabelSeries | None:
    """Return the truth by label where it has several columns; ``None`` where it has one.

    An array without names has the labels ``label_0``, ``label_1`` and so on. A sparse
    matrix of scikit-learn is taken as an array.

    >>> list(several_truths({"red": [0, 1], "round": [1, 1]}))
    ['red', 'round']
    >>> several_truths([0, 1]), several_truths(np.zeros((2, 1)))
    (None, None)
    """
    if not _is_table(truth) or (isinstance(truth, np.ndarray) and truth.ndim != 2):
        return None
    frame = polars_frame(_dense(truth), "truth")
    if frame.width == 1:
        return None
    names = [name.replace("column_", "label_") for name in frame.columns]
    named = names if isinstance(_dense(truth), np.ndarray) else frame.columns
    return {name: column.alias(name) for name, column in zip(named, frame, strict=True)}


def only_column(truth: Any) -> Any:
    """Return the column of a table that has one; anything else as it is."""
    return polars_frame(truth, "truth").to_series() if _is_table(truth) else truth


def columns_by_label(
    name: str, output: Any, classes: Any, labels: Sequence[str]
) -> tuple[SpecKeys, LabelSeries]:
    """Return the keys of a model, and its columns.

    ``output`` is an array with a column per label, a mapping or a table of labels to
    columns, or, as forests of scikit-learn have it, a list of arrays with the
    probabilities of both values of each label; ``classes`` are these values where the
    model has them. Zeros and ones alone are decisions.

    Raises:
        DataError: there is not a column for each label.
    """
    by_label = _by_label(name, output, classes, labels)
    decided = all(_is_decision(column) for column in by_label.values())
    columns = {label: column.alias(f"{name}.{label}") for label, column in by_label.items()}
    keys = {label: column.name for label, column in columns.items()}
    return {"labels" if decided else "scores": keys}, {c.name: c for c in columns.values()}


def _by_label(name: str, output: Any, classes: Any, labels: Sequence[str]) -> LabelSeries:
    if isinstance(output, list) and all(np.ndim(part) == 2 for part in output):
        parts = [np.asarray(part) for part in output]
        values = classes if _is_of_each(classes, len(parts)) else [None] * len(parts)
        chances = [_of_one(part, known) for part, known in zip(parts, values, strict=True)]
        return _checked(name, dict(enumerate(chances)), labels)
    frame = polars_frame(_dense(output), f"model {name!r}")
    if set(frame.columns) == set(labels):
        return {label: frame[label] for label in labels}
    if isinstance(output, Mapping):
        message = f"model {name!r} has columns {listing(frame.columns)}, which are not the labels"
        raise DataError(Problem("unknown-label", message, "report", f"name them {listing(labels)}"))
    return _checked(name, dict(enumerate(frame)), labels)


def _checked(name: str, columns: Mapping[int, pl.Series], labels: Sequence[str]) -> LabelSeries:
    if len(columns) != len(labels):
        message = f"model {name!r} has {len(columns)} columns; the truth has {len(labels)} labels"
        hint = "give a column for each label, in the order of the truth's"
        raise DataError(Problem("unequal-length", message, "report", hint))
    return {label: columns[k] for k, label in enumerate(labels)}


def _of_one(chances: np.ndarray[Any, Any], classes: Any) -> pl.Series:
    """The probability that one label holds: 0 where the model never saw it."""
    known = [0, 1] if classes is None else np.asarray(classes).tolist()
    holds = [k for k, value in enumerate(known[: chances.shape[1]]) if value in (1, True, "1")]
    column = chances[:, holds[0]] if holds else np.zeros(len(chances))
    return polars_column(column, "label")


def _is_of_each(classes: Any, labels: int) -> bool:
    return isinstance(classes, list) and len(classes) == labels


def _is_decision(column: pl.Series) -> bool:
    return not column.dtype.is_numeric() or ((column == 0) | (column == 1)).all()


def _dense(values: Any) -> Any:
    return values.toarray() if hasattr(values, "toarray") else values


def _is_table(values: Any) -> bool:
    lazy = isinstance(values, Mapping | pl.LazyFrame)
    return lazy or len(getattr(values, "shape", ())) == 2
