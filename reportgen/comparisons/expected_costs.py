"""Test of two cost curves: do two score models on the same rows differ in expected total cost?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.blocks import blocks
from reportgen.comparisons.delong import AreaCovariance, pair_of_areas
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison
from reportgen.curves import hull
from reportgen.metrics.costs import envelope_vertices
from reportgen.resampling.places import Placing, placing
from reportgen.sweeping import sweep as sweep_of
from reportgen.tables import Sweep

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def cost_covariance(
    frame: pl.DataFrame,
    scores: Sequence[str],
    *,
    truth: str = "truth",
    weight: str | None = None,
    hulls: Sequence[DataFrame[Sweep]] | None = None,
) -> AreaCovariance:
    """Expected total costs of correlated score columns and their covariance matrix.

    A row's part is its own cost over all P(+)cost x at the best threshold of
    each: ∫ x dx = x²/2 for a positive that is missed below the x at which it
    begins to be called, (1 − x)²/2 for a negative called above it. The means
    over the positives and over the negatives sum to the area under the lower
    envelope. By the envelope theorem the choice of the thresholds adds nothing
    to the variance in large samples, so that it is that of the two means. With
    weights as in ``area_covariance``. NaN when a class has fewer than two
    (effective) rows. ``hulls`` are those of the sweeps, where they are known.
    Milgrom & Segal (2002), doi:10.1111/1468-0262.00296; van der Vaart (1998),
    *Asymptotic Statistics*, 20.1, doi:10.1017/CBO9780511802256.
    """
    outlines = hulls or [hull(sweep_of(frame, truth=truth, score=s, weight=weight)) for s in scores]
    positive = frame[truth].to_numpy()
    weights = frame[weight].cast(pl.Float64).to_numpy() if weight else None
    columns = [frame[score].cast(pl.Float64).to_numpy() for score in scores]
    costs = [_Costs.under(outline, frame.height) for outline in outlines]
    sums = {side: _Sums(len(scores)) for side in (True, False)}
    for part in blocks(frame.height):
        here = [one.reached(column[part]) for one, column in zip(costs, columns, strict=True)]
        for side, found in sums.items():
            rows = np.flatnonzero(positive[part] == side)
            each = np.empty((1 + len(costs), len(rows)))
            each[0] = 1 if weights is None else weights[part][rows]
            for one, places, line in zip(costs, here, each[1:], strict=True):
                one.of_class[side].take(places.take(rows), out=line)
            found.add(each)
    areas = np.sum([found.means for found in sums.values()], axis=0)
    return AreaCovariance(areas, np.sum([found.spread for found in sums.values()], axis=0))


@comparison(
    "pair",
    "rows",
    forms=(Form("expected_cost", "The test of cost curves", "Cost curves, z", "z"),),
    tasks=("binary",),
)
def expected_cost(
    frame: pl.DataFrame,
    question: Question,
    *,
    scores: tuple[str, str] | None = None,
    truth: str = "truth",
    weight: str | None = None,
) -> Comparison:
    """Two-sided test that two score columns of the same rows have the same expected total cost.

    ``scores`` are the columns, by default those of the models' names. Each area
    is optimistic, as its thresholds are the best of the same rows; the
    optimism of two models with like curves cancels in the difference.

    Null hypothesis: both models have the same {measure} in the population
    Formula: z = (A₁ − A₂) / standard error of the areas under the lower envelopes, with
        their covariance; the choice of thresholds adds nothing to it in large samples
    Assumes: independent rows, some dozens of each class, and like curves
    Undefined: the difference has no variance, or a class has fewer than two rows
    Reference: Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5; Milgrom &
        Segal (2002), doi:10.1111/1468-0262.00296
    """
    columns = scores or question.models
    found = cost_covariance(frame, columns, truth=truth, weight=weight)
    return expected_cost_pair(found, (0, 1), question)


def expected_cost_pair(
    found: AreaCovariance, at: tuple[int, int], question: Question
) -> Comparison:
    """The test for two of the models of ``found``, at positions ``at``."""
    return pair_of_areas("expected_cost", found, at, question, widest=0.25)


def row_costs(outline: DataFrame[Sweep], scores: Floats, positive: Flags) -> Floats:
    """Cost of each row over all P(+)cost, each at its best threshold; NaN with a single class."""
    costs = _Costs.under(outline, len(scores))
    return np.where(positive, costs.of(scores, True), costs.of(scores, False))


@dataclass(frozen=True, slots=True)
class _Costs:
    """The cost of a row of each class by how many of the thresholds its score reaches."""

    reached: Placing
    of_class: dict[bool, Floats]

    @classmethod
    def under(cls, outline: DataFrame[Sweep], rows: int) -> _Costs:
        """The costs of so many rows."""
        begins = outline.select(envelope_vertices()[0]).to_series().cast(pl.Float64).to_numpy()
        # A score under every threshold of the outline is called with the last one.
        x = np.append(begins, begins[-1:])[::-1]
        reached = placing(outline["threshold"].to_numpy()[:0:-1], rows)
        return cls(reached, {True: x**2 / 2, False: (1 - x) ** 2 / 2})

    def of(self, scores: Floats, positive: bool) -> Floats:
        """Cost of each row of one class."""
        found: Floats = self.of_class[positive].take(self.reached(scores))
        return found


class _Sums:
    """Running sums, from which weighted means and their covariance follow.

    The columns are taken less a middle value, so that one that does not vary has no spread.
    """

    def __init__(self, columns: int) -> None:
        self._middle = np.full(columns, np.nan)
        self._linear = np.zeros(1 + columns)
        self._products = np.zeros((1 + columns, 1 + columns))

    def add(self, table: Floats) -> None:
        """Add rows: a line of weights and one of values per column, which are written over."""
        weights, values = table[0], table[1:]
        if not len(weights):
            return
        if not self._linear[0]:
            self._middle = np.sort(values)[:, len(weights) // 2]
        values -= self._middle[:, None]
        values *= weights
        self._linear += table.sum(axis=1)
        # Not by BLAS: the same on any number of threads.
        self._products += np.einsum("ik,jk->ij", table, table)

    @property
    def means(self) -> Floats:
        """The mean of each column."""
        found: Floats = self._middle + self._apart
        return found

    @property
    def _apart(self) -> Floats:
        found: Floats = self._linear[1:] / (self._linear[0] or np.nan)
        return found

    @property
    def spread(self) -> Floats:
        """The covariance of the means, as ``delong.spread`` has it."""
        total, squares, apart = self._linear[0], self._products[0, 0], self._apart
        effective = total**2 / squares if squares else 0.0
        if effective <= 1 + 1e-9:
            return np.full((len(apart),) * 2, np.nan)
        crossed = np.outer(apart, self._products[0, 1:])
        around = self._products[1:, 1:] - crossed - crossed.T + squares * np.outer(apart, apart)
        found: Floats = around / total**2 * (effective / (effective - 1))
        return found
