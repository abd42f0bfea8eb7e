"""Ratings of a judge or a scale, such as 1 to 5 or 0 to 10, that stand as the scores of a model."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.column_statistics import as_float
from reportgen.initial_spec import column_roles, dates
from reportgen.initial_spec.profile import ColumnProfile, separation
from reportgen.text.words import name_words as words

_RATINGS = words(
    "grade grades judge judged mark marks points rated rater rating ratings review reviews risk "
    "scale stars 评分 打分 评级"
)
"""Words in the name of a column of ratings."""

OTHER_USES = ("id", "fold", "repeat", "role", "weight", "group", "model")

SEPARATES = 0.6
"""AUC from which numbers on another scale than 0 to 1 may be scores."""

_SHORT, _LONG = 10, 100
"""The end of a scale of whole numbers, and of one in a column that is named as a rating."""


def rating_columns(
    columns: Sequence[ColumnProfile], truth: ColumnProfile, *, named_only: bool = False
) -> list[tuple[ColumnProfile, str]]:
    """Return the columns of ratings that separate the truth, with the reason.

    Whole numbers from 0 to 10, or numbers up to 100 where the name says rating; with
    ``named_only`` these alone.
    """
    flags = truth.texts == next(iter(truth.labels))
    result = []
    for column in columns:
        if column is truth or column.numbers is None or not column.complete:
            continue
        if column.words & dates.WORDS or any(column_roles.hinted(column, u) for u in OTHER_USES):
            continue
        named = bool(column.words & _RATINGS)
        whole = not named_only and not column.fractional and column.within(0, _SHORT)
        if column.distinct < 3 or not (whole or (named and column.within(0, _LONG))):
            continue
        area = separation(flags, column.numbers)
        if max(area, 1 - area) >= SEPARATES:
            result.append((column, separating_reason(column, area)))
    return result


def separating_reason(column: ColumnProfile, area: float) -> str:
    """Why numbers that are on no known scale are taken for scores."""
    low, high = limits(column)
    reason = f"numbers from {low:g} to {high:g} that separate the truth"
    return f"{reason} (AUC {max(area, 1 - area):.2f}): a guess"


def limits(column: ColumnProfile) -> tuple[float, float]:
    """The smallest and the largest number."""
    if column.numbers is None:
        return 0.0, 0.0
    return as_float(column.numbers.min(), 0.0), as_float(column.numbers.max(), 0.0)
