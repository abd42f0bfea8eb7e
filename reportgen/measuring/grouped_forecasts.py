"""What dependence within groups does to mean losses and logistic fits of probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from reportgen import clusters
from reportgen.array_types import Flags, Floats, chunks
from reportgen.clusters import Effect, Groups, effect_of_sums, mean_effect
from reportgen.curves.recalibration import log_odds
from reportgen.intervals import LossVariance
from reportgen.leverage import GroupSizes
from reportgen.metrics.row_losses import LOSSES, foreseen

IN_THE_LARGE = "calibration_in_the_large"
LINE = ("calibration_intercept", "calibration_slope")

_ROWS = 2**14
"""So many rows at a time: what is made of them stays in the processor's cache."""


@dataclass(frozen=True)
class Forecasts:
    """Probabilities of rows in groups, lowest first, and which rows are positive.

    ``scratch`` has a place for a number of each row: new memory costs more than these numbers.
    """

    score: Floats
    positive: Flags
    groups: Groups
    scratch: Floats
    weights: Floats | None = None

    def recalibration(self, values: Mapping[str, float | None]) -> dict[str, Effect]:
        """The sandwich of the logistic fit over its variance from rows, for those with a value.

        White (1982), doi:10.2307/1912526.
        """
        effects, shift = {}, values.get(IN_THE_LARGE)
        if shift is not None:
            effects[IN_THE_LARGE] = self._shifted(shift)
        start, slope = (values.get(name) for name in LINE)
        if start is not None and slope is not None:
            effects |= dict(zip(LINE, self._line(start, slope), strict=True))
        return effects

    @cached_property
    def losses(self) -> dict[str, LossVariance]:
        """Variances of each finite mean loss if rows were independent, and the effect."""
        effects: dict[str, LossVariance] = {}
        for name, loss in LOSSES.items():
            lost = self.scratch
            for part in chunks(len(lost), _ROWS):
                with np.errstate(divide="ignore"):
                    lost[part] = loss(self.score[part], self.positive[part].astype(np.float64))
            effect = mean_effect(lost, self.groups, self.weights, lost, self._sizes)
            if effect is not None:
                variance, of_groups = effect
                effects[name] = LossVariance.of(variance, partial(self._foreseen, name), of_groups)
        return effects

    def _foreseen(self, name: str) -> float:
        """Variance of a mean loss of independent rows, as the forecasts foresee it."""
        whole = total = first = second = 0.0
        for part in chunks(len(self.score), _ROWS):
            mean, variance = foreseen(LOSSES[name], self.score[part])
            weights = np.ones(len(mean)) if self.weights is None else self.weights[part]
            squares = np.square(weights)
            total += float(weights.sum())
            whole += float(squares.sum())
            first += float((squares * mean).sum())
            second += float((squares * (variance + np.square(mean))).sum())
        away = max(second - first**2 / whole, 0.0)
        return away * clusters.correction(len(self.score)) / total**2

    def _shifted(self, shift: float) -> Effect:
        """Of the intercept where the slope is 1."""
        residual = self.scratch
        with np.errstate(over="ignore"):
            less = np.exp(-shift)
        for part in chunks(len(self.score), _ROWS):
            score = self.score[part]
            residual[part] = self.positive[part] - 1 / (1 + less * (1 - score) / score)
        if self.weights is not None:
            residual *= self.weights
        squares, rows = clusters.sum_of_squares(residual), self.groups.rows
        return effect_of_sums(self.groups.sums(residual), squares, rows, self._sizes)

    @cached_property
    def _sizes(self) -> GroupSizes:
        """The rows of each group, or their weights."""
        return GroupSizes(
            self.groups.sizes if self.weights is None else self.groups.sums(self.weights)
        )

    def _line(self, start: float, slope: float) -> tuple[Effect, Effect]:
        """Of the intercept and the slope, from two sums by group.

        A row adds r·(Σc·o² − o·Σc·o) to the one and r·(o·Σc − Σc·o) to the other, with r its
        residual, c its share in the curvature and o its log odds. These are taken less those of
        the middle row, so that the squares of such sums do not cancel. Rows without log odds,
        whose scores are exactly 0 or 1, add nothing.
        """
        first_row, end = np.searchsorted(self.score, [np.nextafter(0, 1), 1.0])
        middle = float(log_odds(self.score[(first_row + end) // 2]))
        residual, turned = self.scratch, np.empty(len(self.score))
        curvature, squares = np.zeros(3), np.zeros(3)
        for part in chunks(len(self.score), _ROWS):
            score, weights = self.score[part], self._weights_of(part)
            if part.start < first_row or part.stop > end:
                inside = (score > 0) & (score < 1)
                score, weights = (
                    np.where(inside, score, 0.5),
                    np.multiply(inside, weights, dtype=float),
                )
            odds = log_odds(score)
            with np.errstate(over="ignore"):
                chance = 1 / (1 + np.exp(-start - slope * odds))
            odds -= middle
            residual[part] = weights * (self.positive[part] - chance)
            turned[part] = residual[part] * odds
            share = weights * chance * (1 - chance)
            curvature += _moments(share, odds)
            squares += _moments(np.square(residual[part]), odds)
        zeroth, first, second = curvature
        sums = self.groups.sums(residual), self.groups.sums(turned)
        whole = second + middle * first, first + middle * zeroth
        return self._combined(sums, squares, whole[0], -whole[1]), self._combined(
            sums, squares, -first, zeroth
        )

    def _weights_of(self, part: slice) -> Floats | float:
        return 1.0 if self.weights is None else self.weights[part]

    def _combined(
        self, sums: tuple[Floats, Floats], squares: Floats, one: float, other: float
    ) -> Effect:
        """Of a sum of two columns, so many times each."""
        apart = one**2 * squares[0] + 2 * one * other * squares[1] + other**2 * squares[2]
        of_groups = one * sums[0] + other * sums[1]
        return effect_of_sums(of_groups, float(apart), len(self.score), self._sizes)


def _moments(weights: Floats, values: Floats) -> Floats:
    """Sums of weighted powers of values: 0, 1 and 2."""
    once = weights * values
    return np.array([weights.sum(), once.sum(), (once * values).sum()])
