"""Scores that their values tell: ratings of a scale, such as 1 to 5, and others without a name."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.column_statistics import as_float
from reportgen.initial_spec import column_roles, dates
from reportgen.initial_spec.profile import ColumnProfile, separation
from reportgen.initial_spec.truth_choice import names_outcome
from reportgen.predictions.binary_labels import by_name, natural_positive
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


_STANDARD_ERRORS = 3
"""How far from chance, in its standard errors, an AUC must be."""


def numbers_without_use(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """The columns of numbers that have no other use by their names, and count no rows."""
    return [
        c
        for c in columns
        if c.numbers is not None
        and c.complete
        and c.distinct > 2
        and not c.stated_truth
        and not any(column_roles.hinted(c, use) for use in OTHER_USES)
        and not c.words & dates.WORDS
        and (c.fractional or not c.numbers.is_sorted())
    ]


def unnamed_scores(
    columns: Sequence[ColumnProfile], truth: ColumnProfile
) -> list[tuple[ColumnProfile, str]]:
    """Return the numbers that separate the truth, all in one direction, with the reason.

    Only where names or labels say that it is one. The direction is that of the label that is
    positive by its name if any has it, else that of the best. A single column may as well be a
    feature unless it is signed or ends at 100, as margins and percentages do.
    """
    if not _is_truth(truth):
        return []
    positive = by_name(truth.labels)
    flags = truth.texts == (positive or next(iter(truth.labels)))
    areas = [
        (c, separation(flags, c.numbers))
        for c in numbers_without_use(columns)
        if c.numbers is not None
    ]
    count, ones = len(flags), int(flags.sum())
    error = ((count + 1) / (12 * ones * (count - ones))) ** 0.5
    least = max(SEPARATES - 0.5, _STANDARD_ERRORS * error)
    higher = [(c, area) for c, area in areas if area - 0.5 >= least]
    lower = [(c, area) for c, area in areas if 0.5 - area >= least]
    same = higher if positive and higher else max(higher, lower, key=_furthest)
    if len(same) == 1 and not truth.stated_truth and not _on_scale_of_scores(same[0][0]):
        return []
    return [(c, separating_reason(c, area)) for c, area in same]


def _furthest(areas: Sequence[tuple[ColumnProfile, float]]) -> float:
    return max((abs(area - 0.5) for _, area in areas), default=0.0)


def _is_truth(column: ColumnProfile) -> bool:
    named = column_roles.named_truth(column) or names_outcome(column)
    coded = natural_positive(column.labels) is not None
    return named or column_roles.by_people(column) or not (coded or by_name(column.labels) is None)


def _on_scale_of_scores(column: ColumnProfile) -> bool:
    low, high = limits(column)
    return low < 0 < high or (low >= 0 and 50 < high <= 100)
