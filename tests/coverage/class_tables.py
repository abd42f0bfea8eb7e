"""Coverage of what is resampled from a table of truth by prediction of several classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from reportgen.metrics import REGISTRY
from reportgen.resampling import BootstrapSettings, bootstrap_matrix
from reportgen.resampling.cell_tables import CellTables
from reportgen.resampling.class_matrix import evaluate_tables
from reportgen.tables import Matrix
from tests.coverage.designs import Floats
from tests.coverage.measured import Coverage, of_limits

NAMES = sorted(m.name for m in REGISTRY["multiclass"].values() if m.biased_by)
NAMES.remove("chi_squared")
SHARES = ((0.34, 0.33, 0.33), (0.6, 0.3, 0.1), (0.25,) * 4, (0.1,) * 10)
ONE_CLASS_TOO_OFTEN = "first class too often"
QUALITIES = ("chance", "0.6", "0.9", "0.98", ONE_CLASS_TOO_OFTEN)

_SCHEMA = {"truth": pl.UInt16, "predicted": pl.UInt16, "count": pl.Float64, "count2": pl.Float64}


def of_class_tables(
    rows: int, shares: Sequence[float], quality: str, samples: int
) -> Iterator[Coverage]:
    """Coverage of each, of predictions without skill, with this recall, or that prefer a class."""
    metrics = [REGISTRY["multiclass"][name] for name in NAMES]
    chance = chances(np.array(shares), quality)
    cells = CellTables.of(1e7 * chance.ravel()[None], np.arange(chance.size), len(chance))
    true = evaluate_tables(metrics, cells)[0]
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in NAMES}
    tables = np.random.default_rng(5).multinomial(rows, chance.ravel(), size=samples)
    for table in tables.reshape(samples, *chance.shape):
        values = [(i, j, n, n) for (i, j), n in np.ndenumerate(table.astype(float))]
        matrix = Matrix.validate(pl.DataFrame(values, schema=_SCHEMA, orient="row"))
        methods = ("bca", "percentile")
        limits = bootstrap_matrix(
            matrix, metrics, options=BootstrapSettings(400, seed=1, methods=methods)
        )
        rows_of = limits.select("metric", "low", "high").fill_null(float("nan"))
        for name, *interval in rows_of.iter_rows():
            ends[name].append((interval[0], interval[1]))
    for name, value in zip(NAMES, true, strict=True):
        low, high = np.array(ends[name], dtype=float).T
        held = of_limits(low, high, max(float(value), 0.0), np.ones(len(low)))
        design = f"{len(shares)} classes, {quality}"
        yield Coverage(f"{name}, several classes", design, rows, rows * min(shares), 0, *held)


def chances(shares: Floats, quality: str) -> Floats:
    """Share of the rows in each cell of truth and prediction."""
    size = len(shares)
    if quality == "chance":
        return np.outer(shares, shares)
    if quality == ONE_CLASS_TOO_OFTEN:
        given = np.full((size, size), 0.1 / (size - 1))
        np.fill_diagonal(given, 0.6)
        given[:, 0] += 0.3
        return shares[:, None] * given / given.sum(axis=1, keepdims=True)
    recall = float(quality)
    apart = np.tile(shares, (size, 1))
    np.fill_diagonal(apart, 0)
    wrong = (1 - recall) * apart / apart.sum(axis=1, keepdims=True)
    return shares[:, None] * (wrong + recall * np.eye(size))
