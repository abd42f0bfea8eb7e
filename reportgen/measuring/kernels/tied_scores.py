"""Sums over the distinct scores of any ranking: rows may be tied, and have weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.array_types import Floats
from reportgen.measuring.kernels.totals import LEAST, dot, summed
from reportgen.sweeping import Chunk, Ranking


def precisions(ranked: Ranking) -> list[float]:
    """Sums of precision over the positives, by steps and interpolated in counts."""
    return summed(_precision(ranked, piece) for piece in ranked.chunks())


def _precision(ranked: Ranking, piece: Chunk) -> tuple[float, float]:
    at = np.flatnonzero(piece.positives)
    tp, fp = (counts[at] for counts in _after(ranked, piece))
    hits, predicted_positive = piece.positives[at], tp + fp
    added = hits + piece.negatives[at]
    share, before = hits / added, predicted_positive - added
    # From (0, 0) precision is constant; there the logarithm has nothing to do.
    bend = (share * predicted_positive - tp) * np.log(
        predicted_positive / np.where(before > 0, before, predicted_positive)
    )
    return dot(hits, tp / predicted_positive), dot(share, hits - bend)


def pairs(ranked: Ranking, rows: Sequence[int]) -> list[tuple[float, float]]:
    """Pairs of a positive and a negative ranked correctly and wrongly, ties half.

    Those whose later one is among the ``rows`` highest scores, for each of ``rows``.
    """
    pieces = [(piece.rows.stop, *_pairs(ranked, piece)) for piece in ranked.chunks(rows)]
    stops, right, wrong = (np.array(column) for column in zip(*pieces, strict=True))
    sums = [summed(zip(right[stops <= row], wrong[stops <= row], strict=True)) for row in rows]
    return [(one[0], one[1]) if one else (0.0, 0.0) for one in sums]


def _pairs(ranked: Ranking, piece: Chunk) -> tuple[float, float]:
    tp, fp = _after(ranked, piece)
    return dot(piece.negatives, tp - piece.positives / 2), dot(
        piece.positives, fp - piece.negatives / 2
    )


def distances(ranked: Ranking, area: float) -> tuple[float, float, float, float]:
    """The ROC curve's greatest heights above and below the diagonal; DeLong's sums of squares.

    Squares of what a positive, and a negative, adds to the pairs that are
    ranked correctly, less the mean.
    """
    positives, negatives = ranked.positives, ranked.negatives
    squares, heights = [], [0.0]
    for piece in ranked.chunks():
        tp, fp = _after(ranked, piece)
        beaten = (1 - area) * negatives - fp + piece.negatives / 2
        beating = area * positives - tp + piece.positives / 2
        squares.append(
            (dot(piece.positives2, beaten * beaten), dot(piece.negatives2, beating * beating))
        )
        height = tp / positives - fp / negatives
        heights += [height.max(), height.min()]
    of_positives, of_negatives = summed(squares)
    return max(heights), min(heights), of_positives, of_negatives


def losses(ranked: Ranking, base: float) -> list[float]:
    """Sums over rows: see where they are unpacked."""
    return summed(_losses(piece, base) for piece in ranked.chunks())


def _losses(piece: Chunk, base: float) -> tuple[float, ...]:
    score, hits, alarms = piece.score, piece.positives, piece.negatives
    complement, rows = 1 - score, hits + alarms
    miss, alarm = hits * complement, alarms * score
    twist, both = complement - score, score * complement
    length = np.sqrt(score * score + complement * complement)
    rate = hits / np.maximum(rows, LEAST)
    return (
        dot(miss, complement) + dot(alarm, score),
        _log_loss(piece),
        dot(hits * score + alarms * complement, 1 / length),
        dot(twist, miss - alarm),
        dot((piece.positives2 + piece.negatives2) * both, twist * twist),
        dot(rows, (score - rate) ** 2),
        dot(rows, (rate - base) ** 2),
    )


def _log_loss(piece: Chunk) -> float:
    score, hits, alarms = piece.score, piece.positives, piece.negatives
    if score[-1] > 0 and score[0] < 1:
        return -dot(hits, np.log(score)) - dot(alarms, np.log1p(-score))
    with np.errstate(divide="ignore"):
        hit = np.where(hits > 0, hits, 0) * np.log(np.where(hits > 0, score, 1))
        miss = np.where(alarms > 0, alarms, 0) * np.log1p(-np.where(alarms > 0, score, 0))
    return float(-(hit + miss).sum())


def _after(ranked: Ranking, piece: Chunk) -> list[Floats]:
    """The running counts at each score of a piece."""
    rows = np.arange(piece.rows.start, piece.rows.stop) + 1
    return ranked.counts(rows, "tp", "fp")
