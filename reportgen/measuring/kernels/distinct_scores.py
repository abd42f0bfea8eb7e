"""The same sums where every row has a score of its own.

The i-th positive, from 0, at place p has a = p − i negatives above it; what
concerns order follows from these numbers, and the negatives between two
positives all have as many positives above them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.array_types import Floats, Indices, chunks
from reportgen.measuring.kernels.totals import dot, summed
from reportgen.sweeping import DistinctScores

_SURE = 2.0**-10
"""What the wrong class is given, at least, where 1 less that has logarithm enough: to 1e-13."""
_SLIGHT = 2.0**-100
"""Eight such numbers have a product without underflow."""


def precisions(ranked: DistinctScores) -> list[float]:
    """Sums of precision over the positives, by steps and interpolated in counts."""
    return summed(
        ((rise.tp / (rise.tp + rise.fp)).sum(), len(rise.tp) - _bend(rise.tp, rise.fp))
        for rise in ranked.rises()
    )


def _bend(nth: Floats, above: Floats) -> float:
    """What precision loses on the way to each positive, from the row before it."""
    before = nth + above - 1
    return dot(above, np.log1p(1 / np.where(before > 0, before, 1)))


def pairs(ranked: DistinctScores, rows: Sequence[int]) -> list[tuple[float, float]]:
    """Pairs of a positive and a negative ranked correctly and wrongly.

    Those whose later one is among the ``rows`` highest scores, for each of ``rows``.
    """
    stops = ranked.true_positives(np.array(rows))
    result = []
    for row, stop in zip(rows, stops.tolist(), strict=True):
        discordant = int(ranked.places[:stop].sum(dtype=np.int64)) - stop * (stop - 1) // 2
        result.append((float(stop * (row - stop) - discordant), float(discordant)))
    return result


def distances(ranked: DistinctScores, area: float) -> tuple[float, float, float, float]:
    """The ROC curve's greatest heights above and below the diagonal; DeLong's sums of squares."""
    positives, negatives = ranked.positives, ranked.negatives
    squares, heights, so_far = [], [0.0], 0.0
    for rise in ranked.rises():
        nth, above = rise.tp, rise.fp
        beaten = (1 - area) * negatives - above
        beating = area * positives - (nth - 1)
        squares.append((dot(beaten, beaten), dot(rise.between, beating * beating)))
        false_positive_rate = above / negatives
        heights += [
            (nth / positives - false_positive_rate).max(),
            ((nth - 1) / positives - false_positive_rate).min(),
        ]
        so_far = above[-1]
    last = (area * positives - positives) ** 2
    of_positives, of_negatives = summed([*squares, (0.0, (negatives - so_far) * last)])
    return max(heights), min(heights), of_positives, of_negatives


def losses(ranked: DistinctScores, base: float) -> list[float]:
    """Sums over rows: see where they are unpacked."""
    sums = summed(_losses(ranked, rows) for rows in chunks(len(ranked)))
    # Each row is the only one of its forecast: the rate at it is the outcome.
    return [*sums, sums[0], len(ranked) * base * (1 - base)]


def _losses(ranked: DistinctScores, rows: slice) -> tuple[float, ...]:
    score, positive = ranked.score[rows], ranked.among(rows)
    of_positives = score[positive]
    of_true_class, of_other_class = 1 - score, score.copy()
    of_true_class[positive], of_other_class[positive] = of_positives, 1 - of_positives
    both, twist = of_true_class * of_other_class, of_other_class - of_true_class
    length = np.sqrt(1 - 2 * both)
    return (
        dot(of_other_class, of_other_class),
        -_log(score, positive, of_true_class, of_other_class),
        dot(of_true_class, 1 / length),
        dot(of_other_class, twist),
        dot(both, twist * twist),
    )


def _log(score: Floats, positive: Indices, of_true_class: Floats, of_other_class: Floats) -> float:
    """Sum of the logarithms of what is given to the true class.

    Of eight rows at a time where none is so sure that what is left to 1 counts.
    """
    if (
        of_other_class.min() >= _SURE
        and of_true_class.min() >= _SLIGHT
        and len(of_true_class) % 8 == 0
    ):
        return float(np.log(of_true_class.reshape(8, -1).prod(axis=0)).sum())
    with np.errstate(divide="ignore"):
        logs = np.log1p(-score)
        logs[positive] = np.log(score[positive])
    return float(logs.sum())
