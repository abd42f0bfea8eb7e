"""How often the relation of two models' curves comes out the same on resampled rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparisons.dominance import Line, relation_of
from reportgen.curves.geometry import upper_hull
from reportgen.resampling.resampling_units import UNITS, units, units_of
from reportgen.resampling.score_cells import CELLS, crossed, score_cells
from reportgen.sweeping import Swept, ranking_of

REPLICATES = 100
"""Enough for a share to a tenth."""

COARSE = 64
"""Cells of each model where there are many rows."""


def dominance_stability(
    frame: pl.DataFrame,
    scores: tuple[str, str],
    *,
    truth: str = "truth",
    group: str | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
    sweeps: Sequence[Swept] | None = None,
) -> dict[str, dict[str, float]]:
    """Share of replicates in which one model's curve contains, meets or crosses the other's.

    By curve (``roc``, ``precision_recall``, ``cost``) and relation ("contains": the
    first model's is nowhere worse, "is contained", "crosses", "coincides"); one
    that never occurs is left out. Stratified bootstrap of independent, unweighted rows, the
    same ones for both models; of more than 32,768 rows neighbouring scores
    share one of 64 cells of each model. ``sweeps`` are those of the rows, where
    they are known. ROC and P-R relations are the same
    (Davis & Goadrich 2006, doi:10.1145/1143844.1143874), and that of cost
    curves is that of the convex hulls. ``group`` names a column whose rows depend
    on each other: whole groups are then drawn, by class where each lies in one.
    Empty with one class only.
    """
    named = {} if group is None else {"group": pl.col(group)}
    rows = frame.select(truth=truth, first=scores[0], second=scores[1], **named)
    rows = rows.drop_nulls(["truth", "first", "second"])
    positive = rows["truth"].to_numpy()
    if not 0 < positive.sum() < len(positive):
        return {}
    number = CELLS if rows.height <= UNITS else COARSE
    names = ("first", "second")
    steps = sweeps or [ranking_of(rows, score=name) for name in names]
    cells = [score_cells(one, number) for one in steps]
    columns = [rows[name].cast(pl.Float64).to_numpy() for name in names]
    if group is None:
        drawn_from = units_of(crossed(cells, columns, positive))
    else:
        slots = [
            (2 * one.of(rows[name]) + positive, 2 * len(one))
            for one, name in zip(cells, names, strict=True)
        ]
        drawn_from = units(slots, group=rows["group"])
    whole, least = Counter[str](), Counter[str]()
    for multiplicities in drawn_from.draw_counts(replicates, [seed]):
        first, second = (_running(share.masses(multiplicities)) for share in drawn_from.shares)
        for a, b in zip(first, second, strict=True):
            if not np.isfinite(a).all():  # the groups drawn are of one class
                continue
            whole[relation_of(_line(a), _line(b))] += 1
            least[relation_of(_line(_vertices(a)), _line(_vertices(b)))] += 1
    relation_counts = {"roc": whole, "precision_recall": whole, "cost": least}
    defined = max(whole.total(), 1)
    return {
        curve: {name: times / defined for name, times in sorted(counts.items())}
        for curve, counts in relation_counts.items()
    }


def _running(masses: Floats) -> Floats:
    """ROC points of each replicate, from the origin: replicate × (rates) × cell."""
    rates = np.stack([masses[:, ::2], masses[:, 1::2]], axis=1).cumsum(axis=2)
    rates = np.pad(rates, ((0, 0), (0, 0), (1, 0)))
    with np.errstate(invalid="ignore"):
        points: Floats = rates / rates[:, :, -1:]
    return points


def _vertices(points: Floats) -> Floats:
    """The hull's vertices: only where the curve rises and then runs can it turn right."""
    points = points[:, np.append(True, (np.diff(points) > 0).any(axis=0))]
    runs, rises = np.diff(points) > 0
    corner = np.concatenate([[True], rises[:-1] & runs[1:], [True]])
    points = points[:, corner]
    vertices: Floats = points[:, upper_hull(points[0], points[1])]
    return vertices


def _line(points: Floats) -> Line:
    return Line(points[0], points[1])
