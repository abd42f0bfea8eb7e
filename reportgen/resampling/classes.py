"""Bootstrap of measures of a decision between several classes, from its matrix alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.metrics import Metric
from reportgen.resampling.evaluation import by_replicate
from reportgen.resampling.limits import Method, acceleration
from reportgen.resampling.records import Outcome, table
from reportgen.tables import Matrix

Floats = npt.NDArray[np.float64]

_BATCH = 2**20

_MOST_LEFT_OUT = 400
"""With more occupied cells BCa takes the acceleration, which shrinks as 1/√n, as 0."""


def bootstrap_matrix(  # one keyword per option
    matrix: DataFrame[Matrix],
    metrics: Iterable[Metric],
    *,
    replicates: int = 2000,
    seed: int = 0,
    confidence: float = 0.95,
    method: Method | Sequence[Method] = "percentile",
    stratified: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> pl.DataFrame:
    """Limits of the metrics that read ``classes`` or ``matrix``, by drawing its counts anew.

    Rows of a cell are alike, so drawing the cells of each true class (all
    cells when not ``stratified``) is drawing the rows. With weights a cell
    counts as count²/count2 rows of weight count2/count, which keeps the
    variance of each cell. With more than 400 occupied cells BCa corrects for
    bias alone. Columns as in :func:`bootstrap`; ``cell_error`` is 0.
    """
    methods = [method] if isinstance(method, str) else method
    wanted = [m for m in metrics if m.on in _FRAMES]
    size = round(matrix.height**0.5)
    count, squares, truth = (matrix[c].to_numpy() for c in ("count", "count2", "truth"))
    occupied = np.flatnonzero(count > 0)
    if not len(occupied) or not wanted:
        return table([], confidence, methods)
    mass = squares[occupied] / count[occupied]
    rows = np.maximum(np.rint(count[occupied] / mass), 1).astype(np.int64)
    stratum = truth[occupied].astype(np.int64) * int(stratified)
    expressions = {m.name: m.expression(**(settings or {})) for m in wanted}

    def values(masses: Floats) -> Floats:
        cells = np.zeros((len(masses), size * size))
        cells[:, occupied] = masses
        return evaluated_cells(wanted, expressions, cells.reshape(-1, size, size))

    found, step = [], max(1, _BATCH // (size * size))
    streams = {
        int(s): np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 4, int(s)])))
        for s in np.unique(stratum)
    }
    for start in range(0, replicates, step):
        drawn = np.zeros((min(step, replicates - start), len(occupied)))
        for s, stream in streams.items():
            here, total = stratum == s, rows[stratum == s].sum()
            drawn[:, here] = stream.multinomial(total, rows[here] / total, size=len(drawn))
        found.append(values(drawn * mass))
    value = values(count[None, occupied])[0]
    skew = np.zeros(len(wanted))
    if "bca" in methods and len(occupied) <= _MOST_LEFT_OUT:
        skew = _skew(values, count[occupied], mass, rows, stratum, step)
    columns = np.concatenate(found)
    outcomes = [
        Outcome(m.name, m.bounds, value[k], value[k], columns[:, k], float(skew[k]))
        for k, m in enumerate(wanted)
    ]
    return table(outcomes, confidence, methods)


def _skew(
    values: Callable[[Floats], Floats],
    count: Floats,
    mass: Floats,
    rows: npt.NDArray[np.int64],
    stratum: npt.NDArray[np.int64],
    step: int,
) -> Floats:
    """Acceleration from the jackknife: one row less in each cell that has any."""
    without = count - np.diag(np.minimum(mass, count))
    parts = [values(without[k : k + step]) for k in range(0, len(without), step)]
    left = np.concatenate(parts)
    weights = rows.astype(np.float64)
    return np.array([acceleration(-column, weights, stratum) for column in left.T])


def evaluated_cells(
    wanted: Sequence[Metric], expressions: Mapping[str, pl.Expr], cells: Floats
) -> Floats:
    """Value of each metric (columns) in each table of truth by call (rows), NaN: undefined."""
    found = np.full((len(cells), len(wanted)), np.nan)
    for on, build in _FRAMES.items():
        at = [k for k, m in enumerate(wanted) if m.on == on]
        if at:
            named = [expressions[wanted[k].name] for k in at]
            found[:, at] = by_replicate(build(cells), named, len(cells))
    return found


def _classes(cells: Floats) -> pl.DataFrame:
    """Counts of each class against the rest, one row per replicate and class."""
    number, size, _ = cells.shape
    hits = np.einsum("rii->ri", cells)
    of_truth, of_call = cells.sum(axis=2), cells.sum(axis=1)
    total = of_truth.sum(axis=1, keepdims=True)
    right = hits.sum(axis=1, keepdims=True)
    columns = {
        "tp": hits,
        "fp": of_call - hits,
        "fn": of_truth - hits,
        "tn": total - of_truth - of_call + hits,
        "right": np.broadcast_to(right, hits.shape),
        "wrong": np.broadcast_to(total - right, hits.shape),
    }
    frame = {name: np.ravel(column) for name, column in columns.items()}
    return pl.DataFrame({"replicate": np.repeat(np.arange(number), size), **frame})


def _matrix(cells: Floats) -> pl.DataFrame:
    """Truth, call and count, one row per replicate and cell."""
    number, size, _ = cells.shape
    place = np.arange(size, dtype=np.uint16)
    return pl.DataFrame(
        {
            "replicate": np.repeat(np.arange(number), size * size),
            "truth": np.tile(np.repeat(place, size), number),
            "predicted": np.tile(place, number * size),
            "count": cells.ravel(),
        }
    )


_FRAMES: dict[str, Callable[[Floats], pl.DataFrame]] = {"classes": _classes, "matrix": _matrix}
