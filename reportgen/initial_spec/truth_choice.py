"""Which column of two labels is the truth, and which others could be it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from reportgen.initial_spec import column_roles
from reportgen.initial_spec.multiclass import SAYS, agreement
from reportgen.initial_spec.profile import ColumnProfile, separation
from reportgen.predictions.binary_labels import by_name, is_no_class, known_pair
from reportgen.text.words import name_words as words

_OUTCOMES = words(
    "accepted admitted approved attrition bankrupt bought cancelled cancer churn churned click "
    "clicked conversion converted dead death default defaulted defect denied deny died disease "
    "event failed failure fault fraud hired infected malignant mortality passed purchase "
    "purchased readmission readmitted recovered rejected relapse relapsed relevance relevant "
    "responded returned sick sold spam subscribed success survival survived tumor tumour visit "
    "visited won "
    "死亡 违约 流失 欺诈 购买 复发 患病 存活 结局 结果"
)
"""Words in the name of a column of what happened."""

_PREFERENCE = 0.1
"""What a name or labels of an outcome weigh, in AUC."""

_CLEAR = 0.4
"""Beyond an AUC of 0.9 a better separation may as well be of a decision by the score."""

_IN_DOUBT = 0.15
"""Candidates that differ by less are named."""


@dataclass(frozen=True)
class TruthChoice:
    """The truth and why; ``rivals`` are nearly as good, or as good and further to the right."""

    column: ColumnProfile
    why: str
    rivals: Sequence[ColumnProfile] = field(default_factory=tuple)


def truth_choice(
    columns: Sequence[ColumnProfile], scores: Sequence[ColumnProfile]
) -> TruthChoice | None:
    """Return the column of true labels, with the reason, or None.

    Two labels, none missing. Names decide first: one that says truth, then one that says
    that people gave the labels, and last one that says prediction. Then how well the scores
    separate the labels, with a preference for names and labels of outcomes; without scores,
    how well predictions agree with it.
    But a column that a score separates without a fault is rather a decision
    by that score where another column has the same labels and goes with a score.
    """
    candidates = [c for c in columns if _may_be_it(c, scores) and not _lacks_labels(c, columns)]
    areas = {c.name: _area(c, scores) for c in candidates}
    plain = [
        c for c in candidates if not column_roles.named_prediction(c) and 0.1 < areas[c.name] < 0.5
    ]

    def order(column: ColumnProfile) -> tuple[bool, ...]:
        same = any(c.labels.keys() == column.labels.keys() for c in plain)
        decided = areas[column.name] == 0.5 and same
        by_model = column_roles.named_model(column) and not column_roles.surely(column)
        named = column_roles.named_truth(column) and not by_model
        predicts = column_roles.named_prediction(column)
        people = column_roles.by_people(column)
        return named and column_roles.surely(column), named, people, not predicts, not decided

    def evidence(column: ColumnProfile) -> float:
        return _preference(column, scores) + (
            min(areas[column.name], _CLEAR) if scores else _agreement(column, candidates)
        )

    best = max(candidates, key=lambda c: (order(c), evidence(c)), default=None)
    if best is None:
        return None
    why = "two labels"
    if column_roles.named_truth(best):
        reason = f"{why}, and {column_roles.truth_reason(best)}"
        return TruthChoice(best, reason, _alike(best, candidates))
    if areas[best.name] > 0.1:
        why += f", and the scores separate them (AUC {areas[best.name] + 0.5:.2f})"
    level = [c for c in candidates if c is not best and order(c) == order(best)]
    if column_roles.by_people(best) and not level:
        alike = [c for c in candidates if c is not best and c.labels.keys() == best.labels.keys()]
        return TruthChoice(best, f"{why}, and its name says that people gave them", alike)
    behind = {c.name: evidence(best) - evidence(c) for c in level}
    rivals = [c for c in level if behind[c.name] < _IN_DOUBT and _goes_with(c, scores, columns)]
    if rivals and column_roles.named_prediction(best):
        return None  # all of them are predictions
    if scores and areas[best.name] <= 0.1:
        rivals += [c for c in columns if column_roles.named_truth(c) and len(c.labels) > 2]
    return TruthChoice(best, why, rivals)


def _lacks_labels(column: ColumnProfile, columns: Sequence[ColumnProfile]) -> bool:
    """Whether another column has the labels and more, so that this one predicts that one."""
    if column_roles.named_truth(column) or names_outcome(column):
        return False
    predicts = column_roles.named_prediction(column) or column_roles.named_model(column)
    return any(
        column.labels.keys() < other.labels.keys()
        and other.complete
        and (column.numbers is None or predicts)
        and not column_roles.named_prediction(other)
        and (predicts or agreement(column, other) > SAYS)
        for other in columns
    )


def _alike(truth: ColumnProfile, candidates: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Columns that agree with one that has other words beside label, as human_label has."""
    if truth.stated_truth or column_roles.surely(truth) or truth.words <= _PLAIN:
        return []
    flags = truth.texts == next(iter(truth.labels))
    return [
        c
        for c in candidates
        if c is not truth
        and c.labels.keys() == truth.labels.keys()
        and not column_roles.named_prediction(c)
        and separation(flags, (c.texts == next(iter(truth.labels))).cast(float)) > _AGREES
    ]


_PLAIN = column_roles.HINTS["truth"]
_AGREES = 0.65
"""AUC from which one column of two labels says what another one does."""


def separated(column: ColumnProfile, scores: Sequence[ColumnProfile]) -> bool:
    """Whether a score separates the two labels of a column better than chance would."""
    return _area(column, scores) > 0.1


def with_gaps(
    columns: Sequence[ColumnProfile], scores: Sequence[ColumnProfile], truth: ColumnProfile
) -> dict[str, int]:
    """Columns of two labels that the scores separate better than the truth, with their gaps.

    As of loans whose end is not known yet; where no name backs the truth.
    """
    if column_roles.named_truth(truth) or names_outcome(truth) or column_roles.by_people(truth):
        return {}
    return {
        c.name: c.missing
        for c in columns
        if c.missing
        and _may_be_it(replace(c, missing=0), scores)
        and not column_roles.named_prediction(c)
        and _area(c, scores) > _area(truth, scores) + _PREFERENCE / 2
    }


def _may_be_it(column: ColumnProfile, scores: Sequence[ColumnProfile]) -> bool:
    uses = ("fold", "repeat", "role", "model", "weight")
    return (
        column.distinct == 2
        and column.complete
        and column_roles.may_be_truth(column)
        and all(column is not score for score in scores)
        and not any(column_roles.hinted(column, use) for use in uses)
        and (is_coded(column) or column_roles.named_truth(column))
    )


def is_coded(column: ColumnProfile) -> bool:
    """Whether two values are labels: texts, or -1, 0, 1 and 2."""
    return column.numbers is None or column.within(-1, 1) or column.within(1, 2)


def _goes_with(
    column: ColumnProfile, scores: Sequence[ColumnProfile], columns: Sequence[ColumnProfile]
) -> bool:
    """Whether a report could be made with it as the truth: it has scores, or labels of its own."""
    others = (c for c in columns if c is not column)
    return bool(scores) or any(c.labels.keys() == column.labels.keys() for c in others)


def _area(column: ColumnProfile, scores: Sequence[ColumnProfile]) -> float:
    """Return how far from chance the best score separates two labels, from 0 to 0.5."""
    present = column.texts.is_not_null()
    flags = (column.texts == next(iter(column.labels))).filter(present)
    distances = [
        abs(separation(flags, s.numbers.filter(present)) - 0.5)
        for s in scores
        if s.numbers is not None
    ]
    return max(distances, default=0.0)


def _agreement(column: ColumnProfile, candidates: Sequence[ColumnProfile]) -> float:
    """Return how far from chance a column named as a prediction separates two labels."""
    flags = column.texts == next(iter(column.labels))
    areas = [
        separation(flags, (c.texts == next(iter(column.labels))).cast(float))
        for c in candidates
        if c is not column
        and column_roles.named_prediction(c)
        and c.labels.keys() == column.labels.keys()
    ]
    return max((abs(area - 0.5) for area in areas), default=0.0)


def names_outcome(column: ColumnProfile) -> bool:
    """Whether the column's name says that it holds what happened."""
    inside = any(w in column.name for w in filter(column_roles.spaceless, _OUTCOMES))
    return inside or bool(column.words & _OUTCOMES)


def _preference(column: ColumnProfile, scores: Sequence[ColumnProfile]) -> float:
    """What names say of a column: of an outcome, and labels that the scores are higher for."""
    named = _PREFERENCE if names_outcome(column) else 0.0
    positive = by_name(column.labels)
    if positive is None:
        return named
    flags = column.texts == positive
    areas = [separation(flags, s.numbers) for s in scores if s.numbers is not None]
    furthest = max(areas, key=lambda area: abs(area - 0.5), default=0.5)
    if furthest < 0.4:
        return named - _PREFERENCE
    return named + (_PREFERENCE if known_pair(column.labels) else 0.0)


@dataclass(frozen=True)
class WithoutLabels:
    """A column that may be the truth, its labels that are no class, and the rows without them."""

    name: str
    labels: Mapping[str, int]
    frame: pl.DataFrame
    likely: bool
    """Whether the name of the column says that it is the truth, or what happened."""


def without_labels(
    columns: Sequence[ColumnProfile], frame: pl.DataFrame
) -> Iterator[WithoutLabels]:
    """Yield every column with labels that are no class and two or more others."""
    for column in columns:
        labels = {label: n for label, n in column.labels.items() if is_no_class(label)}
        stated = column.stated_truth
        if labels and len(column.labels) - len(labels) >= 2 and stated is not False:
            rows = ~column.texts.is_in(list(labels)).fill_null(value=False)
            likely = column_roles.named_truth(column) or names_outcome(column)
            yield WithoutLabels(column.name, labels, frame.filter(rows), likely)
