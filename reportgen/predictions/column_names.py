"""The canonical names of the columns of predictions, written and read here alone.

A model's outputs are ``score:0`` and ``label:0`` (of model 0), what is made of them ``highest:0``
(the class with the highest score) and ``decision:0``; of several classes or labels
``score:0:2`` (of model 0 for class 2); the truth of several labels is ``truth:2`` for label 2, a
slice column ``slice:site``, a column that is only shown ``shown:age``. Every other column bears the
name of its role.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, get_args

MOST_SLICE_VALUES = 200
"""A slicing with more values is left out."""

OutputColumn = Literal["score", "label", "estimate", "low", "high"]
"""What a model can give."""

IDENTITIES = ("id", "group")
"""The columns whose values no file of a build may hold."""

_SLICE, _SHOWN, _PERIOD = "slice", "shown", "period"


def output_column(output: str, model: int, *of_class: int) -> str:
    """The column of a model's output, of several classes or labels that of one.

    >>> output_column("score", 0), output_column("label", 1, 2)
    ('score:0', 'label:1:2')
    """
    return ":".join([output, *map(str, (model, *of_class))])


def score_column(model: int) -> str:
    """The column of a model's scores of the positive class."""
    return output_column("score", model)


def label_column(model: int) -> str:
    """The column of a model's labels."""
    return output_column("label", model)


def truth_column(label: int) -> str:
    """The column that says whether an example has a label."""
    return f"truth:{label}"


def slice_column(name: str) -> str:
    """The column of the slices that are named ``name``."""
    return f"{_SLICE}:{name}"


def period_column(name: str) -> str:
    """The column of the periods that consecutive values of another one make up."""
    return f"{_PERIOD}:{name}"


def named_in_periods(column: str) -> str | None:
    """The name of the column that periods are of; None of any other column.

    >>> named_in_periods("period:week"), named_in_periods("week")
    ('week', None)
    """
    return column.partition(":")[2] if role(column) == _PERIOD else None


def shown_column(name: str) -> str:
    """The column of the values that tables of single rows show under ``name``."""
    return f"{_SHOWN}:{name}"


def shown_names(columns: Iterable[str]) -> dict[str, str]:
    """The names of these columns, by column."""
    return {column: column.partition(":")[2] for column in columns_of(columns, _SHOWN)}


def role(column: str) -> str:
    """What a column is: an output, the truth, a slice, or its own name.

    >>> role("score:0:2"), role("truth"), role("slice:a:b"), role("weight")
    ('score', 'truth', 'slice', 'weight')
    """
    return column.partition(":")[0]


def columns_of(columns: Iterable[str], *roles: str) -> list[str]:
    """The columns that are one of ``roles``."""
    return [column for column in columns if role(column) in roles]


def outputs(columns: Iterable[str]) -> list[str]:
    """The columns of what models give."""
    return columns_of(columns, *get_args(OutputColumn))


def classes_of(columns: Collection[str], output: str, model: int) -> tuple[str, ...]:
    """The columns of a model's output by class, in the order of the classes."""
    of_class = {
        int(parts[2]): column
        for column in columns_of(columns, output)
        if len(parts := column.split(":")) == 3 and model_of(column) == model
    }
    return tuple(of_class[k] for k in sorted(of_class))


def model_of(column: str) -> int:
    """The place of the model whose output a column is.

    >>> model_of("score:1:2")
    1
    """
    return int(column.split(":")[1])


def of_model(column: str, model: int) -> str:
    """The same output of another model.

    >>> of_model("score:0:2", 1)
    'score:1:2'
    """
    output, _, *of_class = column.split(":")
    return output_column(output, model, *map(int, of_class))


def upper_limit(low: str) -> str:
    """The column of the upper limits beside that of the lower ones.

    >>> upper_limit("low:0")
    'high:0'
    """
    return output_column("high", model_of(low))


def slice_names(columns: Iterable[str]) -> dict[str, str]:
    """The names of the slice columns, by column."""
    return {column: column.partition(":")[2] for column in columns_of(columns, _SLICE)}
