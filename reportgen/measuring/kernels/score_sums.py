"""The sums over the scores of one model that its kernels share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from reportgen.array_types import Floats, Indices
from reportgen.curves.recalibration import isotonic_blocks
from reportgen.intervals.areas import PrecisionArea
from reportgen.intervals.average_precision import PrecisionSpread, precision_spread
from reportgen.measuring.kernels import distinct_scores, tied_scores
from reportgen.measuring.kernels.hull_corners import Corners
from reportgen.measuring.kernels.precision_variance import influence_powers
from reportgen.measuring.kernels.totals import LEAST, clipped
from reportgen.sweeping import DistinctScores, Ranking
from reportgen.sweeping.bins import forecast_sums


class Precisions(NamedTuple):
    """Sums of precision over the positives, by steps and interpolated in counts."""

    steps: float
    interpolated: float


class PairShares(NamedTuple):
    """Proportions of pairs of a positive and a negative that are ranked correctly and wrongly."""

    concordant: float
    discordant: float


class Distances(NamedTuple):
    """Greatest heights of the ROC curve above and below the diagonal; DeLong's sums of squares."""

    above: float
    below: float
    of_positives: float
    of_negatives: float


class LossSums(NamedTuple):
    """Sums over the rows of what concerns their forecasts."""

    brier: float
    log: float
    spherical: float
    excess: float
    spread: float
    within: float
    between: float


class Blocks(NamedTuple):
    """Isotonic regression: rows and rate of each block, and the distances of its forecasts."""

    rows: Floats
    rates: Floats
    distances: Floats


class AreaSizes(NamedTuple):
    """DeLong's variance of the AUC and the effective sizes of the classes."""

    variance: float | None
    positives: float | None
    negatives: float | None


@dataclass(frozen=True)
class ScoreSums:
    """One model's sums, each computed when a kernel first reads it.

    ``vertices`` are the rows of the sweep on its hull. Rows count 1/``repeats``
    each in variances and effective sizes.
    """

    ranking: Ranking
    vertices: Indices
    repeats: float = 1

    @property
    def positives(self) -> float:
        """Number of positives, or their weight."""
        return self.ranking.positives

    @property
    def negatives(self) -> float:
        """Number of negatives, or their weight."""
        return self.ranking.negatives

    @property
    def rows(self) -> float:
        """Number of rows, or their weight."""
        return self.positives + self.negatives

    @property
    def base_rate(self) -> float:
        """Proportion of positives."""
        return self.positives / self.rows

    @property
    def uncertainty(self) -> float:
        """Variance of the outcome."""
        return self.base_rate * (1 - self.base_rate)

    @cached_property
    def precisions(self) -> Precisions:
        """Areas under the P-R curve times the positives."""
        ranked = self.ranking
        if isinstance(ranked, DistinctScores):
            return Precisions(*distinct_scores.precisions(ranked))
        return Precisions(*tied_scores.precisions(ranked))

    def rates(self, row: int) -> tuple[float, float]:
        """False-positive and true-positive rate at a row of the sweep."""
        true_positives, false_positives = self.ranking.counts(row, "tp", "fp")
        return float(false_positives / self.negatives), float(true_positives / self.positives)

    def last_row_below(self, cell: str, rate: float) -> int:
        """The last row of the sweep at which ``tp`` or ``fp`` is below this rate."""
        total = self.positives if cell == "tp" else self.negatives
        return int(self.ranking.first(cell, rate * total).item()) - 1

    @cached_property
    def _cuts(self) -> tuple[int, ...]:
        """Where partial areas end or begin, and the last row."""
        ends = [self.last_row_below("fp", rate) for rate in (0.1, 0.2)]
        return (*ends, self.last_row_below("tp", 0.9) + 1, len(self.ranking))

    @cached_property
    def _pairs(self) -> dict[int, PairShares]:
        ranked, cuts = self.ranking, self._cuts
        pairs = (
            distinct_scores.pairs(ranked, cuts)
            if isinstance(ranked, DistinctScores)
            else tied_scores.pairs(ranked, cuts)
        )
        counted = np.array(pairs, dtype=np.float64) / (self.positives * self.negatives)
        return {
            cut: PairShares(*of_cut) for cut, of_cut in zip(cuts, counted.tolist(), strict=True)
        }

    def pairs(self, row: int | None = None) -> PairShares:
        """PairShares whose later one is in the first rows of the sweep up to a cut; all pairs."""
        return self._pairs[len(self.ranking) if row is None else row]

    @cached_property
    def distances(self) -> Distances:
        """From the ROC curve to the diagonal."""
        ranked, area = self.ranking, self.pairs().concordant
        if isinstance(ranked, DistinctScores):
            return Distances(*distinct_scores.distances(ranked, area))
        return Distances(*tied_scores.distances(ranked, area))

    @cached_property
    def losses(self) -> LossSums:
        """Of the rows' forecasts."""
        ranked = self.ranking
        if isinstance(ranked, DistinctScores):
            return LossSums(*distinct_scores.losses(ranked, self.base_rate))
        return LossSums(*tied_scores.losses(ranked, self.base_rate))

    @cached_property
    def expected(self) -> float:
        """Positives that the forecasts expect."""
        return math.fsum(self.ranking.forecasts)

    def true_positives_among_first(self, count: float) -> float:
        """Positives among the ``count`` rows that score highest, of ties in proportion."""
        row = max(self.ranking.threshold_for_count(count).item(), 1)
        before, true_positives = self.ranking.counts([row - 1, row], "tp")[0]
        rows_before, after = self.ranking.predicted_positives([row - 1, row])
        share = (count - rows_before) / ((after - rows_before) or LEAST)
        return float(before + (true_positives - before) * clipped(share))

    @cached_property
    def in_top_tenth(self) -> float:
        """Positives among the tenth of the rows that score highest."""
        return self.true_positives_among_first(0.1 * self.rows)

    @cached_property
    def blocks(self) -> Blocks:
        """Isotonic regression, which the hull gives, of the outcome on the forecasts."""
        ranked = self.ranking
        edges, rates = isotonic_blocks(ranked, self.vertices)
        counted = np.diff(ranked.predicted_positives(edges))
        # Within a stretch all forecasts are at least the block's rate, or all are below it.
        crossing = np.clip(ranked.count_at_or_above(rates), edges[:-1], edges[1:])
        starts = np.union1d(edges[:-1], crossing[crossing < len(ranked)])
        block_rates = rates[np.searchsorted(edges, starts, "right") - 1]
        row_counts = np.diff(ranked.predicted_positives(np.append(starts, len(ranked))))
        distances = np.abs(forecast_sums(ranked, starts) - row_counts * block_rates)
        return Blocks(counted, rates, distances)

    @cached_property
    def corners(self) -> Corners:
        """Of the convex hull of the ROC curve."""
        counts = self.ranking.counts(self.vertices, "tp", "fp")
        return Corners(*(count.astype(np.float64) for count in counts))

    @cached_property
    def area_sizes(self) -> AreaSizes:
        """What the interval of the AUC needs; null with a single class."""
        ranked = self.ranking
        if not ranked.both_classes:
            return AreaSizes(None, None, None)
        names = ("tp2", "fp2") if ranked.weighted else ("tp", "fp")
        totals = (self.positives, self.negatives)
        sizes = [
            total**2 / (count.item() * self.repeats)
            for total, count in zip(totals, ranked.counts([len(ranked)], *names), strict=True)
        ]
        return AreaSizes(self._area_variance(sizes), *sizes)

    @property
    def precision_rows(self) -> float | None:
        """What the interval of the average precision needs; null with a single class."""
        _, positives, negatives = self.area_sizes
        if positives is None or negatives is None:
            return None
        return PrecisionArea.rows(positives, negatives, self.positives / self.negatives)

    @cached_property
    def precision_spread(self) -> PrecisionSpread | None:
        """What the interval of the average precision by its influences needs; null as there."""
        _, positives, negatives = self.area_sizes
        if positives is None or negatives is None:
            return None
        area = self.precisions.steps / self.positives
        second, fourth = influence_powers(self.ranking, area)
        return precision_spread(
            self.repeats * second,
            self.repeats**3 * fourth,
            positives,
            negatives,
            odds=self.positives / self.negatives,
            rows=self.rows**2 / self._squared_weights,
            area=area,
        )

    @property
    def _squared_weights(self) -> float:
        sizes = self.area_sizes
        totals = ((self.positives, sizes.positives), (self.negatives, sizes.negatives))
        return sum(total**2 / size for total, size in totals if size)

    def _area_variance(self, sizes: list[float]) -> float | None:
        variance, totals = 0.0, (self.positives, self.negatives)
        squares = self.distances.of_positives, self.distances.of_negatives
        for square, total, others, effective in zip(
            squares, totals, totals[::-1], sizes, strict=True
        ):
            if effective <= 1 + 1e-9:
                return None
            variance += self.repeats * square / (others * total) ** 2 * effective / (effective - 1)
        return variance
