"""Two classes: a truth of two labels, scores, and columns that say one of the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reportgen.spec import guess
from reportgen.spec.init.found import Found, Model, free, short, used
from reportgen.spec.profile import Column

Reasoned = Sequence[tuple[Column, str]]


class Lacking(NamedTuple):
    """What is not found, and what was looked for."""

    what: str
    looked_for: str


def found(columns: Sequence[Column]) -> Found | Lacking:
    """Return what a report of two classes needs, or what it lacks."""
    scores, unsure = guess.score_columns(columns)
    truth = guess.truth_column(columns, [column for column, _ in scores])
    if truth is None:
        return Lacking("truth", "a column with two labels, none missing")
    scores = [(column, why) for column, why in scores if column is not truth[0]]
    others = [c for c in columns if c is not truth[0]]
    scored = [column for column, _ in scores]
    uses = used([c for c in others if all(c is not column for column in scored)])
    taken = [*uses.values(), *scored]
    label_columns = guess.label_columns(others, truth[0], taken)
    if not scores and not label_columns:
        requirement = "a column of numbers from 0 to 1, or of the truth's labels"
        return Lacking("score or label", requirement)
    taken += [column for column, _ in label_columns]
    return Found(
        "binary",
        *truth,
        _models(scores, label_columns),
        taken,
        uses,
        guess.positive(truth[0]),
        _doubts(others, unsure),
    )


def _doubts(columns: Sequence[Column], unsure: Sequence[Column]) -> list[str]:
    """Return what is said about columns that look like scores and were not taken."""
    broken = [c for c in columns if guess.hinted(c, "score") and c.numbers is not None]
    return [
        *(f"{c.name!r}: has missing or infinite values" for c in broken if not c.complete),
        *(f"{c.name!r}: numbers from 0 to 1, but nothing in its name" for c in unsure),
    ]


def _models(scores: Reasoned, label_columns: Reasoned) -> list[Model]:
    """Return the models; a score and a label of the same name belong to one."""
    models: dict[str, Model] = {}
    for column, why in scores:
        name = free(short(column.name), models)
        models[name] = Model(name, {"score": column.name}, why)
    for column, why in label_columns:
        without = short(column.name, frozenset({"class"}))
        name = without if without in models else short(column.name)
        if name == "model" and len(scores) == 1:  # named for no model: that of the only score
            name = next(iter(models))
        model = models.get(name)
        if model is None or "label" in model.keys:
            name = free(name, models)
            models[name] = Model(name, {"label": column.name}, why)
        else:
            models[name] = Model(name, {**model.keys, "label": column.name}, f"{model.why}; {why}")
    return list(models.values())
