"""Coverage of the closed forms of measures of a table of several classes, as slices have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.measuring.table_limits import SMOOTH, TableCells, cell_limits
from tests.coverage.class_tables import chances
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
        with np.errstate(divide="ignore", invalid="ignore"):
            values = {name: slopes(cells)[0] for name, slopes in SMOOTH.items()}
        valued = {name: value for name, value in values.items() if np.isfinite(value)}
        limits = cell_limits(cells, valued, 0.95)
        for name in valued:
            ends[name].append(limits.get(name, (np.nan, np.nan)))
    for name, value in true.items():
        low, high = np.array(ends[name], dtype=float).reshape(-1, 2).T
        held = of_limits(low, high, value, np.ones(len(low)))
        design = f"{len(shares)} classes, {quality}"
        yield Coverage(f"{name}, slices", design, rows, rows * min(shares), 0, *held)
