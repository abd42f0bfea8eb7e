"""Geometry of polylines: the upper hull, and the points worth drawing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Measure = Callable[[int, int], tuple[Floats, float]]

_MANY, _SOME = 2**14, 2**11


def upper_hull(x: Floats, y: Floats) -> Indices:
    """Indices of the vertices of the upper convex hull of points ordered by ``x``.

    Points on an edge of the hull are not vertices. Of many points those below
    the hull of some are left out first. The search splits at the farthest
    point above each chord, so it takes a few vectorised passes.
    """
    slack = 1e-12 * float(np.ptp(x) * np.ptp(y))

    def above(i: int, j: int) -> tuple[Floats, float]:
        inner = slice(i + 1, j)
        height = (x[j] - x[i]) * (y[inner] - y[i]) - (y[j] - y[i]) * (x[inner] - x[i])
        return height, slack

    if len(x) <= _MANY:
        return _split(len(x), above)
    some = np.append(np.arange(0, len(x) - 1, len(x) // _SOME), len(x) - 1)
    rough = some[upper_hull(x[some], y[some])]
    over = [i + 1 + np.flatnonzero(above(i, j)[0] > 0) for i, j in pairwise(rough.tolist())]
    kept = np.union1d(rough, np.concatenate(over))
    return kept[upper_hull(x[kept], y[kept])] if len(kept) < len(x) else _split(len(x), above)


def simplified(x: Floats, y: Floats, tolerance: float = 1 / 4000) -> Indices:
    """Indices of the points that draw the polyline within ``tolerance`` of each axis's range.

    Of many points first only those are kept that leave the little square, a
    tenth of the tolerance wide, of the one before.
    Ramer (1972), doi:10.1016/S0146-664X(72)80017-0; Douglas & Peucker (1973),
    doi:10.3138/FM57-6770-U75U-7727.
    """
    x = (x - x.min()) / (np.ptp(x) or 1)
    y = (y - y.min()) / (np.ptp(y) or 1)
    if len(x) > _MANY:
        kept = _leaving(x, y, tolerance / 10)
        x, y, tolerance = x[kept], y[kept], tolerance * (1 - 2**0.5 / 10)
    else:
        kept = np.arange(len(x))

    def away(i: int, j: int) -> tuple[Floats, float]:
        step_x, step_y = x[j] - x[i], y[j] - y[i]
        from_x, from_y = x[i + 1 : j] - x[i], y[i + 1 : j] - y[i]
        length = np.hypot(step_x, step_y)
        if length == 0:
            return np.hypot(from_x, from_y), tolerance
        along = np.clip((from_x * step_x + from_y * step_y) / length**2, 0, 1)
        return np.hypot(from_x - along * step_x, from_y - along * step_y), tolerance

    return kept[_split(len(x), away)]


def _leaving(x: Floats, y: Floats, side: float) -> Indices:
    """Points that lie in another square than the one before; both ends."""
    row, column = np.floor(x / side), np.floor(y / side)
    moved = np.ones(len(x), dtype=bool)
    moved[1:-1] = (row[1:-1] != row[:-2]) | (column[1:-1] != column[:-2])
    return np.flatnonzero(moved)


def _split(size: int, measure: Measure) -> Indices:
    """Both ends, and recursively the farthest inner point wherever one is far enough."""
    kept = {0, size - 1}
    spans = [(0, size - 1)]
    while spans:
        i, j = spans.pop()
        if j - i < 2:
            continue
        distance, limit = measure(i, j)
        farthest = int(distance.argmax())
        if distance[farthest] > limit:
            middle = i + 1 + farthest
            kept.add(middle)
            spans += [(i, middle), (middle, j)]
    return np.array(sorted(kept), dtype=np.intp)
