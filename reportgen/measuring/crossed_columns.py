"""Columns that cross the declared groups, as items cross users: each group has rows of several.

Rows depend on each other by both. The variance that allows for both is that of each less that of
the cells, which the rows of one value in one group make.
Cameron, Gelbach & Miller (2011), doi:10.1198/jbes.2010.07136.
"""

from __future__ import annotations

import numpy as np

from reportgen.array_types import Floats
from reportgen.clusters import Effect, Groups


def cells_of(declared: Groups, column: Groups) -> Groups | None:
    """The rows of one value in one group; null where either lies within the other.

    >>> two, three = (Groups(np.array(code), 1 + max(code)) for code in ([0, 0, 1], [0, 1, 2]))
    >>> cells_of(two, three) is None, cells_of(two, Groups(np.array([0, 1, 1]), 2)).number
    (True, 3)
    """
    pairs = declared.code.astype(np.int64) * column.number + column.code
    different, code = np.unique(pairs, return_inverse=True)
    number = len(different)
    return Groups(code, number) if number > max(declared.number, column.number) else None


def means_of_cells(values: Floats, declared: Groups, column: Groups) -> tuple[Floats, Groups]:
    """The means of the cells less those of their group, and the values of the column they have.

    Of groups with several values alone: others say nothing of what these have in common.
    """
    pairs, code = np.unique(
        declared.code.astype(np.int64) * column.number + column.code, return_inverse=True
    )
    cells = Groups(code, len(pairs))
    means = cells.sums(values) / cells.sizes
    group, value = np.divmod(pairs, column.number)
    of_group = np.bincount(group, minlength=declared.number)
    centred = means - (np.bincount(group, means, declared.number) / np.maximum(of_group, 1))[group]
    several = of_group[group] > 1
    return centred[several], Groups(value, column.number).among(several)


def both_ways(column: Effect, declared: Effect, cells: Effect) -> Effect:
    """The effect of both groupings on a variance; never less than that of either.

    >>> both_ways(Effect(3.0, 9.0), Effect(2.0, 19.0), Effect(1.0, 199.0))
    Effect(design=4.0, degrees_of_freedom=9.0)
    """
    design = column.design + declared.design - cells.design
    freedom = min(column.degrees_of_freedom, declared.degrees_of_freedom)
    return Effect(max(design, column.design, declared.design), freedom)
