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


def contributions(
    value: ValueOfCounts, cells: Integers, number: int, weights: Floats | None = None
) -> Contributions:
    """The value of a model, and what each row contributes: the slope of the value by its counts.

    A line of ``cells``, each below ``number``, has those to which the row adds its weight. As
    long as a measure does not depend on the number of rows, contributions add up to 0; they are
    NaN where it has no slope. Agresti (2013), *Categorical Data Analysis*, 16.1.

    >>> share = lambda counts: counts[:, 0] / counts.sum(axis=1)
    >>> contributions(share, np.array([[0], [0], [0], [1]]), 2).of_rows.round(4).tolist()
    [0.0625, 0.0625, 0.0625, -0.1875]
    """
    each = None if weights is None else np.repeat(weights, cells.shape[1])
    counts = np.bincount(cells.ravel(), each, number).astype(np.float64)[None]
    relative = relative_slopes(lambda lines: value(lines)[:, None], counts)[0, 0]
    slopes = np.divide(relative, counts[0], where=counts[0] > 0, out=np.zeros(number))
    of_rows = slopes[cells].sum(axis=1)
    return Contributions(float(value(counts)[0]), of_rows if weights is None else weights * of_rows)
