"""Errors of which a few decide: what the rows of a test show of tails that harm it.

The rates are those of ``docs/levels.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from reportgen.comparisons import Comparison
from reportgen.comparisons.paired_losses import ABSOLUTE, SQUARED
from reportgen.metrics.by_name import (
    heavy_mean_of,
    is_of_distances,
    is_relative,
    measure_tested_as,
)
from reportgen.predictions.evaluation_scheme import Evaluation

HEAVY = 20.0
"""A kurtosis of the differences of squared errors that those of normal errors stay below."""

SHOW_ALIKE = 700
"""From so many rows on errors whose tails harm a test are among those of like models."""

ALIKE = 1.5
"""Errors of two models have like tails below so many times the other's kurtosis."""

HEAVIEST_ALIKE = 60.0
"""A kurtosis of differences from which few errors decide, however like the models are."""

ROWS_FOR_KURTOSIS = 100
"""From 2,000 rows on, so many for each unit of the kurtosis of differences are enough."""

HEAVY_IN_GROUPS = 12
"""The same of rows in groups, of which fewer are independent."""

VARIED = 1.0
"""A coefficient of variation of groups' mean squared errors that most normal errors stay below."""

MORE_VARIED = 1.25
"""Heavy tails harm where the groups vary so many times as much in one model as in the other."""

VARIED_ROWS = 1.5
"""A coefficient of variation of squared errors that most normal errors stay below."""

FARTHEST = 30.0
"""Errors so many times as large as others have to be rare not to decide a mean of all."""

FAR_APART = 8.0
"""A paired t at which errors that none of these rows shows would not undo the difference."""

MORE_KURTOSIS = 1.25
"""The same of the kurtosis of errors, of which rows show more than of how much groups vary."""

OF_NORMAL = 3.0
"""The kurtosis of normal errors."""

WORST_AT_MARGIN = {
    (SQUARED, False): 38,
    (SQUARED, True): 67,
    (ABSOLUTE, False): 20,
    (ABSOLUTE, True): 22,
}
"""In so many per cent of the data sets at the margin tests of rows and of groups showed it."""

UNSEEN = 300
"""Of fewer rows squared errors say too little of how often one is far larger than the others.

By the rule of three errors rarer than 3/n may be missing: of 300 rows those rarer than 1 %.
Groups of dependent rows take the place of rows: whole groups of large errors may be missing.
"""

UNSEEN_DEVIANCES = 400
"""The same of deviances: with 300 rows, tests of gamma deviances rejected 0.08 of true nulls."""

SHOW_SIZES = 1500
"""From so many rows on rare errors that decide a mean of absolute ones are often among them."""

TWICE = 2.0
"""So many times the kurtosis of the other model's errors is more than tails of t give."""

FEWEST_ERRORS, OUTWEIGH_SIZES, ENOUGH = 3, 8, 60
"""So few errors outweigh all others of 60 rows or fewer, or of more, where that may be chance."""

FOR_KURTOSIS = 20
"""So many rows for each unit of the kurtosis of differences in deviance are enough."""

TAILS_SHOW = 1000
"""From so many rows on the kurtosis of the differences alone shows the tails that harm a test."""

AT_MARGIN = {SQUARED: 700, ABSOLUTE: 400}
"""From so many rows on a kurtosis shows errors whose tails harm a test of a margin."""

GROUPS_AT_MARGIN = 300
"""The same of groups."""

HEAVY_SIZES = 6
"""A kurtosis of the differences of absolute errors that those of normal errors stay below."""


MAY_LACK = (
    "Its largest errors may be missing by chance, and the test rejects too often (in simulations "
    "up to 30 % of true null hypotheses)"
)


def unseen_errors(record: Comparison, evaluation: Evaluation) -> Iterator[str]:
    """Against means that errors decide which so few rows, or groups, may lack."""
    if heavy_mean_of(record.metric) is not None:
        yield from _unseen(evaluation, UNSEEN_DEVIANCES, "this measure")
    elif record.unit not in ("rows", "folds") or record.is_of_margin or len(record.models) == 1:
        return
    elif measure_tested_as(record.metric, "regression") == SQUARED:
        yield from _unseen(evaluation, UNSEEN, "a mean squared error")


def outlies_the_unseen(
    record: Comparison, squared_errors: Mapping[str, float], units: int | None
) -> bool:
    """Whether it rejects, and only errors ``FARTHEST`` times the leader's others would undo that.

    By the rule of three errors of 3/n of the rows may be missing: they have to add as much to the
    leader's mean square as the other model's exceeds it by.

    >>> from reportgen.comparisons import Question
    >>> pair = Question(("a", "b"), SQUARED).record("paired_t", p_value=0.01)
    >>> [outlies_the_unseen(pair, {"a": 1.0, "b": b}, 300) for b in (9.9, 10.0)]
    [False, True]
    """
    if record.is_of_margin or measure_tested_as(record.metric, "regression") != SQUARED:
        return False
    if record.p_value is None or record.p_value >= record.alpha:
        return False
    errors = [squared_errors.get(model) for model in record.models]
    if len(errors) != 2 or None in errors or not units:
        return False
    least, most = sorted(float(error or 0.0) for error in errors)
    return (most - least) * units / 3 >= FARTHEST**2 * least


def heavy_errors(
    record: Comparison, evaluation: Evaluation, *, rejected: int = 47
) -> Iterator[str]:
    """The reasons against a test of errors that a few rows, or groups, decide.

    ``rejected``: how many per cent of true null hypotheses it did where a few squares decide.
    """
    if heavy_mean_of(record.metric) is not None:
        yield from _deviances(record, evaluation)
    elif record.metric == ABSOLUTE and not record.is_of_margin:
        yield from _few_sizes(record)
    elif is_of_distances(record.metric):
        yield from _distances(record, evaluation)
    elif record.is_of_margin:
        yield from _heavy_at_margin(record, evaluation)
    else:
        yield from _heavy_squares(record, evaluation, rejected)


def _heavy_squares(record: Comparison, evaluation: Evaluation, rejected: int) -> Iterator[str]:
    """Squared errors of which a few outweigh all others, of both models or of one."""
    rows, groups = evaluation.independent_units or 0, evaluation.groups
    most: float = HEAVY_IN_GROUPS
    if groups is None:
        most = most_kurtosis(rows) if record.comparison == "paired_t" else HEAVY
    if record.kurtosis is not None and record.kurtosis > most and not _are_alike(record):
        yield (
            "a few errors outweigh all others (kurtosis of the differences in squared error "
            f"{_written(record.kurtosis)}; normal errors give about 10). Where the errors of one "
            "model have heavier tails, the test rejects too often (in simulations up to "
            f"{rejected} % of true null hypotheses)"
        )
    if record.comparison == "paired_t":
        yield from _heavier_tails(record)
    else:
        yield from _heavy_groups(record, groups)


def most_kurtosis(rows: int) -> float:
    """The largest kurtosis of differences in squared error that leaves the paired t-test its level.

    The means of many rows are normal in spite of it (``tests.simulations.squares_of_many_rows``).

    >>> most_kurtosis(500), most_kurtosis(60_000)
    (20.0, 600.0)
    """
    return max(HEAVY, rows / ROWS_FOR_KURTOSIS)


def _are_alike(record: Comparison) -> bool:
    """Whether both models have heavy tails that outweigh each other: t then holds its level.

    Of as many rows fewer lack their largest errors (``tests.simulations.alike_tails``).
    """
    rows = (record.df or 0.0) + 1
    if record.comparison != "paired_t" or not record.group_variation or rows < SHOW_ALIKE:
        return False
    less, more = sorted(1 + variation**2 for variation in record.group_variation)
    return more < ALIKE * less and (record.kurtosis or 0.0) < HEAVIEST_ALIKE


def _written(kurtosis: float) -> str:
    """A kurtosis with three significant digits, from 1,000 on without decimals.

    >>> _written(2347.3), _written(12.345)
    ('2,347', '12.3')
    """
    return f"{kurtosis:,.0f}" if kurtosis >= 1000 else f"{kurtosis:.3g}"


def heavy_deviances(kurtosis: float, units: int) -> bool:
    """Whether a few of so many rows outweigh all others in differences of this kurtosis."""
    return kurtosis > max(HEAVY, units / FOR_KURTOSIS)


def _deviances(record: Comparison, evaluation: Evaluation) -> Iterator[str]:
    """Deviances of which a few rows decide; relative ones of any number of rows."""
    units = 0 if is_relative(record.metric) else evaluation.independent_units or 0
    if record.kurtosis is not None and heavy_deviances(record.kurtosis, units):
        yield (
            "a few errors outweigh all others (kurtosis of the differences by row "
            f"{_written(record.kurtosis)}). Where one model has rare large errors, the test "
            "rejects too often (in simulations up to 55 % of true null hypotheses)"
        )
    elif record.group_variation:
        yield from _unlike_tails(record.group_variation, evaluation.independent_units or 0)


def _is_heavier(one: float, other: float, rows: float) -> bool:
    """Whether the kurtosis of errors is above another one by more than chance gives: see below."""
    excess = one - max(other, OF_NORMAL)
    return excess > 8.5 / math.sqrt(rows + 20) and one > MORE_KURTOSIS * other


def _unlike_tails(variation: Sequence[float], rows: float) -> Iterator[str]:
    """Squared errors of one model with heavier tails than those of the other: see below."""
    lighter, heavier = sorted(1 + one**2 for one in variation)
    if rows < TAILS_SHOW and _is_heavier(heavier, lighter, rows):
        yield (
            "the errors of one model have heavier tails (kurtosis "
            f"{_written(heavier)}, against {_written(lighter)} for the other model). {MAY_LACK}"
        )


def _distances(record: Comparison, evaluation: Evaluation) -> Iterator[str]:
    """Errors of several classes of which a few decide (``tests.simulations.class_distances``)."""
    units = evaluation.independent_units or 0
    if record.kurtosis is not None and heavy_deviances(record.kurtosis, units):
        yield (
            "a few errors outweigh all others (kurtosis of the differences by row "
            f"{_written(record.kurtosis)}). Where one model has rare errors of several classes, "
            "the test rejects too often (in simulations up to 10 % of true null hypotheses)"
        )


def _unseen(evaluation: Evaluation, least: int, measure: str) -> Iterator[str]:
    """Too few rows, or groups, for a mean of squares that a few rare errors may decide."""
    groups = evaluation.groups
    units = groups or evaluation.test_examples or evaluation.test_rows
    if units is not None and units < least:
        yield (
            f"{units:,} {'groups' if groups else 'rows'} cannot rule out rare large errors "
            f"that dominate {measure}. Under normal errors the test holds its level"
        )


def _few_sizes(record: Comparison) -> Iterator[str]:
    """A model that leads by its absolute errors, of which a few outweigh all others.

    It may lack others of them by chance (``tests.simulations.sizes_of_errors``). Errors with the
    tails of t with 3 degrees of freedom rarely do, and leave the test its level.
    """
    if record.comparison != "paired_t":
        return
    leads, other, rows = _of_leader(record, SHOW_SIZES)
    far_apart = abs(record.statistic or 0.0) >= FAR_APART and (rows >= ENOUGH or leads < rows / 2)
    most = max(min(rows / FEWEST_ERRORS, HEAVY), rows / OUTWEIGH_SIZES)
    if rows and leads > most and leads > TWICE * other and not far_apart:
        yield (
            "a few errors of the model with the smaller mean outweigh its others (kurtosis "
            f"{_written(leads)}, against {_written(other)} for the other model). More of them may "
            "be missing by chance, and the test rejects too often (in simulations up to 27 % of "
            "true null hypotheses)"
        )


def _of_leader(record: Comparison, enough: int) -> tuple[float, float, float]:
    """Kurtosis about 0 of the errors of the model with the smaller mean, and the other's; rows.

    No rows where there are ``enough``.
    """
    rows = (record.df or 0.0) + 1
    if not record.group_variation or rows >= enough:
        return 0.0, 0.0, 0.0
    first, second = (1 + variation**2 for variation in record.group_variation)
    return (second, first, rows) if (record.estimate or 0.0) > 0 else (first, second, rows)


def _heavier_tails(record: Comparison) -> Iterator[str]:
    """A model that leads, but whose errors have heavier tails: it may lack its largest by chance.

    Both models' errors are normal and that of the leading one is larger by more than
    8.5/√(n + 20) in 5 % of the data sets or fewer. Errors with a bias have a smaller kurtosis
    about 0 than normal ones, which is counted as theirs. A difference of ``FAR_APART`` standard
    errors stays one: errors missing by the rule of three (3/n of the rows) would have to lose
    t·√n/3 standard deviations of the differences each (``tests.simulations.heavier_tails``).
    """
    leads, other, rows = _of_leader(record, TAILS_SHOW)
    far_apart = abs(record.statistic or 0.0) >= FAR_APART
    if rows and not far_apart and _is_heavier(leads, other, rows):
        yield (
            "the errors of the model with the smaller mean square have heavier tails (kurtosis "
            f"{_written(leads)}, against {_written(other)} for the other model). {MAY_LACK}"
        )


def _heavy_at_margin(record: Comparison, evaluation: Evaluation) -> Iterator[str]:
    """Errors, or groups, that outweigh others: a model may lack its largest errors by chance."""
    if record.kurtosis is None:
        return
    rows, groups = evaluation.independent_units or 0, evaluation.groups
    noun, most = "squared", HEAVY if groups is None else HEAVY_IN_GROUPS
    if record.metric == ABSOLUTE:
        noun, most = "absolute", HEAVY_SIZES
    larger = max(record.group_variation or (0.0,))
    if groups is None and rows < AT_MARGIN[record.metric]:
        what = f"{rows} {noun} errors are too few to rule out heavy tails"
    elif groups is not None and groups < GROUPS_AT_MARGIN:
        what = f"{groups} groups are too few to rule out heavy tails of their errors"
    elif record.kurtosis > most:
        what = f"a few errors outweigh all others (kurtosis {_written(record.kurtosis)})"
    elif groups is not None and larger > VARIED:
        what = (
            f"a few groups outweigh all others (standard deviation of the groups' mean {noun} "
            f"errors over their mean: {larger:.3g})"
        )
    else:
        return
    share = WORST_AT_MARGIN[record.metric, groups is not None]
    yield (
        f"{what}. Where the errors of the first model have heavy tails, a difference within the "
        f"margin was shown in up to {share} % of the simulated data sets at the margin"
    )


def _heavy_groups(record: Comparison, groups: int | None) -> Iterator[str]:
    """Groups whose errors are far larger than those of others, in one of two models."""
    if not record.group_variation:
        return
    less, more = sorted(record.group_variation)
    if groups is None:
        if more > VARIED_ROWS and more > MORE_VARIED * less:
            yield (
                "a few errors of one model outweigh all its others (standard deviation of its "
                f"squared errors over their mean: {more:.3g}, against {less:.3g} for the other "
                "model). Where the errors of one model have heavier tails, the test rejects too "
                "often (in simulations up to 19 % of true null hypotheses)"
            )
        return
    if more > VARIED and more > MORE_VARIED * less:
        yield (
            "a few groups outweigh all others in the errors of one model (standard deviation of "
            f"the groups' mean squared errors over their mean: {more:.3g}, against {less:.3g} "
            "for the other model). Where whole groups of one model have heavier tails, the test "
            "rejects too often (in simulations 15 to 22 % of true null hypotheses)"
        )
