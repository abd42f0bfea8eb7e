"""Differences in average precision of two models on the same rows, with limits by influences."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from reportgen.array_types import Flags, Floats
from reportgen.clustered_areas import ClassesByGroup, variances_of_influences
from reportgen.clusters import Groups, degrees_of_freedom
from reportgen.comparisons.paired import Mean
from reportgen.intervals.average_precision import Influences, influences

METHOD = "influence t"

ALIKE = "the difference in average precision does not vary"
FEW = "a class has fewer than two rows or groups"

_ROUNDING = 1e-14


class PrecisionDifferences:
    """The differences between models whose scores rank the same rows.

    ``positive`` and ``scores`` are the rows of one fit; those of one of the ``groups`` may depend
    on each other.
    """

    def __init__(
        self,
        positive: Flags,
        scores: Mapping[str, Floats],
        *,
        weights: Floats | None = None,
        groups: Groups | None = None,
    ) -> None:
        self._alone = groups is None
        groups = groups or Groups(np.arange(len(positive)), len(positive))
        self._classes = ClassesByGroup(positive, groups, weights)
        self._of: dict[str, Influences] = {}
        self._scores = scores

    def of(self, model: str) -> Influences:
        """The average precision of a model, and what each row adds to it."""
        if model not in self._of:
            classes = self._classes
            self._of[model] = influences(self._scores[model], classes.positive, classes.weights)
        return self._of[model]

    def between(self, first: str, second: str) -> Mean:
        """The first average precision less the second, with its standard error.

        Formula: t standard errors, with error² the variance of the sums by group of the
        differences of what the rows add (see ``InfluenceLogit``), and as many degrees of freedom
        as the fourth powers say of the differences or of either model, whichever are fewest.
        Undefined where a class is in fewer than two groups, or the sums do not vary.
        Hampel (1974), doi:10.1080/01621459.1974.10482962; Pan & Wall (2002), doi:10.1002/sim.1142.
        """
        classes, (one, other) = self._classes, (self.of(first).adds, self.of(second).adds)
        value = self.of(first).value - self.of(second).value
        most = min(classes.effective_groups) - 1
        if not most > 0:
            return Mean(value, 0.0, 0.0, FEW)
        away = one - other
        variances = variances_of_influences(away, classes)
        scale = max(abs(adds).max() for adds in (one, other))
        if not variances.of_groups > (_ROUNDING * scale) ** 2:
            return Mean(value, 0.0, most, ALIKE)
        whole = [away, one, other] if self._alone else self._by_group(one, other)
        df = min(most, *(degrees_of_freedom(of_groups) for of_groups in whole if of_groups.any()))
        return Mean(value, math.sqrt(variances.of_groups), df, interval=METHOD)

    def _by_group(self, one: Floats, other: Floats) -> list[Floats]:
        """The sums by group of what the rows add to the difference, and to either."""
        sums = [self._classes.pulled_sums(adds) for adds in (one, other)]
        return [part.sum(axis=0) for part in (sums[0] - sums[1], *sums)]
