"""What dependence within groups does to measures of counts, from the counts by group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import cast

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen import clusters
from reportgen.array_functions import ArrayFunctions
from reportgen.array_types import Flags, Floats, Integers
from reportgen.clustered_areas import ClassesByGroup
from reportgen.clusters import Effect, Groups
from reportgen.intervals import FMeasure, ModifiedWilson, Share, SquareAndAdd
from reportgen.intervals.delta import evaluating, influences
from reportgen.intervals.f_measures import CELLS as F_CELLS
from reportgen.intervals.shapes import normal_quantile
from reportgen.leverage import common_correlation
from reportgen.metric_names import CELLS
from reportgen.metrics import Metric
from reportgen.metrics.costs import gains_in_cost
from reportgen.metrics.rates import gains_in_accuracy
from reportgen.metrics.settings import MetricArguments, MetricSettings

NOTHING = Effect(float("nan"), float("nan"))
"""The effect where there are too few groups or nothing varies."""

NOISE = 1e-9
"""A cell that contributes less than this share of what the others do contributes nothing."""


_SIDES = [np.isin(CELLS, side) for side in (("tp", "fn"), ("fp", "tn"))]
"""Which cells are of positives, and which of negatives."""

_CORRECT: Flags = np.isin(CELLS, ("tp", "tn"))
_POSITIVE: Flags = np.isin(CELLS, ("tp", "fn"))
"""The cells of correct decisions, and of positives."""

TIMES_OTHERS = 2.0
"""So many times as much a group does to a share of 0 or 1 at most as to errors and to the truth.

Of 8 to 40 groups of 15 to 250 rows, correlation 0.02 to 0.3 in every rate, the limits of
specificities of 0.98 to 0.999 cover them as often as with each group as one row.
"""

_CONFIDENCE = 0.95
"""At which limits are compared."""

OVER_GUESSES: dict[str, Callable[..., Sequence[pl.Expr]]] = {
    "accuracy_gain": gains_in_accuracy,
    "savings": gains_in_cost,
}
"""Measures that are the least of the gains over either guess, and these."""

LEAST_OF_SHARE = 4.0
"""Degrees of freedom that the variance of a share has at least.

Where few of the groups have failures, the fourth powers leave as few as one, though Wilson's limits
allow for a share near 1 by themselves. Of 10 to 60 groups of equal and unequal size, correlation
0.1 to 0.8, the limits cover 0.94 or more of shares of 0.7 to 0.98 with this least.
"""


@dataclass(frozen=True)
class CellTable:
    """The rows of each group in the four cells of a decision; groups that are alike stand once.

    ``sums`` (cell × kind of group, cells in the order of ``CELLS``) are weights, ``groups`` how
    many groups are of each kind; ``rows`` and ``squares`` the rows of each cell and their
    squared weights.
    """

    sums: Floats
    groups: Floats
    rows: Floats
    squares: Floats

    @classmethod
    def of(
        cls, positive: Flags, predicted: Flags, groups: Groups, weights: Floats | None = None
    ) -> CellTable:
        """Count the rows of each group."""
        cell = (~positive).astype(np.int64)
        cell += 2 * ~predicted
        width, size = len(CELLS), len(CELLS) * groups.number
        rows = np.bincount(cell, groups.counts, width).astype(np.float64)
        squares = (
            rows if weights is None else np.bincount(cell, weights**2, width).astype(np.float64)
        )
        cell *= groups.number
        cell += groups.code
        if weights is None:
            counts = np.bincount(cell, groups.counts, size).astype(np.int64, copy=False)
            sums, alike = _alike_once(counts.reshape(width, -1))
        else:
            sums = np.bincount(cell, weights, size).reshape(width, -1)
            alike = np.ones(groups.number)
        return cls(sums.astype(np.float64), alike, rows, squares)

    @classmethod
    def of_classes(cls, classes: ClassesByGroup, predicted: Flags | slice) -> CellTable:
        """Count the rows of each group, of unweighted rows of which some are predicted positive."""
        code, shape = classes.code[predicted], classes.sizes.shape
        reached = np.bincount(code, minlength=classes.sizes.size).reshape(shape)
        sums, alike = _alike_once(np.concatenate([reached, classes.sizes - reached]))
        rows = np.array([*reached.sum(axis=1), *(classes.sizes - reached).sum(axis=1)], np.float64)
        return cls(sums.astype(np.float64), alike, rows, rows)

    @cached_property
    def totals(self) -> Floats:
        """The sum of each cell."""
        totals: Floats = (self.sums * self.groups).sum(axis=1)
        return totals

    def groups_in(self, cells: Flags) -> int:
        """Groups with a row in any of the cells."""
        return int(self.groups[(self.sums[cells] > 0).any(axis=0)].sum())

    def effect(
        self, contribution: Floats, cells: Sequence[str] | None = None, least: float = 1.0
    ) -> Effect:
        """Of a measure to which a row of each cell makes this ``contribution``.

        Only groups with a row in a cell that contributes count as groups. A
        share of 0 or 1 among ``cells``, and what is made of such shares, has no
        variance to compare: each group then is taken as one row, as if its
        rows were all alike, but not beyond ``TIMES_OTHERS`` the effect on errors and on the share
        of positives. What a group adds is divided by 1 − h, with h its share in
        the rows of a class, or in all rows for what the class as a whole adds: a group
        pulls the estimate towards itself (``leverage.jackknife_sums``).
        There are ``least`` degrees of freedom at least, or one fewer than groups. Where limits
        are wider by one intraclass correlation of all groups, the variance is that one.
        Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181.
        """
        size = np.abs(contribution)
        active = size > NOISE * size.max()
        if not (np.isfinite(size).all() and active.any()):
            return self._alike(cells)
        groups, rows = self.groups_in(active), self.rows[active].sum()
        if groups < 2:
            return NOTHING
        added, by_row = self._without_pull(contribution)
        squares = np.square(added)
        second = float((self.groups * squares).sum())
        fourth = float((self.groups * np.square(squares)).sum())
        apart = self._apart(by_row, rows)
        freedom = clusters.degrees_of_freedom_of_powers(second, fourth, groups)
        freedom = max(freedom, min(least, groups - 1.0))
        robust = Effect((groups - 1) / groups * second / apart, freedom)
        variance, freedom = self._common_correlation(contribution)
        return robust.or_wider(variance / apart, freedom)

    def _apart(self, by_row: Floats, rows: float) -> float:
        return (rows - 1) / rows * float((self.squares * by_row**2).sum())

    def distance(self, contribution: Floats, effect: Effect) -> float:
        """Half the width of limits of 95 % by t, of what has this ``contribution`` and effect."""
        _, by_row = self._without_pull(contribution)
        rows = self.rows[np.abs(contribution) > NOISE * np.abs(contribution).max()].sum()
        inflation = effect.inflation(_CONFIDENCE)
        return normal_quantile(_CONFIDENCE) * float(np.sqrt(inflation * self._apart(by_row, rows)))

    def _common_correlation(self, contribution: Floats) -> tuple[float, float]:
        """Variance and degrees of freedom if all groups have one intraclass correlation.

        The share of a group is a mean of those in the two classes, by what either would add if all
        its rows deviated alike.
        """
        if self.groups.sum() == self.rows.sum():
            return float("nan"), float("nan")
        pull, rows, shares = 0.0, 0.0, np.zeros(self.sums.shape[1])
        for side in self._parts[:-1]:
            of_side = float((np.square(contribution[side.cells]) * self.totals[side.cells]).sum())
            if of_side > 0:
                weight = np.sqrt(side.total * of_side)
                pull += weight
                shares += weight * side.sums / side.total
                rows += weight**2 * side.squares / side.total**2
        squares = float((np.square(contribution) * self.squares).sum())
        added = np.einsum("c,cg->g", contribution, self.sums)
        return common_correlation(added, shares / pull, float(pull**2 / rows), squares, self.groups)

    def _without_pull(self, contribution: Floats) -> tuple[Floats, Floats]:
        """What each group adds over 1 − h, and what a row of each cell would alone."""
        # Sums of numpy, not of BLAS: the same on any number of threads.
        if self.groups.sum() == self.rows.sum():
            return np.einsum("c,cg->g", contribution, self.sums), contribution
        mean = np.zeros_like(contribution)
        *sides, _ = self._parts
        for side in sides:
            of_side = (contribution[side.cells] * self.totals[side.cells]).sum()
            mean[side.cells] = of_side / (side.total or np.nan)
        mean[np.isnan(mean)] = 0.0
        parts = [*(np.where(side.cells, contribution - mean, 0.0) for side in sides), mean]
        added, by_row = np.zeros(self.sums.shape[1]), np.zeros_like(contribution)
        for part, of in zip(parts, self._parts, strict=True):
            if of.total > 0 and part.any():
                added += np.einsum("c,cg->g", part, self.sums) / of.left
                by_row += part / of.left_by_row
        return added, by_row

    @cached_property
    def _parts(self) -> list[_CellsTogether]:
        """The positives, the negatives, and all rows."""
        return [_CellsTogether.of(self, cells) for cells in (*_SIDES, np.ones(len(CELLS), bool))]

    def _alike(self, cells: Sequence[str] | None) -> Effect:
        if cells is None:
            return NOTHING
        at = [CELLS.index(cell) for cell in cells]
        sizes = self.sums[at].sum(axis=0)
        squares = float(self.squares[at].sum())
        groups = int(self.groups[sizes > 0].sum())
        if groups < 2:
            return NOTHING
        alike = Effect(float((self.groups * np.square(sizes)).sum()) / squares, groups - 1.0)
        errors, truth = (self._of_share(of) for of in (_CORRECT, _POSITIVE))
        others = [e for e in (errors, truth) if e is not None and e.inflation(_CONFIDENCE) > 0]
        if errors is None or not others:  # of a model without errors nothing is known
            return alike
        widest = max(others, key=lambda effect: effect.inflation(_CONFIDENCE))
        most = Effect(TIMES_OTHERS * max(widest.design, 1.0), widest.degrees_of_freedom)
        return min(alike, most, key=lambda effect: effect.inflation(_CONFIDENCE))

    def _of_share(self, counted: Flags) -> Effect | None:
        """The effect on the share of some cells in all rows; null where it is 0 or 1."""
        whole = float(self.totals.sum())
        share = float(self.totals[counted].sum()) / whole if whole else 0.0
        if not 0 < share < 1:
            return None
        contribution = np.where(counted, 1 - share, -share) / whole
        return self.effect(contribution, None, LEAST_OF_SHARE)


@dataclass(frozen=True)
class _CellsTogether:
    """Some of the cells: their rows in all groups and in each kind of group, and squared weights.

    ``left`` and ``left_by_row`` are the shares of the others, without a group and without a row.
    """

    cells: Flags
    total: float
    sums: Floats
    squares: float
    left: Floats
    left_by_row: Floats

    @classmethod
    def of(cls, table: CellTable, cells: Flags) -> _CellsTogether:
        """Those of a table."""
        total, sums = float(table.totals[cells].sum()), table.sums[cells].sum(axis=0)
        squares, whole = float(table.squares[cells].sum()), total or np.nan
        left = _left(sums / whole), _left(squares / whole**2)
        return cls(cells, total, sums, squares, *left)


def _left(share: npt.ArrayLike) -> Floats:
    """1 − h, and 1 for a group that has all rows, which adds nothing."""
    left: Floats = 1 - np.asarray(share)
    return np.where(left > NOISE, left, 1.0)


def _alike_once(counts: Integers) -> tuple[Integers, Floats]:
    """The different columns of small counts, and how many there are of each."""
    sizes = [int(most) + 1 for most in counts.max(axis=1, initial=0)]
    if prod(sizes) > 8 * counts.shape[1]:
        return counts, np.ones(counts.shape[1])
    key = counts[0].copy()
    for count, size in zip(counts[1:], sizes[1:], strict=True):
        key *= size
        key += count
    kinds = np.bincount(key)
    seen = np.flatnonzero(kinds)
    return np.array(np.unravel_index(seen, sizes)), kinds[seen].astype(np.float64)


def effects_of_cells(
    tables: Sequence[CellTable],
    metrics: Iterable[Metric],
    settings: MetricSettings,
    *,
    made_of_shares: bool = False,
) -> list[dict[str, Effect]]:
    """The effect on each measure of counts that has an interval, for each table.

    ``made_of_shares`` says that all of them have one, from the shares that they are made of.
    """
    with_interval = [m for m in metrics if made_of_shares or m.interval is not None]
    if not (with_interval and tables):
        return [{} for _ in tables]
    counts = np.array([table.totals for table in tables])
    evaluate = _evaluating(tuple(with_interval), tuple(settings.items()))
    contributions = influences(evaluate, counts)
    effects = [
        {
            m.name: table.effect(row, CELLS if made_of_shares else _denominator(m), _least(m))
            for m, row in zip(with_interval, of_table, strict=True)
        }
        for table, of_table in zip(tables, contributions, strict=True)
    ]
    for metric in with_interval:
        if metric.name not in OVER_GUESSES:
            continue
        over = _over_guesses(metric, tuple(settings.items()))
        either = zip(effects, tables, over(counts), influences(over, counts), strict=True)
        for of_table, table, values_of_both, adds in either:
            of_table[metric.name] = _over_both(table, of_table[metric.name], values_of_both, adds)
    return effects


@lru_cache(maxsize=128)
def _evaluating(
    metrics: tuple[Metric, ...], settings: tuple[tuple[str, object], ...]
) -> ArrayFunctions:
    """What evaluates the metrics on counts, planned once."""
    arguments = cast("MetricArguments", dict(settings))
    return evaluating({m.name: m.expression(**arguments) for m in metrics})


@lru_cache(maxsize=128)
def _over_guesses(metric: Metric, settings: tuple[tuple[str, object], ...]) -> ArrayFunctions:
    """The same for both gains of a metric of ``OVER_GUESSES``."""
    given = {k: v for k, v in settings if k in metric.parameters}
    return evaluating(dict(zip("ab", OVER_GUESSES[metric.name](**given), strict=True)))


def _over_both(table: CellTable, effect: Effect, gains: Floats, adds: Floats) -> Effect:
    """The effect on the least of two gains, with a lower limit that neither of theirs is below.

    Which guess is the better one is only known from the rows: a model is better than guessing if
    it is better than either (intersection-union). Rows that are each a group keep their effect:
    square-and-add moves the shares of the classes past the place where either guess is as good.
    Berger (1982), doi:10.1080/00401706.1982.10487790.
    """
    if table.groups.sum() == table.rows.sum():
        return effect
    ends = []
    for gain, contribution in zip(gains, adds, strict=True):
        of_gain = table.effect(contribution, CELLS)
        varies = np.isfinite(contribution).all() and contribution.any()
        if varies and np.isfinite(gain) and of_gain.inflation(_CONFIDENCE) > 0:
            ends.append((float(gain), table.distance(contribution, of_gain)))
    if len(ends) < 2:
        return effect
    least, distance = min(ends)
    needed = least - min(gain - its_distance for gain, its_distance in ends)
    wider = max(needed / distance, 1.0) if distance > 0 else 1.0
    return Effect(effect.design * wider**2, effect.degrees_of_freedom)


def _least(metric: Metric) -> float:
    return LEAST_OF_SHARE if isinstance(metric.interval, ModifiedWilson | Share) else 1.0


def _denominator(metric: Metric) -> Sequence[str] | None:
    """The cells of which a measure is a share, or is made of shares; null where it is neither."""
    interval = metric.interval
    if isinstance(interval, SquareAndAdd):
        return CELLS
    if isinstance(interval, FMeasure):
        return F_CELLS
    return interval.cells if isinstance(interval, ModifiedWilson | Share) else None
