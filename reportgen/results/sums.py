"""The measures of a ranking and of its forecasts, in one pass over the scores.

``reportgen.metrics`` defines each by an expression over a whole sweep. Here
are the same sums, block by block in the processor's cache, so that no column
beside the ranking is written out; a test holds the two against each other.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from reportgen.curves.recalibration import isotonic_blocks
from reportgen.sweeping import Piece, Ranked
from reportgen.sweeping.ranked import Floats, Indices

Values: TypeAlias = dict[str, float | None]

VARIANCE = "{}_variance"
"""Under what name the variance of a measure stands among the values."""

RANKING = (
    "auc",
    "rank_loss",
    "gini",
    "average_precision",
    "pr_auc",
    "break_even_point",
    "ks_statistic",
    "maximal_informedness",
    "partial_auc_10",
    "partial_auc_20",
    "standardised_partial_auc_10",
    "standardised_partial_auc_20",
    "partial_auc_sensitive",
    "equal_error_rate",
    "precision_top_tenth",
    "recall_top_tenth",
    "lift_top_tenth",
    *map(VARIANCE.format, ("auc", "rank_loss", "gini")),
)
FORECASTS = (
    "brier_score",
    "brier_skill",
    "brier_uncertainty",
    "brier_reliability_distinct",
    "brier_resolution_distinct",
    "log_loss",
    "d2_log_loss",
    "spherical_score",
    "observed_expected",
    "spiegelhalter_z",
    "corp_miscalibration",
    "corp_discrimination",
    "integrated_calibration_index",
)

_LEAST = np.nextafter(0, 1)
"""Instead of no rows at all as divisor; what is divided is then 0."""


def of_ranking(ranked: Ranked, repeats: float = 1) -> Values:
    """The measures of order, and DeLong's variances; null where they are undefined.

    Rows count 1/``repeats`` each in the variances.
    """
    positives, negatives = ranked.positives, ranked.negatives
    rows, found = positives + negatives, Values.fromkeys(RANKING)
    if rows > 0:
        top = _hits_among_first(ranked, 0.1 * rows)
        found["precision_top_tenth"] = _clipped(top / (0.1 * rows))
    if positives > 0:
        share = _clipped(top / positives)
        found |= {"recall_top_tenth": share, "lift_top_tenth": 10 * share}
        found["break_even_point"] = _hits_among_first(ranked, positives) / positives
        found |= _precisions(ranked)
    if ranked.both_classes:
        found |= _areas(ranked)
        found |= _distances(ranked, found["auc"] or 0.0, repeats)
    return found


def of_forecasts(ranked: Ranked, vertices: Indices) -> Values:
    """The measures of probabilities, null where undefined; ``vertices`` are rows of the hull."""
    rows, found = ranked.positives + ranked.negatives, Values.fromkeys(FORECASTS)
    if not (ranked.probabilities and rows > 0):
        return found
    base = ranked.positives / rows
    uncertainty = base * (1 - base)
    brier, log, spherical, expected, excess, spread, within, between = _summed(
        _losses(piece, base, distinct=ranked.distinct) for piece in ranked.pieces()
    )
    found |= {
        "brier_score": brier / rows,
        "brier_uncertainty": uncertainty,
        "brier_reliability_distinct": within / rows,
        "brier_resolution_distinct": between / rows,
        "spherical_score": _clipped(spherical / rows),
    }
    if expected > 0:
        found["observed_expected"] = ranked.positives / expected
    if spread > 0:
        found["spiegelhalter_z"] = excess / math.sqrt(spread)
    if math.isfinite(log):
        found["log_loss"] = max(log / rows, 0.0)
    if uncertainty > 0:
        found["brier_skill"] = 1 - brier / rows / uncertainty
        entropy = -(base * math.log(base) + (1 - base) * math.log(1 - base))
        if math.isfinite(log):
            found["d2_log_loss"] = 1 - max(log / rows, 0.0) / entropy
    return found | _isotonic(ranked, vertices, base)


def _hits_among_first(ranked: Ranked, wanted: float) -> float:
    """Positives among the ``wanted`` rows that score highest, of ties in proportion."""
    row = min(bisect_left(range(1, len(ranked)), wanted, key=ranked.called) + 1, len(ranked))
    (before, hits), _ = ranked.counts([row - 1, row], "tp", "fp")
    called = ranked.called(row - 1)
    share = (wanted - called) / ((ranked.called(row) - called) or _LEAST)
    return float(before + (hits - before) * _clipped(share))


def _precisions(ranked: Ranked) -> Values:
    """Areas under the P-R curve, by steps and interpolated in counts."""
    steps, area = _summed(_precision(piece) for piece in ranked.pieces())
    positives = ranked.positives
    return {"average_precision": steps / positives, "pr_auc": _clipped(area / positives)}


def _precision(piece: Piece) -> tuple[float, float]:
    at = np.flatnonzero(piece.hits)
    hits, tp = piece.hits[at], piece.tp[at]
    called, added = tp + piece.fp[at], hits + piece.alarms[at]
    share, before = hits / added, called - added
    # From (0, 0) precision is constant; there the logarithm has nothing to do.
    bend = (share * called - tp) * np.log(called / np.where(before > 0, before, called))
    return _dot(hits, tp / called), _dot(share, hits - bend)


def _areas(ranked: Ranked) -> Values:
    """Areas under the ROC curve, whole and in part, from the pairs that are ranked rightly."""
    positives, negatives = ranked.positives, ranked.negatives
    limits = {0.1: "10", 0.2: "20"}
    ends = [bisect_left(ranked.fp, limit * negatives) - 1 for limit in limits]
    start = bisect_left(ranked.tp, 0.9 * positives) - 1
    pieces = [(p.rows.stop, *_pairs(p)) for p in ranked.pieces([*ends, start + 1])]
    stops, right, wrong = (np.array(column) for column in zip(*pieces, strict=True))
    pairs = positives * negatives
    area, loss = math.fsum(right) / pairs, math.fsum(wrong) / pairs
    found: Values = {"auc": area, "rank_loss": loss, "gini": 2 * area - 1}
    for (limit, name), end in zip(limits.items(), ends, strict=True):
        (alarm, alarm_after), (hit, hit_after) = _rates(ranked, [end, end + 1])
        width = limit - alarm
        height = hit + (hit_after - hit) / (alarm_after - alarm) * width / 2
        part = _clipped(math.fsum(right[stops <= end]) / pairs + width * height, limit)
        scale = 1 / (limit - limit**2 / 2)
        found[f"partial_auc_{name}"] = part
        found[f"standardised_partial_auc_{name}"] = (1 + (part - limit**2 / 2) * scale) / 2
    (alarm, alarm_after), (hit, hit_after) = _rates(ranked, [start, start + 1])
    slope = (alarm_after - alarm) / (hit_after - hit)
    first = (hit_after - 0.9) * (1 - alarm - slope * ((0.9 + hit_after) / 2 - hit))
    rest = 1 - hit_after - math.fsum(wrong[stops > start + 1]) / pairs
    found["partial_auc_sensitive"] = _clipped(first + rest, 0.1)
    return found | {"equal_error_rate": _equal_error_rate(ranked)}


def _pairs(piece: Piece) -> tuple[float, float]:
    """Pairs of a positive and a negative that a piece ranks rightly and wrongly, ties half."""
    right = _dot(piece.alarms, piece.tp - piece.hits / 2)
    return right, _dot(piece.hits, piece.fp - piece.alarms / 2)


def _equal_error_rate(ranked: Ranked) -> float:
    def excess(row: int) -> float:
        alarm, hit = _rates(ranked, row)
        return float(alarm + hit - 1)

    row = bisect_left(range(1, len(ranked) + 1), 0.0, key=excess) + 1
    before, after = excess(row - 1), excess(row)
    start, end = _rates(ranked, [row - 1, row])[0]
    return _clipped(float(start - before / (after - before) * (end - start)))


def _rates(ranked: Ranked, rows: int | Sequence[int]) -> tuple[Floats, Floats]:
    """False-positive and true-positive rate where the highest scores are called positive."""
    hits, alarms = ranked.counts(rows, "tp", "fp")
    return alarms / ranked.negatives, hits / ranked.positives


def _distances(ranked: Ranked, area: float, repeats: float) -> Values:
    """Greatest distance of the ROC curve from the diagonal, and DeLong's variance of its area."""
    positives, negatives = ranked.positives, ranked.negatives
    squares, heights = np.zeros(2), [0.0]
    for piece in ranked.pieces():
        beaten = (1 - area) * negatives - piece.fp + piece.alarms / 2
        beating = area * positives - piece.tp + piece.hits / 2
        squares += _dot(piece.hits2, beaten * beaten), _dot(piece.alarms2, beating * beating)
        height = piece.tp / positives - piece.fp / negatives
        heights += [height.max(), height.min()]
    found: Values = {
        "ks_statistic": float(np.abs(heights).max()),
        "maximal_informedness": float(max(heights)),
    }
    ends = ((ranked.tp2, positives), (ranked.fp2, negatives))
    variance = 0.0
    squares *= repeats / np.array([negatives, positives]) ** 2
    for (running, total), square in zip(ends, squares, strict=True):
        effective = total**2 / ((total if running is None else running[-1]) * repeats)
        if effective <= 1 + 1e-9:
            return found
        variance += square / total**2 * effective / (effective - 1)
    scales = {"auc": 1, "rank_loss": 1, "gini": 4}
    return found | {VARIANCE.format(name): k * variance for name, k in scales.items()}


def _losses(piece: Piece, base: float, *, distinct: bool) -> tuple[float, ...]:
    """Sums over the rows of a piece: see where they are unpacked."""
    score, hits, alarms = piece.score, piece.hits, piece.alarms
    rest, rows = 1 - score, hits + alarms
    miss, alarm = hits * rest, alarms * score
    twist, both = rest - score, score * rest
    length = np.sqrt(score * score + rest * rest)
    brier = _dot(miss, rest) + _dot(alarm, score)
    # Where every row has a forecast of its own, the rate at it is the outcome.
    rate = hits if distinct else hits / np.maximum(rows, _LEAST)
    return (
        brier,
        _log_loss(piece),
        _dot(hits * score + alarms * rest, 1 / length),
        _dot(rows, score),
        _dot(twist, miss - alarm),
        _dot(rows * both, twist * twist),
        brier if distinct else _dot(rows, (score - rate) ** 2),
        _dot(rows, (rate - base) ** 2),
    )


def _log_loss(piece: Piece) -> float:
    score, hits, alarms = piece.score, piece.hits, piece.alarms
    if score[-1] > 0 and score[0] < 1:
        return -_dot(hits, np.log(score)) - _dot(alarms, np.log1p(-score))
    with np.errstate(divide="ignore"):
        hit = np.where(hits > 0, hits, 0) * np.log(np.where(hits > 0, score, 1))
        miss = np.where(alarms > 0, alarms, 0) * np.log1p(-np.where(alarms > 0, score, 0))
    return float(-(hit + miss).sum())


def _isotonic(ranked: Ranked, vertices: Indices, base: float) -> Values:
    """What isotonic regression, which the hull gives, makes of the forecasts."""
    edges, rates = isotonic_blocks(ranked, vertices)
    rows = ranked.positives + ranked.negatives
    counted = np.diff([ranked.called(int(edge)) for edge in edges])
    miscalibration = distance = 0.0
    for piece in ranked.pieces():
        first = int(np.searchsorted(edges, piece.rows.start, "right"))
        last = int(np.searchsorted(edges, piece.rows.stop, "left"))
        inside = np.clip(edges[first - 1 : last + 1], piece.rows.start, piece.rows.stop)
        estimate = np.repeat(rates[first - 1 : last], np.diff(inside))
        each, off = piece.hits + piece.alarms, piece.score - estimate
        miscalibration += _dot(off, each * off + 2 * (each * estimate - piece.hits))
        distance += _dot(each, np.abs(off))
    return {
        "corp_miscalibration": _clipped(miscalibration / rows),
        "corp_discrimination": _clipped(_dot(counted, (rates - base) ** 2) / rows, 0.25),
        "integrated_calibration_index": _clipped(distance / rows),
    }


def _summed(parts: Iterable[Sequence[float]]) -> list[float]:
    """Sum of each column, in the order of the rows and without loss."""
    return [math.fsum(column) for column in zip(*parts, strict=True)]


def _dot(a: Floats, b: Floats) -> float:
    return float(np.dot(a, b))


def _clipped(value: float, most: float = 1.0) -> float:
    return min(max(float(value), 0.0), most)
