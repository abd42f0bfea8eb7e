"""Coverage of the closed forms of measures of a table of several classes, as slices have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.measuring.cell_slopes import BALANCE, SMOOTH, TableCells
from reportgen.measuring.table_limits import cell_limits
from reportgen.metrics import REGISTRY
from reportgen.resampling.cell_tables import CellTables
from reportgen.resampling.class_matrix import evaluate_tables
from tests.coverage.class_tables import chances
from tests.coverage.measured import Coverage, of_limits

NAMES = [name for name in SMOOTH if name != BALANCE]  # whose upper limit needs the averages


def of_slice_tables(
    rows: int, shares: Sequence[float], quality: str, samples: int
) -> Iterator[Coverage]:
    """Coverage of each, of predictions without skill, with this recall, or that prefer a class."""
    chance = chances(np.array(shares), quality)
    cells = TableCells(1e9 * chance, 1e9 * chance)
    true = {name: SMOOTH[name](cells)[0] for name in NAMES}
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in NAMES}
    tables = np.random.default_rng(5).multinomial(rows, chance.ravel(), size=samples)
    for table in tables.reshape(samples, *chance.shape).astype(float):
        cells = TableCells(table, table)
        valued = {name: value for name, value in _values(cells).items() if np.isfinite(value)}
        limits = cell_limits(cells, valued, 0.95)
        for name in valued:
            ends[name].append(limits.get(name, (np.nan, np.nan)))
    for name, value in true.items():
        low, high = np.array(ends[name], dtype=float).reshape(-1, 2).T
        held = of_limits(low, high, value, np.ones(len(low)))
        design = f"{len(shares)} classes, {quality}"
        yield Coverage(f"{name}, slices", design, rows, rows * min(shares), 0, *held)


def _values(cells: TableCells) -> dict[str, float]:
    """The measures as metrics, NaN where these have no value."""
    tables = CellTables.of(cells.count.ravel()[None], np.arange(cells.count.size), len(cells.count))
    metrics = [REGISTRY["multiclass"][name] for name in NAMES]
    return dict(zip(NAMES, evaluate_tables(metrics, tables)[0].tolist(), strict=True))
