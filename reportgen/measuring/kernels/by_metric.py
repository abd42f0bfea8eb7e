"""The kernels by metric: what computes a metric of scores faster than its expression.

To give a metric a kernel, add a line of its name to ``KERNELS``. The property test holds each
to the expression of its metric, which says what it is, and the catalogue says which metrics
have one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from reportgen.measuring.kernels import hull_corners
from reportgen.measuring.kernels.score_sums import ScoreSums
from reportgen.measuring.kernels.totals import clipped, dot


@dataclass(frozen=True, slots=True)
class Kernel:
    """What computes a metric, and where it is defined; elsewhere the metric is null."""

    compute: Callable[[ScoreSums], float]
    defined: Callable[[ScoreSums], bool]

    def value(self, sums: ScoreSums) -> float | None:
        """The metric, null where it is undefined."""
        return self.compute(sums) if self.defined(sums) else None


def _any_positives(sums: ScoreSums) -> bool:
    return sums.positives > 0


def _both_classes(sums: ScoreSums) -> bool:
    return sums.ranking.both_classes


def _probabilities(sums: ScoreSums) -> bool:
    return sums.ranking.probabilities and sums.rows > 0


def _finite_loss(sums: ScoreSums) -> bool:
    return _probabilities(sums) and math.isfinite(sums.losses.log)


def _recall_at_10_percent(sums: ScoreSums) -> float:
    return clipped(sums.in_top_tenth / sums.positives)


def _partial_area(sums: ScoreSums, limit: float) -> float:
    """Pairs up to the last row below the limit, and the area from there to the limit."""
    end = sums.last_row_below("fp", limit)
    false_positive_rate, recall = sums.rates(end)
    next_false_positive_rate, next_recall = sums.rates(end + 1)
    width = limit - false_positive_rate
    slope = (next_recall - recall) / (next_false_positive_rate - false_positive_rate)
    return clipped(sums.pairs(end).concordant + width * (recall + slope * width / 2), limit)


def _standardised(sums: ScoreSums, limit: float) -> float:
    scale = 1 / (limit - limit**2 / 2)
    return (1 + (_partial_area(sums, limit) - limit**2 / 2) * scale) / 2


def _partial_area_sensitive(sums: ScoreSums) -> float:
    start = sums.last_row_below("tp", 0.9)
    false_positive_rate, recall = sums.rates(start)
    next_false_positive_rate, next_recall = sums.rates(start + 1)
    slope = (next_false_positive_rate - false_positive_rate) / (next_recall - recall)
    middle = (0.9 + next_recall) / 2 - recall
    first = (next_recall - 0.9) * (1 - false_positive_rate - slope * middle)
    remainder = 1 - next_recall - (sums.pairs().discordant - sums.pairs(start + 1).discordant)
    return clipped(first + remainder, 0.1)


def _equal_error_rate(sums: ScoreSums) -> float:
    """Where the ROC curve meets the falling diagonal."""

    def excess(row: int) -> float:
        return sum(sums.rates(row)) - 1

    row = bisect_left(range(1, len(sums.ranking) + 1), 0.0, key=excess) + 1
    before, after = excess(row - 1), excess(row)
    start, end = sums.rates(row - 1)[0], sums.rates(row)[0]
    return clipped(start - before / (after - before) * (end - start))


def _log_loss(sums: ScoreSums) -> float:
    return max(sums.losses.log / sums.rows, 0.0)


def _d2_log_loss(sums: ScoreSums) -> float:
    base = sums.base_rate
    entropy = -(base * math.log(base) + (1 - base) * math.log(1 - base))
    return 1 - _log_loss(sums) / entropy


def _miscalibration(sums: ScoreSums) -> float:
    blocks = sums.blocks
    left = dot(blocks.rows, blocks.rates * (1 - blocks.rates))
    return clipped((sums.losses.brier - left) / sums.rows)


def _discrimination(sums: ScoreSums) -> float:
    rows, rates, _ = sums.blocks
    return clipped(dot(rows, (rates - sums.base_rate) ** 2) / sums.rows, 0.25)


KERNELS = {
    # of order
    "auc": Kernel(lambda s: s.pairs().concordant, _both_classes),
    "rank_loss": Kernel(lambda s: s.pairs().discordant, _both_classes),
    "gini": Kernel(lambda s: 2 * s.pairs().concordant - 1, _both_classes),
    "average_precision": Kernel(lambda s: s.precisions.steps / s.positives, _any_positives),
    "pr_auc": Kernel(lambda s: clipped(s.precisions.interpolated / s.positives), _any_positives),
    "break_even_point": Kernel(
        lambda s: s.true_positives_among_first(s.positives) / s.positives, _any_positives
    ),
    "ks_statistic": Kernel(lambda s: max(s.distances.above, -s.distances.below), _both_classes),
    "maximal_informedness": Kernel(lambda s: s.distances.above, _both_classes),
    "precision_at_10_percent": Kernel(
        lambda s: clipped(s.in_top_tenth / (0.1 * s.rows)), lambda s: s.rows > 0
    ),
    "recall_at_10_percent": Kernel(_recall_at_10_percent, _any_positives),
    "lift_at_10_percent": Kernel(lambda s: 10 * _recall_at_10_percent(s), _any_positives),
    "partial_auc_10": Kernel(lambda s: _partial_area(s, 0.1), _both_classes),
    "partial_auc_20": Kernel(lambda s: _partial_area(s, 0.2), _both_classes),
    "standardised_partial_auc_10": Kernel(lambda s: _standardised(s, 0.1), _both_classes),
    "standardised_partial_auc_20": Kernel(lambda s: _standardised(s, 0.2), _both_classes),
    "partial_auc_sensitive": Kernel(_partial_area_sensitive, _both_classes),
    "equal_error_rate": Kernel(_equal_error_rate, _both_classes),
    # of the convex hull
    "auc_convex_hull": Kernel(lambda s: hull_corners.area(s.corners), _both_classes),
    "h_measure": Kernel(lambda s: hull_corners.h_measure(s.corners), _both_classes),
    "h_measure_symmetric": Kernel(lambda s: hull_corners.h_measure(s.corners, 1.0), _both_classes),
    "expected_total_cost": Kernel(lambda s: hull_corners.expected_cost(s.corners), _both_classes),
    # of forecasts
    "brier_score": Kernel(lambda s: s.losses.brier / s.rows, _probabilities),
    "brier_skill": Kernel(
        lambda s: 1 - s.losses.brier / s.rows / s.uncertainty,
        lambda s: _probabilities(s) and s.uncertainty > 0,
    ),
    "brier_uncertainty": Kernel(lambda s: s.uncertainty, _probabilities),
    "brier_reliability_distinct": Kernel(lambda s: s.losses.within / s.rows, _probabilities),
    "brier_resolution_distinct": Kernel(lambda s: s.losses.between / s.rows, _probabilities),
    "log_loss": Kernel(_log_loss, _finite_loss),
    "d2_log_loss": Kernel(_d2_log_loss, lambda s: _finite_loss(s) and s.uncertainty > 0),
    "spherical_score": Kernel(lambda s: clipped(s.losses.spherical / s.rows), _probabilities),
    "observed_expected": Kernel(
        lambda s: s.positives / s.expected, lambda s: _probabilities(s) and s.expected > 0
    ),
    "spiegelhalter_z": Kernel(
        lambda s: s.losses.excess / math.sqrt(s.repeats * s.losses.spread),
        lambda s: _probabilities(s) and s.losses.spread > 0,
    ),
    "corp_miscalibration": Kernel(_miscalibration, _probabilities),
    "corp_discrimination": Kernel(_discrimination, _probabilities),
    "integrated_calibration_index": Kernel(
        lambda s: clipped(s.blocks.distances.sum() / s.rows), _probabilities
    ),
}
"""By the name of the metric."""
