"""Any measure of two models on the same rows: bootstrap and permutation."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.special import ndtri

from reportgen.array_types import Floats
from reportgen.comparisons.model_pair import DRAWS, Draws, ModelPair, from_permutations
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison
from reportgen.comparisons.simultaneous import possible
from reportgen.resampling.bootstrap_outcomes import DifferenceOutcome
from reportgen.resampling.bootstrap_settings import BootstrapSettings

ENOUGH_FOR_SPREAD = 200
"""Of so many permutations the spread is known to within a twentieth."""

_TIED = 1e-12
"""Differences within this share of the observed one lie as far as it does."""


@comparison(
    "pair",
    "rows",
    forms=(Form("paired_bootstrap", "The paired bootstrap test", "Paired bootstrap"),),
    allows=("groups",),
)
def paired_bootstrap(
    pair: ModelPair, question: Question, *, replicates: int = 2000, seed: int = 0
) -> Comparison:
    """Bootstrap of the difference of any measure between two models.

    The effect is the difference with its percentile limits.

    Args:
        pair: the two models on the same rows, and the measure.
        question: the models, their measure, and the levels of the test and of its interval.
        replicates: how often the rows are resampled.
        seed: of the random numbers.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: rows (or whole groups) resampled with replacement, the same ones for both
        models. p = (b + 1)/(B + 1), b the replicates whose difference lies at least as
        far from the observed one as that lies from 0
    Assumes: independent rows (or groups)
    Undefined: the bootstrap has no limits, see ``reportgen.resampling.bootstrap_pair``
    Reference: Davison & Hinkley (1997), *Bootstrap Methods*, 4.4,
        doi:10.1017/CBO9780511802843

    >>> import polars as pl
    >>> from reportgen.comparisons.binary_pair import BinaryPair
    >>> frame = pl.DataFrame(
    ...     {
    ...         "truth": [True] * 4 + [False] * 4,
    ...         "a": [0.9, 0.8, 0.7, 0.4, 0.6, 0.3, 0.2, 0.1],
    ...         "b": [0.9, 0.3, 0.6, 0.4, 0.7, 0.5, 0.2, 0.1],
    ...     }
    ... )
    >>> pair = BinaryPair(frame, "auc", scores=("a", "b"))
    >>> test = paired_bootstrap(pair, Question(("a", "b"), "auc"), replicates=200)
    >>> test.estimate, round(test.p_value, 4)
    (0.25, 0.3)
    """
    options = BootstrapSettings(replicates, seed, question.confidence)
    row = pair.resampled(options) if pair.size else None
    return bootstrapped(question, row, pair.size, replicates)


def bootstrapped(
    question: Question, row: DifferenceOutcome | None, rows: int, replicates: int
) -> Comparison:
    """The record of a paired bootstrap, from its row of ``bootstrap_pair``'s table."""
    if row is None or row["p_value"] is None:
        value = None if row is None else row["value"]
        reason = "the replicates do not vary, or the measure is undefined in too many of them"
        return question.record("paired_bootstrap", undefined=reason, estimate=value)
    return question.record(
        "paired_bootstrap",
        p_value=row["p_value"],
        estimate=row["value"],
        low=row["low"],
        high=row["high"],
        interval=row["interval"],
        assumptions=(f"{row['replicates']} replicates of {rows} rows",),
        reachable=1 / (replicates + 1),
    )


@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "paired_permutation",
            "The paired permutation test",
            "Paired permutation",
            traits=("few unlike rows", "any group sizes"),
        ),
    ),
    allows=("groups",),
)
def paired_permutation(pair: ModelPair, question: Question, *, draws: Draws = DRAWS) -> Comparison:
    """Permutation test of the difference of any measure between two models.

    Where p is not surely above the level, more permutations are drawn if ``draws`` goes on.
    How rows are exchanged the pair says: ``BinaryPair`` of two classes, ``CountedPair`` of several
    classes or labels, ``RowwisePair`` of measures of rows, which is undefined beyond 50,000 rows.
    Raises ValueError for a measure that cannot be made from what is given.

    Args:
        pair: the two models on the same rows, and the measure.
        question: the models, their measure, and the levels of the test and of its interval.
        draws: how many permutations are tried, and their seed.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: exchanging the outputs of the two models on a row does not
        change the distribution of the difference in {measure}
    Formula: the outputs of each row, or of each group of rows, are exchanged with
        probability one half (of rankings their ranks). p = (b + 1)/(B + 1), b the
        permutations with a difference at least as large
    Assumes: independent rows, or independent groups of rows
    Undefined: the measure is undefined, or no row differs
    Reference: Good (2005), *Permutation, Parametric, and Bootstrap Tests of
        Hypotheses*, doi:10.1007/b138696; Bandos, Rockette & Gur (2005),
        doi:10.1002/sim.2149; Phipson & Smyth (2010), doi:10.2202/1544-6115.1585

    >>> import polars as pl
    >>> from reportgen.comparisons.binary_pair import BinaryPair
    >>> frame = pl.DataFrame(
    ...     {
    ...         "truth": [True] * 4 + [False] * 4,
    ...         "a": [0.9, 0.8, 0.7, 0.4, 0.6, 0.3, 0.2, 0.1],
    ...         "b": [0.9, 0.3, 0.6, 0.4, 0.7, 0.5, 0.2, 0.1],
    ...     }
    ... )
    >>> pair = BinaryPair(frame, "auc", scores=("a", "b"))
    >>> test = paired_permutation(pair, Question(("a", "b"), "auc"), draws=Draws(99, 0))
    >>> test.estimate, round(test.p_value, 4)
    (0.25, 0.19)
    """
    if reason := pair.fixed():
        return permuted(question, reason=reason)
    observed, null_distribution, differ = pair.permuted(draws)
    p_value = permuted_p(observed, null_distribution)
    further = draws.further(p_value, question.alpha, pair.width) if differ else 0
    if further and not math.isnan(observed):
        _, more, _ = pair.permuted(Draws(further, draws.seed + 1))
        null_distribution = np.concatenate([null_distribution, more])
    return permuted(
        question,
        observed=observed,
        null_distribution=null_distribution,
        differ=differ,
        units=pair.units,
        most=draws.most(pair.width),
    )


def permuted(
    question: Question,
    *,
    observed: float = np.nan,
    null_distribution: Floats | None = None,
    differ: bool = True,
    units: str = "",
    reason: str | None = None,
    most: int | None = None,
) -> Comparison:
    """The record of a paired permutation test: its difference and those of the permutations.

    A permutation without a value (NaN) counts as one that lies as far. The limits are
    those of ``permutation_limits``. ``most`` is how many permutations it would have gone on to.
    """
    reason = reason or _no_test(observed, differ)
    if reason or null_distribution is None:
        return question.record("paired_permutation", undefined=str(reason))
    p_value, number = permuted_p(observed, null_distribution), len(null_distribution)
    limits_at = partial(permutation_limits, observed, null_distribution, question.metric)
    low, high = limits_at(question.confidence) or (None, None)
    return question.record(
        "paired_permutation",
        p_value=p_value,
        estimate=observed,
        low=low,
        high=high,
        interval=None if low is None else "permutation",
        limits_at=limits_at,
        assumptions=(f"{number} permutations of {units}",),
        **from_permutations(p_value, number, question.alpha),
        reachable=1 / ((most or number) + 1),
    )


def permuted_p(observed: float, null_distribution: Floats) -> float:
    """Share of the permutations that lie at least as far, the observed difference among them."""
    far = ~(np.abs(null_distribution) < abs(observed) * (1 - _TIED))
    return (int(far.sum()) + 1) / (len(null_distribution) + 1)


def permutation_limits(
    observed: float, permuted: Floats, metric: str, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Limits of a difference from those of its permutations: they leave 0 out where p < α.

    d ∓ the k-th largest |difference| of the B permutations, k = ⌈α(B + 1)⌉ − 1 and α =
    1 − confidence: p is (b + 1)/(B + 1) with b of them at least as large as |d|. The
    distribution around the true difference is taken for that around 0. Where the permutations are
    too few for any p below α, but ``ENOUGH_FOR_SPREAD``, as far as a normal distribution of their
    spread reaches, at least to the largest of them and to 0. None with fewer, or where that
    difference has no value.
    Good (2005), *Permutation, Parametric, and Bootstrap Tests of Hypotheses*, 3.2,
    doi:10.1007/b138696.

    >>> limits = permutation_limits(0.2, np.linspace(-0.19, 0.19, 99), "auc")
    >>> [round(limit, 3) for limit in limits]
    [0.014, 0.386]
    """
    rank = math.ceil((1 - confidence) * (len(permuted) + 1) - 1e-9) - 1
    sizes = np.sort(np.where(np.isnan(permuted), np.inf, np.abs(permuted)))
    if rank >= 1:
        width = float(sizes[-rank])
    elif len(sizes) < ENOUGH_FOR_SPREAD:
        return None
    else:
        reaches = float(ndtri((1 + confidence) / 2)) * float(np.sqrt(np.mean(sizes**2)))
        width = max(reaches, float(sizes[-1]), abs(observed))
    if abs(width - abs(observed)) <= _TIED * abs(observed):  # it lies as far
        width = abs(observed)
    if not math.isfinite(width):
        return None
    return possible(metric, observed, observed - width, observed + width)


def _no_test(observed: float, differ: bool) -> str | None:
    if np.isnan(observed):
        return "the measure is undefined for a model"
    return None if differ else "both models give identical predictions"
