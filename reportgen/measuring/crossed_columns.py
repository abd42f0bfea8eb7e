"""Columns that cross the declared groups, as items cross users: each group has rows of several.

Rows depend on each other by both. The variance that allows for both is that of each less that of
the cells, which the rows of one value in one group make.
Cameron, Gelbach & Miller (2011), doi:10.1198/jbes.2010.07136.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import Effect, Groups
from reportgen.integer_sort import distinct_and_places


@dataclass(frozen=True)
class Crossing:
    """The declared groups of some rows, and those of a column."""

    declared: Groups
    column: Groups

    def among(self, rows: Flags) -> Crossing:
        """The groups of some of the rows."""
        return Crossing(self.declared.among(rows), self.column.among(rows))

    @cached_property
    def value_of_group(self) -> Integers | None:
        """The value of the column in each declared group, if it has one there, and has fewer.

        >>> inner, outer = Groups(np.array([0, 1, 2]), 3), Groups(np.array([0, 0, 1]), 2)
        >>> Crossing(inner, outer).value_of_group.tolist()
        [0, 0, 1]
        """
        if not self.column.number < self.declared.number or not self.declared.sizes.all():
            return None
        value = np.zeros(self.declared.number, np.int64)
        value[self.declared.code] = self.column.code
        return value if np.array_equal(value[self.declared.code], self.column.code) else None

    @cached_property
    def _pairs(self) -> tuple[Integers, Integers]:
        """A group and a value as one number, each that some rows have, and its place by row."""
        pairs = self.declared.code.astype(np.int64) * self.column.number + self.column.code
        return distinct_and_places(pairs)

    @property
    def cells(self) -> Groups | None:
        """The rows of one value in one group; null where either lies within the other.

        >>> two, three = (Groups(np.array(code), 1 + max(code)) for code in ([0, 0, 1], [0, 1, 2]))
        >>> Crossing(two, three).cells is None
        True
        >>> Crossing(two, Groups(np.array([0, 1, 1]), 2)).cells.number
        3
        """
        different, code = self._pairs
        most = max(self.declared.number, self.column.number)
        return Groups(code, len(different)) if len(different) > most else None

    def means_of_cells(self, values: Floats) -> tuple[Floats, Groups]:
        """The means of the cells less those of their group, and the values of the column they have.

        Of groups with several values alone: others say nothing of what these have in common.
        """
        pairs, code = self._pairs
        cells = Groups(code, len(pairs))
        means = cells.sums(values) / cells.sizes
        group, value = np.divmod(pairs, self.column.number)
        of_group = np.bincount(group, minlength=self.declared.number)
        of_cells = np.bincount(group, means, self.declared.number) / np.maximum(of_group, 1)
        several = of_group[group] > 1
        return (means - of_cells[group])[several], Groups(value, self.column.number).among(several)


def both_ways(column: Effect, declared: Effect, cells: Effect) -> Effect:
    """The effect of both groupings on a variance; never less than that of either.

    >>> both_ways(Effect(3.0, 9.0), Effect(2.0, 19.0), Effect(1.0, 199.0))
    Effect(design=4.0, degrees_of_freedom=9.0)
    """
    design = column.design + declared.design - cells.design
    freedom = min(column.degrees_of_freedom, declared.degrees_of_freedom)
    return Effect(max(design, column.design, declared.design), freedom)
