"""What models saw in training of what they are tested on."""

from __future__ import annotations

from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.text import numbers


def leakage(evaluation: Evaluation) -> str | None:
    """The test rows that the models were trained on, or the groups that they know; null if none.

    >>> from reportgen.predictions.evaluation_scheme import ONE_TEST
    >>> leakage(Evaluation("k_fold", 5, 1, 5, 60, 12, test_rows=60, trained_test_rows=3))
    '3 of 60 test rows were also trained on'
    >>> leakage(ONE_TEST)
    """
    rows, of_rows = evaluation.trained_test_rows or 0, evaluation.test_rows
    if rows and of_rows:
        if rows == of_rows:
            return "every test row was also trained on"
        verb = "was" if rows == 1 else "were"
        of_all = numbers.plural(of_rows, "test row")
        return f"{numbers.count(rows)} of {of_all} {verb} also trained on"
    groups, of_groups = evaluation.groups_on_both_sides or 0, evaluation.groups
    if groups and groups == of_groups:
        return "every group is on both sides of a split"
    if groups and of_groups:
        verb, of_all = "is" if groups == 1 else "are", numbers.plural(of_groups, "group")
        return f"{numbers.count(groups)} of {of_all} {verb} on both sides of a split"
    return None


def of_leakage(evaluation: Evaluation) -> str:
    """What follows from it."""
    known = "the results are" if evaluation.trained_test_rows else "results for new groups may be"
    return f"{known} optimistic"
