"""Limits of an area under a part of the ROC curve, as of the AUC of the rows that are in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reportgen.array_types import Floats
from reportgen.intervals.area_scores import AreaLimits, delong_score

NAME = "partial area score"


class ClassMasses(NamedTuple):
    """The rows of a class, or their weight, at each score, and the sums of squared weights."""

    rows: Floats
    squares: Floats

    @property
    def size(self) -> float:
        """Kish's effective number of rows."""
        return float(self.rows.sum() ** 2 / self.squares.sum())


def partial_area_limits(
    across: ClassMasses, upward: ClassMasses, share: float, confidence: float = 0.95
) -> AreaLimits:
    """Limits of the mean height of a curve of shares over its first ``share``.

    The curve goes across by the rows of one class and up by those of the other, in the
    order of the masses: with negatives across and scores falling, the mean recall up to a
    false-positive rate. It is the AUC of the rows upward against the first ``share`` of the
    rows across: its limits are those of ``delong_score`` for so many rows, with the
    variance of the area from the influence of each row on it and on where it ends.
    McClish (1989), doi:10.1177/0272989X8900900307; Newcombe (2006), doi:10.1002/sim.2324.

    >>> masses = ClassMasses(np.array([0.0, 10.0]), np.array([0.0, 10.0]))
    >>> perfect = partial_area_limits(masses, ClassMasses(*(m[::-1] for m in masses)), 0.2)
    >>> [round(limit, 3) for limit in perfect]
    [0.546, 1.0]
    """
    width, height = (masses.rows / masses.rows.sum() for masses in (across, upward))
    right, top = width.cumsum(), height.cumsum()
    left, bottom = right - width, top - height
    some = width > 0
    inside = np.clip(right, 0, share) - np.clip(left, 0, share)
    part = np.divide(inside, width, out=np.zeros_like(width), where=some)
    middle = bottom + part * height / 2  # of the part that is inside
    area = float((inside * middle).sum())
    end = int(np.searchsorted(right, share - 1e-12).clip(0, len(right) - 1))
    at_end = float(bottom[end] + part[end] * height[end])
    # What lies right of a row upward; rows that are level with it lie evenly around it.
    beyond = np.maximum(share - right, 0) + part * inside / 2
    variance = _mean_square(upward, beyond, area)
    variance += _mean_square(across, part * (middle - at_end), area - share * at_end)
    return delong_score(
        area / share,
        None if np.isnan(variance) else variance / share**2,
        upward.size,
        across.size * share,
        confidence,
    )


def _mean_square(masses: ClassMasses, influence: Floats, mean: float) -> float:
    """The variance of a mean over the rows of a class; NaN with fewer than two."""
    size, whole = masses.size, float(masses.rows.sum())
    if size <= 1 + 1e-9:
        return float("nan")
    squares = float((masses.squares * (influence - mean) ** 2).sum()) / whole**2
    return squares * size / (size - 1)
