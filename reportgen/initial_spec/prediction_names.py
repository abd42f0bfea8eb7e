"""Columns that their names, or limits on both sides of them, say are predictions."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.initial_spec import column_roles
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.initial_spec.regression import ENDS, ESTIMATE, says
from reportgen.text.words import name_words as words


def predictions_by_name(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Return the columns of numbers or labels that are named as predictions or for models.

    And those between two limits by their names, such as acme beside acme_lo and acme_hi.
    """
    held = [c for c in columns if c.complete and (c.numbers is not None or c.labels)]
    ends = limits(held)
    between = {c.words - _LIMITS for c in ends if c.words - _LIMITS}
    named = [
        c
        for c in held
        if all(c is not end for end in ends)
        and (c.words in between or _named(c) or column_roles.named_model(c))
    ]
    long = column_roles.model_column(columns)
    return [c for c in named if c is not long]


_LIMITS = ENDS["low"] | ENDS["high"]


def limits(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Return the columns of numbers that are named for the lower or upper limit of one thing."""
    of = [c for c in columns if c.numbers is not None and c.distinct > 2 and c.words & _LIMITS]
    both = {c.words - _LIMITS for c in of if c.words & ENDS["low"]}
    both &= {c.words - _LIMITS for c in of if c.words & ENDS["high"]}
    return [c for c in of if c.words - _LIMITS in both]


def _named(column: ColumnProfile) -> bool:
    """Whether a word of the name is that of a prediction, and none that of the truth."""
    if column.stated_truth or column_roles.named_truth(column):
        return False
    hint = column_roles.named_prediction(column) or column_roles.hinted(column, "score")
    return hint or says(column, ESTIMATE)


def main_run(
    columns: Sequence[ColumnProfile], predictions: Sequence[ColumnProfile]
) -> list[ColumnProfile]:
    """Return the predictions without those that only stand among features.

    Those with the name of a model, as baseline or forest, that are in no row with the others:
    with one that is named as a prediction, else at the end of the table, else with the most.
    """
    runs: list[list[ColumnProfile]] = [[]]
    ends = limits(columns)
    for column in columns:
        if any(column is p for p in predictions):
            runs[-1].append(column)
        elif all(column is not end for end in ends) and not _of_rows(column):
            runs.append([])
    last = runs[-1]
    main = max(reversed(runs), key=lambda run: (any(map(_surely, run)), run is last, len(run)))
    main = main or max(reversed(runs), key=len)
    return [c for c in predictions if any(c is one for one in main) or _surely(c)]


def _of_rows(column: ColumnProfile) -> bool:
    """Whether a column may stand between predictions, as the truth, a fold or an id does.

    Or a constant that models are compared with.
    """
    uses = ("truth", "fold", "repeat", "role", "id", "model")
    trivial = column.distinct == 1 and column.words <= TRIVIAL
    return trivial or any(column_roles.hinted(column, use) for use in uses)


TRIVIAL = words("average baseline constant dummy majority mean median mode prevalence prior zero")


def _surely(column: ColumnProfile) -> bool:
    return column_roles.named_prediction(column) or says(column, ESTIMATE)
