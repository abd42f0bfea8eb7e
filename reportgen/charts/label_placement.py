"""Places for words in a chart: where no line runs and no other words stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

LinePoints = tuple[Sequence[float], Sequence[float]]
"""Places across and up."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in parts of the axes."""

STEP = 1 / 200
"""Distance of the points that stand for a line."""


class OccupiedArea:
    """What is drawn in a square from 0 to 1: words that are placed take their place too.

    Words never stand on ``lines``, and on ``quiet`` ones only where there is no other place.
    """

    def __init__(self, lines: Iterable[LinePoints], quiet: Iterable[LinePoints] = ()) -> None:
        self._lines, self._quiet = _joined(lines), _joined(quiet)
        self._boxes: list[Box] = []

    def place(self, boxes: Sequence[Box]) -> int | None:
        """Take the first of the boxes that is free; return which one, or nothing."""
        free = [
            number
            for number, box in enumerate(boxes)
            if min(box) >= 0 and max(box) <= 1
            if not _crosses(self._lines, box) and not any(_meet(box, b) for b in self._boxes)
        ]
        best = next((n for n in free if not _crosses(self._quiet, boxes[n])), None)
        index = best if best is not None else next(iter(free), None)
        if index is not None:
            self._boxes.append(boxes[index])
        return index


def _crosses(points: np.ndarray, box: Box) -> bool:
    left, bottom, right, top = box
    x, y = points
    return bool(((x > left) & (x < right) & (y > bottom) & (y < top)).any())


def _meet(one: Box, other: Box) -> bool:
    across = one[0] < other[2] and one[2] > other[0]
    return across and one[1] < other[3] and one[3] > other[1]


def _joined(lines: Iterable[LinePoints]) -> np.ndarray:
    curves = [_points(x, y) for x, y in lines]
    return np.concatenate(curves, axis=1) if curves else np.empty((2, 0))


def _points(x: Sequence[float], y: Sequence[float]) -> np.ndarray:
    """Return points along a line, near enough to each other that none of a word is between."""
    ends = np.array([x, y], dtype=float)
    if ends.shape[1] < 2:
        return ends
    steps = np.abs(np.diff(ends)).max(axis=0)
    along = np.concatenate([[0.0], np.cumsum(np.ceil(steps / STEP))])
    at = np.arange(along[-1] + 1)
    return np.array([np.interp(at, along, part) for part in ends])
