"""The columns that a spec leaves out though they could hold predictions, each with its reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.initial_spec.regression import closer, is_quantile
from reportgen.spec.nearest import listing
from reportgen.tasks import TASKS


def unused_columns(
    roles: ColumnRoles, others: Sequence[ColumnProfile], slices: Collection[str]
) -> list[str]:
    """What to tell of columns that are not used: numbers, and labels of the truth.

    ``slices`` are the columns that a comment of the spec names as subgroups.
    """
    by_reason: dict[str, list[str]] = defaultdict(list)
    for column in others:
        of_truth = bool(column.labels) and set(column.labels) <= set(roles.truth.labels)
        if of_truth or (column.numbers is not None and column.name not in slices):
            by_reason[_reason(column, roles)].append(column.name)
    return [f"left out: {listing(map(repr, names))} ({why})" for why, names in by_reason.items()]


def _reason(column: ColumnProfile, roles: ColumnRoles) -> str:
    if not column.complete:
        return "missing or infinite values"
    doubt = next((d for d in roles.doubts if d.startswith(f"{column.name!r}: ")), None)
    if doubt is not None:
        return doubt.removeprefix(f"{column.name!r}: ")
    if is_quantile(column):
        return "a quantile by its name: declare it as low: or high: of a model"
    if TASKS[roles.task].of_numbers and closer(column, roles.truth):
        return "close to the truth, but not named as a prediction: if it is one, add it to models:"
    if TASKS[roles.task].of_numbers:
        return "no closer to the truth than a constant would be, and not named as a prediction"
    return "neither its name nor its values are those of a prediction"
