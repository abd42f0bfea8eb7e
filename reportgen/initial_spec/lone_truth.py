"""The one column of numbers beside others that are named as estimates, however far off."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.initial_spec import column_roles
from reportgen.initial_spec.candidates import CandidateModel, ColumnRoles, free, short, used
from reportgen.initial_spec.prediction_names import TRIVIAL
from reportgen.initial_spec.profile import ColumnProfile, without
from reportgen.initial_spec.regression import ESTIMATE, says
from reportgen.initial_spec.weight_columns import on_scale

_USES = ("fold", "repeat", "role", "weight", "group", "id")

_WHY = "numbers on the truth's scale, and its name says so"


def lone_truth(columns: Sequence[ColumnProfile]) -> ColumnRoles | None:
    """The roles where one column of numbers is left, as of returns that hardly can be predicted."""
    if any(c.stated_truth for c in columns):
        return None
    numbers = [
        c
        for c in columns
        if c.numbers is not None
        and c.complete
        and not any(column_roles.hinted(c, use) for use in _USES)
    ]
    estimates = [c for c in numbers if _is_named(c)]
    left = [c for c in without(numbers, estimates) if c.distinct > 2 and not c.words <= TRIVIAL]
    if len(left) != 1 or not any(c.fractional for c in estimates):
        return None
    [truth] = left
    if not all(on_scale(c, truth) for c in estimates):
        return None
    models: dict[str, CandidateModel] = {}
    for column in estimates:
        name = free(short(column.name, ESTIMATE | truth.words), models)
        models[name] = CandidateModel(name, {"estimate": column.name}, _WHY)
    uses = used(without(columns, [truth, *estimates]))
    why = f"{truth.distinct:,} different numbers, and the others are named as predictions"
    assigned = [*estimates, *uses.values()]
    return ColumnRoles("regression", truth, why, list(models.values()), assigned, uses)


def _is_named(column: ColumnProfile) -> bool:
    by_name = column_roles.named_prediction(column) or says(column, ESTIMATE)
    return by_name or column_roles.named_model(column)
