"""Coverage of averages over classes, of tables of truth by prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from reportgen.measuring.cell_slopes import BALANCE, SMOOTH, TableCells
from reportgen.measuring.class_averages import averages, of_matrix
from reportgen.measuring.class_values import of_each_class, rows_of_classes
from reportgen.measuring.interval_methods import DEFAULT
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.table_limits import with_closed_limits
from reportgen.multiclass import class_counts
from reportgen.tables import Matrix
from reportgen.tables.results import MetricRow
from tests.coverage.designs import Floats
from tests.coverage.measured import Coverage, of_limits
from tests.quick import BINARY_SPEC

AVERAGED = (
    "precision",
    "recall",
    "specificity",
    "negative_predictive_value",
    "f1",
    "f2",
    "jaccard",
)
OF_CLASSES = (
    (100, (0.6, 0.3, 0.1), (0.99, 0.98, 0.97)),
    (100, (0.6, 0.3, 0.1), (0.97, 0.9, 0.8)),
    (100, (0.6, 0.3, 0.1), (0.8, 0.6, 0.5)),
    (60, (0.34, 0.33, 0.33), (0.8, 0.8, 0.8)),
    (300, (0.1,) * 10, (0.9,) * 10),
    (200, (0.05,) * 20, (0.9,) * 20),
    (1000, (0.6, 0.39, 0.01), (0.95, 0.9, 0.7)),
    (30, (0.5, 0.3, 0.2), (0.9, 0.85, 0.8)),
    (200, (0.49, 0.49, 0.02), (0.95, 0.9, 0.5)),
    (400, (0.33, 0.33, 0.33, 0.01), (0.9, 0.9, 0.9, 0.7)),
)
"""Rows, shares of the classes and their recalls."""

_SCHEMA = {"truth": pl.UInt16, "predicted": pl.UInt16, "count": pl.Float64, "count2": pl.Float64}


def of_averages(
    rows: int, shares: Sequence[float], recalls: Sequence[float], samples: int
) -> Iterator[Coverage]:
    """Coverage of macro, weighted and micro averages; errors meet classes by their shares."""
    chances = _chances(np.array(shares), np.array(recalls))
    true = {_key(row): row["value"] for row in _rows(chances * 1e7)}
    ends: dict[tuple[str, str], list[tuple[float, float]]] = {}
    tables = np.random.default_rng(5).multinomial(rows, chances.ravel(), size=samples)
    for table in tables.reshape(samples, *chances.shape).astype(np.float64):
        for row in _rows(table):
            if row["metric"] in (*AVERAGED, BALANCE) and row["value"] is not None:
                low, high = (np.nan if row[k] is None else row[k] for k in ("low", "high"))
                ends.setdefault(_key(row), []).append((low, high))
    for (metric, average), limits in ends.items():
        low, high = np.array(limits, dtype=float).T
        held = of_limits(low, high, true[metric, average], np.ones(len(low)))
        fewest = rows * min(shares)
        design = f"{len(shares)} classes"
        yield Coverage(
            f"{average} {metric}" if metric != BALANCE else metric,
            design,
            rows,
            fewest,
            min(recalls),
            *held,
        )


def _chances(shares: Floats, recalls: Floats) -> Floats:
    apart = np.tile(shares, (len(shares), 1))
    np.fill_diagonal(apart, 0)
    wrong = (1 - recalls)[:, None] * apart / apart.sum(axis=1, keepdims=True)
    return shares[:, None] * (wrong + np.diag(recalls))


def _rows(table: Floats) -> list[MetricRow]:
    """The averages of a table of truth and prediction, and its class balance accuracy."""
    number = MetricSubject("m")
    cells = [(i, j, n, n) for (i, j), n in np.ndenumerate(table)]
    matrix = Matrix.validate(pl.DataFrame(cells, schema=_SCHEMA, orient="row"))
    counts = class_counts(matrix, [f"c{k}" for k in range(len(table))])
    values = number.limits_of(of_each_class(DEFAULT)).of_counts(counts)
    by_class = rows_of_classes(counts, number, DEFAULT, values)
    means = averages(counts, number, of_matrix(number, matrix), by_class)
    cells = TableCells(table, table)
    balance = number.row(BALANCE, SMOOTH[BALANCE](cells)[0])
    of_all = [balance, number.row("error_rate", None), *means]
    return with_closed_limits(of_all, cells, BINARY_SPEC, None, None)


def _key(row: MetricRow) -> tuple[str, str]:
    return row["metric"], str(row["average"])
