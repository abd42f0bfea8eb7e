"""Guess what each column of a data file is for, and say why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

import polars as pl

from reportgen.initial_spec import dates
from reportgen.initial_spec.model_words import ALONE, MODELS, NUMBERED_MODEL
from reportgen.initial_spec.profile import ColumnProfile, has_signs, separation
from reportgen.predictions.binary_labels import by_name, natural_positive
from reportgen.predictions.input_tables import SPELT_ROLES
from reportgen.predictions.undeclared import named_as_units
from reportgen.text.words import name_words as words

# words read better as a line; those of languages without spaces stand inside longer words
HINTS: dict[str, frozenset[str]] = {
    use: frozenset(words.split())
    for use, words in {
        "truth": "truth true actual target outcome obs observed reference references diagnosis "
        "gold label class y response quality relevance relevant wahrheit tatsächlich "
        "tatsaechlich ziel zielwert ist istwert verdad objetivo vérité réel cible verità reale "
        "obiettivo verdade alvo werkelijk "
        "истина факт 真实 真值 标签",
        "score": "p pct percent prob proba probability probabilities score scores logit margin "
        "decision confidence risk likelihood propensity pd wahrscheinlichkeit probabilidad "
        "probabilité вероятность 概率 得分 分数 评分",
        "label": "pred preds predicted prediction predictions says said label decided decision "
        "hat yhat predict answer answers alarm alert flag flagged call called classified guess "
        "vorhersage prognose predicción prédiction прогноз 预测 判定 标签",
        "id": "id ids uuid key case sample row rowindex index inst instance example name number nr "
        "nummer 编号",
        "fold": "fold folds cv resample 折",
        "repeat": "repeat repeats repetition rep run iteration epoch",
        "role": "role split set subset partition part dataset",
        "weight": "weight weights w wt wgt finalwt finalweight fnlwgt pweight pweights fweight "
        "aweight gewicht peso poids 权重",
        "group": "group groups patient subject participant household pair pairs psu cluster user "
        "customer qid query",
        "model": "model models classifier algorithm method estimator learner modell modelo "
        "modèle 模型",
    }.items()
}
"""Words in a column's name that speak for a use."""

_SURE = words(
    "truth true actual obs observed target gold reference references relevance relevant wahrheit "
    "tatsächlich tatsaechlich verdad vérité verità verdade истина 真实 真值"
)
"""Words that say truth before others do, such as class or response."""

_BY_PEOPLE = words(
    "adjudicated annotated annotation annotations annotator expert experts ground human humans "
    "labels rater"
)
"""Words of labels that people gave, and that models are compared with."""

_ESTIMATED = words("est estimate estimated fitted")
"""Words of estimates, of labels too, that may name their model where there is no other word."""

_CERTAIN = HINTS["score"] - HINTS["label"] - {"margin", "confidence", "risk"}
"""Words that say score even of a column of zeros and ones."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A column, what it is taken for, and why; ``unsure`` where no name says so.

    ``against`` is what contradicts it.
    """

    column: str
    why: str
    unsure: bool = False
    against: str = ""


def hinted(column: ColumnProfile, use: str) -> bool:
    """Whether a word of the column's name speaks for a use; what the user states goes first."""
    if column.stated_truth or (use == "truth" and not may_be_truth(column)):
        return use == "truth" and may_be_truth(column)
    if use == "label" and column.words & _ESTIMATED:
        return True
    if use == "weight" and column.words & _NO_WEIGHT:
        return False
    numbered = use in ("score", "label") and any(map(_numbered(use), column.words))
    return numbered or _named_so(column, HINTS[use])


_NO_WEIGHT = HINTS["model"] | HINTS["score"] | words("pred prediction predicted")
"""Words of an output, as ``w_model``, whose ``w`` is no weight."""


def _numbered(use: str) -> Callable[[str], object]:
    """What tells words such as p1 and pred2: those of models without a name."""
    return re.compile(r"(p|prob|proba|score)\d" if use == "score" else r"(pred|yhat)\d").fullmatch


def _named_so(column: ColumnProfile, hints: Set[str]) -> bool:
    inside = any(hint in column.name for hint in filter(spaceless, hints))
    return inside or bool(column.words & hints)


def spaceless(word: str) -> bool:
    """Whether a word is of a script without spaces, and so may stand inside a longer word."""
    return word >= "\u2e80"


def may_be_truth(column: ColumnProfile) -> bool:
    """Whether the user does not state another column as the truth."""
    return column.stated_truth is not False


def named_truth(column: ColumnProfile) -> bool:
    """Whether the user, or the column's name, says that it holds the truth."""
    return hinted(column, "truth") and not named_prediction(column)


def by_people(column: ColumnProfile) -> bool:
    """Whether the column's name says that people gave its labels."""
    return bool(column.words & _BY_PEOPLE) and not named_prediction(column)


def named_model(column: ColumnProfile) -> bool:
    """Whether the column's name is that of a model."""
    alone = bool(column.words) and column.words <= ALONE
    numbered = any(re.fullmatch(NUMBERED_MODEL, word) for word in column.words)
    return not column.stated_truth and (alone or numbered or _named_so(column, MODELS))


def truth_reason(column: ColumnProfile) -> str:
    """Who says that a column holds the truth: the user, the predictions, or its name."""
    if column.evidence:
        return column.evidence
    return "--truth says so" if column.stated_truth else "its name says so"


def named_prediction(column: ColumnProfile) -> bool:
    """Whether the column's name says that it holds what a model says."""
    return not column.stated_truth and _named_so(
        column, (HINTS["label"] - HINTS["truth"]) | _CERTAIN | _ESTIMATED
    )


def surely(column: ColumnProfile) -> bool:
    """Whether the column's name can hardly say anything but truth."""
    return bool(column.stated_truth or column.words & _SURE)


def two_labels_named(columns: Sequence[ColumnProfile]) -> bool:
    """Whether a column of two labels has a name that says truth."""
    return any(c.distinct == 2 and c.complete and named_truth(c) for c in columns)


def score_columns(
    columns: Sequence[ColumnProfile],
) -> tuple[list[tuple[ColumnProfile, str]], list[ColumnProfile]]:
    """Return the columns that look like scores, with the reason, and those in doubt.

    Where some names say score or are those of models, other numbers from 0 to 1 may be features.
    A probability that is named logit alone may be a model's, and says nothing of the others.
    """
    candidates: list[tuple[ColumnProfile, str, bool]] = []
    for column in columns:
        if column.numbers is None or not column.complete or column.stated_truth:
            continue
        if any(hinted(column, use) for use in ("weight", "fold", "repeat")):
            continue
        if "confidence" in column.words and column.within(0.5, 1):
            continue  # in whatever label was said
        named = hinted(column, "score") or (hinted(column, "label") and column.fractional)
        named |= "%" in column.name and named_model(column)
        if column.within(0, 1) and (column.fractional or _named_so(column, _CERTAIN - {"logit"})):
            evidence = f", {column.evidence}" if column.evidence else ""
            named |= bool(column.evidence)
            candidates.append((column, f"numbers from 0 to 1{evidence}", named))
        elif named and column.distinct > 2:
            candidates.append((column, "numbers, and its name says so", named))
    if any(column.fractional and column.within(0, 1) for column, _, _ in candidates):
        candidates = [one for one in candidates if not _is_rating(one[0])]
    names_tell = any(named and not _of_logit(column) for column, _, named in candidates)
    names_tell |= any(hinted(column, "score") and has_signs(column) for column in columns)
    taken = [
        (column, why)
        for column, why, named in candidates
        if named or not names_tell or named_model(column)
    ]
    return taken, [c for c, _, _ in candidates if all(c is not one for one, _ in taken)]


def _is_rating(column: ColumnProfile) -> bool:
    """Whether a column has a few whole numbers, as a rating from 1 to 5."""
    return bool(column.labels) and not column.fractional and not column.within(0, 1)


def _of_logit(column: ColumnProfile) -> bool:
    """Whether a column may be the probability of a model that is called logit."""
    return column.words == {"logit"} and column.within(0, 1)


def label_columns(
    columns: Sequence[ColumnProfile], truth: ColumnProfile, taken: Sequence[ColumnProfile]
) -> list[tuple[ColumnProfile, str]]:
    """Return the columns with decisions in the truth's labels, with the reason.

    Labels such as 0/1 occur in any column: then its name must say so or be that of a model,
    or the column must agree with the truth well above chance.
    """
    result = []
    telling = by_name(truth.labels) is None or max(map(len, truth.labels)) > 5
    for column in columns:
        if column is truth or column in taken or not column.complete or not column.labels:
            continue
        if not set(column.labels) <= set(truth.labels):
            continue
        if hinted(column, "label"):
            result.append((column, "labels of the truth, and its name says so"))
        elif telling or named_model(column) or _agrees(column, truth):
            result.append((column, "labels of the truth"))
    return result


def _agrees(column: ColumnProfile, truth: ColumnProfile) -> bool:
    first = next(iter(truth.labels))
    predicted, true = column.texts == first, truth.texts == first
    return separation(true, predicted.cast(pl.Float64)) > 0.65


def named_positive(truth: ColumnProfile) -> str | None:
    """The label that is positive by its name; 1 and 2 are numbers of classes and do not say it."""
    return None if set(truth.labels) == {"1", "2"} else by_name(truth.labels)


def positive(
    truth: ColumnProfile, scores: Sequence[ColumnProfile] = (), rows: str = "rows"
) -> Guess:
    """Return the label that is taken as positive, and why.

    Its name decides, else the direction of the scores (they are higher for
    positives), else which label is rarer. Scores that contradict a name are noted.
    ``rows``: what is counted.
    """
    named = named_positive(truth)
    label = named or min(truth.labels, key=lambda label: truth.labels[label])
    other = next(other for other in truth.labels if other != label)
    score, area = _direction(truth, label, scores)
    if named is None and score is not None:
        if area < 0.5:
            label, other, area = other, label, 1 - area
        reason = f"a guess: {score.name!r} is higher for it (AUC {area:.2f})"
    elif named is None:
        rarer = truth.labels[label] < truth.labels[other]
        reason = f"a guess: the {'rarer label' if rarer else 'labels are equally frequent'}"
    else:
        reason = "conventional" if natural_positive(truth.labels) else "its name says so"
    there, count = truth.labels[label], truth.labels[other]
    why = f"{reason}; {there:,} of {there + count:,} {rows}"
    if named is None:
        return Guess(label, f"{why}. Correct it if it is wrong", unsure=True)
    if score is not None and area < 0.5:
        against = f"{score.name!r} is higher for {other!r} (AUC {1 - area:.2f})"
        return Guess(label, f"{why}. But {against}", against=against)
    return Guess(label, why)


def stated_positive(truth: ColumnProfile, label: str, scores: Sequence[ColumnProfile]) -> Guess:
    """The label that the user states, and whether the scores are higher for the other."""
    score, area = _direction(truth, label, scores)
    if score is None or area >= 0.5:
        return Guess(label, "--positive says so")
    against = f"{score.name!r} is lower for it (AUC {area:.2f})"
    return Guess(label, f"--positive says so. But {against}", against=against)


def _direction(
    truth: ColumnProfile, label: str, scores: Sequence[ColumnProfile]
) -> tuple[ColumnProfile | None, float]:
    """Return the score that separates the labels best, and its AUC; none near chance."""
    flags = truth.texts == label
    areas = [(s, separation(flags, s.numbers)) for s in scores if s.numbers is not None]
    best = max(areas, key=lambda one: abs(one[1] - 0.5), default=None)
    return (None, 0.5) if best is None or abs(best[1] - 0.5) <= 0.1 else best


MOST_SUBGROUPS = 12
"""Values of a column that are shown one by one."""

_FEWEST_GROUPS = 10
"""A column of fewer values with the word group names subgroups, such as an age group."""


def _fewest_groups(column: ColumnProfile) -> int:
    """Of patients and their like two are enough to be groups of dependent rows."""
    says_what = column.words & (HINTS["group"] - {"group", "groups"})
    return 2 if says_what else _FEWEST_GROUPS


def role_column(columns: Sequence[ColumnProfile], use: str) -> ColumnProfile | None:
    """Return the column for fold, repeat, role, weight or group, by name and content."""
    for column in columns:
        if not column.complete or not (hinted(column, use) or _named_parts(column, use)):
            continue
        if use == "repeat" and column.words & dates.WORDS:
            continue  # when it ran, such as run_date
        fits = {
            "fold": 2 <= column.distinct <= 1000,
            "repeat": 1 <= column.distinct <= 1000,
            "role": bool(column.labels) and _are_roles(column.labels),
            "weight": _may_weigh(column),
            "group": _fewest_groups(column) <= column.distinct < len(column.texts),
        }[use]
        if fits:
            return column
    return None


def _may_weigh(column: ColumnProfile) -> bool:
    """Whether no number is negative and some are positive; flags only under a name of weights."""
    flags = column.labels.keys() <= {"0", "1"} and bool(column.labels)
    plain = column.words <= HINTS["weight"] | {"case", "row", "sample", "survey"}
    return column.within(0, float("inf")) and not column.within(0, 0) and (plain or not flags)


_PARTS = {
    "fold": r"^(Fold|Slice|Split)_?\d+(\.Rep\d+)?$",
    "repeat": r"^(Repeat|Bootstrap|Resample)_?\d+$",
}
"""Names that caret and rsample give to the parts of an evaluation."""


def _named_parts(column: ColumnProfile, use: str) -> bool:
    """Whether every value names a part of an evaluation, as R's packages write them."""
    if use not in _PARTS or column.numbers is not None:
        return False
    return bool(column.texts.str.contains(_PARTS[use]).all())


def _are_roles(labels: Iterable[str]) -> bool:
    return {label.strip().lower() for label in labels} <= SPELT_ROLES.keys()


def possible_groups(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Return the columns of names that return in several rows, as those of firms do."""
    return [
        c
        for c in columns
        if c.complete
        and c.numbers is None
        and _FEWEST_GROUPS <= c.distinct <= len(c.texts) // 2
        and not (hinted(c, "label") or has_signs(c))
    ]


def needs_ranges(column: ColumnProfile) -> bool:
    """Whether a column has too many numbers to be shown one by one, and they return.

    Those of units, such as stores, are names: a range of them says nothing.
    """
    return (
        column.numbers is not None
        and not named_as_units(column.name)
        and MOST_SUBGROUPS < column.distinct <= len(column.texts) // 2
        and not any(hinted(column, use) for use in ("id", "weight"))
    )


def model_column(columns: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """Return the column of models' names in long form, or None.

    One with the same labels as another column holds what a model says, as the truth does.
    """
    for column in columns:
        if hinted(column, "model") and column.complete and len(column.labels) >= 2:
            labels = set(column.labels)
            alike = any(set(c.labels) == labels for c in columns if c is not column)
            return column if column.numbers is None and not alike else None
    return None
