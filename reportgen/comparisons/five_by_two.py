"""Tests of five repeats of two folds: the training sets of one repeat share no row."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import fdtrc, stdtr, stdtrit

from reportgen.comparisons.folds import missing, pairing_fields
from reportgen.comparisons.paired import DIFFERENCE, NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.tables import FoldPairs

_CONSERVATIVE = (
    "the numerator is the mean of the first repeat's two differences, as in Zhou (2016): "
    "conservative, and not the 5×2cv t of Dietterich"
)

FEW = 100
"""The tests of folds with fewer test rows reject too often where the signal is weak."""

_SMALL = (
    f"the folds test fewer than {FEW} rows; with a weak signal this test then rejects too often "
    "(in simulations up to 19 % of true nulls at α = 0.05)"
)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The first difference, the first repeat's mean, the mean of all ten, Σd² and Σs²."""

    first: float
    first_mean: float
    mean: float
    squares: float
    variances: float


@comparison(
    "pair",
    "folds",
    forms=(
        Form("five_by_two_t", "The 5×2cv paired t-test", "5 × 2 t", "t"),
        Form(
            "five_by_two_t_averaged",
            "The 5×2cv paired t-test with the averaged numerator",
            "5 × 2 t (averaged numerator)",
            "t",
        ),
    ),
    allows=("overlap",),
    needs=Needs(folds=2, repeats=5, least=10),
)
def five_by_two_t(pairs: DataFrame[FoldPairs], question: Question) -> list[Comparison]:
    """5×2cv paired t-test, in Dietterich's form and with the averaged numerator.

    The effect of each form is its numerator. That of the averaged one has
    about half the variance that the test takes it to have: it rejects too seldom.
    All ten differences share what is particular to the one data set, so that
    small folds with a weak signal reject too often and get a caveat.

    Args:
        pairs: one row per fold: ``repeat`` and ``fold``, the values ``first`` and ``second``, and
            ``train_rows`` and ``test_rows``. Five repeats of two folds.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the two learners have the same expected {measure} when
        trained on sets of this size
    Formula: t = first difference / √(Σs²/5), 5 df; s²: variance of the two
        differences of a repeat
    Formula of five_by_two_t_averaged: t = mean of the first repeat's two
        differences / √(Σs²/5), 5 df: conservative
    Assumes: the ten differences are independent but for their repeat
    Undefined: unless there are five repeats of two folds with a value each, or
        where no repeat's differences differ
    Reference: Dietterich (1998), doi:10.1162/089976698300017197
    Reference of five_by_two_t_averaged: Zhou (2016), 2.4.2

    >>> folds = pl.DataFrame(
    ...     {
    ...         "first": [0.91, 0.87, 0.90, 0.85, 0.89] * 2,
    ...         "second": [0.88, 0.86, 0.86, 0.84, 0.84] * 2,
    ...     }
    ... )
    >>> folds = folds.with_columns(
    ...     repeat=pl.Series(list("1122334455")), fold=pl.Series(list("1212121212"))
    ... )
    >>> folds = FoldPairs.validate(folds.with_columns(train_rows=50.0, test_rows=50.0))
    >>> tests = five_by_two_t(folds, Question(("a", "b"), "accuracy", unit="folds"))
    >>> [round(test.p_value, 4) for test in tests]
    [0.2031, 0.3739]
    """
    forms = {"five_by_two_t": (), "five_by_two_t_averaged": (_CONSERVATIVE,)}
    parts = _parts(pairs)
    if isinstance(parts, str):
        return [_undefined(name, pairs, question, parts) for name in forms]
    error = sqrt(parts.variances / 5)
    half_width = float(stdtrit(5, (1 + question.confidence) / 2)) * error
    records = []
    for (name, caveats), value in zip(forms.items(), (parts.first, parts.first_mean), strict=True):
        record = question.record(
            name,
            statistic=value / error,
            df=5.0,
            p_value=2 * float(stdtr(5, -abs(value) / error)),
            estimate=value,
            low=value - half_width,
            high=value + half_width,
            interval="t",
            assumptions=pairing_fields(pairs),
            caveats=(*caveats, *_small(pairs)),
        )
        records.append(record)
    return records


@comparison(
    "pair",
    "folds",
    forms=(Form("five_by_two_f", "The combined 5×2cv F test", "5 × 2 F", "F"),),
    allows=("overlap",),
    needs=Needs(folds=2, repeats=5, least=10),
)
def five_by_two_f(pairs: DataFrame[FoldPairs], question: Question) -> Comparison:
    """Combined 5×2cv F test, which does not depend on the order of the folds.

    Its effect is the mean of the ten differences. Of small folds it rejects
    still more often than ``five_by_two_t``.

    Args:
        pairs: one row per fold: ``repeat`` and ``fold``, the values ``first`` and ``second``, and
            ``train_rows`` and ``test_rows``. Five repeats of two folds.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the two learners have the same expected {measure} when
        trained on sets of this size
    Formula: F = Σd² / (2Σs²) over five repeats of two folds, 10 and 5 df
    Assumes: as ``five_by_two_t``
    Undefined: as ``five_by_two_t``
    Reference: Alpaydin (1999), doi:10.1162/089976699300016007

    >>> folds = pl.DataFrame(
    ...     {
    ...         "first": [0.91, 0.87, 0.90, 0.85, 0.89] * 2,
    ...         "second": [0.88, 0.86, 0.86, 0.84, 0.84] * 2,
    ...     }
    ... )
    >>> folds = folds.with_columns(
    ...     repeat=pl.Series(list("1122334455")), fold=pl.Series(list("1212121212"))
    ... )
    >>> folds = FoldPairs.validate(folds.with_columns(train_rows=50.0, test_rows=50.0))
    >>> test = five_by_two_f(folds, Question(("a", "b"), "accuracy", unit="folds"))
    >>> round(test.p_value, 4)
    0.1644
    """
    parts = _parts(pairs)
    if isinstance(parts, str):
        return _undefined("five_by_two_f", pairs, question, parts)
    statistic = parts.squares / (2 * parts.variances)
    return question.record(
        "five_by_two_f",
        statistic=statistic,
        df=10.0,
        df_denominator=5.0,
        p_value=float(fdtrc(10, 5, statistic)),
        estimate=parts.mean,
        assumptions=pairing_fields(pairs),
        caveats=_small(pairs),
    )


def _small(pairs: DataFrame[FoldPairs]) -> tuple[str, ...]:
    return (_SMALL,) if pairs.select((pl.col("test_rows") < FEW).any()).item() else ()


def _parts(pairs: DataFrame[FoldPairs]) -> _Parts | str:
    """The sums that the tests are made of, or why there are none."""
    repeats = pairs.group_by("repeat", maintain_order=True).agg(
        d=DIFFERENCE, size=pl.max_horizontal(pl.col("first", "second").abs()).max()
    )
    if repeats.height != 5 or (repeats["d"].list.len() != 2).any():
        return f"five repeats of two folds are needed, not {pairs.height} folds of {repeats.height}"
    if absent := missing(pairs):
        return absent
    one, other = pl.col("d").list.first(), pl.col("d").list.last()
    sums = repeats.select(
        first=one.first(),
        first_mean=((one + other) / 2).first(),
        mean=((one + other) / 2).mean(),
        squares=(one**2 + other**2).sum(),
        variances=((one - other) ** 2 / 2).sum(),
        size=pl.col("size").max(),
    ).row(0)
    *values, size = sums
    if values[-1] <= (NOISE * size) ** 2:
        return "the two differences of each repeat are the same"
    return _Parts(*values)


def _undefined(
    name: str, pairs: DataFrame[FoldPairs], question: Question, reason: str
) -> Comparison:
    record = question.record(name, assumptions=pairing_fields(pairs))
    return record.with_fields(undefined=reason)
