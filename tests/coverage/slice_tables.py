"""Coverage of the closed forms of measures of a table of several classes, as slices have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.measuring.cell_slopes import SMOOTH, TableCells
from reportgen.measuring.metric_rows import MetricRows
from reportgen.measuring.table_limits import in_closed_form
from reportgen.metrics import REGISTRY
from reportgen.resampling.cell_tables import CellTables
from reportgen.resampling.classes import evaluate_tables
from reportgen.tables.results import MetricRow
from tests.coverage.averages import of_table
from tests.coverage.class_tables import chances
from tests.coverage.designs import Floats
from tests.coverage.measured import Coverage, of_limits


def of_slice_tables(
    rows: int, shares: Sequence[float], quality: str, samples: int
) -> Iterator[Coverage]:
    """Coverage of each, of predictions without skill, with this recall, or that prefer a class."""
    chance = chances(np.array(shares), quality)
    cells = TableCells(1e9 * chance, 1e9 * chance)
    true = {name: slopes(cells)[0] for name, slopes in SMOOTH.items()}
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in SMOOTH}
    tables = np.random.default_rng(5).multinomial(rows, chance.ravel(), size=samples)
    for table in tables.reshape(samples, *chance.shape).astype(float):
        cells = TableCells(table, table)
        rows_of = in_closed_form(_numbers(table), cells, 0.95, None, None)
        for row in rows_of:
            name = row["metric"]
            if name in ends and row["average"] is None and row["value"] is not None:
                low, high = (np.nan if row[k] is None else row[k] for k in ("low", "high"))
                ends[name].append((low, high))
    for name, value in true.items():
        low, high = np.array(ends[name], dtype=float).reshape(-1, 2).T
        held = of_limits(low, high, value, np.ones(len(low)))
        design = f"{len(shares)} classes, {quality}"
        yield Coverage(f"{name}, slices", design, rows, rows * min(shares), 0, *held)


def _numbers(table: Floats) -> list[MetricRow]:
    """The measures of the table, and its macro averages with their limits."""
    names = (*SMOOTH, "error_rate")
    of_all = CellTables.of(table.ravel()[None], np.arange(table.size), len(table))
    values = evaluate_tables([REGISTRY["multiclass"][name] for name in names], of_all)[0]
    number = MetricRows("m")
    rows = [
        number.row(name, float(value) if np.isfinite(value) else None)
        for name, value in zip(names, values, strict=True)
    ]
    return rows + of_table(table)
