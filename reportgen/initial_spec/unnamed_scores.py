"""Scores on any scale that no name tells, such as similarities or percentages: by their values."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.initial_spec import column_roles, dates
from reportgen.initial_spec.profile import ColumnProfile, separation
from reportgen.initial_spec.ratings import OTHER_USES, SEPARATES, limits, separating_reason
from reportgen.initial_spec.truth_choice import names_outcome
from reportgen.predictions.labels import by_name, natural_positive

_STANDARD_ERRORS = 3
"""How far from chance, in its standard errors, an AUC must be."""


def numbers(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
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
    areas = [(c, separation(flags, c.numbers)) for c in numbers(columns) if c.numbers is not None]
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
