"""Two classes: a truth of two labels, scores, and columns that say one of the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reportgen.spec import column_roles
from reportgen.spec.init.candidates import CandidateModel, ColumnRoles, free, short, used
from reportgen.spec.profile import ColumnProfile

Reasoned = Sequence[tuple[ColumnProfile, str]]


class MissingRole(NamedTuple):
    """What is not found, and what was looked for."""

    what: str
    looked_for: str


def binary_roles(columns: Sequence[ColumnProfile]) -> ColumnRoles | MissingRole:
    """Return what a report of two classes needs, or what it lacks."""
    scores, unsure = column_roles.score_columns(columns)
    truth = column_roles.truth_column(columns, [column for column, _ in scores])
    if truth is None:
        return MissingRole("truth", "a column with two labels, none missing")
    scores = [(column, why) for column, why in scores if column is not truth[0]]
    others = [c for c in columns if c is not truth[0]]
    scored = [column for column, _ in scores]
    uses = used([c for c in others if all(c is not column for column in scored)])
    taken = [*uses.values(), *scored]
    label_columns = column_roles.label_columns(others, truth[0], taken)
    if not scores and not label_columns:
        requirement = "a column of numbers from 0 to 1, or of the truth's labels"
        return MissingRole("score or label", requirement)
    taken += [column for column, _ in label_columns]
    return ColumnRoles(
        "binary",
        *truth,
        _models(scores, label_columns),
        taken,
        uses,
        column_roles.positive(truth[0]),
        _doubts(others, unsure),
    )


def _doubts(columns: Sequence[ColumnProfile], unsure: Sequence[ColumnProfile]) -> list[str]:
    """Return what is said about columns that look like scores and were not taken."""
    broken = [c for c in columns if column_roles.hinted(c, "score") and c.numbers is not None]
    return [
        *(f"{c.name!r}: has missing or infinite values" for c in broken if not c.complete),
        *(f"{c.name!r}: numbers from 0 to 1, but nothing in its name" for c in unsure),
    ]


def _models(scores: Reasoned, label_columns: Reasoned) -> list[CandidateModel]:
    """Return the models; a score and a label of the same name belong to one."""
    models: dict[str, CandidateModel] = {}
    for column, why in scores:
        name = free(short(column.name), models)
        models[name] = CandidateModel(name, {"score": column.name}, why)
    for column, why in label_columns:
        without = short(column.name, frozenset({"class"}))
        name = without if without in models else short(column.name)
        if name == "model" and len(scores) == 1:  # named for no model: that of the only score
            name = next(iter(models))
        model = models.get(name)
        if model is None or "label" in model.keys:
            name = free(name, models)
            models[name] = CandidateModel(name, {"label": column.name}, why)
        else:
            models[name] = CandidateModel(
                name, {**model.keys, "label": column.name}, f"{model.why}; {why}"
            )
    return list(models.values())
