"""What sums and cells of numbers say: aggregates of measures, and powers of losses."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Literal

import polars as pl

from reportgen.engines.estimate_counting import EXTREMES, OF_TRUTH, UNWEIGHTED, power_name
from reportgen.engines.exact_sums import exact
from reportgen.engines.number_bins import sizes
from reportgen.engines.partial import ALL, from_fixed_point
from reportgen.metrics.aggregates import Aggregate, Recorded
from reportgen.metrics.pairs import quantile
from reportgen.results.binned.part_counts import PartCounts
from reportgen.results.binned.sums_by_group import SumsByGroup

Sums = dict[str, list[tuple[int, int]]]
Ranges = dict[str, tuple[float, float]]
At = Literal["middle", "near", "far", "ends"]
"""Where in their cell numbers are taken to be: at their mean, at either end, or at both."""

SumKey = tuple[int, str, int]
"""Scope, part and model."""

_MASS = Aggregate("total", (pl.lit(1.0),)).name


@dataclass(frozen=True)
class SumCounts(PartCounts):
    """Merged sums and extremes of what rows give."""

    sums: pl.DataFrame
    ranges: pl.DataFrame

    @property
    def sums_by_group(self) -> SumsByGroup | None:
        """The sums by group, where rows of a group depend on each other."""
        return self.dependent if isinstance(self.dependent, SumsByGroup) else None

    @cached_property
    def _sums(self) -> dict[SumKey, Sums]:
        result: dict[SumKey, Sums] = {}
        columns = self.sums.select("scope", "part", "model", "name", "band", "total")
        for scope, part, model, name, band, total in columns.iter_rows():
            of_name = result.setdefault((scope, part, model), {}).setdefault(name, [])
            of_name.append((band, total))
        return result

    @cached_property
    def _ranges(self) -> dict[SumKey, Ranges]:
        result: dict[SumKey, Ranges] = {}
        columns = self.ranges.select("scope", "part", "model", "name", "low", "high")
        for scope, part, model, name, low, high in columns.iter_rows():
            result.setdefault((scope, part, model), {})[name] = (low, high)
        return result

    def total(self, name: str, model: int, scope: int = ALL, part: str = "[]") -> Fraction | None:
        """An exact sum; None where a value was not finite."""
        for of_model in (model, OF_TRUTH):
            bands = self._sums.get((scope, part, of_model), {}).get(name)
            if bands is not None:
                return exact(bands)
        return Fraction(0)

    def mass(self, scope: int = ALL, part: str = "[]") -> Fraction:
        """The sum of the weights."""
        return self.total(_MASS, OF_TRUTH, scope, part) or Fraction(0)

    def range(self, name: str, model: int, scope: int, part: str) -> tuple[float, float]:
        """The extremes of a value."""
        for of_model in (model, OF_TRUTH):
            ends = self._ranges.get((scope, part, of_model), {}).get(name)
            if ends is not None:
                return ends
        raise KeyError(name)

    def value(self, aggregate: Aggregate, model: int, scope: int, part: str) -> float | bool | None:
        """An aggregate that is known exactly."""
        if aggregate.kind in EXTREMES:
            low, high = self.range(aggregate.name, model, scope, part)
            if aggregate.kind == "every":
                return bool(low == 1)
            return low if aggregate.kind == "least" else high
        total = self.total(aggregate.name, model, scope, part)
        if aggregate.kind == "total":
            return as_float(total)
        factors = [
            self.total(Aggregate("total", (v,)).name, model, scope, part) for v in aggregate.values
        ]
        mass = self.mass(scope, part)
        if total is None or None in factors or not mass:
            return float("nan")
        one, other = (f or Fraction(0) for f in factors)
        return as_float(total - one * other / mass)

    def central(
        self, loss: str, model: int, scope: int = ALL, part: str = "[]"
    ) -> tuple[Fraction, Fraction, Fraction, Fraction] | None:
        """Mean of a loss over rows, and Σ (w(l − mean))² and its third and fourth powers."""
        rows, mass, place = self.rows(scope, part), self.mass(scope, part), (model, scope, part)
        sums = {}
        for k in (2, 3, 4):
            for j in range(k + 1):
                if self.weighted:
                    sums[j, k] = self.total(power_name(loss, j, k), *place)
                else:
                    power = self.total(power_name(loss, j, j), *place)
                    sums[j, k] = Fraction(rows) if j == 0 else power
        first = self.total(power_name(loss, 1, 1), *place)
        if first is None or None in sums.values() or not mass:
            return None
        mean = first / mass
        second, third, fourth = (
            sum(
                (comb(k, j) * (-mean) ** (k - j) * (sums[j, k] or 0) for j in range(k + 1)),
                Fraction(0),
            )
            for k in (2, 3, 4)
        )
        return mean, max(second, Fraction(0)), third, max(fourth, Fraction(0))


@dataclass(frozen=True)
class NumberCounts(SumCounts):
    """The same of numbers, and their cells."""

    cells: pl.DataFrame

    @cached_property
    def _cells(self) -> dict[SumKey, pl.DataFrame]:
        mass = {"mass": pl.col("rows").cast(pl.Float64)}
        if self.weighted:
            names = {"mass": "weight", "mass2": "weight2"}
            mass = {name: from_fixed_point(pl.col(column)) for name, column in names.items()}
        size = pl.Series(sizes(self.cells["key"]))
        middle = from_fixed_point(pl.col("scores")) / pl.col("mass") * size
        table = self.cells.with_columns(**mass).with_columns(
            middle=middle.clip(pl.col("low"), pl.col("high"))
        )
        parts = table.sort("key").partition_by("scope", "part", "model", as_dict=True)
        return {(int(s), str(p), int(m)): rows for (s, p, m), rows in parts.items()}

    def cells_of(self, model: int, scope: int = ALL, part: str = "[]") -> pl.DataFrame:
        """The cells of a model's errors, or of the truth, in their order."""
        return self._cells[scope, part, model]

    def spread_of_truth(self) -> tuple[float, Fraction]:
        """Mean of the truth, and Σ (y − ȳ)², each row counted once."""
        rows = self.facts["evaluated"]
        one, two = (self.total(power_name(UNWEIGHTED, k, 0), OF_TRUTH) for k in (1, 2))
        if one is None or two is None or not rows:
            return float("nan"), Fraction(0)
        return as_float(one / rows), max(two - one * one / rows, Fraction(0))

    def columns(
        self, aggregates: Recorded, place: tuple[int, int, str], truths: pl.DataFrame, at: At
    ) -> dict[str, pl.Expr]:
        """Every aggregate of a model, scope and part by its name.

        Quantiles are those of ``truths``, or of errors that are all ``at`` one place of their cell.
        """
        columns = {}
        for name, aggregate in aggregates.items():
            if aggregate.kind != "quantile":
                columns[name] = pl.lit(self.value(aggregate, *place))
                continue
            rows = truths
            if aggregate.roots != {"truth"}:
                # An error is the distance of a truth of its size from an estimate of 0.
                end = "middle" if at == "ends" else at
                rows = self.errors_of(*place).select(truth=end, estimate=0.0, weight="mass")
            columns[name] = pl.lit(
                rows.select(quantile(aggregate.values[0], aggregate.level)).item()
            )
        return columns

    def errors_of(self, model: int, scope: int = ALL, part: str = "[]") -> pl.DataFrame:
        """The cells of a model's errors with the ends ``near`` to 0 and ``far`` from it."""
        low, high = pl.col("low"), pl.col("high")
        return self.cells_of(model, scope, part).with_columns(
            near=pl.when(low < 0).then(high).otherwise(low),
            far=pl.when(low < 0).then(low).otherwise(high),
        )

    def truths(self, scope: int = ALL, part: str = "[]", *, spread: bool = False) -> pl.DataFrame:
        """Rows that stand for the truths: each cell at its mean, or ``spread`` to its ends.

        No convex function has a smaller sum than at the means, or a larger one than at the ends.
        """
        cells = self.cells_of(OF_TRUTH, scope, part)
        if not spread:
            return cells.select(truth="middle", weight="mass")
        low, high = pl.col("low"), pl.col("high")
        share = pl.when(high > low).then((pl.col("middle") - low) / (high - low)).otherwise(0.0)
        below = cells.select(truth=low, weight=pl.col("mass") * (1 - share))
        above = cells.select(truth=high, weight=pl.col("mass") * share)
        return pl.concat([below, above]).filter(pl.col("weight") > 0).sort("truth")


def as_float(value: Fraction | None) -> float:
    """The nearest float; infinite beyond them, NaN where there is no value."""
    if value is None:
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
