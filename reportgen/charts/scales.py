"""Axes in the unit of the data, which may be of any size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

LONG = 1e5
SHORT = 1e-3
"""Sizes from which numbers are written shorter: 200k, and 2e-6."""


def domain(*values: np.ndarray, pad: float = 0.03) -> list[float]:
    """Return where an axis of all the values begins and ends, with a little room."""
    points = np.concatenate([np.asarray(part, dtype=float) for part in values])
    low, high = float(points.min()), float(points.max())
    room = pad * (high - low) or abs(high) * 0.05 or 1.0
    return [low - room, high + room]


def axis(ends: Sequence[float], number: int = 5, **more: Any) -> alt.Axis:
    """Return an axis whose numbers stay short."""
    size = max(abs(end) for end in ends)
    if size >= LONG * 1e7 or size < SHORT:
        more["labelExpr"] = "datum.value ? format(datum.value, '.2~e') : '0'"
    elif size >= LONG:
        more["labelExpr"] = "replace(format(datum.value, '~s'), 'G', 'B')"
    return alt.Axis(tickCount=number, **more)


def x(field: str, title: str | None, ends: Sequence[float], **more: Any) -> alt.X:
    """Return a horizontal position between these ends."""
    scale = alt.Scale(domain=list(ends), nice=False)
    return alt.X(f"{field}:Q", title=title, scale=scale, axis=axis(ends, **more))


def y(field: str, title: str | None, ends: Sequence[float], **more: Any) -> alt.Y:
    """Return a vertical position between these ends."""
    scale = alt.Scale(domain=list(ends), nice=False)
    return alt.Y(f"{field}:Q", title=title, scale=scale, axis=axis(ends, **more))
