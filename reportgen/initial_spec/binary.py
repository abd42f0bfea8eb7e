"""Two classes: a truth of two labels, scores, and columns that say one of the labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
import polars as pl

from reportgen.column_statistics import as_float
from reportgen.initial_spec import column_roles
from reportgen.initial_spec.candidates import (
    CandidateModel,
    ColumnRoles,
    free,
    short,
    short_among,
    used,
)
from reportgen.initial_spec.column_roles import Guess
from reportgen.initial_spec.profile import ColumnProfile, separation
from reportgen.initial_spec.scores_by_value import (
    SEPARATES,
    numbers_without_use,
    rating_columns,
    unnamed_scores,
)
from reportgen.initial_spec.truth_choice import truth_choice, with_gaps
from reportgen.metric_names import snake_case

ReasonedColumns = Sequence[tuple[ColumnProfile, str]]


class MissingRole(NamedTuple):
    """What is missing, and what was looked for."""

    what: str
    looked_for: str


def binary_roles(
    columns: Sequence[ColumnProfile], positive_label: str | None, *, by_values: bool = False
) -> ColumnRoles | MissingRole:
    """Return what a report of two classes needs, or what it lacks.

    ``positive_label`` is the one that the user states. ``by_values``: numbers on any scale are
    scores where they separate the truth.
    """
    scores, unsure = column_roles.score_columns(columns)
    unnamed = numbers_without_use(columns) if by_values else []
    choice = truth_choice(columns, [column for column, _ in scores] or unnamed)
    if choice is None:
        return MissingRole(
            "truth", "a column with two labels, none missing, or of numbers that others estimate"
        )
    truth = choice.column, choice.why
    scores = [(column, why) for column, why in scores if column is not truth[0]]
    others = [c for c in columns if c is not truth[0]]
    pairs = class_pairs([column for column, _ in scores])
    of_both = [column for pair in pairs for column in (pair.first, pair.second)]
    scored = [column for column, _ in scores]
    uses = used([c for c in others if all(c is not column for column in scored)])
    taken = [*uses.values(), *scored]
    label_columns = column_roles.label_columns(others, truth[0], taken)
    predicted = [label for label, _ in label_columns]
    predicted += [c for c in others if written_otherwise(c, truth[0])]
    confident = [c for c, _ in scores if _is_confidence(c, predicted)]
    scores = [(c, why) for c, why in scores if not _among(c, [*of_both, *confident])]
    ratings = [] if scores or pairs or label_columns else rating_columns(others, truth[0])
    if by_values and not (scores or pairs or label_columns or ratings):
        ratings = unnamed_scores(others, truth[0])
    scores, taken = [*scores, *ratings], [*taken, *(column for column, _ in ratings)]
    positive = (
        _positive(truth[0], pairs, [column for column, _ in scores], "model" in uses)
        if positive_label is None
        else column_roles.stated_positive(truth[0], positive_label, [c for c, _ in scores])
    )
    if not scores and not pairs and not label_columns:
        requirement = "a column of numbers from 0 to 1, or of the truth's labels"
        return MissingRole("score or label", requirement)
    taken += [column for column, _ in label_columns]
    opposite = _of_other_class(pairs, truth[0], positive.column)
    return ColumnRoles(
        "binary",
        *truth,
        _models(truth[0], _of_pairs(pairs, truth[0], positive.column), scores, label_columns),
        [c for c in taken if not _among(c, confident) and c.name not in opposite],
        uses,
        positive,
        {
            **_on_other_scales([c for c in others if not _among(c, taken)], truth[0]),
            **{column.name: "confidence in the predicted label" for column in confident},
            **opposite,
            **_doubts(others, unsure),
        },
        rivals=[column.name for column in choice.rivals],
        ratings=[column.name for column, _ in ratings],
        with_gaps=with_gaps(others, [column for column, _ in scores], truth[0]),
    )


def _positive(
    truth: ColumnProfile,
    pairs: Sequence[ClassPair],
    scores: Sequence[ColumnProfile],
    long: bool,
) -> Guess:
    """The positive label: by its name, as a package takes it, or a guess."""
    guess = column_roles.positive(truth, scores, "rows of all models" if long else "rows")
    first = first_class(pairs, truth)
    return guess if first is None or column_roles.named_positive(truth) else first


def written_otherwise(column: ColumnProfile, truth: ColumnProfile) -> bool:
    """Whether a column has the truth's two labels in other letters, or all behind one prefix."""
    labels, true = set(column.labels), set(truth.labels)
    if len(true) != 2 or len(labels) != 2 or labels == true:
        return False
    prefixes = {label.removesuffix(t) for label in labels for t in true if label.endswith(t)}
    prefixed = any({prefix + t for t in true} == labels for prefix in prefixes)
    return prefixed or {label.casefold() for label in labels} == {t.casefold() for t in true}


def _among(column: ColumnProfile, columns: Sequence[ColumnProfile]) -> bool:
    return any(column is other for other in columns)


def _is_confidence(score: ColumnProfile, predicted: Sequence[ColumnProfile]) -> bool:
    """Whether a score is confidence in the predicted label.

    It is from 0.5 to 1 for both labels, and does not tell one from the other; a
    score of the positive class would be below 0.5 where the other is predicted.
    """
    if score.numbers is None or not score.within(0.5, 1):
        return False
    for column in predicted:
        if len(column.labels) == 2:
            area = separation(column.texts == next(iter(column.labels)), score.numbers)
            return 0.001 < area < 0.999
    return False


def _without_truth(name: str, truth: ColumnProfile) -> str:
    """A model's name; one that only repeats the truth's names no model."""
    return "model" if name.casefold() == short(truth.name).casefold() else name


def _of_pairs(
    pairs: Sequence[ClassPair], truth: ColumnProfile, positive: str
) -> dict[str, CandidateModel]:
    """One model for the scores of both classes."""
    models: dict[str, CandidateModel] = {}
    for pair in pairs:
        column, why = score_of(pair, truth, positive)
        name = pair.name if _named_alike(pair) else short(column.name)
        name = free(_without_truth(name, truth), models)
        models[name] = CandidateModel(name, {"score": column.name}, why)
    return models


def _named_alike(pair: ClassPair) -> bool:
    """Whether names begin or end alike, as those of the scores of both classes do."""
    names = pair.first.name, pair.second.name
    return bool(_common_start(*names)) or bool(pair.first.words & pair.second.words)


def _of_other_class(
    pairs: Sequence[ClassPair], truth: ColumnProfile, positive: str
) -> dict[str, str]:
    """Columns that are 1 minus another one, though no name says that they are of the other class.

    They may be a model's whose classes are exchanged.
    """
    notes = {}
    for pair in pairs:
        column, _ = score_of(pair, truth, positive)
        other = pair.second if column is pair.first else pair.first
        if not _named_alike(pair):
            notes[other.name] = f"1 minus {column.name!r}, so taken as the score of the other class"
    return notes


def _doubts(columns: Sequence[ColumnProfile], unsure: Sequence[ColumnProfile]) -> dict[str, str]:
    """Why columns that look like scores were not taken."""
    broken = [c for c in columns if column_roles.hinted(c, "score") and c.numbers is not None]
    unnamed = "numbers from 0 to 1, but its name does not suggest a score"
    return {
        **{column.name: unnamed for column in unsure},
        **{c.name: "has missing or infinite values" for c in broken if not c.complete},
    }


def _on_other_scales(columns: Sequence[ColumnProfile], truth: ColumnProfile) -> dict[str, str]:
    """Notes on numbers that separate the truth, though nothing else makes them scores."""
    flags = truth.texts == next(iter(truth.labels))
    notes = {}
    for column in columns:
        if column.numbers is None or not column.complete or column.within(0, 1):
            continue
        named = column_roles.hinted(column, "score")
        if column.labels and not named:
            continue
        area = separation(flags, column.numbers)
        if (area := max(area, 1 - area)) >= (SEPARATES if named else _TELLS):
            notes[column.name] = f"not from 0 to 1, but it separates the truth (AUC {area:.2f})"
    return notes


def nearly_perfect(roles: ColumnRoles) -> dict[str, float]:
    """The scores whose AUC prints as 1, or nearly if their names say people, with it.

    The truth may have been made from them; each label has ten rows or more.
    """
    if roles.positive is None or roles.graded or min(roles.truth.labels.values()) < _FEWEST:
        return {}
    flags = roles.truth.texts == roles.positive.column
    names = {model.keys.get("score") for model in roles.models}
    scores = [c for c in roles.assigned if c.name in names]
    areas = {c.name: separation(flags, c.numbers) for c in scores if c.numbers is not None}
    least = {c.name: _NEARLY if column_roles.by_people(c) else _ONE for c in scores}
    return {name: area for name, area in areas.items() if area >= least[name]}


_FEWEST = 10
_ONE, _NEARLY = 0.9995, 0.95


def _models(
    truth: ColumnProfile,
    models: dict[str, CandidateModel],
    scores: ReasonedColumns,
    label_columns: ReasonedColumns,
) -> list[CandidateModel]:
    """Return the models; a score and a label of the same name belong to one."""
    names = [column.name for column, _ in scores]
    for column, why in scores:
        name = free(_without_truth(short_among(column.name, names), truth), models)
        models[name] = CandidateModel(name, {"score": column.name}, why)
    scored = list(models)
    for column, why in label_columns:
        without = short(column.name, frozenset({"class"}))
        name = without if without in models else _without_truth(short(column.name), truth)
        if name == "model" and len(scored) == 1:  # named for no model: that of the only score
            name = scored[0]
        model = models.get(name)
        if model is None or "label" in model.keys:
            name = free(name, models)
            models[name] = CandidateModel(name, {"label": column.name}, why)
        else:
            models[name] = CandidateModel(
                name, {**model.keys, "label": column.name}, f"{model.why}; {why}"
            )
    return list(models.values())


_TELLS = 0.75
"""AUC from which a column of numbers may be a score."""

ROUNDED = 0.0101
"""Scores of both classes add up to 1 within what rounding to two digits leaves."""

_FIRST = 16
"""Rows by which most pairs of columns are ruled out, of which there may be very many."""

ReasonedColumn = tuple[ColumnProfile, str]


class ClassPair(NamedTuple):
    """Scores of both classes of one model: its name, and the columns in their order."""

    name: str
    first: ColumnProfile
    second: ColumnProfile


def class_pairs(scores: Sequence[ColumnProfile]) -> list[ClassPair]:
    """Return the columns that add up to 1 in every row, two by two.

    Two models never do; the scores of one model for its two classes always do.
    """
    pairs: list[ClassPair] = []
    taken: set[str] = set()
    for first, second in _candidate_pairs(scores):
        if {first.name, second.name} & taken or not _add_up(first, second):
            continue
        stem = _common_start(first.name, second.name)
        pairs.append(ClassPair(short(re.sub(r"(?i)(class|label)\W*$", "", stem)), first, second))
        taken |= {first.name, second.name}
    return pairs


def _candidate_pairs(
    scores: Sequence[ColumnProfile],
) -> Iterator[tuple[ColumnProfile, ColumnProfile]]:
    """Yield the pairs of columns that add up to 1 in the first rows."""
    numbers = [c for c in scores if c.numbers is not None]
    starts = np.array([c.numbers.head(_FIRST).to_numpy() for c in numbers if c.numbers is not None])
    for place, first in enumerate(numbers):
        far = np.abs(starts[place] + starts[place + 1 :] - 1) > ROUNDED
        yield from ((first, numbers[place + 1 + k]) for k in np.flatnonzero(~far.any(axis=1)))


def _common_start(first: str, second: str) -> str:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return "".join(letter for letter, _ in same)


def _add_up(first: ColumnProfile, second: ColumnProfile) -> bool:
    if first.numbers is None or second.numbers is None or not first.fractional:
        return False
    return as_float(((first.numbers + second.numbers) - 1).abs().max()) <= ROUNDED


def score_of(pair: ClassPair, truth: ColumnProfile, positive: str) -> ReasonedColumn:
    """Return the column of the positive class, with the reason.

    The names decide where they end in a label, else which of them is higher for
    positives.
    """
    other = next(label for label in truth.labels if label != positive)
    for column, opposite in ((pair.first, pair.second), (pair.second, pair.first)):
        if _ends_in(column, positive, other) or _ends_in(opposite, other, positive):
            return column, f"probability of {positive!r} ({opposite.name!r} is 1 minus it)"
    flags: pl.Series = truth.texts == positive
    numbers = pair.first.numbers
    higher = numbers is not None and separation(flags, numbers) >= 0.5
    column, opposite = (pair.first, pair.second) if higher else (pair.second, pair.first)
    return column, f"higher for {positive!r} ({opposite.name!r} is 1 minus it)"


def _ends_in(column: ColumnProfile, label: str, other: str) -> bool:
    """Whether a column's name ends in a label as it is, and not in the other, longer one."""
    for form in (lambda text: text.rstrip(")"), snake_case):
        name, mine, others = form(column.name), form(label), form(other)
        longer = len(others) >= len(mine) and name.endswith(others)
        if name.endswith(mine) and not longer:
            return True
    return False


_FIRST_CLASS = "the first class, as in caret and yardstick"


def first_class(pairs: Sequence[ClassPair], truth: ColumnProfile) -> Guess | None:
    """The first class of a table as caret, yardstick and tune write it, which is their event."""
    for pair in pairs:
        names = [re.sub(r"^\.pred_", "", c.name) for c in (pair.first, pair.second)]
        if set(names) == set(truth.labels):
            return Guess(names[0], _FIRST_CLASS)
        if set(truth.labels) == {"1", "2"} and _ends_in(pair.first, "1", "2"):
            return Guess("1", f"a guess: {_FIRST_CLASS}. Correct it if it is wrong", unsure=True)
    return None
