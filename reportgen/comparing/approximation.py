"""Where the approximation behind a test does not hold, from what the test saw of the data.

The rates are those of ``docs/levels.md``.
"""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparing.heavy_errors import heavy_errors, unseen_errors
from reportgen.comparisons import TESTS, Comparison
from reportgen.comparisons.wording import plain
from reportgen.predictions.evaluation_scheme import Evaluation

EXPECTED = 8
"""Of so many groups of one size a claim of a share must expect rows of either kind alone."""

MARGIN_GROUPS = 40
"""From so many groups on, non-inferiority in AUC holds its level if both are at most NEAR_1."""

NEAR_1 = 0.9
"""Of AUCs above it, few groups have the rows that their variances are of."""

IN_TIME = 5
"""Of so many models or fewer the test of all at once in order of time holds its level."""

DRIFTS = "the difference in loss drifts over time, which the test does not allow for"


def rough(record: Comparison, evaluation: Evaluation, *, of_errors: bool = True) -> Iterator[str]:
    """The reasons against a test of this evaluation; ``of_errors``: those of large errors, too."""
    groups = evaluation.groups
    yield from _claim(record)
    if record.drift and "steady losses" in TESTS[record.comparison].traits and not _rejects(record):
        yield DRIFTS
    if record.comparison == "diebold_mariano_several" and len(record.models) > IN_TIME:
        yield (
            f"of more than {IN_TIME} models the test rejected up to 8 % of true null hypotheses in "
            "simulations"
        )
    if groups is not None and record.unit == "rows" and _of_margin(record):
        yield from _of_areas_in_groups(record, groups)
    if of_errors:
        yield from unseen_errors(record, evaluation)
        yield from heavy_errors(record, evaluation)


def _rejects(record: Comparison) -> bool:
    """Whether p is below α: of losses that change steadily limits are too wide, not too narrow."""
    return record.p_value is not None and record.p_value < record.alpha


def _claim(record: Comparison) -> Iterator[str]:
    """Too few groups, or too unlike ones, for a claim so near 0 or 1."""
    worth, claim = record.effective_groups, record.against
    if worth is None or claim is None or not 0 < claim < 1:
        return
    least = EXPECTED / min(claim, 1 - claim)
    weighted = record.comparison == "rao_scott_weighted"
    units, size = ("rows or groups", "weight") if weighted else ("groups", "size")
    if worth < least:
        yield (
            f"the {units} are worth {worth:.3g} of equal {size}, and against a claim of "
            f"{plain(claim)} the test holds its level from {least:.3g} on. In simulations of fewer "
            "it rejected up to 13 % of true null hypotheses"
        )


def _of_areas_in_groups(record: Comparison, groups: int) -> Iterator[str]:
    if groups < MARGIN_GROUPS:
        yield (
            f"there are only {groups} groups, and non-inferiority in AUC holds its level from "
            f"{MARGIN_GROUPS} on. In simulations of fewer it was shown in up to 9 % of the data "
            "sets at the margin, near an AUC of 1 in up to 18 %"
        )
    elif max(record.areas, default=0.0) > NEAR_1:
        yield (
            f"an AUC is above {NEAR_1:g}, where non-inferiority in groups does not hold its level. "
            "In simulations it was shown in up to 13 % of the data sets at the margin"
        )


def _of_margin(record: Comparison) -> bool:
    return record.is_of_margin and record.metric == "auc"
