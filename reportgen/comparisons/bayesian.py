"""Bayesian comparisons: how probable is it that one model is better by more than matters?"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import stdtr, stdtrit

from reportgen.array_types import Floats
from reportgen.column_statistics import as_float
from reportgen.comparisons.folds import (
    SIZES_UNKNOWN,
    WHAT,
    missing,
    pairing_fields,
    ratio_of_test_rows,
)
from reportgen.comparisons.paired import NOISE, mean_difference
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison
from reportgen.tables import FoldPairs
from reportgen.tables.comparisons import MEDIAN

DRAWS = 20_000
"""Draws from the posterior of the signed ranks."""

_PRIOR = "prior: one pseudo-observation of no difference"


@comparison(
    "pair",
    "folds",
    forms=(
        Form(
            "bayesian_correlated_t", "The Bayesian correlated t-test", "Bayesian correlated t", "t"
        ),
    ),
    allows=("overlap",),
    shows="probability",
)
def bayesian_correlated_t(
    pairs: DataFrame[FoldPairs],
    question: Question,
    *,
    rope: float = 0.01,
    ratio: float | None = None,
) -> Comparison:
    """Posterior of the mean difference over folds whose training sets overlap.

    Gives the probabilities that the first is better by more than ``rope``,
    that they lie within it, and that the second is better by more; better is
    the one with more than 1 − α. ``ratio`` as in ``corrected_resampled_t``.
    Raises ValueError for a negative ``rope``.

    Args:
        pairs: one row per fold: ``repeat`` and ``fold``, the values ``first`` and ``second``, and
            ``train_rows`` and ``test_rows``.
        question: the models, their measure, and the levels of the test and of its interval.
        rope: the largest difference that does not matter, at least 0.
        ratio: test rows over training rows; None takes them from ``pairs``.

    Returns:
        One record with the three probabilities.

    Null hypothesis: the two learners have the same expected {measure} when
        trained on sets of this size
    Formula: Student's t about the mean difference with scale
        √(s²(1/n + test rows/training rows)), n − 1 df
    Assumes: two folds correlate as test rows / all rows
    Undefined: as ``corrected_resampled_t``
    Reference: Corani & Benavoli (2015), doi:10.1007/s10994-015-5486-z; Benavoli
        et al. (2017), Journal of Machine Learning Research 18(77), 1-36

    >>> folds = pl.DataFrame(
    ...     {"first": [0.91, 0.87, 0.90, 0.85, 0.89], "second": [0.88, 0.86, 0.86, 0.84, 0.84]}
    ... )
    >>> folds = folds.with_columns(repeat=pl.lit("1"), fold=pl.Series(list("12345")))
    >>> folds = FoldPairs.validate(folds.with_columns(train_rows=80.0, test_rows=20.0))
    >>> test = bayesian_correlated_t(folds, Question(("a", "b"), "accuracy", unit="folds"))
    >>> [round(share, 4) for share in test.probabilities]
    [0.896, 0.087, 0.017]
    """
    if rope < 0:
        raise ValueError(f"±{rope} is not a region of practical equivalence")
    record = question.record(
        "bayesian_correlated_t", against=rope, assumptions=pairing_fields(pairs)
    )
    share = ratio_of_test_rows(pairs) if ratio is None else ratio
    if share is None:
        return record.with_fields(undefined=SIZES_UNKNOWN)
    mean = mean_difference(pairs, share, WHAT)
    reason = missing(pairs) or mean.reason
    if reason:
        return record.with_fields(undefined=reason)
    centre = mean.value or 0.0
    below = float(stdtr(mean.df, (-rope - centre) / mean.error))
    above = float(stdtr(mean.df, (centre - rope) / mean.error))
    half_width = float(stdtrit(mean.df, (1 + question.confidence) / 2)) * mean.error
    return _decided(
        question.record(
            "bayesian_correlated_t",
            statistic=centre / mean.error,
            df=mean.df,
            estimate=centre,
            low=centre - half_width,
            high=centre + half_width,
            interval="posterior",
            against=rope,
            assumptions=(
                *pairing_fields(pairs),
                f"correlation of the folds: {share / (1 + share):.4g}",
            ),
        ),
        above,
        below,
    )


@comparison(
    "pair",
    "data sets",
    forms=(Form("bayesian_signed_rank", "The Bayesian signed-rank test", "Bayesian signed-rank"),),
    shows="probability",
)
def bayesian_signed_rank(
    pairs: pl.DataFrame,
    question: Question,
    *,
    rope: float = 0.01,
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """Posterior of who is practically better on a further data set, by signed ranks.

    A Dirichlet process with one pseudo-difference of 0 gives weights w to the
    differences z; of each draw, Σ wᵢwⱼ over zᵢ + zⱼ > 2·rope, within ±2·rope
    and below −2·rope are compared, and the largest wins. The probabilities are
    the shares of ``draws`` that each wins, never 0 or 1: (wins + 1)/(draws + 3).
    Better is the one with more than 1 − α.

    Args:
        pairs: one row per pair of values, ``first`` and ``second``.
        question: the models, their measure, and the levels of the test and of its interval.
        rope: the largest difference that does not matter, at least 0.
        draws: how many draws of the weights.
        seed: of the random numbers.

    Returns:
        One record with the three probabilities.

    Null hypothesis: neither model is practically better on a further data set
    Formula: Dirichlet process over the differences with one pseudo-difference of 0
    Assumes: independent data sets
    Undefined: no difference other than 0, or a missing value
    Reference: Benavoli et al. (2017), Journal of Machine Learning Research
        18(77), 1-36; Benavoli et al. (2014), ICML, PMLR 32(2), 1026-1034

    >>> pairs = pl.DataFrame(
    ...     {"first": [0.9, 0.8, 0.85, 0.7, 0.95], "second": [0.8, 0.75, 0.7, 0.72, 0.88]}
    ... )
    >>> test = bayesian_signed_rank(
    ...     pairs, Question(("a", "b"), "auc", unit="data sets"), draws=1000
    ... )
    >>> test.better
    'a'
    """
    record = question.record("bayesian_signed_rank", against=rope)
    difference = (pairs["first"] - pairs["second"]).cast(pl.Float64)
    if empty := difference.null_count():
        return record.with_fields(undefined=f"a value is missing in {empty} pairs")
    differences = difference.to_numpy()
    if not (np.abs(differences) > NOISE).any():
        return record.with_fields(undefined="all differences are 0")
    z = np.concatenate([[0.0], differences])
    masses = _masses(z, _weights(seed, draws, len(z)), 2 * rope + NOISE)
    wins = np.bincount(np.argmax(masses, axis=0), minlength=3)
    shares = (wins + 1) / (draws + 3)
    result = question.record(
        "bayesian_signed_rank",
        effect=MEDIAN,
        estimate=as_float(difference.median()),
        against=rope,
        assumptions=(f"{pairs.height} pairs",),
        caveats=(_PRIOR,),
    )
    return _decided(result, float(shares[0]), float(shares[2]))


@lru_cache(maxsize=1)
def _weights(seed: int, draws: int, size: int) -> Floats:
    """Weights of the differences (rows) in each draw (columns), the same for every pair.

    They are not scaled to a sum of 1, which no comparison of masses needs.
    """
    weights = np.random.default_rng(seed).exponential(size=(draws, size))
    return np.ascontiguousarray(weights.T)


def _masses(z: Floats, weights: Floats, region: float) -> list[Floats]:
    """Σ wᵢwⱼ over zᵢ + zⱼ above, within and below ±``region``, of each draw.

    From running sums over the ordered differences: those that zᵢ goes above the region with
    are the largest ones.
    """
    order = np.argsort(z)
    ordered, weight = z[order], weights[order]
    running = np.zeros((len(z) + 1, weight.shape[1]))
    for row, before, after in zip(weight, running, running[1:], strict=False):
        np.add(before, row, out=after)  # several times as fast as cumsum along this axis
    sums = ordered[:, None] + ordered[None, :]
    counts = (sums > region).sum(axis=1), (sums < -region).sum(axis=1)
    not_above = np.einsum("id,id->d", weight, running[len(z) - counts[0]])
    below = np.einsum("id,id->d", weight, running[counts[1]])
    whole = running[-1] ** 2
    return [whole - not_above, not_above - below, below]


def _decided(record: Comparison, above: float, below: float) -> Comparison:
    """The record with its three probabilities, and who is better if one is probable enough."""
    first, second = (below, above) if record.less_is_better else (above, below)
    probabilities = (first, max(0.0, 1 - math.fsum((first, second))), second)
    sure = 1 - record.alpha
    better = record.models[0] if first > sure else record.models[1] if second > sure else None
    return record.with_fields(probabilities=probabilities, better=better)
