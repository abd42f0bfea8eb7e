"""Two models evaluated on the same folds: t-tests, and their correction for overlap."""

from __future__ import annotations

import math
from typing import Any, TypedDict

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons.paired import mean_difference
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.metrics import chance_value
from reportgen.tables import FoldPairs, FoldScores

WHAT = "differences between the models in the folds"

SIZES_UNKNOWN = "the sizes of the training sets are unknown"
"""Why a test that corrects for overlapping training sets has no value."""

OVERLAP = (
    "the training sets overlap, so the folds are not independent and this test rejects too often"
)
"""The caveat of a naive test where nothing more is known of the folds."""


def paired_folds(scores: DataFrame[FoldScores], first: str, second: str) -> DataFrame[FoldPairs]:
    """The measure of two models side by side, one row per repeat and fold of the first.

    Rows keep their order. A fold that the second model lacks has null.
    """
    keys = ["repeat", "fold"]
    other = scores.filter(model=second).select(*keys, second="value")
    joined = scores.filter(model=first).join(
        other, on=keys, how="left", maintain_order="left", validate="1:1"
    )
    return FoldPairs.validate(
        joined.select(*keys, pl.col("value").alias("first"), "second", "train_rows", "test_rows")
    )


@comparison(
    "pair",
    "folds",
    forms=(Form("paired_t_folds", "The paired t-test over folds", "Paired t over folds", "t"),),
    needs=Needs(given="pairs"),
)
def paired_t_folds(pairs: DataFrame[FoldPairs], question: Question) -> Comparison:
    """Paired t-test over folds, which takes them as independent.

    Folds whose training sets overlap are not: it then rejects too often, and
    ``corrected_resampled_t`` is to be preferred.

    Args:
        pairs: one row per fold: ``repeat`` and ``fold``, the values ``first`` and ``second``, and
            ``train_rows`` and ``test_rows``.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the two learners have the same expected {measure} when
        trained on sets of this size
    Formula: t = √k·mean / s of the differences in k folds, k − 1 df
    Assumes: independent folds
    Undefined: fewer than two folds, differences that do not vary, or a fold
        without a value
    Reference: Zhou (2016), *Machine Learning*, 2.4.2; Dietterich (1998),
        doi:10.1162/089976698300017197

    >>> folds = pl.DataFrame(
    ...     {"first": [0.91, 0.87, 0.90, 0.85, 0.89], "second": [0.88, 0.86, 0.86, 0.84, 0.84]}
    ... )
    >>> folds = folds.with_columns(repeat=pl.lit("1"), fold=pl.Series(list("12345")))
    >>> folds = FoldPairs.validate(folds.with_columns(train_rows=80.0, test_rows=20.0))
    >>> test = paired_t_folds(folds, Question(("a", "b"), "accuracy", unit="folds"))
    >>> round(test.p_value, 4)
    0.0249
    """
    overlaps = pairs.height > 1
    record = _t_test("paired_t_folds", pairs, question, caveats=(OVERLAP,) if overlaps else ())
    if record.unit != "data sets":
        return record
    label, short = (text.replace("folds", "data sets") for text in (record.label, record.short))
    return record.with_fields(label=label, short=short)


@comparison(
    "pair",
    "folds",
    forms=(
        Form(
            "corrected_resampled_t", "The corrected resampled t-test", "Corrected resampled t", "t"
        ),
    ),
    allows=("overlap",),
    needs=Needs(least=3),
)
def corrected_resampled_t(
    pairs: DataFrame[FoldPairs], question: Question, *, ratio: float | None = None
) -> Comparison:
    """Corrected resampled t-test: the folds' training sets may overlap.

    ``ratio`` is test rows over training rows, by default all of the one over
    all of the other (1/(k − 1) for k folds). The record says how far both models are above
    guessing: of learners that see little, folds correlate more than is assumed.

    Args:
        pairs: one row per fold: ``repeat`` and ``fold``, the values ``first`` and ``second``, and
            ``train_rows`` and ``test_rows``.
        question: the models, their measure, and the levels of the test and of its interval.
        ratio: test rows over training rows; None takes them from ``pairs``.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the two learners have the same expected {measure} when
        trained on sets of this size
    Formula: t = mean / √(s²(1/n + test rows/training rows)) of the differences
        in all n folds of all repeats, n − 1 df
    Assumes: two folds correlate as test rows / all rows
    Undefined: as ``paired_t_folds``, and where the sizes of the training parts
        are not known
    Reference: Nadeau & Bengio (2003), doi:10.1023/A:1024068626366; Bouckaert &
        Frank (2004), doi:10.1007/978-3-540-24775-3_3

    >>> folds = pl.DataFrame(
    ...     {"first": [0.91, 0.87, 0.90, 0.85, 0.89], "second": [0.88, 0.86, 0.86, 0.84, 0.84]}
    ... )
    >>> folds = folds.with_columns(repeat=pl.lit("1"), fold=pl.Series(list("12345")))
    >>> folds = FoldPairs.validate(folds.with_columns(train_rows=80.0, test_rows=20.0))
    >>> test = corrected_resampled_t(folds, Question(("a", "b"), "accuracy", unit="folds"))
    >>> round(test.p_value, 4)
    0.08
    """
    return _corrected("corrected_resampled_t", pairs, question, ratio)


@comparison(
    "pair",
    "folds",
    forms=(
        Form(
            "corrected_t_repeats",
            "The corrected t-test of repeats",
            "Corrected t of repeats",
            "t",
        ),
    ),
    allows=("overlap",),
    needs=Needs(least=3),
)
def corrected_t_of_repeats(
    pairs: DataFrame[FoldPairs], question: Question, *, ratio: float | None = None
) -> Comparison:
    """Corrected t-test over the folds of all repeats, which counts the repeats as one.

    Repeats split the rows anew and add no rows, so that their mean is taken to vary as that of
    one repeat. ``corrected_resampled_t`` has a smaller variance the more repeats there are:
    of learners whose folds correlate more than it assumes, such as nearest neighbours, it
    rejects too often. ``ratio`` is test rows over training rows, as there.

    Args:
        pairs: one row per fold: ``repeat`` and ``fold``, the values ``first`` and ``second``, and
            ``train_rows`` and ``test_rows``.
        question: the models, their measure, and the levels of the test and of its interval.
        ratio: test rows over training rows; None takes them from ``pairs``.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the two learners have the same expected {measure} when
        trained on sets of this size
    Formula: t = mean / √(s²(test rows/all rows + test rows/training rows)) of the
        differences in all n folds of all repeats, n − 1 df
    Assumes: the mean of all repeats varies no more than that of one
    Undefined: as ``corrected_resampled_t``
    Reference: Nadeau & Bengio (2003), doi:10.1023/A:1024068626366, for one repeat

    >>> folds = pl.DataFrame(
    ...     {"first": [0.91, 0.87, 0.90, 0.85, 0.89], "second": [0.88, 0.86, 0.86, 0.84, 0.84]}
    ... )
    >>> folds = folds.with_columns(repeat=pl.lit("1"), fold=pl.Series(list("12345")))
    >>> folds = FoldPairs.validate(folds.with_columns(train_rows=80.0, test_rows=20.0))
    >>> test = corrected_t_of_repeats(folds, Question(("a", "b"), "accuracy", unit="folds"))
    >>> round(test.p_value, 4)
    0.08
    """
    return _corrected("corrected_t_repeats", pairs, question, ratio)


def of_one_repeat(share: float, folds: int) -> float:
    """What overlap adds to 1/n, with the folds of all repeats counted as those of one.

    ``share`` is test rows over training rows; the folds of one repeat are 1 + 1/share.

    >>> round(1 / 100 + of_one_repeat(1 / 9, 100), 9) == round(1 / 10 + 1 / 9, 9)
    True
    """
    return share + max(0.0, share / (1 + share) - 1 / folds)


def ratio_of_test_rows(pairs: DataFrame[FoldPairs]) -> float | None:
    """Test rows over training rows, all folds together; null where a size is missing."""
    complete = pl.all_horizontal(pl.col("train_rows", "test_rows").is_not_null().all())
    share = pl.col("test_rows").sum() / pl.col("train_rows").sum()
    ratio: float | None = pairs.select(pl.when(complete).then(share)).item()
    return ratio


def pairing_fields(pairs: DataFrame[FoldPairs]) -> tuple[str, ...]:
    """What is known of the pairing: how many folds of how many repeats."""
    repeats = pairs["repeat"].n_unique()
    of = f" in {repeats} repeats" if repeats > 1 else ""
    return (f"both models evaluated on the same {pairs.height} folds{of}",)


def missing(pairs: DataFrame[FoldPairs]) -> str | None:
    """Why folds cannot be compared: one of them has no value."""
    empty: int = pairs.select(pl.any_horizontal(pl.col("first", "second").is_null()).sum()).item()
    return f"the measure is undefined in {empty} of {pairs.height} folds" if empty else None


def _corrected(
    name: str, pairs: DataFrame[FoldPairs], question: Question, ratio: float | None
) -> Comparison:
    share = ratio_of_test_rows(pairs) if ratio is None else ratio
    if share is None:
        return _record(name, pairs, question).with_fields(undefined=SIZES_UNKNOWN)
    of_repeats = name == "corrected_t_repeats"
    return _t_test(
        name,
        pairs,
        question,
        inflation=of_one_repeat(share, pairs.height) if of_repeats else share,
        assumptions=(f"test rows over training rows: {share:.4g}",),
        **above_guessing(pairs.select("first", "second"), share, question.metric),
    )


def _record(
    name: str, pairs: DataFrame[FoldPairs], question: Question, **fields: Any
) -> Comparison:
    assumptions = (*pairing_fields(pairs), *fields.pop("assumptions", ()))
    return question.record(name, assumptions=assumptions, **fields)


def _t_test(
    name: str,
    pairs: DataFrame[FoldPairs],
    question: Question,
    *,
    inflation: float = 0.0,
    **fields: Any,
) -> Comparison:
    absent = missing(pairs)
    mean = mean_difference(pairs, inflation, WHAT)
    if absent or mean.reason:
        value = None if absent else mean.value
        record = _record(name, pairs, question, estimate=value, **fields)
        return record.with_fields(undefined=absent or str(mean.reason))
    return _record(name, pairs, question, **mean.test(question.confidence), **fields)


class AboveGuessing(TypedDict, total=False):
    """Fields of a comparison: how far its models are above guessing."""

    fold_means: tuple[float, ...]
    above_chance: float


def above_guessing(values: pl.DataFrame, share: float, metric: str) -> AboveGuessing:
    """The mean of each model, and by how many of its standard errors the lower is above chance.

    ``values`` has a column for each model and a row for each fold, ``share`` is test rows over
    training rows. The lower mean and not that of both: of two learners alike, one of which
    happens to see far more in these data, the mean of both may be far above chance. No
    distance without spread, or where the measure has no ``chance``.

    >>> above_guessing(pl.DataFrame({"a": [0.5, 1.0], "b": [1.0, 1.0]}), 0.5, "auc")["fold_means"]
    (0.75, 1.0)
    """
    means = values.select(pl.all().mean()).row(0)
    if None in means:
        return {}
    result: AboveGuessing = {"fold_means": means}
    spreads = values.select(pl.all().std()).row(0)
    mean, spread = min(zip(means, spreads, strict=True))
    if (chance := chance_value(metric)) is not None and spread:
        error = spread * math.sqrt(1 / values.height + share)
        result["above_chance"] = (mean - chance) / error
    return result
