"""Measures as functions of counts, and what each row contributes to them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.comparisons.row_contributions import Contributions
from reportgen.intervals.delta import evaluating, relative_slopes
from reportgen.metric_names import CELLS
from reportgen.metrics import Metric
from reportgen.metrics.settings import MetricSettings
from reportgen.resampling.cell_tables import CellTables
from reportgen.resampling.class_matrix import evaluate_tables
from reportgen.resampling.replicate_measures import by_replicate

ValueOfCounts = Callable[[Floats], Floats]
"""A measure of each line of counts; NaN where it is undefined."""

_AT_ONCE = 2**21


def of_decisions(metric: Metric, settings: MetricSettings) -> ValueOfCounts:
    """Of the four counts of two classes, in the order of ``CELLS``."""
    values = evaluating({"value": metric.expression(**settings)})
    return lambda counts: values(counts)[:, 0]


def of_table(
    metric: Metric, size: int, occupied: Integers, settings: MetricSettings
) -> ValueOfCounts:
    """Of the occupied cells of tables of ``size`` classes, which are numbered through them."""

    def value(counts: Floats) -> Floats:
        parts = np.array_split(counts, max(1, counts.size // _AT_ONCE))
        tables = [CellTables.of(part, occupied, size) for part in parts]
        return np.concatenate([evaluate_tables([metric], one, settings)[:, 0] for one in tables])

    return value


def of_label_counts(metric: Metric, size: int) -> ValueOfCounts:
    """Of the four counts of each of ``size`` labels, one label after the other."""

    def value(counts: Floats) -> Floats:
        parts = counts.reshape(-1, len(CELLS))
        frame = pl.DataFrame(dict(zip(CELLS, parts.T, strict=True)))
        replicate = pl.Series("replicate", np.repeat(np.arange(len(counts)), size))
        return by_replicate(frame.with_columns(replicate), [metric.build()], len(counts))[:, 0]

    return value


def cells_of_labels(truth: Integers, predicted: Integers) -> Integers:
    """To which counts each row adds, row × label: of each label those of ``CELLS``.

    >>> cells_of_labels(np.array([[1, 0]]), np.array([[1, 1]])).tolist()
    [[0, 5]]
    """
    cells: Integers = len(CELLS) * np.arange(truth.shape[1]) + (1 - truth) + 2 * (1 - predicted)
    return cells


TWO = 2.0
"""Rows that are added to each kind for the variance that is unseen where one has few.

Agresti & Coull (1998), doi:10.2307/2685469.
"""


def contributions(
    value: ValueOfCounts,
    cells: Integers,
    added: Floats,
    weights: Floats | None = None,
) -> Contributions:
    """The value of a model, and what each row contributes: the slope of the value by its counts.

    A line of ``cells`` has those to which the row adds its weight. As long as a measure does not
    depend on the number of rows, contributions add up to 0; they are NaN where it has no slope.
    With as many rows more in each cell as ``added`` says, of mean weight, the variance may be
    larger: that of nine correct predictions and no wrong one is not 0.
    Agresti (2013), *Categorical Data Analysis*, 16.1; Agresti & Min (2005), doi:10.1002/sim.1781.

    >>> share = lambda counts: counts[:, 0] / counts.sum(axis=1)
    >>> given = contributions(share, np.array([[0], [0], [0], [1]]), np.zeros(2))
    >>> given.of_rows.round(4).tolist()
    [0.0625, 0.0625, 0.0625, -0.1875]
    """
    number, each = len(added), None if weights is None else np.repeat(weights, cells.shape[1])
    counts = np.bincount(cells.ravel(), each, number).astype(np.float64)
    squares, weight = counts, 1.0
    if weights is not None and each is not None:
        squares = np.bincount(cells.ravel(), each**2, number).astype(np.float64)
        weight = float((weights**2).sum() / weights.sum())
    slopes, more = (_slopes(value, table) for table in (counts, counts + weight * added))
    of_rows = slopes[cells].sum(axis=1)
    with_more = float(((squares + weight**2 * added) * more**2).sum())
    return Contributions(
        float(value(counts[None])[0]),
        of_rows if weights is None else weights * of_rows,
        max(with_more - float((squares * slopes**2).sum()), 0.0),
    )


def _slopes(value: ValueOfCounts, counts: Floats) -> Floats:
    """The slope by each count, 0 of those without rows."""
    relative = relative_slopes(lambda lines: value(lines)[:, None], counts[None])[0, 0]
    slopes: Floats = np.divide(relative, counts, where=counts > 0, out=np.zeros(len(counts)))
    return slopes
