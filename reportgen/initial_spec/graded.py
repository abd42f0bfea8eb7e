"""Answers that were graded: columns that say right or wrong, by model or for all models."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.initial_spec import column_roles
from reportgen.initial_spec.candidates import CandidateModel, ColumnRoles, free, short, used
from reportgen.initial_spec.column_roles import Guess
from reportgen.initial_spec.profile import ColumnProfile, separation
from reportgen.initial_spec.scores_by_value import SEPARATES, rating_columns
from reportgen.initial_spec.truth_choice import names_outcome
from reportgen.predictions.binary_labels import NATURAL
from reportgen.text.words import name_words as words

_GRADES = words(
    "acc accuracy correct correctness em exact grade graded match pass passed resolved right score "
    "solved success"
) | {"正确", "对错", "得分"}
"""Words in the name of a column of grades."""

_SAY_NOTHING = _GRADES | {"is", "was"}
"""Words in the name of a column of grades that name no model."""

_OUTCOMES = words("match pass passed resolved solved success")
"""Words of grades that also say what happened, as a truth does that scores predict."""

_RIGHT_OR_WRONG = (("I", "C"), ("incorrect", "correct"), ("wrong", "right"))
_VERDICTS = (*_RIGHT_OR_WRONG, ("fail", "pass"))
"""Labels that are grades, whatever the column is called: (wrong, right)."""

_OTHER_USES = ("fold", "repeat", "role", "weight", "group", "model", "id")


def graded_roles(columns: Sequence[ColumnProfile]) -> ColumnRoles | None:
    """Return the candidates where columns say whether answers are right, and none is a truth.

    In long form the name or the labels of one column say so; in wide form columns of the same
    labels are enough where no name says truth, outcome or prediction. Where people gave one
    column they are a guess if the labels say right or wrong, and else those of a truth.
    """
    grades = [c for c in columns if _right_of(c) and not _has_other_use(c)]
    people = any(column_roles.by_people(c) for c in grades)
    if (
        any(c.stated_truth for c in columns)
        or column_roles.two_labels_named(columns)
        or (people and not all(map(_says_right, grades)))
    ):
        return None
    named = [c for c in grades if c.words & _GRADES or _is_verdict(c)]
    if column_roles.model_column(columns) is not None:
        return _roles(columns, named, "its name or labels say so", long=True) if named else None
    scores, _ = column_roles.score_columns(columns)
    if len(named) == 1 and (
        rating_columns(columns, named[0], named_only=True)  # a judge's, of what is right or wrong
        or _is_predicted(named[0], [column for column, _ in scores])
    ):
        return None
    if named:
        unsure = people or bool(scores)
        return _roles(columns, named, "names or labels say so", unsure=unsure)
    plain = [c for c in grades if not column_roles.named_prediction(c)]
    predicted = [c for c in grades if column_roles.named_prediction(c) and len(c.labels) == 2]
    varying = any(len(c.labels) == 2 for c in plain)
    if len(plain) < 2 or not varying or predicted or scores or any(map(names_outcome, plain)):
        return None
    return _roles(columns, plain, "a guess, as none is named as the truth", unsure=True)


def _roles(
    columns: Sequence[ColumnProfile],
    grades: Sequence[ColumnProfile],
    why: str,
    *,
    unsure: bool = False,
    long: bool = False,
) -> ColumnRoles | None:
    """The candidates: of several measures of the same answers, as acc and acc_norm, the first."""
    alone = [c for c in grades if c.words <= _SAY_NOTHING][:1]
    others = [c.name for c in grades if alone and c is not alone[0]]
    grades = alone or (grades[:1] if long else grades)
    pairs = {_right_of(column) for column in grades}
    if len(pairs) != 1:
        return None
    right = str(pairs.pop())
    models: dict[str, CandidateModel] = {}
    for column in grades:
        name = free(short(column.name, _SAY_NOTHING), models)
        models[name] = CandidateModel(name, {"label": column.name}, f"{right} is right")
    uses = used([c for c in columns if all(c is not grade for grade in grades)])
    natural = any(right == positive for _, positive in NATURAL)
    return ColumnRoles(
        "binary",
        grades[0],
        f"labels say if an answer is right: {why}",
        list(models.values()),
        [*grades, *uses.values()],
        uses,
        None if natural else Guess(right, "of right answers"),
        doubts=dict.fromkeys(others, "another measure of the same answers"),
        graded=True,
        rivals=[column.name for column in grades] if unsure else (),
    )


def _is_predicted(column: ColumnProfile, scores: Sequence[ColumnProfile]) -> bool:
    """Whether the name may be that of an outcome, and scores from 0 to 1 separate its labels."""
    if not column.words & _OUTCOMES or column.words & (_GRADES - _OUTCOMES):
        return False
    flags = column.texts == next(iter(column.labels))
    areas = [separation(flags, s.numbers) for s in scores if s.numbers is not None]
    return any(abs(area - 0.5) >= SEPARATES - 0.5 for area in areas)


def _right_of(column: ColumnProfile) -> str | None:
    """The label for right in a column of grades."""
    present = set(column.labels)
    if not column.complete or not present or column.fractional:
        return None
    for wrong, right in (*NATURAL, *_VERDICTS):
        spelled = {label: label.casefold() for label in present}
        if set(spelled.values()) <= {wrong.casefold(), right.casefold()}:
            same = [label for label, folded in spelled.items() if folded == right.casefold()]
            return same[0] if same else right
    return None


def _is_verdict(column: ColumnProfile) -> bool:
    return _has_both(column, _VERDICTS)


def _says_right(column: ColumnProfile) -> bool:
    return _has_both(column, _RIGHT_OR_WRONG)


def _has_both(column: ColumnProfile, pairs: Sequence[tuple[str, str]]) -> bool:
    present = {label.casefold() for label in column.labels}
    return any(present == {label.casefold() for label in pair} for pair in pairs)


def _has_other_use(column: ColumnProfile) -> bool:
    named = column_roles.named_truth(column)
    return named or any(column_roles.hinted(column, use) for use in _OTHER_USES)
