"""How rows were drawn: what each is worth, and which unit it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.array_types import Flags, Floats, Indices
from reportgen.clusters import Groups


@dataclass(frozen=True, slots=True)
class SampleDesign:
    """What each row is worth, and which unit it belongs to.

    ``weights`` are in any unit; without them every row counts once. ``groups`` are those of rows
    that depend on each other; without them rows are independent. A line may stand for several
    rows: ``counts`` says for how many, where it has a weight.
    """

    weights: Floats | None = None
    groups: Groups | None = None
    counts: Floats | None = None

    @property
    def simple(self) -> bool:
        """Whether rows count once each and do not depend on each other."""
        return self.weights is None and self.groups is None

    def weight_of(self, rows: int) -> Floats:
        """The weight of each row, 1 without weights.

        >>> SampleDesign().weight_of(2).tolist()
        [1.0, 1.0]
        """
        return np.ones(rows) if self.weights is None else np.asarray(self.weights, np.float64)

    def units_of(self, rows: int) -> Groups:
        """The groups of the rows; without groups each row is one.

        >>> SampleDesign().units_of(3).number
        3
        """
        return Groups(np.arange(rows), rows) if self.groups is None else self.groups

    def among(self, rows: Flags | Indices) -> SampleDesign:
        """That of some of the rows.

        >>> SampleDesign(np.array([1.0, 2.0])).among(np.array([False, True])).weights.tolist()
        [2.0]
        """
        return SampleDesign(
            None if self.weights is None else self.weights[rows],
            None if self.groups is None else self.groups.among(rows),
            None if self.counts is None else self.counts[rows],
        )


INDEPENDENT_ROWS = SampleDesign()
"""Rows that count once each, and do not depend on each other."""
