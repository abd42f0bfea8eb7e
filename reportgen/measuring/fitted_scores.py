"""Scores that were calibrated on the rows which they are evaluated on."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from reportgen.array_types import Floats
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
    that calibrated scores do so by chance is the product of binomial probabilities.
    Weighted rows, and scores that few rows share, are left out.

    Args:
        ranking: the distinct scores of a model, with the positives and negatives at each.

    Returns:
        The number of scores with a variance of their number of positives of 1 or more; null where
        one of them differs from its share, or chance would do the same in 1 of 100,000 cases.
    """
    if ranking is None or ranking.weighted or not ranking.probabilities:
        return None
    count = len(ranking.score)
    if ranking.positives + ranking.negatives < FEWEST_ROWS * count:
        return None
    part = ranking.chunk(slice(0, count))
    rows = part.positives + part.negatives
    kept = rows * part.score * (1 - part.score) >= LEAST_VARIANCE
    rows, positives, score = rows[kept], part.positives[kept], part.score[kept]
    rounding = rows * 10.0 ** -_decimals(part.score)
    if not kept.any() or (np.abs(positives - rows * score) > rounding).any():
        return None
    chance = (_log_probability(positives, rows) + np.log1p(2 * rounding)).sum()
    return int(kept.sum()) if chance < np.log(LEVEL) else None


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
