"""Exact sums by group, and rows that stand for those of a group: what measures are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Effect, Groups, effect_of_sums, intraclass_of_sums
from reportgen.engines.estimate_counting import BY_MOMENTS, OF_ALL, OF_TRUTH, WEIGHT_SUM
from reportgen.engines.exact_sums import NO_NUMBERS, column_of
from reportgen.engines.group_counting import kind
from reportgen.engines.partial import ALL
from reportgen.metrics import Metric
from reportgen.metrics.aggregates import OF_DEFINED, losses_of_some
from reportgen.results.binned.group_counts import GroupCounts, ScopeAndPart

EVERYWHERE: ScopeAndPart = (ALL, "[]")


@dataclass(frozen=True)
class Exact:
    """Whole numbers of 2^``power``, one for each group."""

    value: npt.NDArray[np.object_]
    power: int = 0

    def times(self, other: Exact) -> Exact:
        """The products."""
        return Exact(self.value * other.value, self.power + other.power)

    def plus(self, other: Exact, sign: int = 1) -> Exact:
        """The sums, or with a negative sign the differences."""
        power = min(self.power, other.power)
        one, two = (e.value * (1 << (e.power - power)) for e in (self, other))
        return Exact(one + sign * two, power)

    def over(self, other: Exact) -> Floats:
        """The quotients, rounded once; not a number where one leaves the range of floats."""
        power = self.power - other.power
        one, two = self.value * (1 << max(power, 0)), other.value * (1 << max(-power, 0))
        try:
            quotients: Floats = (one / two).astype(np.float64)
        except OverflowError:
            quotients = np.full(len(one), np.nan)
        return quotients


ONE = Exact(np.array(1, dtype=object))


@dataclass(frozen=True)
class SumsByGroup(GroupCounts):
    """Counts by group with exact sums of numbers."""

    _rows: dict[ScopeAndPart, pl.Series] = field(default_factory=dict, compare=False)

    def exact(self, model: int, what: str, place: ScopeAndPart) -> Exact | None:
        """A sum of each group; None where a value of some row is no number."""
        table = self.sums[kind(*place, "", "{}")]
        name = column_of(OF_TRUTH if what in OF_ALL else model, what)
        powers = [c.removeprefix(name) for c in table.columns if c.startswith(name)]
        if NO_NUMBERS in powers and (self._values(place, name + NO_NUMBERS) != 0).any():
            return None
        parts = [
            Exact(np.array(self._values(place, name + power).to_list(), dtype=object), int(power))
            for power in powers
            if power != NO_NUMBERS
        ]
        zeros = np.array([0] * len(self.lines_of(*place).names), dtype=object)
        return reduce(Exact.plus, parts, Exact(zeros))

    def _values(self, place: ScopeAndPart, column: str) -> pl.Series:
        """The sums of a column of each group of a part, in their order."""
        table = self.sums[kind(*place, "", "{}")]
        if place not in self._rows:
            groups = table.select("group").with_row_index("row")
            names = pl.DataFrame({"group": self.lines_of(*place).names})
            joined = names.join(groups, on="group", how="left", maintain_order="left")
            self._rows[place] = joined["row"]
        return table[column].gather(self._rows[place]).fill_null(0)

    def weights(self, place: ScopeAndPart = EVERYWHERE) -> Exact:
        """The weight of each group: its rows, where they have none."""
        sizes = Exact(np.array(self.lines_of(*place).groups.sizes.tolist(), dtype=object))
        weights = self.exact(OF_TRUTH, WEIGHT_SUM, place)
        return sizes if weights is None or not weights.value.any() else weights

    def totals(self, model: int, what: str, place: ScopeAndPart = EVERYWHERE) -> Floats | None:
        """A sum of each group as a float."""
        sums = self.exact(model, what, place)
        return None if sums is None else sums.over(ONE)

    def lost_by(self, model: int, metric: Metric, place: ScopeAndPart = EVERYWHERE) -> Floats:
        """What the rows of each group lose by a measure that is a mean."""
        sums = self.totals(model, BY_MOMENTS.get(metric.name, metric.name), place)
        if sums is None:
            return np.full(len(self.lines_of(*place).names), np.nan)
        # What is counted of a loss may have the other sign: see ``loss_of``.
        return -sums if metric.bounds[0] == 0 and sums.sum() < 0 else sums

    def effect_on_mean(self, lost: Floats, squares: float) -> tuple[Effect, float]:
        """The effect of groups on a mean of all rows, and the intraclass correlation.

        ``lost`` are the weighted sums by group, ``squares`` those of the rows' weighted distances
        from the mean.
        """
        weights, groups = self.weights().over(ONE), self.lines_of().groups
        away = lost - lost.sum() / weights.sum() * weights
        correlation = intraclass_of_sums(away, squares, groups.sizes)
        return effect_of_sums(away, squares, groups.rows, weights), correlation

    def means(self, model: int, metrics: Sequence[Metric], place: ScopeAndPart) -> pl.DataFrame:
        """``means_by_group`` of measures that are means of what rows lose, where it is finite."""
        weights, columns = self.weights(place).over(ONE), {}
        some = losses_of_some(metrics)
        for metric in metrics:
            lost, of_rows = self.lost_by(model, metric, place), weights
            if metric.name in some:
                name = OF_DEFINED.format(metric.name)
                counts = self.totals(model, name, place)
                of_rows = np.zeros_like(lost) if counts is None else counts
                columns[name] = of_rows
            means = np.divide(lost, of_rows, out=np.zeros_like(lost), where=of_rows > 0)
            if np.isfinite(means).all():
                columns[metric.name] = means
        return pl.DataFrame({"weight of the group": weights, **columns})

    def stand_ins(self, model: int, place: ScopeAndPart) -> tuple[pl.DataFrame, Groups] | None:
        """Four rows of each group with its sums of truths and errors, and of their products.

        What is made of these sums alone is that of the rows themselves.
        """
        sums = [self.exact(model, what, place) for what in ("y", "e", "y·y", "e·e", "y·e")]
        exact = [s for s in sums if s is not None]
        if len(exact) < len(sums):
            return None
        y, e, yy, ee, ye = exact
        weights = self.weights(place)
        mass = weights.over(ONE)

        def around(product: Exact, one: Exact, other: Exact) -> Floats:
            """The mean product of the distances from the means."""
            apart = weights.times(product).plus(one.times(other), -1)
            return apart.over(weights.times(weights))

        of_errors, both = np.sqrt(np.maximum(around(ee, e, e), 0.0)), around(ye, y, e)
        slope = np.divide(both, of_errors, out=np.zeros_like(both), where=of_errors > 0)
        beside = np.sqrt(np.maximum(around(yy, y, y) - slope**2, 0.0))
        means, root = [of.over(weights) for of in (y, e)], np.sqrt(2.0)
        rows = [
            (means[0] + sign * root * apart[0], means[1] + sign * root * apart[1])
            for apart in ((slope, of_errors), (beside, np.zeros_like(beside)))
            for sign in (1, -1)
        ]
        truth, error = (np.concatenate(side) for side in zip(*rows, strict=True))
        frame = pl.DataFrame({"truth": truth, "estimate": truth - error})
        code = np.tile(np.arange(len(mass)), len(rows))
        weight = np.tile(mass / len(rows), len(rows))
        return frame.with_columns(weight=weight), Groups(code, len(mass))
