"""A truth some of whose values are no class, such as unknown: the other rows are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.initial_spec import column_roles
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.initial_spec.truth_choice import names_outcome
from reportgen.predictions.labels import is_no_class


@dataclass(frozen=True)
class WithoutLabels:
    """A column that may be the truth, its labels that are no class, and the rows without them."""

    name: str
    labels: Mapping[str, int]
    frame: pl.DataFrame
    likely: bool
    """Whether the name of the column says that it is the truth, or what happened."""


def without_labels(
    columns: Sequence[ColumnProfile], frame: pl.DataFrame
) -> Iterator[WithoutLabels]:
    """Yield every column with labels that are no class and two or more others."""
    for column in columns:
        labels = {label: n for label, n in column.labels.items() if is_no_class(label)}
        stated = column.stated_truth
        if labels and len(column.labels) - len(labels) >= 2 and stated is not False:
            rows = ~column.texts.is_in(list(labels)).fill_null(value=False)
            likely = column_roles.named_truth(column) or names_outcome(column)
            yield WithoutLabels(column.name, labels, frame.filter(rows), likely)
