"""Sums over the distinct scores of any ranking: rows may be tied, and have weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.measuring.kernels.totals import LEAST, dot, summed
from reportgen.sweeping import Chunk, Ranking, Rises, TiedScores


def precisions(ranked: Ranking) -> list[float]:
    """Sums of precision over the positives, by steps and interpolated in counts."""
    return summed(map(_precision, ranked.rises()))


def _precision(rise: Rises) -> tuple[float, float]:
    predicted_positive, added = rise.tp + rise.fp, rise.gained + rise.tied
    share, before = rise.gained / added, predicted_positive - added
    # From (0, 0) precision is constant; there the logarithm has nothing to do.
    bend = (share * predicted_positive - rise.tp) * np.log(
        predicted_positive / np.where(before > 0, before, predicted_positive)
    )
    return dot(rise.gained, rise.tp / predicted_positive), dot(share, rise.gained - bend)


def pairs(ranked: Ranking, rows: Sequence[int]) -> list[tuple[float, float]]:
    """Pairs of a positive and a negative ranked correctly and wrongly, ties half.

    Those whose later one is among the ``rows`` highest scores, for each of ``rows``.
    """
    if isinstance(ranked, TiedScores) and ranked.of_whole_rows:
        return _counted_pairs(ranked, rows)
    pieces = [(piece.rows.stop, *_pairs(ranked, piece)) for piece in ranked.chunks(rows)]
    stops, concordant, discordant = (np.array(column) for column in zip(*pieces, strict=True))
    sums = [
        summed(zip(concordant[stops <= row], discordant[stops <= row], strict=True)) for row in rows
    ]
    return [(one[0], one[1]) if one else (0.0, 0.0) for one in sums]


def _counted_pairs(ranked: TiedScores, rows: Sequence[int]) -> list[tuple[float, float]]:
    """The same of whole numbers, from the scores of positives alone."""
    at = ranked.rising
    gained = ranked.tp[at].astype(np.int64) - ranked.tp[at - 1]
    above = ranked.fp[at].astype(np.int64) + ranked.fp[at - 1]
    wrongly_twice = np.append(0, np.cumsum(gained * above))
    ends, result = np.searchsorted(at, rows, "right").tolist(), []
    for row, end in zip(rows, ends, strict=True):
        wrongly = int(wrongly_twice[end])
        both = int(ranked.tp[row]) * int(ranked.fp[row])
        result.append(((2 * both - wrongly) / 2, wrongly / 2))
    return result


def _pairs(ranked: Ranking, piece: Chunk) -> tuple[float, float]:
    tp, fp = ranked.through(piece.rows)
    return dot(piece.negatives, tp - piece.positives / 2), dot(
        piece.positives, fp - piece.negatives / 2
    )


def distances(ranked: Ranking, area: float) -> tuple[float, float, float, float]:
    """The ROC curve's greatest heights above and below the diagonal; DeLong's sums of squares.

    Squares of what a positive, and a negative, adds to the pairs that are
    ranked correctly, less the mean.
    """
    positives, negatives = ranked.positives, ranked.negatives
    squares, heights, so_far = [], [0.0], 0.0
    for rise in ranked.rises():
        beaten = (1 - area) * negatives - rise.fp + rise.tied / 2
        beating = area * positives - rise.tp + rise.gained
        tied = dot(rise.tied2, np.square(beating - rise.gained / 2))
        squares.append(
            (dot(rise.gained2, beaten * beaten), dot(rise.between2, beating * beating) + tied)
        )
        before = (rise.tp - rise.gained) / positives - (rise.fp - rise.tied) / negatives
        heights += [(rise.tp / positives - rise.fp / negatives).max(), before.min()]
        so_far += float(rise.between2.sum() + rise.tied2.sum())
    whole = ranked.counts(len(ranked), "fp2" if ranked.weighted else "fp")[0].item()
    last = (area * positives - positives) ** 2
    of_positives, of_negatives = summed([*squares, (0.0, (whole - so_far) * last)])
    return max(heights), min(heights), of_positives, of_negatives


def losses(ranked: Ranking, base: float) -> list[float]:
    """Sums over rows: see where they are unpacked."""
    return summed(_losses(piece, base) for piece in ranked.chunks())


def _losses(piece: Chunk, base: float) -> tuple[float, ...]:
    score, positives, negatives = piece.score, piece.positives, piece.negatives
    complement, rows = 1 - score, positives + negatives
    of_positives, of_negatives = positives * complement, negatives * score
    twist, both = complement - score, score * complement
    length = np.sqrt(score * score + complement * complement)
    squares = rows if piece.positives2 is positives else piece.positives2 + piece.negatives2
    rate = positives / np.maximum(rows, LEAST)
    of_rate = score - rate
    np.square(of_rate, out=of_rate)
    rate -= base
    np.square(rate, out=rate)
    return (
        dot(of_positives, complement) + dot(of_negatives, score),
        _log_loss(piece),
        dot(positives * score + negatives * complement, 1 / length),
        dot(twist, of_positives - of_negatives),
        dot(squares * both, twist * twist),
        dot(rows, of_rate),
        dot(rows, rate),
    )


def _log_loss(piece: Chunk) -> float:
    score, positives, negatives = piece.score, piece.positives, piece.negatives
    if score[-1] > 0 and score[0] < 1:
        return -dot(positives, np.log(score)) - dot(negatives, np.log1p(-score))
    with np.errstate(divide="ignore"):
        of_positives = np.where(positives > 0, positives, 0) * np.log(
            np.where(positives > 0, score, 1)
        )
        of_negatives = np.where(negatives > 0, negatives, 0) * np.log1p(
            -np.where(negatives > 0, score, 0)
        )
    return float(-(of_positives + of_negatives).sum())
