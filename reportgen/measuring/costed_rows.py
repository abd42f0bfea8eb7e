"""Rows with what their errors cost, at the prevalence of the rows or at a stated one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Flags, Floats

NEAR = 0.1
"""A stated prevalence that differs from that of the rows by less than this share is the same."""


@dataclass(frozen=True)
class CostRows:
    """Rows with a score, what they cost where they are missed or a false alarm, and their group.

    ``costs`` is that of the wrong decision: of a positive that is missed, of a
    negative that is predicted positive. ``weight`` counts rows, ``group`` numbers
    the groups of rows that depend on each other from 0 on. ``stated`` is the prevalence that
    ``costs`` are for, if it is another one than that of the rows.
    """

    score: Floats
    positive: Flags
    costs: Floats
    weight: Floats
    group: npt.NDArray[np.intp] | None = None
    stated: float | None = None

    @property
    def is_weighted(self) -> bool:
        """Whether some rows count for more than others."""
        return bool((self.weight != self.weight[:1]).any())

    def cost(self, threshold: float | Floats) -> Floats:
        """What each row costs when scores from the threshold up are positive."""
        return np.where((self.score >= threshold) == self.positive, 0.0, self.costs)


def is_other(here: float, stated: float) -> bool:
    """Whether a stated prevalence is another one than that of the rows.

    >>> is_other(0.5, 0.01), is_other(0.5, 0.52)
    (True, False)
    """
    return abs(here - stated) >= NEAR * stated


def scales(here: float, stated: float | None) -> tuple[float, float] | None:
    """What multiplies the costs of both classes, positives first, at a stated prevalence.

    Its share over that of the rows, ``here``; None where none is stated, it is that of the rows, or
    a class has no rows.

    >>> scales(0.5, 0.1), scales(0.5, None)
    ((0.2, 1.8), None)
    """
    if stated is None or not 0 < here < 1 or not is_other(here, stated):
        return None
    return stated / here, (1 - stated) / (1 - here)


def at_prevalence(rows: CostRows, stated: float | None) -> CostRows:
    """The rows with what errors would cost on average if positives were as frequent as stated.

    The cost of a class is multiplied by its stated share over that of the rows: weights of the
    classes, which leave the numbers of errors as they are. As they are where no prevalence is
    stated, it is that of the rows, or a class has no rows.
    """
    here = float(rows.weight[rows.positive].sum() / rows.weight.sum()) if len(rows.weight) else 0.0
    of_classes = scales(here, stated)
    if of_classes is None:
        return rows
    scale = np.where(rows.positive, *of_classes)
    return replace(rows, costs=rows.costs * scale, stated=stated)


def counted_cells(
    scores: Floats,
    counts: tuple[Floats, Floats],
    costs: tuple[float, float],
    stated: float | None = None,
) -> CostRows:
    """The positives and the negatives at each score, falling or not, with their numbers as weights.

    ``costs`` are those of a false negative and of a false positive, ``stated`` the prevalence that
    the spec states; None where it states none.

    >>> counts = np.array([3.0, 1.0]), np.array([1.0, 5.0])
    >>> cells = counted_cells(np.array([0.9, 0.2]), counts, (4, 1))
    >>> cells.weight.tolist(), cells.costs.tolist()
    ([3.0, 1.0, 1.0, 5.0], [4, 4, 1, 1])
    """
    positive = np.repeat([True, False], len(scores))
    cost = np.where(positive, *costs)
    cells = CostRows(np.concatenate([scores, scores]), positive, cost, np.concatenate(counts))
    return at_prevalence(cells, stated)
