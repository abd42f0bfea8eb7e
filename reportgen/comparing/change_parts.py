"""A change of a measure between two periods, split exactly into mix and within, with limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import degrees_of_freedom, sum_of_squares, t_quantile
from reportgen.history.mix import Sides, split
from reportgen.records.shift import ChangeParts
from reportgen.records.trend import SlicePart

MOST_CELLS = 50
"""Classes or slices over which a change is split."""

ChangeLimits = tuple[float | None, float | None]
NO_LIMITS: Sequence[ChangeLimits] = ((None, None),) * 3
"""Of a change, its mix and what is within."""


@dataclass(frozen=True)
class Period:
    """The rows of a period: what the measure is the mean of, the cell and the weight of each.

    ``units`` has the independent unit of each row, numbered over both periods; null where there
    are no limits.
    """

    values: Floats
    cells: Integers
    weights: Floats
    units: Integers | None = None

    def sides(self, number: int) -> tuple[Floats, Floats]:
        """The share of the rows and the mean of each cell; NaN of a cell without rows."""
        whole = np.bincount(self.cells, self.weights, number)
        sums = np.bincount(self.cells, self.weights * self.values, number)
        means = np.full(number, np.nan)
        np.divide(sums, whole, out=means, where=whole > 0)
        return whole / whole.sum(), means

    @property
    def mean(self) -> float:
        """The measure over all rows."""
        return float(np.average(self.values, weights=self.weights))


@dataclass(frozen=True)
class Named:
    """What a change is of: model, measure, what it is split over, and the names of the cells.

    ``units`` are what its limits of this ``confidence`` are over, null where these are unknown.
    """

    model: str
    metric: str
    by: str
    cells: Sequence[str]
    units: str | None = None
    confidence: float = 0.95


def change_of_mean(named: Named, before: Period, now: Period) -> ChangeParts:
    """The change of a mean over the rows, split over cells (``history.mix.split``).

    Limits are those of the delta method: both parts are smooth functions of means, so that each
    row has an influence, whose variance is that of the sums by unit; null where these are
    unknown. Liang & Zeger (1986), doi:10.1093/biomet/73.1.13.
    """
    number = len(named.cells)
    shares, means = zip(*(side.sides(number) for side in (before, now)), strict=True)
    parts = parts_of(named.cells, shares, means)
    mix, within = sum(one.mix for one in parts), sum(one.within for one in parts)
    change = now.mean - before.mean
    limits = NO_LIMITS
    if named.units is not None and before.units is not None and now.units is not None:
        influences = _influences(before, now, shares, means)
        codes = (before.units, now.units)
        limits = limits_of((change, mix, within), influences, codes, named.confidence)
    return change_record(named, (before.mean, now.mean), (mix, within), limits, parts)


def limits_of(
    estimates: Sequence[float],
    influences: Sequence[Floats],
    units: tuple[Integers, Integers],
    confidence: float,
) -> Sequence[ChangeLimits]:
    """Limits of each estimate, from the influences of the rows of both periods on it."""
    both = np.concatenate(units)
    limits: list[ChangeLimits] = []
    for estimate, influence in zip(estimates, influences, strict=True):
        sums: Floats = np.bincount(both, _corrected(influence, *units)).astype(np.float64)
        sums = sums[np.bincount(both) > 0]
        variance = sum_of_squares(sums)
        if len(sums) < 3 or not variance > 1e-24:
            limits.append((None, None))
            continue
        half = t_quantile(confidence, degrees_of_freedom(sums)) * float(np.sqrt(variance))
        limits.append((estimate - half, estimate + half))
    return limits


def change_record(
    named: Named,
    values: tuple[float, float],
    split_into: tuple[float, float],
    limits: Sequence[ChangeLimits],
    parts: tuple[SlicePart, ...],
) -> ChangeParts:
    """The change from its ``values`` in both periods, its mix and what is within, with limits."""
    with_limits = any(low is not None for low, _ in limits)
    of_change, of_mix, of_within = limits
    return ChangeParts(
        model=named.model,
        metric=named.metric,
        by=named.by,
        before=values[0],
        now=values[1],
        change=values[1] - values[0],
        change_low=of_change[0],
        change_high=of_change[1],
        mix=split_into[0],
        mix_low=of_mix[0],
        mix_high=of_mix[1],
        within=split_into[1],
        within_low=of_within[0],
        within_high=of_within[1],
        interval=f"delta method over {named.units}" if with_limits else None,
        parts=parts,
    )


def parts_of(
    names: Sequence[str], shares: Sequence[Floats], means: Sequence[Floats]
) -> tuple[SlicePart, ...]:
    """The parts of each cell, from shares and means of both periods."""
    sides: list[Sides] = [
        {
            name: (float(share), float(mean))
            for name, share, mean in zip(names, of_cell, of_mean, strict=True)
            if share > 0
        }
        for of_cell, of_mean in zip(shares, means, strict=True)
    ]
    return tuple(SlicePart(name, **asdict(part)) for name, part in split(*sides).items())


def _influences(
    before: Period, now: Period, shares: Sequence[Floats], means: Sequence[Floats]
) -> list[Floats]:
    """What each row of both periods contributes to the change, to its mix and to within."""
    both: Flags = (shares[0] > 0) & (shares[1] > 0)
    values = [np.where(np.isnan(one), other, one) for one, other in (means, means[::-1])]
    middle = (values[0] + values[1]) / 2
    step, share = shares[1] - shares[0], (shares[0] + shares[1]) / 2
    result: list[list[Floats]] = [[], [], []]
    for place, period in enumerate((before, now)):
        sign, of_row = 2 * place - 1, period.cells
        weights, value = shares[place], values[place]
        base = period.weights / period.weights.sum()
        away = period.values - value[of_row]
        scale = np.divide(1.0, weights, out=np.zeros_like(weights), where=weights > 0)
        of_mix = np.where(both, step / 2, step) * scale
        of_within = np.where(both, share, 0.0) * scale
        half = np.where(both, (values[1] - values[0]) / 2, 0.0)
        result[0].append(sign * base * (period.values - period.mean))
        centred = middle - float((weights * middle).sum())
        result[1].append(base * (sign * centred[of_row] + of_mix[of_row] * away))
        centred = half - float((weights * half).sum())
        result[2].append(base * (centred[of_row] + sign * of_within[of_row] * away))
    return [np.concatenate(parts) for parts in result]


def _corrected(influence: Floats, before: Integers, now: Integers) -> Floats:
    """Influences whose squares are unbiased: G/(G − 1) for the units G of each period."""
    result = influence.copy()
    for rows, units in ((slice(None, len(before)), before), (slice(len(before), None), now)):
        number = len(np.unique(units))
        result[rows] *= np.sqrt(number / max(number - 1, 1))
    return result
