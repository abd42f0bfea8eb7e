"""What the passes have in common."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from reportgen.array_types import Floats

LEAST = np.nextafter(0, 1)
"""Instead of no rows at all as divisor; what is divided is then 0."""


def summed(parts: Iterable[Sequence[float]]) -> list[float]:
    """Sum of each column, in the order of the rows and without loss."""
    return [math.fsum(column) for column in zip(*parts, strict=True)]


def dot(a: Floats, b: Floats) -> float:
    """Sum of products."""
    return float(np.dot(a, b))


def clipped(value: float, most: float = 1.0) -> float:
    """The value without what rounding put outside 0 to ``most``."""
    return min(max(float(value), 0.0), most)
