"""Areas under ROC curves of rows in groups that depend on each other: robust variances."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Flags, Floats, Integers, chunks
from reportgen.clusters import (
    Effect,
    Groups,
    correction,
    covariance_of_sum,
    degrees_of_freedom,
    sum_of_squares,
)
from reportgen.leverage import common_correlation


class ClusteredAreas(NamedTuple):
    """Covariance of areas, sums by group of what the rows add to each, and the parts by class.

    ``by_class`` are the covariances of the sums over the positives and over the negatives, of
    ``class_groups`` (effective) groups.
    """

    covariance: Floats
    sums: Floats
    by_class: tuple[Floats, Floats]
    class_groups: tuple[float, float]


def clustered_areas(deviations: Floats, classes: ClassesByGroup) -> ClusteredAreas:
    """Covariance of the AUCs of several models on the same rows in groups, and what it is made of.

    ``deviations`` (row × model) are the placements less the AUC. With a_i and
    b_i the sums of those of group i over its positives and its negatives, M and
    N rows, I10, I01 and I the groups with a positive, a negative, and all:

    Formula: I10/(I10 − 1)·Σ a_i a_i′/M² + I01/(I01 − 1)·Σ b_i b_i′/N²
    + I/(I − 1)·Σ (a_i b_i′ + b_i a_i′)/(M·N), each sum first multiplied by (1 − 1/I)/(1 − h), h
    the share of its group in the rows, or in the weight, of the class and I the groups of it (CR3).

    DeLong's where each row is a group: weighted rows then count as many as their effective number
    (Kish). NaN with a class in fewer than two groups.
    Reference: Obuchowski (1997), doi:10.2307/2533958; Bell & McCaffrey (2002), *Survey
    Methodology* 28, 169-181.
    """
    weights = classes.weights
    columns = [c if weights is None else c * weights for c in deviations.T]
    sums, of_classes = [], []
    by_class = [classes.sums(column) for column in columns]
    for k in range(2):
        pulls = classes.leverage[k] / classes.totals[k]
        sums.append(np.column_stack([of_column[k] * pulls for of_column in by_class]))
        of_classes.append(covariance_of_sum(sums[k], classes.units[k]))
    products = [[float((one * other).sum()) for other in sums[1].T] for one in sums[0].T]
    cross = np.array(products) * correction(classes.units[2])
    return ClusteredAreas(
        of_classes[0] + of_classes[1] + cross + cross.T,
        sums[0] + sums[1],
        (of_classes[0], of_classes[1]),
        classes.effective_groups,
    )


def satterthwaite(variances: Sequence[float], units: Sequence[float]) -> float:
    """Degrees of freedom of a sum of two estimated variances, each of so many units.

    Formula: (v₁ + v₂)² / (v₁²/(n₁ − 1) + v₂²/(n₂ − 1)); infinite where neither varies.
    Reference: Satterthwaite (1946), doi:10.2307/3002019.

    >>> satterthwaite((1.0, 1.0), (4, 4)), satterthwaite((1.0, 0.0), (4, 40))
    (6.0, 3.0)
    """
    whole = sum(v**2 / max(n - 1, 1e-9) for v, n in zip(variances, units, strict=True))
    return sum(variances) ** 2 / whole if whole > 0 else math.inf


@dataclass(frozen=True, slots=True)
class AreaVariances:
    """Variance of an AUC of independent groups, and as if rows were independent (DeLong's)."""

    of_groups: float
    of_rows: float
    degrees_of_freedom: float


def area_variances(deviation: Floats, classes: ClassesByGroup) -> AreaVariances:
    """Obuchowski's variance of one AUC and DeLong's, in one pass, as limits of the AUC use them.

    The sum of a group over a class is multiplied by (1 − 1/I)/(1 − h), h its share of the class
    and I the groups of it, before they are squared (CR3): 1 where groups are alike. Degrees of
    freedom are Pan and Wall's, at most Satterthwaite's of the groups of the two classes. Where
    limits are wider by one intraclass correlation of all groups, it is that variance.
    Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181; Satterthwaite (1946),
    doi:10.2307/3002019.
    """
    weighted = deviation if classes.weights is None else deviation * classes.weights
    squares = np.zeros(2)
    for part in chunks(len(weighted)):
        of_negatives = weighted[part] * ~classes.positive[part]
        squares += sum_of_squares(weighted[part] - of_negatives), sum_of_squares(of_negatives)
    return area_variances_of_sums(classes.sums(weighted), squares, classes)


def area_variances_of_sums(sums: Floats, squares: Floats, classes: ClassesByGroup) -> AreaVariances:
    """The same from sums by class and group (class × group), and sums of squares by class."""
    return _of_shares(sums / np.array(classes.totals)[:, None], squares, classes)


def _of_shares(shares: Floats, squares: Floats, classes: ClassesByGroup) -> AreaVariances:
    """The same from the sums as shares of their class, which are written over."""
    alike = classes.common_correlation(shares, squares)
    shares *= classes.leverage
    groups = classes.effective_groups
    parts = [sum_of_squares(shares[k]) * correction(classes.units[k]) for k in range(2)]
    of_rows = sum(
        float(squares[k]) / classes.totals[k] ** 2 * classes.row_correction(k) for k in range(2)
    )
    shared = float(np.einsum("g,g->", shares[0], shares[1]))
    of_groups = sum(parts) + 2 * shared * correction(classes.units[2])
    freedom = min(degrees_of_freedom(shares[0] + shares[1]), max(satterthwaite(parts, groups), 1.0))
    wider = Effect(of_groups, freedom).or_wider(*alike)
    return AreaVariances(wider.design, of_rows, wider.degrees_of_freedom)


def variances_of_influences(
    adds: Floats, classes: ClassesByGroup, sums: Floats | None = None
) -> AreaVariances:
    """The same from what each row adds to a measure, which is a share of its class in an area.

    ``sums`` are those by class and group, where they are known.
    """
    at = np.flatnonzero(classes.positive)
    squares = [sum_of_squares(adds[rows]) for rows in (at, ~classes.positive)]
    totals = np.array(classes.totals)[:, None]
    shares = (classes.sums(adds) if sums is None else sums) * totals
    shares /= totals  # as the sums of an area, to the last digit
    return _of_shares(shares, np.array(squares) * totals[:, 0] ** 2, classes)


@dataclass(frozen=True)
class ClassesByGroup:
    """The positives and the negatives of each group, of rows that may have weights."""

    positive: Flags
    groups: Groups
    weights: Floats | None = None

    @property
    def _alone(self) -> bool:
        """Whether each row is a group of its own, so that nothing is summed."""
        return self.groups.counts is None and self.groups.single

    @cached_property
    def code(self) -> Integers:
        """The group of each positive, and after all of these the group of each negative."""
        code = self.groups.code.copy()
        for part in chunks(len(code)):
            code[part] += self.groups.number * ~self.positive[part]
        return code

    @cached_property
    def sizes(self) -> Integers:
        """Rows of each class (first the positives) and group."""
        sizes = np.bincount(self.code, self.groups.counts, 2 * self.groups.number).reshape(2, -1)
        return sizes.astype(np.int64, copy=False)

    def sums(self, values: npt.ArrayLike) -> Floats:
        """Sum of the values of each class and group."""
        if self._alone:
            sums = np.zeros((2, self.groups.number))
            for of_class, side in zip(sums, (self.positive, ~self.positive), strict=True):
                of_class[self.groups.code[side]] = np.asarray(values)[side]
            return sums
        if self.groups.counts is not None:
            values = np.asarray(values) * self.groups.counts
        by_code = np.bincount(self.code, values, 2 * self.groups.number)
        return by_code.astype(np.float64, copy=False).reshape(2, -1)

    def pulled_sums(self, values: npt.ArrayLike) -> Floats:
        """The same with the ``leverage`` of each class and group."""
        return self.sums(values) * self.leverage

    @cached_property
    def rows(self) -> tuple[int, int]:
        """Positives and negatives."""
        if self.groups.counts is not None:
            positives = int(self.groups.counts[self.positive].sum())
            return positives, self.groups.rows - positives
        positives = int(np.count_nonzero(self.positive))
        return positives, len(self.positive) - positives

    @cached_property
    def totals(self) -> tuple[float, float]:
        """Their number or the sum of their weights, NaN where there are none."""
        sizes: Iterable[float] = self.rows
        if self.weights is not None:
            sizes = (self.weights[side].sum() for side in (self.positive, ~self.positive))
        positives, negatives = (float(size) or float("nan") for size in sizes)
        return positives, negatives

    @cached_property
    def present(self) -> tuple[int, int]:
        """Groups with a positive, and with a negative."""
        if self._alone:
            return self.rows
        positives, negatives = np.count_nonzero(self.sizes, axis=1).tolist()
        return positives, negatives

    @cached_property
    def effective_groups(self) -> tuple[float, float]:
        """The same; those of weighted rows as much less as Kish's effective size is than the rows.

        They are the degrees of freedom.
        """
        return self.present[0] * self._evenness[0], self.present[1] * self._evenness[1]

    @property
    def units(self) -> tuple[float, float, float]:
        """Groups of each class and of both; of weighted rows without groups their effective number.

        Those of both are at least as many as of one: else a variance of both may be negative.
        """
        if self.weights is None or not self.groups.single:
            return *self.present, self.groups.number
        whole = self.groups.number * _evenness(self.weights)
        return *self.effective_groups, max(whole, *self.effective_groups)

    @cached_property
    def leverage(self) -> Floats:
        """What the sum of each class and group is multiplied by, as large groups pull the mean.

        1 of rows without groups.
        """
        if self.groups.single and (self.weights is not None or self._alone):
            return np.broadcast_to(1.0, (2, self.groups.number))
        sizes: Floats | Integers = self.sizes
        factors = np.ones(sizes.shape)
        if self.weights is not None:
            sizes = np.bincount(self.code, self.weights, sizes.size).reshape(sizes.shape)
        for k, groups in enumerate(self.present):
            left = 1 - sizes[k] / self.totals[k]
            if groups > 1:
                np.divide(1 - 1 / groups, left, out=factors[k], where=left > 0)
        return factors

    def common_correlation(self, sums: Floats, squares: Floats) -> tuple[float, float]:
        """Variance and degrees of freedom of a measure if groups have one intraclass correlation.

        From the sums by class and group as shares of their class, and ``squares`` by class of the
        rows. The share of a group is a mean of those in the two classes, by what either would add
        if all its rows deviated alike.
        """
        if self.groups.single or min(self.present) < 2:
            return math.nan, math.nan
        totals = np.array(self.totals)
        pull = np.sqrt(squares / totals)
        if not pull.any():
            return math.nan, math.nan
        pull /= pull.sum()
        sizes: Floats | Integers = self.sizes
        if self.weights is not None:
            sizes = np.bincount(self.code, self.weights, sizes.size).reshape(sizes.shape)
        rows = np.array([n * even for n, even in zip(self.rows, self._evenness, strict=True)])
        whole = float((squares / totals**2).sum())
        return common_correlation(
            sums[0] + sums[1],
            pull[0] * sizes[0] / totals[0] + pull[1] * sizes[1] / totals[1],
            1 / float((np.square(pull) / rows).sum()),
            whole,
        )

    def row_correction(self, of_class: int) -> float:
        """n/(n − 1) for the (effective) rows of a class."""
        return correction(self.rows[of_class] * self._evenness[of_class])

    @cached_property
    def _evenness(self) -> tuple[float, float]:
        if self.weights is None:
            return 1.0, 1.0
        return _evenness(self.weights[self.positive]), _evenness(self.weights[~self.positive])


def _evenness(weights: Floats) -> float:
    """Kish's effective size as a share of the rows: 1 where all weights are equal."""
    squares = float(np.square(weights).sum()) * len(weights)
    return float(weights.sum()) ** 2 / squares if squares > 0 else float("nan")
