"""Limits of measures of the first part of a ranking, where rows are independent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.intervals.area_scores import AreaLimits
from reportgen.intervals.areas import NAME, ClassMasses, partial_area_limits
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.measuring.metric_set import MetricSet
from reportgen.measuring.region_limits import SCHEMA
from reportgen.metrics import Metric
from reportgen.sweeping import Ranking

TOP = "wilson_modified of the top"
TENTH = 0.1


def with_limits_of_ranking(metrics: Sequence[Metric]) -> list[Metric]:
    """Those of the measures that have limits here."""
    return [m for m in metrics if m.name in LIMITS]


def method(metric: Metric) -> str | None:
    """The name of the method of a measure; none of another one."""
    return (TOP if metric.name == _PRECISION else NAME) if metric.name in LIMITS else None


def limits_of_ranking(ranked: Ranking | None, metrics: MetricSet) -> pl.DataFrame:
    """A table with the low and the high limit of each measure; no rows without both classes."""
    if ranked is None or not ranked.both_classes:
        return pl.DataFrame(schema=SCHEMA)
    first = _FirstPart(ranked, metrics.confidence)
    rows = [(m.name, *LIMITS[m.name](first), method(m)) for m in metrics.metrics]
    return pl.DataFrame(rows, SCHEMA, orient="row")


@dataclass(frozen=True, slots=True)
class _FirstPart:
    """The first part of a ranking with both classes, and the limits of its measures."""

    ranked: Ranking
    confidence: float

    def masses(self) -> tuple[ClassMasses, ClassMasses]:
        """The positives and the negatives at each score, highest first."""
        names = ("tp", "tp2", "fp", "fp2") if self.ranked.weighted else ("tp", "tp", "fp", "fp")
        running = self.ranked.counts(np.arange(len(self.ranked) + 1), *names)
        masses = [np.diff(one) for one in running]
        return ClassMasses(*masses[:2]), ClassMasses(*masses[2:])

    def up_to_rate(self, share: float) -> AreaLimits:
        """Of the mean recall up to a false-positive rate."""
        positives, negatives = self.masses()
        return partial_area_limits(negatives, positives, share, self.confidence)

    def area(self, share: float) -> AreaLimits:
        """Of the area up to a false-positive rate."""
        low, high = self.up_to_rate(share)
        return low * share, high * share

    def standardised(self, share: float) -> AreaLimits:
        """Of the same rescaled so that chance is ½."""
        chance = share / 2
        low, high = ((1 + (mean - chance) / (1 - chance)) / 2 for mean in self.up_to_rate(share))
        return low, high

    def sensitive(self) -> AreaLimits:
        """Of the area beside the curve at the lowest positives: classes the other way round.

        Scores rise then, and the curve goes across by positives.
        """
        positives, negatives = (
            ClassMasses(masses.rows[::-1], masses.squares[::-1]) for masses in self.masses()
        )
        low, high = partial_area_limits(positives, negatives, TENTH, self.confidence)
        return low * TENTH, high * TENTH

    def precision_of_top(self) -> AreaLimits:
        """Modified Wilson limits of the precision among the tenth of the rows that score highest.

        With k rows in it and precision P the variance is P(1 − P)/k·D,
        D = 1 + 0.9·(P − p)²/(P(1 − P)), as where the tenth ends varies too: p is the
        precision of rows that score as at its end, here of those next to it, half as many on
        either side.
        """
        positives, negatives = self.masses()
        rows, squares = (p + n for p, n in zip(positives, negatives, strict=True))
        size = float(rows.sum() ** 2 / squares.sum())
        true_positives, before = positives.rows.cumsum(), rows.cumsum() / rows.sum()

        def among(share: float) -> float:
            """Positives in the highest share of the rows, of ties in proportion."""
            return float(np.interp(share, np.append(0, before), np.append(0, true_positives)))

        top, trials = TENTH * float(rows.sum()), TENTH * size
        precision = min(among(TENTH) / top, 1.0)
        at_end = (among(1.5 * TENTH) - among(0.5 * TENTH)) / top
        shrunk, end = ((p * trials + 1) / (trials + 2) for p in (precision, at_end))
        inflation = 1 + (1 - TENTH) * max(shrunk - end, 0) ** 2 / (shrunk * (1 - shrunk))
        low, high = modified_wilson(
            np.array([precision]), np.array([trials / inflation]), self.confidence
        )
        return float(low[0]), float(high[0])


_PRECISION = "precision_at_10_percent"

LIMITS: dict[str, Callable[[_FirstPart], AreaLimits]] = {
    "partial_auc_10": lambda first: first.area(0.1),
    "partial_auc_20": lambda first: first.area(0.2),
    "standardised_partial_auc_10": lambda first: first.standardised(0.1),
    "standardised_partial_auc_20": lambda first: first.standardised(0.2),
    "partial_auc_sensitive": _FirstPart.sensitive,
    _PRECISION: _FirstPart.precision_of_top,
}
"""What gives the limits of each measure."""
