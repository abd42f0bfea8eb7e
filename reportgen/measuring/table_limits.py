"""Limits in closed form of measures of a table of truth and prediction of several classes.

Tables of all rows are resampled; of slices there are too many for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import (
    Effect,
    Groups,
    correction,
    covariance_of_sum,
    degrees_of_freedom,
    degrees_of_freedom_of_powers,
)
from reportgen.intervals import normal_quantile
from reportgen.intervals.method_names import Allowance, MethodName
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.measuring.bootstrap_intervals import filled
from reportgen.metrics.settings import CostMatrix
from reportgen.tables.results import MetricRow

INFLUENCE_OF_CELLS = "influence of cells"
"""The interval of measures of all cells."""

SQUARE_AND_ADD = "square-and-add"

LEAST_ROWS = 10
"""Of fewer rows there are no limits."""

LEAST_WITH_COSTS = 30
"""The same of costs."""

_FLAT = 1e-18
"""Variances of measures that are rounding."""

Slopes = tuple[float, Floats]
"""A value, and its slope by each count."""


@dataclass(frozen=True)
class TableCells:
    """Truth × prediction: sums of weights and of squared weights of each cell.

    ``groups`` (``group truth predicted count``) tells the rows of dependent groups apart.
    """

    count: Floats
    squares: Floats
    groups: pl.DataFrame | None = None

    @classmethod
    def of(cls, matrix: pl.DataFrame, groups: pl.DataFrame | None = None) -> TableCells:
        """From the columns ``count`` and ``count2`` of all cells, in their order."""
        size = round(matrix.height**0.5)
        count, squares = (matrix[c].to_numpy().reshape(size, size) for c in ("count", "count2"))
        return cls(count, squares, groups)

    @cached_property
    def mass(self) -> float:
        """Weight of all rows."""
        return float(self.count.sum())

    @cached_property
    def rows(self) -> float:
        """So many rows of equal weight, or groups, these are worth."""
        if self.groups is not None:
            return float(self.groups["group"].n_unique())
        return self.mass**2 / float(self.squares.sum()) if self.mass > 0 else 0.0

    @cached_property
    def truth(self) -> Floats:
        """Weight of the rows of each class, as a column."""
        of_truth: Floats = self.count.sum(axis=1, keepdims=True)
        return of_truth

    @cached_property
    def predicted(self) -> Floats:
        """Weight of the rows that are predicted to be of each class, as a line."""
        of_predicted: Floats = self.count.sum(axis=0, keepdims=True)
        return of_predicted

    @cached_property
    def correct(self) -> Floats:
        """1 for the cells of correct predictions, 0 for the others."""
        return np.eye(len(self.count))

    @cached_property
    def weight(self) -> Floats:
        """What a row of each cell weighs; 0 of empty cells."""
        empty = np.zeros_like(self.count)
        weight: Floats = np.divide(self.squares, self.count, where=self.count > 0, out=empty)
        return weight

    def spread(self, influence: Floats) -> tuple[float, Effect]:
        """Variance of a measure to which a row of each cell contributes so much, and that of t."""
        influence = influence - float((self.count * influence).sum()) / self.mass
        if self.groups is not None:
            of = Groups.of(self.groups["group"])
            cell = self.groups["truth"].to_numpy(), self.groups["predicted"].to_numpy()
            sums = of.sums(influence[cell] * self.groups["count"].to_numpy())
            return covariance_of_sum(sums[:, None]).item(), Effect(1.0, degrees_of_freedom(sums))
        weight = np.divide(
            self.squares, self.count, where=self.count > 0, out=np.zeros_like(self.count)
        )
        second = self.squares * np.square(influence)
        fourth = float((second * np.square(influence * weight)).sum())
        total = float(second.sum())
        df = degrees_of_freedom_of_powers(total, fourth, round(self.rows))
        return total * correction(self.rows), Effect(1.0, df)


def _agreement(cells: TableCells) -> Slopes:
    """n·Σ correct − Σ tₖpₖ."""
    n, right = cells.mass, float(np.trace(cells.count))
    value = n * right - float((cells.truth.T * cells.predicted).sum())
    return value, right + n * cells.correct - cells.predicted.T - cells.truth.T


def _ratio(part: Slopes, whole: Slopes) -> Slopes:
    value = float(np.float64(part[0]) / whole[0])
    return value, (part[1] - value * whole[1]) / whole[0]


def _kappa(cells: TableCells) -> Slopes:
    n, chance = cells.mass, float((cells.truth.T * cells.predicted).sum())
    whole = n**2 - chance, 2 * n - cells.predicted.T - cells.truth.T
    return _ratio(_agreement(cells), whole)


def _mcc(cells: TableCells) -> Slopes:
    n, value_slope = cells.mass, _agreement(cells)
    truth = n**2 - float(np.square(cells.truth).sum())
    predicted = n**2 - float(np.square(cells.predicted).sum())
    root = float(np.sqrt(truth * predicted))
    share = (n - cells.truth) / truth + (n - cells.predicted) / predicted
    return _ratio(value_slope, (root, root * share))


def _pooled(cells: TableCells) -> Slopes:
    """Σ ((tₖ + pₖ)/2)²."""
    both = (cells.truth.ravel() + cells.predicted.ravel()) / 2
    return float(np.square(both).sum()), both[:, None] + both[None]


def _scott(cells: TableCells) -> Slopes:
    n, (chance, slope) = cells.mass, _pooled(cells)
    right = float(np.trace(cells.count))
    part = n * right - chance, right + n * cells.correct - slope
    return _ratio(part, (n**2 - chance, 2 * n - slope))


def _gwet(cells: TableCells) -> Slopes:
    n, (chance, slope) = cells.mass, _pooled(cells)
    right, others = float(np.trace(cells.count)), len(cells.count) - 1
    part = others * n * right - n**2 + chance, others * (right + n * cells.correct) - 2 * n + slope
    return _ratio(part, (others * n**2 - n**2 + chance, 2 * (others - 1) * n + slope))


def _bangdiwala(cells: TableCells) -> Slopes:
    right = np.diag(cells.count)
    part = float(np.square(right).sum()), 2 * np.diag(right)
    whole = float((cells.truth.T * cells.predicted).sum()), cells.predicted.T + cells.truth.T
    return _ratio(part, whole)


def _weighted(power: int) -> Callable[[TableCells], Slopes]:
    def slopes(cells: TableCells) -> Slopes:
        place, n = np.arange(len(cells.count)), cells.mass
        apart = np.abs(place[:, None] - place[None]).astype(np.float64) ** power
        seen = float((apart * cells.count).sum())
        by_truth, by_prediction = cells.predicted @ apart, apart @ cells.truth
        part = n * seen, seen + n * apart
        expected = float((by_truth * cells.truth.T).sum()), by_truth.T + by_prediction.T
        value, slope = _ratio(part, expected)
        return 1 - value, -slope

    return slopes


SMOOTH: dict[str, Callable[[TableCells], Slopes]] = {
    "mcc": _mcc,
    "cohen_kappa": _kappa,
    "scott_pi": _scott,
    "krippendorff_alpha": _scott,
    "gwet_ac1": _gwet,
    "bangdiwala_b": _bangdiwala,
    "linear_kappa": _weighted(1),
    "quadratic_kappa": _weighted(2),
}
"""Measures of all cells that are at most 1; the correction in alpha moves no limit."""


def cell_limits(
    cells: TableCells, values: Mapping[str, float | None], confidence: float
) -> dict[str, tuple[float, float]]:
    """Limits of those of the measures that have a value, by name.

    Formula: modified Wilson limits of the share x = (1 + θ)/2 of x(1 − x)/(v·(t/z)²) rows, with
    4v = Σ w²·u², u the slope of θ by each count less its mean, or the sums of u by group; t has
    Pan and Wall's degrees of freedom. Of a table without errors the lower limit is the value
    where the share of errors is its upper limit of so many rows, in all other cells by the margins.
    Undefined: fewer than ``LEAST_ROWS`` rows, a value below −1, no variance.
    Reference: Fleiss, Cohen & Everitt (1969), doi:10.1037/h0028106; Rao & Scott (1992),
    doi:10.2307/2532311; Pan & Wall (2002), doi:10.1002/sim.1142.
    """
    limits = {}
    for name, slopes in SMOOTH.items() if cells.rows >= LEAST_ROWS else ():
        value = values.get(name)
        ends = None if value is None else _limits(cells, value, slopes, confidence)
        if ends is not None and np.isfinite(ends).all():
            limits[name] = ends
    return limits


def _limits(
    cells: TableCells, value: float, slopes: Callable[[TableCells], Slopes], confidence: float
) -> tuple[float, float] | None:
    if not cells.count[cells.correct == 0].any():
        return _with_unseen_errors(cells, confidence, slopes)[0], 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        variance, effect = cells.spread(slopes(cells)[1])
    share = (1 + value) / 2
    if not (variance > _FLAT and 0 <= share <= 1):
        return None
    rows = share * (1 - share) / (variance / 4 * effect.inflation(confidence))
    low, high = modified_wilson(np.array([share]), np.array([rows]), confidence)
    return 2 * float(low[0]) - 1, 2 * float(high[0]) - 1


def _with_unseen_errors(
    cells: TableCells, confidence: float, slopes: Callable[[TableCells], Slopes]
) -> Slopes:
    """The value of a table without errors, with as many as its rows cannot exclude."""
    _, most = modified_wilson(np.zeros(1), np.array([cells.rows]), confidence)
    apart = cells.truth * cells.truth.T * (1 - cells.correct)
    if not apart.any():
        return float("nan"), apart
    count = (1 - most) * cells.count + most * cells.mass * apart / apart.sum()
    return slopes(TableCells(count, count))


def cost_limits(
    cells: TableCells, costs: CostMatrix, confidence: float
) -> tuple[float, float] | None:
    """Limits of the mean cost of a row, by square-and-add over the true classes.

    Formula: of C = Σ πᵢmᵢ, πᵢ the share and mᵢ the mean cost of the rows of class i, the lower
    limit is C − √(Σ πᵢ²(mᵢ − lᵢ)² + z²(Σ πᵢmᵢ² − C²)/n), the upper one alike, with lᵢ the modified
    Wilson limit of the share mᵢ/cᵢ, cᵢ the largest cost of the class, of as many rows as give the
    variance of mᵢ, or of all its rows where none differs.
    Undefined: fewer than ``LEAST_WITH_COSTS`` rows, which may lack the class whose errors cost
    most; rows in groups.
    Reference: Zou & Donner (2008), doi:10.1002/sim.2874.
    """
    if cells.groups is not None or cells.rows < LEAST_WITH_COSTS:
        return None
    cost = np.array(costs, dtype=np.float64)
    occurs = cells.truth.ravel() > 0
    cost, count, squares = cost[occurs], cells.count[occurs], cells.squares[occurs]
    of_class, most = count.sum(axis=1), np.maximum(cost.max(axis=1), np.finfo(float).tiny)
    mean = (cost * count).sum(axis=1) / of_class
    rows = of_class**2 / squares.sum(axis=1)
    away = squares * np.square(cost - mean[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = away.sum(axis=1) / of_class**2 * rows / np.maximum(rows - 1, 1e-9)
        trials = np.where(variance > 0, mean * (most - mean) / variance, rows)
    trials = np.minimum(np.where(trials > 0, trials, rows), rows * len(cost[0]))
    ends = modified_wilson(mean / most, trials, confidence)
    share, z = of_class / of_class.sum(), normal_quantile(confidence)
    value = float((share * mean).sum())
    of_shares = z**2 * max(float((share * mean**2).sum()) - value**2, 0.0) / cells.rows
    low, high = (
        float(np.sqrt(np.square(share * (mean - most * end)).sum() + of_shares)) for end in ends
    )
    return max(value - low, 0.0), value + high


def in_closed_form(
    numbers: Sequence[MetricRow],
    cells: TableCells,
    confidence: float,
    costs: CostMatrix | None,
    allows: Allowance | None,
) -> list[MetricRow]:
    """The numbers of a table, with the limits that need no resampling where they have none."""
    of_all = {row["metric"]: row for row in numbers if row["class"] is row["average"] is None}
    values = {name: row["value"] for name, row in of_all.items()}
    limits = {
        name: (*ends, INFLUENCE_OF_CELLS)
        for name, ends in cell_limits(cells, values, confidence).items()
    }
    errors, size = of_all["error_rate"], len(cells.count)
    if errors["low"] is not None and errors["high"] is not None:
        low, high, method = errors["low"], errors["high"], MethodName.read(str(errors["interval"]))
        limits["zero_one_loss"] = cells.mass * low, cells.mass * high, method.method
        chance = size / (size - 1)
        limits["bennett_s"] = 1 - chance * high, 1 - chance * low, method.method
    mean_cost = None if costs is None else cost_limits(cells, costs, confidence)
    if mean_cost is not None:
        low, high = mean_cost
        limits["cost_sensitive_error_rate"] = low, high, SQUARE_AND_ADD
        limits["total_cost"] = cells.mass * low, cells.mass * high, SQUARE_AND_ADD
    names = ("metric", "low", "high", "interval")
    table = pl.DataFrame(
        [(name, *ends) for name, ends in limits.items()], schema=names, orient="row"
    )
    return filled(numbers, table, allows)
