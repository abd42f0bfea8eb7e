"""The columns that a spec leaves out though they could hold predictions, each with its reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from reportgen.column_statistics import as_float
from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.feature_columns import exposures
from reportgen.initial_spec.multiclass import agreement
from reportgen.initial_spec.no_roles import with_signs
from reportgen.initial_spec.profile import ColumnProfile, has_signs
from reportgen.initial_spec.quantile_names import is_quantile
from reportgen.initial_spec.regression import closer
from reportgen.predictions.abstentions import abstentions
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
        number = column.numbers is not None and column.name not in slices
        if of_truth or number or has_signs(column) or is_prediction(column, roles):
            by_reason[_reason(column, roles)].append(column.name)
    return [f"{listing(map(repr, names))} ({why})" for why, names in by_reason.items()]


def further(
    others: Sequence[ColumnProfile], slices: Collection[str], remarks: Collection[str]
) -> list[str]:
    """The columns that nothing uses and no remark names: subgroups, and what no report needs."""
    free = [c.name for c in others if not any(repr(c.name) in text for text in remarks)]
    subgroups = listing(repr(name) for name in free if name in slices)
    unneeded = listing(repr(name) for name in free if name not in slices)
    lines = [f"not used: {subgroups} (name under slices: to show subgroups)"] * bool(subgroups)
    return lines + [f"not used: {unneeded}"] * bool(unneeded)


def unnamed(names: Sequence[str]) -> list[str]:
    """That a column without a name cannot be declared, as the index that pandas writes."""
    if all(name.strip() for name in names):
        return []
    return ["a column has no name, so that nothing can use it: name it id if it identifies rows"]


def is_prediction(column: ColumnProfile, roles: ColumnRoles) -> bool:
    """Whether a column that no model has is no subgroup: it would be a prediction but for a fault.

    It has a note, or gives the truth's labels in most rows, more often the right one than chance.
    """
    if column.name in roles.doubts:
        return True
    if not column.labels or roles.truths or roles.graded or TASKS[roles.task].of_numbers:
        return False
    faulty = bool(column.missing or set(column.labels) - set(roles.truth.labels))
    given = column.texts.is_in(list(roles.truth.labels)).fill_null(value=False)
    if not faulty or as_float(given.mean(), 0.0) < 0.5 or column.distinct < 2:
        return False
    rows = [replace(c, texts=c.texts.filter(given)) for c in (column, roles.truth)]
    return agreement(rows[0], rows[1]) > 0.2


_MISSING = (
    "missing or infinite values: if it is a prediction, leave out those rows, or write the long "
    "form (a row per model and row) without those that are missing"
)
_NEAR = "close to the truth, but not named as a prediction: if it is one, add it to models:"
_CONSTANT = "closer to the truth than a constant would be"


def _reason(column: ColumnProfile, roles: ColumnRoles) -> str:
    doubt = roles.doubts.get(column.name)
    if has_signs(column):
        return with_signs(column)
    if doubt is not None or not column.complete:
        return doubt if column.complete and doubt else _MISSING
    if is_prediction(column, roles):
        strange = [label for label in column.labels if label not in roles.truth.labels]
        is_error = "where the model abstains, that label under classes: makes it an error"
        hint = is_error if abstentions(strange) else "if one is a class, add it to classes:"
        return f"labels that the truth lacks: {listing(map(repr, strange))}; {hint}"
    if is_quantile(column):
        return "a quantile by its name: declare it as low: or high: of a model"
    if TASKS[roles.task].of_numbers:
        return _of_numbers(column, roles.truth)
    return "neither its name nor its values are those of a prediction"


def _of_numbers(column: ColumnProfile, truth: ColumnProfile) -> str:
    if exposures([column]):
        return "a weight, if truth and estimates are rates per unit of it: add it to columns:"
    return _NEAR if closer(column, truth) else f"no {_CONSTANT}, and not named as a prediction"
