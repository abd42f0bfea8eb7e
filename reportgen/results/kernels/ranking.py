"""The measures of order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from reportgen.results.kernels import distinct_scores, tied_scores
from reportgen.results.kernels.totals import LEAST, Values, clipped
from reportgen.sweeping import DistinctScores, Ranking
from reportgen.sweeping.ranking import Floats

SPREAD = ("auc_variance", "effective_positives", "effective_negatives")
"""DeLong's variance of the AUC and the effective sizes of the classes, among the values."""

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
    *SPREAD,
)


def of_ranking(ranked: Ranking, repeats: float = 1) -> Values:
    """The measures of order, and DeLong's variance; null where they are undefined.

    Rows count 1/``repeats`` each in the variance and the effective sizes.
    """
    positives, negatives = ranked.positives, ranked.negatives
    rows, values = positives + negatives, Values.fromkeys(RANKING)
    if rows > 0:
        top = _true_positives_among_first(ranked, 0.1 * rows)
        values["precision_top_tenth"] = clipped(top / (0.1 * rows))
    if positives > 0:
        share = clipped(top / positives)
        values |= {"recall_top_tenth": share, "lift_top_tenth": 10 * share}
        values["break_even_point"] = _true_positives_among_first(ranked, positives) / positives
        values |= _precisions(ranked)
    if ranked.both_classes:
        values |= _areas(ranked)
        values |= _distances(ranked, values["auc"] or 0.0, repeats)
    return values


def _true_positives_among_first(ranked: Ranking, count: float) -> float:
    """Positives among the ``count`` rows that score highest, of ties in proportion."""
    row = max(ranked.threshold_for_count(count).item(), 1)
    before, hits = ranked.counts([row - 1, row], "tp")[0]
    rows_before, after = ranked.predicted_positives([row - 1, row])
    share = (count - rows_before) / ((after - rows_before) or LEAST)
    return float(before + (hits - before) * clipped(share))


def _precisions(ranked: Ranking) -> Values:
    """Areas under the P-R curve, by steps and interpolated in counts."""
    steps, area = (
        distinct_scores.precisions(ranked)
        if isinstance(ranked, DistinctScores)
        else tied_scores.precisions(ranked)
    )
    positives = ranked.positives
    return {"average_precision": steps / positives, "pr_auc": clipped(area / positives)}


def _areas(ranked: Ranking) -> Values:
    """Areas under the ROC curve, whole and in part, from the pairs that are ranked rightly."""
    positives, negatives = ranked.positives, ranked.negatives
    limits = {0.1: "10", 0.2: "20"}
    ends = (ranked.first("fp", np.array(list(limits)) * negatives) - 1).tolist()
    start = ranked.first("tp", 0.9 * positives).item() - 1
    rows = [*ends, start + 1, len(ranked)]
    pairs = (
        distinct_scores.pairs(ranked, rows)
        if isinstance(ranked, DistinctScores)
        else tied_scores.pairs(ranked, rows)
    )
    counted = np.array(pairs, dtype=np.float64) / (positives * negatives)
    area, loss = counted[-1].tolist()
    values: Values = {"auc": area, "rank_loss": loss, "gini": 2 * area - 1}
    for (limit, name), end, (before, _) in zip(limits.items(), ends, counted, strict=False):
        (alarm, alarm_after), (hit, hit_after) = _rates(ranked, [end, end + 1])
        width = limit - alarm
        height = hit + (hit_after - hit) / (alarm_after - alarm) * width / 2
        part = clipped(before + width * height, limit)
        scale = 1 / (limit - limit**2 / 2)
        values[f"partial_auc_{name}"] = part
        values[f"standardised_partial_auc_{name}"] = (1 + (part - limit**2 / 2) * scale) / 2
    (alarm, alarm_after), (hit, hit_after) = _rates(ranked, [start, start + 1])
    slope = (alarm_after - alarm) / (hit_after - hit)
    first = (hit_after - 0.9) * (1 - alarm - slope * ((0.9 + hit_after) / 2 - hit))
    remainder = 1 - hit_after - (loss - counted[-2, 1])
    values["partial_auc_sensitive"] = clipped(first + remainder, 0.1)
    return values | {"equal_error_rate": _equal_error_rate(ranked)}


def _equal_error_rate(ranked: Ranking) -> float:
    def excess(row: int) -> float:
        alarm, hit = _rates(ranked, row)
        return float(alarm + hit - 1)

    row = bisect_left(range(1, len(ranked) + 1), 0.0, key=excess) + 1
    before, after = excess(row - 1), excess(row)
    start, end = _rates(ranked, [row - 1, row])[0]
    return clipped(float(start - before / (after - before) * (end - start)))


def _rates(ranked: Ranking, rows: int | Sequence[int]) -> tuple[Floats, Floats]:
    """False-positive and true-positive rate where the highest scores are called positive."""
    hits, alarms = ranked.counts(rows, "tp", "fp")
    return alarms / ranked.negatives, hits / ranked.positives


def _distances(ranked: Ranking, area: float, repeats: float) -> Values:
    """Greatest distance of the ROC curve from the diagonal, and DeLong's variance of its area."""
    positives, negatives = ranked.positives, ranked.negatives
    above, below, *squares = (
        distinct_scores.distances(ranked, area)
        if isinstance(ranked, DistinctScores)
        else tied_scores.distances(ranked, area)
    )
    values: Values = {"ks_statistic": max(above, -below), "maximal_informedness": above}
    counts = ranked.counts([len(ranked)], *(["tp2", "fp2"] if ranked.weighted else ["tp", "fp"]))
    variance, sizes = (
        0.0,
        [
            total**2 / (count.item() * repeats)
            for total, count in zip((positives, negatives), counts, strict=True)
        ],
    )
    values |= dict(zip(SPREAD[1:], sizes, strict=True))
    for square, total, others, effective in zip(
        squares, (positives, negatives), (negatives, positives), sizes, strict=True
    ):
        if effective <= 1 + 1e-9:
            return values
        variance += repeats * square / (others * total) ** 2 * effective / (effective - 1)
    return values | {SPREAD[0]: variance}
