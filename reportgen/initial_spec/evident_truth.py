"""The truth that predictions show, among columns of which several may be it, and the features.

A file of test rows has the features of the models, what was observed, and the predictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.column_statistics import as_float
from reportgen.errors import DataError, Problem
from reportgen.initial_spec import column_roles, dates, graded, multiclass, multilabel
from reportgen.initial_spec.feature_columns import further_models, with_evidence, without_features
from reportgen.initial_spec.pair_evidence import PairEvidence, agreement_with, is_probability
from reportgen.initial_spec.prediction_names import limits, main_run, predictions_by_name
from reportgen.initial_spec.profile import ColumnProfile, separation, without
from reportgen.initial_spec.regression import closer, observed
from reportgen.initial_spec.truth_choice import is_coded, names_outcome
from reportgen.predictions.binary_labels import known_pair
from reportgen.spec.yaml_text import quoted
from reportgen.text.words import listed
from reportgen.text.words import name_words as words

_AHEAD = 6.0
"""What a candidate must be ahead of all others by, in misfit, to be chosen."""

_NEAR = 13.0
"""Candidates that are behind by less are named as what the truth may be as well."""

_MISFIT = 30.0
"""Misfit from which a column is no better a truth for it than others with as much."""

_BY_NAME, _OF_OUTCOME, _OF_NUMBERS, _OF_FEATURE = 20.0, 12.0, 4.0, -8.0
"""What names weigh, in misfit: of the truth, of an outcome, of amounts, and of a feature."""

_YES_OR_NO, _AT_END = 3.0, 2.0
"""What labels such as yes and no, and a place at either end of the others, weigh."""

_FEATURES = words(
    "age arm black city dose drug education ethnicity female gender hispanic male marital married "
    "race region rural sex smoke smoker smoking treat treatment trt urban white 性别 年龄"
)
"""Words of what is known of a person beforehand, which models rather use than predict."""

_SEXES = ({"f", "m"}, {"female", "male"}, {"woman", "man"}, {"women", "men"}, {"男", "女"})

_USES = ("fold", "repeat", "role", "group", "model")


@dataclass(frozen=True)
class Evidence:
    """All columns, those that may have a role beside features, and what the truth may be as well.

    One column is stated as the truth where predictions show it.
    """

    columns: Sequence[ColumnProfile]
    usable: Sequence[ColumnProfile]
    chosen: bool = False
    rivals: Sequence[str] = ()


@dataclass(frozen=True)
class _Candidate:
    column: ColumnProfile
    agreements: Sequence[PairEvidence]
    misfit: float

    @property
    def why(self) -> str:
        """What agrees with the prediction that follows the column best."""
        return max(self.agreements, key=lambda one: one.strength).why

    @property
    def strength(self) -> float:
        """How closely the prediction that follows the column best does so."""
        return max(one.strength for one in self.agreements)


def evidence(columns: Sequence[ColumnProfile], file: str) -> Evidence:
    """Return what predictions show of the truth.

    Raises ``DataError`` where they follow several columns that no name tells apart.
    """
    nothing = Evidence(columns, columns)
    predictions = main_run(columns, predictions_by_name(columns))
    stated = any(c.stated_truth for c in columns)
    if not predictions or _recognised(columns, predictions, file, stated=stated):
        return nothing
    others = without(columns, [*predictions, *limits(columns)])
    if stated:
        return Evidence(
            columns, without_features(columns, predictions, [c for c in others if c.stated_truth])
        )
    first = next(k for k, c in enumerate(columns) if c is predictions[0])
    before = [c for c in others if not is_probability(c) or any(c is b for b in columns[:first])]
    candidates = _candidates(before, predictions)
    if not candidates or _names_decide(others, candidates):
        return _named(columns, predictions, others, candidates) if candidates else nothing
    return _chosen(columns, predictions, candidates, file)


def _recognised(
    columns: Sequence[ColumnProfile],
    predictions: Sequence[ColumnProfile],
    file: str,
    *,
    stated: bool,
) -> bool:
    """Whether the names of scores by class, several labels or grades say what the truth is."""
    by_name = multilabel.multilabel_roles(columns) or multiclass.by_scores(columns)
    if by_name is not None or multilabel.spelt_out(columns, file):
        return True
    answers = None if stated else graded.graded_roles(columns)
    return answers is not None and not _one_truth(answers.rivals, columns, predictions)


def _one_truth(
    grades: Sequence[str], columns: Sequence[ColumnProfile], predictions: Sequence[ColumnProfile]
) -> bool:
    """Whether one of the columns that may be graded answers is rather the truth of the others.

    The only one without the name of a model, beside probabilities of models or beside features;
    or there are estimates, which are of no answers.
    """
    if any(c.fractional and not c.within(0, 1) for c in predictions):
        return True
    unnamed = [c for c in columns if c.name in grades and not column_roles.named_model(c)]
    if len(unnamed) != 1:
        return False
    scored = [c for c in predictions if is_probability(c)]
    named = (column_roles.named_model(c) or column_roles.named_prediction(c) for c in scored)
    numbers = [c for c in without(columns, predictions) if c.numbers is not None]
    features = [c for c in numbers if c.distinct > 2 and _may_be_it(c)]
    return any(named) or len(features) > 1


def _candidates(
    others: Sequence[ColumnProfile], predictions: Sequence[ColumnProfile]
) -> list[_Candidate]:
    """The columns that half of the predictions or more agree with, the best first."""
    result = []
    free = _free(others)
    for column in free:
        pairs = [agreement_with(column, prediction) for prediction in predictions]
        agreements = [pair for pair in pairs if pair is not None]
        strong = any(pair.strength > 0 for pair in agreements)
        if not strong or 2 * len(agreements) < len(predictions):
            continue
        if column_roles.hinted(column, "weight") and max(p.strength for p in agreements) < _WEIGHED:
            continue
        misfits = [pair.misfit for pair in agreements if pair.why]
        misfit = sum(misfits) / len(misfits) - _credit(column)
        misfit -= _AT_END if column is free[0] or column is free[-1] else 0.0
        result.append(_Candidate(column, agreements, misfit))
    if any(one.strength > _STRONG for one in result):
        result = [one for one in result if one.strength > _NOTHING]
    of_numbers = [
        one for one in result if one.column.distinct > 2 and one.column.numbers is not None
    ]
    closest = max((one.strength for one in of_numbers), default=0.0)
    behind = {id(one): _R2_WEIGHT * (closest - one.strength) for one in of_numbers}
    ranked = [replace(one, misfit=one.misfit + behind.get(id(one), 0.0)) for one in result]
    return sorted(ranked, key=lambda one: one.misfit)


_STRONG, _NOTHING = 0.4, 0.05
"""Correlations: of a truth, beside which columns with no more than the other are none."""


def _of_amounts(column: ColumnProfile) -> bool:
    return column.numbers is not None and column.distinct > 2


_R2_WEIGHT = 10.0
"""What an R² of 1 weighs against one of 0, in misfit: models follow most what they estimate."""


def _free(others: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """The columns that may be the truth; those named for a model only where there is no other."""
    free = [c for c in others if _may_be_it(c)]
    return [c for c in free if not column_roles.named_model(c)] or free


_WEIGHED = 0.05
"""R² from which a column that is named as weights is what was weighed."""


def _may_be_it(column: ColumnProfile) -> bool:
    if not column.complete or column.distinct < 2 or column.words & dates.WORDS:
        return False
    if column.distinct > 2 and column_roles.hinted(column, "id"):
        return False
    if column.distinct == 2 and not is_coded(column):
        return False
    return not any(column_roles.hinted(column, use) for use in _USES)


def _credit(column: ColumnProfile) -> float:
    if column_roles.named_truth(column):
        return _BY_NAME
    if _of_amounts(column) and column_roles.hinted(column, "weight"):
        return _OF_OUTCOME
    if _of_amounts(column):
        return _of_amount_name(column)
    reason = names_outcome(column) or column_roles.by_people(column)
    credit = _OF_OUTCOME if reason else 0.0
    if column.words & _FEATURES:
        credit += _OF_FEATURE
    if {label.casefold() for label in column.labels} in _SEXES:
        credit += _OF_FEATURE
    return credit + (_YES_OR_NO if column.numbers is None and known_pair(column.labels) else 0.0)


def _of_amount_name(column: ColumnProfile) -> float:
    """What a name such as price or income weighs, which features have as well."""
    return _OF_NUMBERS if _of_amounts(column) and observed(column) else 0.0


def _names_decide(others: Sequence[ColumnProfile], candidates: Sequence[_Candidate]) -> bool:
    """Whether a column that is named for the truth is it, or may be in other labels."""
    named = [c for c in others if column_roles.named_truth(c) and c.distinct > 1]
    sure = any(column_roles.surely(c) or c.distinct == 2 for c in named if _missing(c, candidates))
    return sure or column_roles.named_truth(candidates[0].column)


def _missing(column: ColumnProfile, candidates: Sequence[_Candidate]) -> bool:
    return all(one.column is not column for one in candidates)


def _named(
    columns: Sequence[ColumnProfile],
    predictions: Sequence[ColumnProfile],
    others: Sequence[ColumnProfile],
    candidates: Sequence[_Candidate],
) -> Evidence:
    """The columns without features where a name says which is the truth.

    Without others that are named for it, and that the predictions do not agree with.
    """
    misfits = {id(c.column): c.misfit for c in candidates if column_roles.named_truth(c.column)}
    best = min(misfits.values(), default=0.0)
    near = [c for c in others if misfits.get(id(c), best + _AHEAD) < best + _AHEAD]
    labelled = [c for c in others if column_roles.surely(c) or c.distinct == 2]
    truths = [
        c
        for c in others
        if column_roles.named_truth(c) and any(c is one for one in [*near, *labelled])
    ]
    usable = without_features(columns, predictions, truths)
    if len(truths) != 1:
        return Evidence(columns, usable)
    models = further_models(columns, predictions, truths[0])
    columns, usable = with_evidence(columns, usable, models)
    if truths[0].words == {"label"} and misfits:
        reason = {truths[0].name: "its name says so, and predictions agree with it"}
        columns, usable = with_evidence(columns, usable, reason, truths[0].name)
    return Evidence(columns, usable)


def _chosen(
    columns: Sequence[ColumnProfile],
    predictions: Sequence[ColumnProfile],
    candidates: Sequence[_Candidate],
    file: str,
) -> Evidence:
    level = _level(columns, predictions, candidates)
    best = level[0]
    usable = without_features(columns, predictions, [one.column for one in level])
    plain = len(usable) == len(columns)
    of_models = all(_of_amounts(one.column) for one in level) or _same(level)
    if len(level) > 1 and not (plain and of_models):
        further = [c for c in candidates if c.misfit - candidates[0].misfit < _NEAR]
        further = [c for c in further if all(c is not one for one in level)]
        raise DataError(_several(file, [*level, *further][:_MOST]))
    if best.misfit > _MISFIT and _of_amounts(best.column) and not plain:
        raise DataError(_none_agrees(file, best.column))
    if len(level) > 1 or best.misfit > _MISFIT:
        return Evidence(columns, usable)
    few = bool(best.column.labels) or is_probability(best.column)
    several = sum(_of_amounts(one.column) for one in candidates) > 1
    few = (few or several) and plain and _of_amounts(best.column)
    if few or all(column_roles.hinted(c, "model") for c in predictions):
        return Evidence(columns, usable)
    free = _free(without(columns, [*predictions, *limits(columns)]))
    alike = [c for c in free if _of_amounts(c) == _of_amounts(best.column)]
    guess = "a guess: " if len(candidates) > 1 or len(alike) > 1 else ""
    why = f"{guess}the predictions agree with it ({best.why})"
    shown = with_evidence(columns, usable, further_models(columns, predictions, best.column))
    columns, usable = with_evidence(*shown, {best.column.name: why}, best.column.name)
    near = [
        one.column.name
        for one in candidates
        if one is not best and (one.misfit - best.misfit < _NEAR or _follows_as_well(one, best))
    ]
    return Evidence(columns, usable, chosen=True, rivals=near)


def _follows_as_well(one: _Candidate, best: _Candidate) -> bool:
    """Whether numbers are as near to the predictions as the best candidate is, and near it."""
    if one.column.numbers is None or one.column.distinct == 2 or best.column.distinct == 2:
        return False
    return one.strength > _AS_WELL * best.strength and _alike(one.column, best.column)


_AS_WELL = 0.8


def _level(
    columns: Sequence[ColumnProfile],
    predictions: Sequence[ColumnProfile],
    candidates: Sequence[_Candidate],
) -> list[_Candidate]:
    """The candidates that nothing says are worse than the best, the best first.

    Numbers that stand with the predictions and vary less than what they follow are a model's.
    """
    best = candidates[0]
    level = [c for c in candidates if c.misfit - best.misfit < _AHEAD or best.misfit > _MISFIT]
    if len(level) < 2 or not _same(level) or any(one.column.distinct == 2 for one in level):
        return level
    first = next(k for k, c in enumerate(columns) if any(c is p for p in predictions))
    spread = {id(one): _spread(one.column) for one in level}
    widest = max(spread.values())
    beside = columns[max(first - 1, 0) :]
    models = [
        one
        for one in level
        if any(one.column is c for c in beside) and spread[id(one)] < _NARROWER * widest
    ]
    truths = [one for one in level if all(one is not model for model in models)]
    return sorted(truths, key=lambda one: (-_credit(one.column), -spread[id(one)]))


_NARROWER = 0.995
"""Estimates of a mean vary less than what they estimate."""


def _spread(column: ColumnProfile) -> float:
    return 0.0 if column.numbers is None else as_float(column.numbers.std(), 0.0)


def _same(level: Sequence[_Candidate]) -> bool:
    """Whether the candidates say the same of nearly every row, so that either may be the truth."""
    first, *rest = (one.column for one in level)
    return all(_alike(first, other) for other in rest)


def _alike(first: ColumnProfile, second: ColumnProfile) -> bool:
    if first.distinct == second.distinct == 2:
        flags = (c.texts == next(iter(c.labels)) for c in (first, second))
        one, other = flags
        return abs(separation(one, other.cast(float)) - 0.5) > _SAME
    return closer(first, second) and closer(second, first)


_SAME = 0.4
"""How far from chance, in AUC, one column of two labels says the same as another."""


def _none_agrees(file: str, nearest: ColumnProfile) -> Problem:
    message = "no column is near the predictions on average, as what they estimate would be"
    hint = f"name what was observed by --truth COLUMN; the nearest is {nearest.name!r}"
    return Problem("not-found", message, file, hint)


_MOST = 5
"""Candidates that are listed."""


def _several(file: str, level: Sequence[_Candidate]) -> Problem:
    ranked = sorted(level, key=lambda one: one.misfit + _of_amount_name(one.column))
    names = [one.column.name for one in ranked]
    message = f"the truth may be {listed([*map(repr, names)], 'or')}: predictions follow each"
    stated = listed([f"--truth {quoted(name)}" for name in names], "or")
    hint = f"name what was observed, the best by its values first: {stated}"
    return Problem("not-found", message, file, hint)
