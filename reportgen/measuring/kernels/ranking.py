"""The kernels of the metrics of order."""

from __future__ import annotations

from bisect import bisect_left

from reportgen.measuring.kernels.registry import kernel
from reportgen.measuring.kernels.score_sums import ScoreSums
from reportgen.measuring.kernels.totals import clipped


def _any_rows(sums: ScoreSums) -> bool:
    return sums.rows > 0


def _any_positives(sums: ScoreSums) -> bool:
    return sums.positives > 0


def _both_classes(sums: ScoreSums) -> bool:
    return sums.ranking.both_classes


@kernel(_both_classes)
def auc(sums: ScoreSums) -> float:
    """Pairs that are ranked correctly, ties half."""
    return sums.pairs().concordant


@kernel(_both_classes)
def rank_loss(sums: ScoreSums) -> float:
    """Pairs that are ranked wrongly, ties half."""
    return sums.pairs().discordant


@kernel(_both_classes)
def gini(sums: ScoreSums) -> float:
    """AUC rescaled."""
    return 2 * auc(sums) - 1


@kernel(_any_positives)
def average_precision(sums: ScoreSums) -> float:
    """Mean precision at the positives."""
    return sums.precisions.steps / sums.positives


@kernel(_any_positives)
def pr_auc(sums: ScoreSums) -> float:
    """The same, interpolated in counts."""
    return clipped(sums.precisions.interpolated / sums.positives)


@kernel(_any_positives)
def break_even_point(sums: ScoreSums) -> float:
    """Recall where as many rows are predicted positive as there are positives."""
    return sums.true_positives_among_first(sums.positives) / sums.positives


@kernel(_both_classes)
def ks_statistic(sums: ScoreSums) -> float:
    """Greatest height of the ROC curve over the diagonal or below it."""
    return max(sums.distances.above, -sums.distances.below)


@kernel(_both_classes)
def maximal_informedness(sums: ScoreSums) -> float:
    """Greatest height of the ROC curve over the diagonal."""
    return sums.distances.above


@kernel(_any_rows)
def precision_at_10_percent(sums: ScoreSums) -> float:
    """Of the tenth of the rows that score highest."""
    return clipped(sums.in_top_tenth / (0.1 * sums.rows))


@kernel(_any_positives)
def recall_at_10_percent(sums: ScoreSums) -> float:
    """Of the tenth of the rows that score highest."""
    return clipped(sums.in_top_tenth / sums.positives)


@kernel(_any_positives)
def lift_at_10_percent(sums: ScoreSums) -> float:
    """Of the tenth of the rows that score highest."""
    return 10 * recall_at_10_percent(sums)


@kernel(_both_classes)
def partial_auc_10(sums: ScoreSums) -> float:
    """Area up to a false-positive rate of 0.1."""
    return _partial_area(sums, 0.1)


@kernel(_both_classes)
def partial_auc_20(sums: ScoreSums) -> float:
    """Area up to a false-positive rate of 0.2."""
    return _partial_area(sums, 0.2)


@kernel(_both_classes)
def standardised_partial_auc_10(sums: ScoreSums) -> float:
    """Rescaled so that chance is ½."""
    return _standardised(partial_auc_10(sums), 0.1)


@kernel(_both_classes)
def standardised_partial_auc_20(sums: ScoreSums) -> float:
    """Rescaled so that chance is ½."""
    return _standardised(partial_auc_20(sums), 0.2)


def _partial_area(sums: ScoreSums, limit: float) -> float:
    """Pairs up to the last row below the limit, and the area from there to the limit."""
    end = sums.last_row_below("fp", limit)
    false_positive_rate, recall = sums.rates(end)
    next_false_positive_rate, next_recall = sums.rates(end + 1)
    width = limit - false_positive_rate
    slope = (next_recall - recall) / (next_false_positive_rate - false_positive_rate)
    return clipped(sums.pairs(end).concordant + width * (recall + slope * width / 2), limit)


def _standardised(area: float, limit: float) -> float:
    scale = 1 / (limit - limit**2 / 2)
    return (1 + (area - limit**2 / 2) * scale) / 2


@kernel(_both_classes)
def partial_auc_sensitive(sums: ScoreSums) -> float:
    """Area beside the ROC curve from a recall of 0.9 up."""
    start = sums.last_row_below("tp", 0.9)
    false_positive_rate, recall = sums.rates(start)
    next_false_positive_rate, next_recall = sums.rates(start + 1)
    slope = (next_false_positive_rate - false_positive_rate) / (next_recall - recall)
    middle = (0.9 + next_recall) / 2 - recall
    first = (next_recall - 0.9) * (1 - false_positive_rate - slope * middle)
    remainder = 1 - next_recall - (sums.pairs().discordant - sums.pairs(start + 1).discordant)
    return clipped(first + remainder, 0.1)


@kernel(_both_classes)
def equal_error_rate(sums: ScoreSums) -> float:
    """Where the ROC curve meets the falling diagonal."""

    def excess(row: int) -> float:
        return sum(sums.rates(row)) - 1

    row = bisect_left(range(1, len(sums.ranking) + 1), 0.0, key=excess) + 1
    before, after = excess(row - 1), excess(row)
    start, end = sums.rates(row - 1)[0], sums.rates(row)[0]
    return clipped(start - before / (after - before) * (end - start))
