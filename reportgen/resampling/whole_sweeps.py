"""Measures of all replicates at once, where a plan for each takes tens of times as long.

Each function takes the masses of replicates and gives a value of each, NaN where it is undefined:
that of the metric of its name, but for the rounding of sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.array_types import Flags, Floats, Indices
from reportgen.metrics.row_losses import LOSSES, Loss
from reportgen.resampling.replicate_frames import Masses


def mean_loss(loss: Loss, masses: Masses) -> Floats:
    """A mean over the rows, which follows from what a row of each cell loses."""
    forecast = masses.cells.forecast
    total, rows = np.zeros(len(masses.positive)), _rows(masses)
    unknown = rows <= 0
    probable = (forecast >= 0) & (forecast <= 1)
    for of_class, came in ((masses.negative, 0.0), (masses.positive, 1.0)):
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = loss(np.where(probable, forecast, 0.5), np.full(len(forecast), came))
        defined = probable & np.isfinite(lost)
        # Sums of numpy, not of BLAS: the same on any number of threads.
        total += np.einsum("rc,c->r", of_class, np.where(defined, lost, 0))
        unknown |= (of_class[:, ~defined] > 0).any(axis=1)
    return _ratio(np.where(unknown, np.nan, total), rows)


def _rows(masses: Masses) -> Floats:
    rows: Floats = masses.positive.sum(axis=1) + masses.negative.sum(axis=1)
    return rows


def _ends(masses: Masses) -> tuple[Floats, Floats]:
    """All positives and all negatives of each replicate."""
    return masses.true_positives[:, -1], masses.false_positives[:, -1]


def _ratio(part: Floats, whole: Floats) -> Floats:
    """NaN where the whole is 0."""
    share: Floats = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole != 0)
    return share


def _of_two_classes(masses: Masses) -> Flags:
    positives, negatives = _ends(masses)
    return (positives > 0) & (negatives > 0)


def brier_uncertainty(masses: Masses) -> Floats:
    """Brier score of always forecasting the prevalence."""
    positives, negatives = _ends(masses)
    base = _ratio(positives, positives + negatives)
    unknown = np.isnan(mean_loss(lambda score, _: score, masses))
    return np.where(unknown, np.nan, base * (1 - base))


def brier_skill(masses: Masses) -> Floats:
    """Brier score relative to that."""
    return 1 - _ratio(mean_loss(LOSSES["brier_score"], masses), brier_uncertainty(masses))


def d2_log_loss(masses: Masses) -> Floats:
    """Log loss relative to always forecasting the prevalence."""
    positives, negatives = _ends(masses)
    share = np.where(_of_two_classes(masses), _ratio(positives, positives + negatives), np.nan)
    null = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    skill: Floats = 1 - mean_loss(LOSSES["log_loss"], masses) / null
    return skill


def spherical_score(masses: Masses) -> Floats:
    """Probability of the outcome over the length of the forecast."""

    def score(forecast: Floats, came: Floats | float) -> Floats:
        other = 1 - forecast
        return np.where(came, forecast, other) / np.sqrt(forecast**2 + other**2)

    return mean_loss(score, masses).clip(0, 1)


def observed_expected(masses: Masses) -> Floats:
    """Observed over expected number of positives."""
    expected = mean_loss(lambda score, _: score, masses) * _rows(masses)
    return _ratio(_ends(masses)[0], expected)


def equal_error_rate(masses: Masses) -> Floats:
    """Error rate at the point of the ROC curve where it is equal for both classes."""
    recall, false_positive_rate = (
        _ratio(counts, np.broadcast_to(counts[:, -1:], counts.shape))
        for counts in (masses.true_positives, masses.false_positives)
    )
    excess = false_positive_rate + recall - 1
    row, at = np.arange(len(excess)), (excess >= 0).argmax(axis=1)
    before = np.maximum(at - 1, 0)
    low, high = excess[row, before], excess[row, at]
    start, end = false_positive_rate[row, before], false_positive_rate[row, at]
    rate: Floats = start - _ratio(low, high - low) * (end - start)
    return rate.clip(0, 1)


def _true_positives_in_top(masses: Masses, share: float) -> Floats:
    """Positives among the ``share`` of the rows that score highest, ties at the end in part."""
    predicted, count = masses.true_positives + masses.false_positives, share * _rows(masses)
    row, at = np.arange(len(predicted)), (predicted >= count[:, None]).argmax(axis=1)
    before = np.maximum(at - 1, 0)
    start, end = predicted[row, before], predicted[row, at]
    part = np.divide(count - start, end - start, out=np.zeros_like(start), where=end != start)
    low, high = masses.true_positives[row, before], masses.true_positives[row, at]
    true_positives: Floats = low + (high - low) * part.clip(0, 1)
    return true_positives


def precision_at_10_percent(masses: Masses) -> Floats:
    """Precision among the tenth of the rows with the highest scores."""
    return _ratio(_true_positives_in_top(masses, 0.1), 0.1 * _rows(masses)).clip(0, 1)


def recall_at_10_percent(masses: Masses) -> Floats:
    """Recall within them."""
    return _ratio(_true_positives_in_top(masses, 0.1), _ends(masses)[0]).clip(0, 1)


def lift_at_10_percent(masses: Masses) -> Floats:
    """Prevalence in them relative to overall."""
    return 10 * recall_at_10_percent(masses)


@dataclass(frozen=True, slots=True)
class _Hulls:
    """The vertices of all replicates, one hull after the other, each of which ``starts`` there.

    ``gained`` and ``lost`` are true and false positives beyond the vertex before.
    """

    replicate: Indices
    starts: Indices
    true_positives: Floats
    false_positives: Floats
    gained: Floats
    lost: Floats

    @classmethod
    def of(cls, masses: Masses) -> _Hulls:
        """Those of the replicates' ROC curves."""
        at = masses.vertices
        replicate = at // masses.true_positives.shape[1]
        starts = np.flatnonzero(np.diff(replicate, prepend=-1))
        counts = [m.ravel().take(at) for m in (masses.true_positives, masses.false_positives)]
        rises = [np.diff(of_class, prepend=0.0) for of_class in counts]
        for rise in rises:
            rise[starts] = 0.0
        return cls(replicate, starts, *counts, *rises)

    def summed(self, values: Floats) -> Floats:
        """The sum over each hull."""
        sums: Floats = np.add.reduceat(values, self.starts)
        return sums

    def falls(self, values: Floats, last: Floats) -> Floats:
        """By how much each value is above the next; ``last`` follows on each hull."""
        following = np.append(values[1:], 0.0)
        following[np.append(self.starts[1:], len(values)) - 1] = last
        falls: Floats = values - following
        return falls


def auc_convex_hull(masses: Masses) -> Floats:
    """Area under the convex hull of the ROC curve."""
    (positives, negatives), hulls = _ends(masses), _Hulls.of(masses)
    area = hulls.summed(hulls.lost * (hulls.true_positives - hulls.gained / 2))
    return _ratio(area, positives * negatives)


def h_measure(masses: Masses) -> Floats:
    """Loss saved over all costs, those near the class ratio weighted most."""
    positives, negatives = _ends(masses)
    return _h(masses, 1 + _ratio(negatives, positives))


def h_measure_symmetric(masses: Masses) -> Floats:
    """Loss saved over all costs, equal costs weighted most."""
    return _h(masses, np.full(len(masses.positive), 2.0))


def _h(masses: Masses, b: Floats) -> Floats:
    """As ``metrics.h_measure.h``, where the distribution of costs is Beta(2, b)."""
    (positives, negatives), hulls = _ends(masses), _Hulls.of(masses)
    rows = positives + negatives
    share, of_vertex = _ratio(positives, rows), b[hulls.replicate]
    new, zero = hulls.gained + hulls.lost, np.zeros(len(b))
    slopes = np.divide(hulls.gained, new, out=np.ones(len(new)), where=new != 0)
    missed = positives[hulls.replicate] - hulls.true_positives
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = hulls.false_positives * hulls.falls(
            _false_positive(slopes, of_vertex), _false_positive(zero, b)
        ) + missed * hulls.falls(_false_negative(slopes, of_vertex), _false_negative(zero, b))
        trivial = (1 - share) * (_false_positive(share, b) - _false_positive(zero, b)) + share * (
            _false_negative(zero + 1, b) - _false_negative(share, b)
        )
    saved = 1 - _ratio(_ratio(hulls.summed(lost), rows), trivial)
    return np.where(_of_two_classes(masses), saved.clip(0, 1), np.nan)


def _false_positive(c: Floats, b: Floats) -> Floats:
    power, rest = np.exp(np.log1p(-c) * b), 1 - c
    area: Floats = -power / b * (c**2 + 2 * rest / (b + 1) * (c + rest / (b + 2)))
    return area


def _false_negative(c: Floats, b: Floats) -> Floats:
    area: Floats = -np.exp(np.log1p(-c) * (b + 1)) / (b + 1) * (c + (1 - c) / (b + 2))
    return area


WHOLE_SWEEPS: Mapping[str, Callable[[Masses], Floats]] = {
    function.__name__: function
    for function in (
        auc_convex_hull,
        brier_skill,
        brier_uncertainty,
        d2_log_loss,
        equal_error_rate,
        h_measure,
        h_measure_symmetric,
        lift_at_10_percent,
        observed_expected,
        precision_at_10_percent,
        recall_at_10_percent,
        spherical_score,
    )
}
"""By the name of the metric."""
