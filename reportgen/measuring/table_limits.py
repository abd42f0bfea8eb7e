"""Limits in closed form of measures of a table of truth and prediction of several classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import polars as pl

from reportgen.intervals import normal_quantile
from reportgen.intervals.method_names import Allowance, MethodName
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.measuring.bootstrap_intervals import filled
from reportgen.measuring.cell_slopes import (
    BALANCE,
    GAIN,
    OF_MACRO,
    SMOOTH,
    OneMore,
    Slopes,
    TableCells,
    gain_over,
    span,
)
from reportgen.measuring.gains_over_classes import FLAT, lowest_of
from reportgen.metrics import REGISTRY
from reportgen.metrics.settings import CostMatrix
from reportgen.spec import Spec
from reportgen.tables.results import MetricRow

INFLUENCE_OF_CELLS = "influence of cells"
"""The interval of measures of all cells."""

SQUARE_AND_ADD = "square-and-add"

OF_SHARE = "wilson_modified"
"""The interval of the share of errors."""

OF_ERRORS = ("zero_one_loss", "bennett_s")
"""Measures that the share of errors decides."""

OF_COSTS = ("cost_sensitive_error_rate", "total_cost")

LEAST_ROWS = 10
"""Of fewer rows there are no limits."""

LEAST_OF_CLASS = 5
"""The same of ``OF_MACRO`` and of each class: of fewer rows many samples have no value."""

LEAST_WITH_COSTS = 30
"""The same of costs."""


def cell_limits(
    cells: TableCells, values: Mapping[str, float | None], confidence: float
) -> dict[str, tuple[float, float]]:
    """Limits of those of the measures that have a value, by name.

    Formula: modified Wilson limits of the share x = (1 + θ)/2, or θ of those from 0 to 1 and
    θ/(K − 1) of an error, of y(1 − y)/(v·(t/z)²) rows. v is the variance of x from its slopes by
    the counts, over rows and one more (``OneMore``), times the design effect of groups, and y the
    share with that one; t has Pan and Wall's degrees of freedom.
    Undefined: fewer than ``LEAST_ROWS`` rows, of ``OF_MACRO`` fewer than ``LEAST_OF_CLASS`` of a
    class, a value below −1, no variance.
    Reference: Fleiss, Cohen & Everitt (1969), doi:10.1037/h0028106; Rao & Scott (1992),
    doi:10.2307/2532311; Pan & Wall (2002), doi:10.1002/sim.1142.
    """
    more, limits = OneMore(cells, confidence), {}
    for name in SMOOTH if cells.rows >= LEAST_ROWS else ():
        value = values.get(name)
        few = name in OF_MACRO and cells.truth.min() < LEAST_OF_CLASS * cells.mass / cells.rows
        ends = None if value is None or few else _limits(more, name, value)
        if ends is not None and np.isfinite(ends).all():
            limits[name] = ends
    if GAIN in limits:
        low, high = limits[GAIN]
        limits[GAIN] = (
            min([low, *_lower_over_each(more, float(values[GAIN] or 0.0))]),
            high,
        )
    return limits


def _lower_over_each(more: OneMore, value: float) -> Iterator[float]:
    """Lower limits of the accuracy above the share of each class.

    Which one is the most frequent is only known from the rows: a model is better than guessing if
    it is better than each guess (intersection-union). Berger (1982),
    doi:10.1080/00401706.1982.10487790.
    """
    shares = more.cells.truth.ravel() / more.cells.mass
    gains = value + (shares.max() - shares)
    for place in lowest_of(more, gains).tolist():
        gain = float(gains[place])
        ends = _limits(more, GAIN, gain, partial(gain_over, place))
        if ends is not None:
            yield ends[0]


def _limits(
    more: OneMore,
    name: str,
    value: float,
    measure: Callable[[TableCells], Slopes] | None = None,
) -> tuple[float, float] | None:
    with np.errstate(divide="ignore", invalid="ignore"):
        expected, slopes = (measure or SMOOTH[name])(more.table)
        variance, effect = more.spread(slopes)
    lowest, width = span(name, more.cells)
    share, centre = (value - lowest) / width, (expected - lowest) / width
    if not (variance > FLAT and 0 <= share <= 1 and 0 < centre < 1):
        return None
    rows = centre * (1 - centre) / (variance / width**2 * effect.inflation(more.confidence))
    low, high = modified_wilson(np.array([share]), np.array([rows]), more.confidence)
    least = REGISTRY["multiclass"][name].bounds[0]
    return max(lowest + width * float(low[0]), least), lowest + width * float(high[0])


def cost_limits(cells: TableCells, costs: CostMatrix, spec: Spec) -> tuple[float, float] | None:
    """Limits of the mean cost of a row, by square-and-add over the true classes.

    Formula: of C = Σ πᵢmᵢ, πᵢ the share and mᵢ the mean cost of the rows of class i, the lower
    limit is C − √(Σ πᵢ²(mᵢ − lᵢ)² + z²(Σ πᵢmᵢ² − C²)/n), the upper one alike, with lᵢ the modified
    Wilson limit of the share mᵢ/cᵢ, cᵢ the largest cost of the class, of as many rows as give the
    variance of mᵢ, or of all its rows where none differs.
    Undefined: fewer than ``LEAST_WITH_COSTS`` rows, which may lack the class whose errors cost
    most; rows in groups.
    Reference: Zou & Donner (2008), doi:10.1002/sim.3095.
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
    ends = modified_wilson(mean / most, trials, spec.confidence)
    share, z = of_class / of_class.sum(), normal_quantile(spec.confidence)
    value = float((share * mean).sum())
    of_shares = z**2 * max(float((share * mean**2).sum()) - value**2, 0.0) / cells.rows
    low, high = (
        float(np.sqrt(np.square(share * (mean - most * end)).sum() + of_shares)) for end in ends
    )
    return max(value - low, 0.0), value + high


def with_closed_limits(
    numbers: Sequence[MetricRow],
    cells: TableCells,
    spec: Spec,
    costs: CostMatrix | None,
    allows: Allowance | None,
) -> list[MetricRow]:
    """The numbers of a table, with the limits that need no resampling where they have none."""
    of_all = {row["metric"]: row for row in numbers if row["class"] is row["average"] is None}
    values = {name: row["value"] for name, row in of_all.items()}
    limits = {
        name: (*ends, INFLUENCE_OF_CELLS)
        for name, ends in cell_limits(cells, values, spec.confidence).items()
    }
    if BALANCE in limits:  # as a mean of minima it is too small in samples
        low, high, _ = limits[BALANCE]
        limits[BALANCE] = low, max(high, min(_of_macro(numbers), default=high)), INFLUENCE_OF_CELLS
    errors, size = of_all["error_rate"], len(cells.count)
    if errors["low"] is not None and errors["high"] is not None:
        low, high, method = errors["low"], errors["high"], MethodName.read(str(errors["interval"]))
        limits["zero_one_loss"] = cells.mass * low, cells.mass * high, method.method
        chance = size / (size - 1)
        limits["bennett_s"] = 1 - chance * high, 1 - chance * low, method.method
    mean_cost = None if costs is None else cost_limits(cells, costs, spec)
    if mean_cost is not None:
        low, high = mean_cost
        limits["cost_sensitive_error_rate"] = low, high, SQUARE_AND_ADD
        limits["total_cost"] = cells.mass * low, cells.mass * high, SQUARE_AND_ADD
    names = ("metric", "low", "high", "interval")
    table = pl.DataFrame(
        [(name, *ends) for name, ends in limits.items()], schema=names, orient="row"
    )
    return filled(numbers, table, allows)


def method_of(metric: str) -> str | None:
    """The name of the interval of a measure of the table; null without a closed form.

    >>> method_of("mcc"), method_of("total_cost"), method_of("mutual_information")
    ('influence of cells', 'square-and-add', None)
    """
    if metric in SMOOTH:
        return INFLUENCE_OF_CELLS
    if metric in OF_ERRORS:
        return OF_SHARE
    return SQUARE_AND_ADD if metric in OF_COSTS else None


def _of_macro(numbers: Sequence[MetricRow]) -> list[float]:
    """The upper limits of macro precision and of macro recall."""
    names = ("precision", "recall")
    return [
        row["high"]
        for row in numbers
        if row["average"] == "macro" and row["metric"] in names and row["high"] is not None
    ]
