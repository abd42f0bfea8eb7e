"""Bootstrap of measures of a decision between several classes, from its matrix alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats, Integers
from reportgen.metrics import REGISTRY, Metric
from reportgen.metrics.settings import MetricSettings
from reportgen.resampling.bootstrap_outcomes import NAMES, Outcome, record, table
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from reportgen.resampling.cell_tables import CellTables
from reportgen.resampling.limits import acceleration
from reportgen.resampling.replicate_measures import by_replicate
from reportgen.resampling.resampling_units import Units, UnitWeights
from reportgen.resampling.smoothed_tables import (
    ASSOCIATIONS,
    MOST_CELLS,
    SmoothedTable,
    associations,
)
from reportgen.resampling.table_measures import MEASURES, table_measures
from reportgen.tables import Matrix

_BATCH = 2**18

LEAST_BY_CELL = 15
"""With fewer rows for each cell these have no limits, where tables are drawn as they are."""

LEAST_SMOOTHED = 3
"""The same where smoothed tables are drawn."""

MOST_BIAS = 0.5
"""With a bias of more standard deviations limits hold too little."""

_MOST_LEFT_OUT = 400
"""With more occupied cells BCa takes the acceleration, which shrinks as 1/√n, as 0."""


def bootstrap_matrix(
    matrix: DataFrame[Matrix],
    metrics: Iterable[Metric],
    *,
    settings: MetricSettings | None = None,
    groups: pl.DataFrame | None = None,
    options: BootstrapSettings,
) -> pl.DataFrame:
    """Limits of the metrics that read ``classes`` or ``matrix``, by resampling its counts.

    Rows of a cell are alike, so drawing the cells of each true class (all
    cells when not ``stratified``) is drawing the rows. With weights a cell
    counts as count²/count2 rows of weight count2/count, which keeps the
    variance of each cell. With more than 400 occupied cells BCa corrects for
    bias alone. ``groups`` (``group truth predicted count``) tells the rows of
    each group apart: whole groups are then drawn, whatever their classes. Measures of
    all cells have limits by ``smoothed_tables``, but of groups and of very large tables.
    Columns as in :func:`bootstrap`; ``cell_error`` is 0.
    """
    cell_metrics = [m for m in metrics if m.on in _FRAMES]
    count, squares, truth = (matrix[c].to_numpy() for c in ("count", "count2", "truth"))
    occupied = np.flatnonzero(count > 0)
    if not len(occupied) or not cell_metrics:
        return table([], options)
    names, smooth = [m.name for m in cell_metrics], groups is None and len(count) <= MOST_CELLS
    of_all_cells = [m.name for m in cell_metrics if smooth and is_smoothed(m)]
    rest = [m for m in cell_metrics if m.name not in of_all_cells]
    parts = []
    if of_all_cells:
        smoothed = SmoothedTable.of(count, squares, stratified=options.stratified)
        parts.append(_of_smoothed(of_all_cells, smoothed, count, options))
    if rest:
        size = round(len(count) ** 0.5)
        if groups is None:
            stratum = truth[occupied].astype(np.int64) * int(options.stratified)
            drawn_from = _cells(count[occupied], squares[occupied], stratum)
        else:
            drawn_from = _groups(groups, size, occupied)

        def values(masses: Floats) -> Floats:
            return evaluate_tables(rest, CellTables.of(masses, occupied, size), settings)

        rows_by_cell = float(count.sum() ** 2 / squares.sum()) / len(count)
        outcomes = _outcomes(rest, values, count[occupied], drawn_from, rows_by_cell, options)
        parts.append(table(outcomes, options))
    order = {name: k for k, name in enumerate(names)}
    return pl.concat(parts).sort(pl.col("metric").replace_strict(order))


def _outcomes(
    metrics: Sequence[Metric],
    values: Callable[[Floats], Floats],
    count: Floats,
    drawn_from: Units,
    rows_by_cell: float,
    options: BootstrapSettings,
) -> list[Outcome]:
    """The replicates of each metric, of the table as it is."""
    share, step = drawn_from.shares[0], max(1, _BATCH // len(count))
    columns = np.concatenate(
        [
            values(share.masses(counts[k : k + step]))
            for counts in drawn_from.draw_counts(options.replicates, [options.seed, 4])
            for k in range(0, len(counts), step)
        ]
    )
    value, skew = values(count[None])[0], np.zeros(len(metrics))
    if "bca" in options.methods and len(count) <= _MOST_LEFT_OUT:
        skew = _skew(values, count, drawn_from, step)
    return [
        Outcome(
            m.name,
            m.bounds,
            value[k],
            value[k],
            columns[:, k],
            float(skew[k]),
            biased=m.biased_by == "shares",
            most_bias=_most_bias(m, rows_by_cell),
        )
        for k, m in enumerate(metrics)
    ]


def _of_smoothed(
    names: Sequence[str],
    smoothed: SmoothedTable,
    count: Floats,
    options: BootstrapSettings,
) -> pl.DataFrame:
    """The limits of measures of all cells, from replicates of a smoothed table."""
    risen = [name for name in names if name in ASSOCIATIONS]
    drawn = [name for name in names if name not in risen] + ["phi_squared"] * bool(risen)
    size, cells = round(len(count) ** 0.5), np.arange(len(count))
    metrics = [REGISTRY["multiclass"][name] for name in drawn]

    def values(masses: Floats) -> Floats:
        return evaluate_tables(metrics, CellTables.of(masses, cells, size))

    draws = smoothed.draws(options.replicates, options.seed)
    columns = np.concatenate([values(masses) for masses in draws])
    value, centre = values(count[None])[0], values(smoothed.centre[None])[0]
    enough = smoothed.rows.sum() >= LEAST_SMOOTHED * len(count)
    most_bias = float("inf") if enough else -1.0
    outcomes = [
        Outcome(
            m.name,
            m.bounds,
            value[k],
            centre[k],
            columns[:, k],
            smoothed=True,
            most_bias=most_bias,
        )
        for k, m in enumerate(metrics)
    ]
    records = [record(outcome, options) for outcome in outcomes]
    if risen:
        of_phi = records.pop()
        independent = smoothed.independent(of_phi["value"], options.confidence)
        records += associations(of_phi, risen, float(count.sum()), size, independent=independent)
    limits = pl.DataFrame(records, schema=table([], options).schema)
    return limits.with_columns(pl.col(pl.Float64).fill_nan(None))


def is_smoothed(metric: Metric) -> bool:
    """Whether the replicates of a measure are of a smoothed table."""
    return metric.biased_by == "cells" or metric.name in ASSOCIATIONS


def method_of_table(metric: Metric, other: str) -> str:
    """The name of the method of a measure: its own, or the ``other`` one."""
    if is_smoothed(metric):
        return NAMES["smoothed"]
    return NAMES["biased"] if metric.biased_by == "shares" else other


def _most_bias(metric: Metric, rows_by_cell: float) -> float:
    """The bias, in standard deviations, with which a measure still has limits; −1: never."""
    if metric.no_limits or (metric.biased_by == "cells" and rows_by_cell < LEAST_BY_CELL):
        return -1.0
    return MOST_BIAS if metric.biased_by in ("association", "cells") else float("inf")


def _cells(count: Floats, squares: Floats, stratum: Integers) -> Units:
    """A unit per cell: its rows are alike, and weigh what keeps the variance of the cell."""
    mass = squares / count
    rows = np.maximum(np.rint(count / mass), 1).astype(np.int64)
    at = np.arange(len(count))
    return Units(rows, stratum, (UnitWeights(at, at, mass, at, len(count), 1.0),))


def _groups(groups: pl.DataFrame, size: int, occupied: Integers) -> Units:
    """A unit per group, all in one stratum."""
    cells = groups.group_by("group", "truth", "predicted").agg(pl.col("count").sum())
    cells = cells.select(
        "count",
        unit=pl.col("group").rank("dense").cast(pl.Int64) - 1,
        cell=pl.col("truth").cast(pl.Int64) * size + pl.col("predicted").cast(pl.Int64),
    ).sort("cell", "unit")
    unit, slot = cells["unit"].to_numpy(), np.searchsorted(occupied, cells["cell"].to_numpy())
    start = np.flatnonzero(np.diff(slot, prepend=-1))
    share = UnitWeights(unit, slot, cells["count"].to_numpy(), start, len(occupied), 1.0)
    number = int(unit.max()) + 1
    return Units(np.ones(number, np.int64), np.zeros(number, np.int64), (share,))


def _skew(
    values: Callable[[Floats], Floats], count: Floats, drawn_from: Units, step: int
) -> Floats:
    """Acceleration from the jackknife: one row less in each cell, added up over its unit."""
    share, number = drawn_from.shares[0], len(drawn_from.count)
    mass: Floats = np.minimum(np.bincount(share.slot, share.mass) / np.bincount(share.slot), count)
    without = count - np.diag(mass)
    left = np.concatenate([values(without[k : k + step]) for k in range(0, len(without), step)])
    slopes = -left / mass[:, None]
    influences = np.zeros((number, len(left.T)))
    np.add.at(influences, share.unit, share.mass[:, None] * slopes[share.slot])
    weights = drawn_from.count.astype(np.float64)
    return np.array([acceleration(one, weights, drawn_from.stratum) for one in influences.T])


def evaluate_tables(
    metrics: Sequence[Metric], tables: CellTables, settings: MetricSettings | None = None
) -> Floats:
    """Value of each metric (columns) in each table (rows), NaN where it is undefined."""
    values = np.full((tables.count.shape[1], len(metrics)), np.nan)
    whole = [k for k, m in enumerate(metrics) if m.name in MEASURES]
    values[:, whole] = table_measures([metrics[k].name for k in whole], tables, settings)
    for on, frame in _FRAMES.items():
        at = [k for k, m in enumerate(metrics) if m.on == on and k not in whole]
        if at:
            named = [metrics[k].expression(**(settings or {})) for k in at]
            values[:, at] = by_replicate(frame(tables), named, len(values))
    return values


_FRAMES: dict[str, Callable[[CellTables], pl.DataFrame]] = {
    "classes": CellTables.classes,
    "matrix": CellTables.matrix,
}
