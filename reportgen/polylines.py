"""Geometry of polylines: the upper hull, and the points worth drawing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.array_types import Floats, Indices

Spread = Callable[..., list[Floats]]
DistanceMeasure = Callable[[Indices, Indices, Indices, Spread], Floats]

_FEW = 2**8
_COARSE = 16
"""One of so many points is looked at first."""


def upper_hull(x: Floats, y: Floats) -> Indices:
    """Indices of the vertices of the upper convex hull of points ordered by ``x``.

    Points on an edge of the hull are not vertices. Few points are taken one by
    one (Andrew 1979, doi:10.1016/0020-0190(79)90072-3), many are divided
    (Barber et al. 1996, doi:10.1145/235815.235821).
    """
    slack = 1e-12 * float(np.ptp(x) * np.ptp(y))
    if len(x) <= _FEW:
        return _chained(x.tolist(), y.tolist(), slack)

    def above(i: Indices, at: Indices, j: Indices, spread: Spread) -> Floats:
        run, rise, from_x, from_y = spread(x[j] - x[i], y[j] - y[i], x[i], y[i])
        height: Floats = run * (y[at] - from_y) - rise * (x[at] - from_x)
        return height

    return _split(*_ends(len(x)), above, slack, convex=True)


def _chained(x: list[float], y: list[float], slack: float) -> Indices:
    chain: list[int] = []
    for k in range(len(x)):
        if chain and x[k] == x[chain[-1]] and y[k] <= y[chain[-1]] and k < len(x) - 1:
            continue  # straight below the one before
        while len(chain) > 1:
            i, j = chain[-2], chain[-1]
            if (x[k] - x[i]) * (y[j] - y[i]) - (y[k] - y[i]) * (x[j] - x[i]) > slack:
                break
            chain.pop()
        chain.append(k)
    return np.array(chain, dtype=np.intp)


def simplified(x: Floats, y: Floats, tolerance: float) -> Indices:
    """Indices of the points that draw the polyline within ``tolerance`` of each axis's range.

    What some of the points need is kept first, then what the others need between those.
    Ramer (1972), doi:10.1016/S0146-664X(72)80017-0; Douglas & Peucker (1973),
    doi:10.3138/FM57-6770-U75U-7727.
    """
    x = (x - x.min()) / (np.ptp(x) or 1)
    y = (y - y.min()) / (np.ptp(y) or 1)

    def away(i: Indices, at: Indices, j: Indices, spread: Spread) -> Floats:
        """Squared distances: their roots would order them alike."""
        step_x, step_y = x[j] - x[i], y[j] - y[i]
        length = step_x**2 + step_y**2
        length[length == 0] = 1
        step_x, step_y, length, from_x, from_y = spread(step_x, step_y, length, x[i], y[i])
        from_x, from_y = x[at] - from_x, y[at] - from_y
        along = (from_x * step_x + from_y * step_y) / length
        np.clip(along, 0, 1, out=along)
        from_x -= along * step_x
        from_y -= along * step_y
        return from_x * from_x + from_y * from_y

    rough = _split(*_ends(len(x), _COARSE), away, tolerance**2)
    others = np.delete(np.arange(len(x)), rough)
    return _split(rough, others, away, tolerance**2)


def _ends(size: int, step: int = 1) -> tuple[Indices, Indices]:
    """Both ends of ``size`` points, and every ``step``-th between them."""
    return np.array([0, max(size - 1, 0)][:size], dtype=np.intp), np.arange(step, size - 1, step)


def _split(
    ends: Indices, inner: Indices, measure: DistanceMeasure, limit: float, *, convex: bool = False
) -> Indices:
    """The points ``ends``, and of those between them, as long as it is far, the farthest of a span.

    ``measure`` tells how far the points ``at`` are from the chords of their spans,
    from ``i`` to ``j``; ``spread`` repeats what is known of the spans for each
    of their points. Points that are not far stay inside a ``convex`` hull.
    """
    while len(inner):
        bounds = np.searchsorted(inner, ends)
        span = np.flatnonzero(np.diff(bounds))
        starts, counts = bounds[span], np.diff(bounds)[span]

        def spread(*per_span: Floats, counts: Indices = counts) -> list[Floats]:
            return [np.repeat(of_span, counts) for of_span in per_span]

        distance = measure(ends[span], inner, ends[span + 1], spread)
        farthest = np.maximum.reduceat(distance, starts)
        far = farthest > limit
        best = np.flatnonzero(distance == np.repeat(np.where(far, farthest, np.nan), counts))
        first = np.diff(np.searchsorted(starts, best, "right"), prepend=0) > 0  # of equals
        best = best[first]
        ends = np.sort(np.append(ends, inner[best]))
        left = distance > limit if convex else np.repeat(far, counts)
        left[best] = False
        inner = inner[left]
    return ends
