"""What the columns of a data file are taken for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from reportgen.initial_spec import column_roles
from reportgen.initial_spec.column_roles import HINTS, Guess, spaceless
from reportgen.initial_spec.model_words import names_model
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.spec.gates import RESERVED
from reportgen.tasks import TaskName

USES = ("fold", "repeat", "role", "weight", "group")


@dataclass(frozen=True)
class CandidateModel:
    """A model under a short name: its keys as in a spec, and why its columns are taken for it."""

    name: str
    keys: Mapping[str, str | float | Mapping[str, str]]
    why: str


@dataclass(frozen=True)
class ColumnRoles:
    """The truth, the models, and the columns that are taken.

    ``used`` are the columns by use (fold, weight, ...; ``model`` in long
    form), ``doubts`` why columns were not taken, by their names, ``unseen`` the classes
    that are predicted and that the truth lacks, ``truths`` the columns by label where
    there are several. ``rivals`` are columns that could be the truth as well,
    ``ratings`` those that their values alone make scores or labels;
    ``graded`` where labels say whether answers are right, and there is no truth;
    ``left_out`` are the labels of the truth that are no class, with their rows;
    ``with_gaps`` columns that may be the truth, with the rows that have no label.
    """

    task: TaskName
    truth: ColumnProfile
    why: str
    models: Sequence[CandidateModel]
    assigned: Sequence[ColumnProfile]
    used: Mapping[str, ColumnProfile]
    positive: Guess | None = None
    doubts: Mapping[str, str] = field(default_factory=dict)
    unseen: Sequence[str] = field(default_factory=tuple)
    truths: Mapping[str, ColumnProfile] = field(default_factory=dict)
    rivals: Sequence[str] = field(default_factory=tuple)
    ratings: Sequence[str] = field(default_factory=tuple)
    graded: bool = False
    left_out: Mapping[str, int] = field(default_factory=dict)
    with_gaps: Mapping[str, int] = field(default_factory=dict)


def used(columns: Sequence[ColumnProfile]) -> dict[str, ColumnProfile]:
    """Return the columns that say more about a row, by their use."""
    named = column_roles.model_column(columns)
    taken: dict[str, ColumnProfile] = {} if named is None else {"model": named}
    for use in USES:
        free = [c for c in columns if all(c is not other for other in taken.values())]
        column = column_roles.role_column(free, use)
        if column is not None:
            taken[use] = column
    return taken


def short(column: str, more: frozenset[str] = frozenset()) -> str:
    """Return a column's name without the words that say what it is.

    >>> short("p_forest"), short("rules_says"), short("score"), short("随机森林")
    ('forest', 'rules', 'model', '随机森林')
    >>> short("p_logit"), short("logit_pred"), short("logit")
    ('logit', 'logit', 'logit')
    >>> short("previous")  # which a gate takes for a build
    'previous_model'
    >>> short("churn_0_100"), short("Probability (%)")  # a scale, a unit
    ('churn', 'model')
    >>> short("Churn probability % (XGBoost)"), short("Forecast (kWh)")  # a model, a unit
    ('XGBoost', 'Forecast_kWh')
    """
    bracketed = re.search(r"\(([^()=]+)\)\s*$", column)
    if bracketed and names_model(bracketed[1]):
        return "_".join(re.findall(r"\w+", bracketed[1]))
    column = re.sub(r"[_\s.-]0[_\s.-]10*$", "", column)
    says_nothing = HINTS["score"] | HINTS["label"] | {"y", "response"} | more
    for hint in filter(spaceless, says_nothing):
        column = column.replace(hint, "")
    parts = [part for part in re.split(r"[_\s.:()=#-]+", column) if re.search(r"\w", part)]
    words = [part for part in parts if part.casefold() not in says_nothing]
    if not words:
        words = [part for part in parts if part.casefold() == "logit"]
    name = "_".join(words) if words else "model"
    if name in RESERVED:
        return f"{name}_model"
    return name if name.isprintable() else "model"


def short_among(column: str, columns: Collection[str]) -> str:
    """Return the short name of one of several columns; one without any keeps its own.

    >>> short_among("score_", ["score_"]), short_among("score_", ["score_", "knn_"])
    ('model', 'score')
    """
    name = short(column)
    stripped = column.strip("_ .-")
    return stripped if name == "model" and len(columns) > 1 and stripped.isprintable() else name


def free(name: str, taken: Mapping[str, object]) -> str:
    """Return a name that is not taken yet."""
    number, unused = 2, name
    while unused in taken:
        unused, number = f"{name}_{number}", number + 1
    return unused
