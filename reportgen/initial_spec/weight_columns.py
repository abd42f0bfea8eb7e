"""Numbers that are named weights: of the rows, or what was weighed and is estimated."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.column_statistics import as_float
from reportgen.initial_spec.column_roles import hinted
from reportgen.initial_spec.profile import ColumnProfile


def on_scale(column: ColumnProfile, truth: ColumnProfile) -> bool:
    """Whether the mean of numbers lies between the smallest and the largest true value."""
    if column.numbers is None or truth.numbers is None:
        return False
    low, high = as_float(truth.numbers.min()), as_float(truth.numbers.max())
    return low <= as_float(column.numbers.mean()) <= high


def weighed(
    columns: Sequence[ColumnProfile], estimates: Sequence[ColumnProfile]
) -> list[ColumnProfile]:
    """The one column of weights, which are what was weighed where estimates are on their scale."""
    weights = [
        c
        for c in columns
        if c.numbers is not None
        and c.complete
        and c.distinct > 2
        and hinted(c, "weight")
        and all(c is not other for other in estimates)
    ]
    fits = all(on_scale(estimate, c) for estimate in estimates for c in weights)
    return weights if len(weights) == 1 and estimates and fits else []
