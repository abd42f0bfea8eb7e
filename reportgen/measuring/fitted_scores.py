"""Scores that were calibrated on the rows which they are evaluated on, or are exactly 0 or 1."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from reportgen.array_types import Floats
from reportgen.records.row_facts import CertainScores
from reportgen.sweeping import Ranking

LEVEL = 1e-5
"""Scores that equal the shares of positives by chance more rarely are taken as fitted."""

LEAST_VARIANCE = 1.0
"""Scores with a smaller variance of their number of positives say nothing, as 0 and 1 do."""

FEWEST_ROWS = 5.0
"""With fewer rows at a score, on average, scores are not looked at."""

MOST_DECIMALS = 6
"""Scores are taken as rounded to three to so many decimals, which Float32 has."""


def fitted_levels(ranking: Ranking | None) -> int | None:
    """At how many distinct scores the share of positives equals the score, where it does at all.

    A step function that is fitted on the evaluated rows, such as isotonic regression or the means
    of bins, has at each of its levels just the share of positives that it predicts. The probability
    that calibrated scores do so by chance is the product of binomial probabilities, and that a
    score of many decimals is a share of so many rows at all, one of ``_divides``. Of weighted rows
    the shares are weighted, and n is Kish's size; rounded scores of such rows say nothing, as many
    sums of weights lie close together. Scores that few rows share are left out.

    Args:
        ranking: the distinct scores of a model, with the positives and negatives at each.

    Reference: Erdős (1945), doi:10.1090/S0002-9904-1945-08454-7: no value of a weighted sum is
        more probable than the most probable number

    Returns:
        The number of scores with a variance of their number of positives of 1 or more; null where
        one of them differs from its share, or chance would do the same in 1 of 100,000 cases.
    """
    if ranking is None or not ranking.probabilities:
        return None
    count = len(ranking.score)
    part = ranking.chunk(slice(0, count))
    weight = part.positives + part.negatives
    rows = _sizes(ranking, weight) if ranking.weighted else weight
    if rows.sum() < FEWEST_ROWS * count:
        return None
    varied = rows * part.score * (1 - part.score) >= LEAST_VARIANCE
    rows, score, decimals = rows[varied], part.score[varied], _decimals(part.score)
    if ranking.weighted and decimals < MOST_DECIMALS:
        return None
    share, precision = part.positives[varied] / weight[varied], 10.0**-decimals
    if not varied.any() or (np.abs(share - score) > precision).any():
        return None
    chance = _log_probability(rows * share, rows) + np.log1p(2 * rows * precision)
    if decimals == MOST_DECIMALS and not ranking.weighted:
        chance += _divides(rows * share, rows)
    return int(varied.sum()) if chance.sum() < np.log(LEVEL) else None


def effective_scores(ranking: Ranking | None) -> float | None:
    """So many equally frequent scores those of a model are worth: (Σn)² / Σn², n the rows at each.

    Args:
        ranking: the distinct scores of a model, with the positives and negatives at each.
    """
    if ranking is None or not len(ranking.score):
        return None
    count = len(ranking.score)
    if not ranking.weighted and count == ranking.positives + ranking.negatives:  # each once
        return float(count)
    part = ranking.chunk(slice(0, count))
    rows = part.positives + part.negatives
    squares = float(np.square(rows).sum())
    return float(rows.sum()) ** 2 / squares if squares > 0 else None


def _sizes(ranking: Ranking, weight: Floats) -> Floats:
    """How many rows of equal weight those at each score are worth: (Σw)² / Σw²."""
    at = np.arange(len(weight) + 1)
    squares = np.diff(ranking.running("tp2", at) + ranking.running("fp2", at))
    sizes: Floats = np.divide(weight**2, squares, where=squares > 0, out=np.zeros_like(weight))
    return sizes


def _divides(positives: Floats, rows: Floats) -> Floats:
    """Logarithm of the probability that a score could be a share of so many rows.

    As a fraction in lowest terms its denominator q divides their number: by chance of one in q,
    or, where so many rows were expected, of 0.4/√n at most.

    >>> np.exp(_divides(np.array([4.0, 7.0]), np.array([16.0, 16.0]))).round(2).tolist()
    [0.25, 0.1]
    """
    counts, wholes = np.rint(positives).astype(np.int64), np.rint(rows).astype(np.int64)
    lowest = wholes // np.gcd(counts, wholes)
    return np.log(np.maximum(1 / lowest, np.minimum(0.4 / np.sqrt(rows), 1.0)))


def _decimals(scores: Floats) -> int:
    """The decimals that all scores are rounded to.

    >>> _decimals(np.array([0.25, 0.3333])), _decimals(np.array([1 / 3])), _decimals(np.ones(1))
    (4, 6, 3)
    """
    for decimals in range(3, MOST_DECIMALS):
        if np.allclose(scores, np.round(scores, decimals), rtol=0, atol=1e-7):
            return decimals
    return MOST_DECIMALS


def _log_probability(positives: Floats, rows: Floats) -> Floats:
    """Logarithm of the binomial probability of so many positives, of scores that are their share.

    >>> np.exp(_log_probability(np.array([3.0]), np.array([10.0]))).round(3).tolist()
    [0.267]
    """
    share = positives / rows
    ways = gammaln(rows + 1) - gammaln(positives + 1) - gammaln(rows - positives + 1)
    return ways + xlogy(positives, share) + xlog1py(rows - positives, -share)


def certain_scores(ranking: Ranking | None) -> CertainScores | None:
    """How many rows have a probability of exactly 0 or 1, and how many of them are the other class.

    Args:
        ranking: the distinct scores of a model, with the positives and negatives at each.

    Returns:
        The numbers of rows; null where no score is certain, scores are no probabilities, or rows
        are weighted.

    >>> import polars as pl
    >>> from reportgen.sweeping import ranking_of
    >>> frame = pl.DataFrame({"score": [1.0, 0.5, 0.0, 0.0], "truth": [True, False, True, False]})
    >>> certain_scores(ranking_of(frame))
    {'rows': 3, 'positives_at_0': 1, 'negatives_at_1': 0}
    """
    if ranking is None or not ranking.probabilities or ranking.weighted:
        return None
    others = ranking.with_log_odds
    rows = ranking.positives + ranking.negatives - others.positives - others.negatives
    if not rows:
        return None
    of_one, above_zero = ranking.count_at_or_above([1.0, 5e-324])
    (negatives_at_1,) = ranking.counts([of_one], "fp")[0]
    (true_positives,) = ranking.counts([above_zero], "tp")[0]
    return {
        "rows": int(rows),
        "positives_at_0": int(ranking.positives - true_positives),
        "negatives_at_1": int(negatives_at_1),
    }
