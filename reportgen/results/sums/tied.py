"""Sums over the distinct scores of any ranking: rows may be tied, and have weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.results.sums.totals import LEAST, dot, summed
from reportgen.sweeping import Piece, Ranked
from reportgen.sweeping.ranked import Floats


def precisions(ranked: Ranked) -> list[float]:
    """Sums of precision over the positives, by steps and interpolated in counts."""
    return summed(_precision(ranked, piece) for piece in ranked.pieces())


def _precision(ranked: Ranked, piece: Piece) -> tuple[float, float]:
    at = np.flatnonzero(piece.hits)
    tp, fp = (counts[at] for counts in _after(ranked, piece))
    hits, predicted_positive = piece.hits[at], tp + fp
    added = hits + piece.alarms[at]
    share, before = hits / added, predicted_positive - added
    # From (0, 0) precision is constant; there the logarithm has nothing to do.
    bend = (share * predicted_positive - tp) * np.log(
        predicted_positive / np.where(before > 0, before, predicted_positive)
    )
    return dot(hits, tp / predicted_positive), dot(share, hits - bend)


def pairs(ranked: Ranked, rows: Sequence[int]) -> list[tuple[float, float]]:
    """Pairs of a positive and a negative ranked rightly and wrongly, ties half.

    Those whose later one is among the ``rows`` highest scores, for each of ``rows``.
    """
    pieces = [(piece.rows.stop, *_pairs(ranked, piece)) for piece in ranked.pieces(rows)]
    stops, right, wrong = (np.array(column) for column in zip(*pieces, strict=True))
    sums = [summed(zip(right[stops <= row], wrong[stops <= row], strict=True)) for row in rows]
    return [(one[0], one[1]) if one else (0.0, 0.0) for one in sums]


def _pairs(ranked: Ranked, piece: Piece) -> tuple[float, float]:
    tp, fp = _after(ranked, piece)
    return dot(piece.alarms, tp - piece.hits / 2), dot(piece.hits, fp - piece.alarms / 2)


def distances(ranked: Ranked, area: float) -> tuple[float, float, float, float]:
    """The ROC curve's greatest heights above and below the diagonal; DeLong's sums of squares.

    Squares of what a positive, and a negative, adds to the pairs that are
    ranked rightly, less the mean.
    """
    positives, negatives = ranked.positives, ranked.negatives
    squares, heights = [], [0.0]
    for piece in ranked.pieces():
        tp, fp = _after(ranked, piece)
        beaten = (1 - area) * negatives - fp + piece.alarms / 2
        beating = area * positives - tp + piece.hits / 2
        squares.append((dot(piece.hits2, beaten * beaten), dot(piece.alarms2, beating * beating)))
        height = tp / positives - fp / negatives
        heights += [height.max(), height.min()]
    of_positives, of_negatives = summed(squares)
    return max(heights), min(heights), of_positives, of_negatives


def losses(ranked: Ranked, base: float) -> list[float]:
    """Sums over rows: see where they are unpacked."""
    return summed(_losses(piece, base) for piece in ranked.pieces())


def _losses(piece: Piece, base: float) -> tuple[float, ...]:
    score, hits, alarms = piece.score, piece.hits, piece.alarms
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
        dot((piece.hits2 + piece.alarms2) * both, twist * twist),
        dot(rows, (score - rate) ** 2),
        dot(rows, (rate - base) ** 2),
    )


def _log_loss(piece: Piece) -> float:
    score, hits, alarms = piece.score, piece.hits, piece.alarms
    if score[-1] > 0 and score[0] < 1:
        return -dot(hits, np.log(score)) - dot(alarms, np.log1p(-score))
    with np.errstate(divide="ignore"):
        hit = np.where(hits > 0, hits, 0) * np.log(np.where(hits > 0, score, 1))
        miss = np.where(alarms > 0, alarms, 0) * np.log1p(-np.where(alarms > 0, score, 0))
    return float(-(hit + miss).sum())


def _after(ranked: Ranked, piece: Piece) -> list[Floats]:
    """The running counts at each score of a piece."""
    rows = np.arange(piece.rows.start, piece.rows.stop) + 1
    return ranked.counts(rows, "tp", "fp")
