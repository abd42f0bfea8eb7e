"""Slices that whole groups lie in, such as the sites of patients: groups of groups."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from reportgen.predictions.column_names import slice_column

LEAST, MOST = 3, 20
"""Fewer values, as of a sex, are all that there are; of more a report says little of each."""


def slices_of_groups(rows: pl.DataFrame, columns: Iterable[str]) -> list[str]:
    """The columns of slices with a few values, of which each group has one.

    Args:
        rows: the evaluated rows, with ``group`` where they come in groups.
        columns: the names of the columns of slices.

    Returns:
        The columns in which no group has two values, and more groups than values. None without
        groups.

    >>> rows = pl.DataFrame({"group": [0, 1, 2, 3], slice_column("site"): ["a", "b", "c", "c"]})
    >>> slices_of_groups(rows, ["site"])
    ['site']
    """
    if "group" not in rows.columns:
        return []
    nested = []
    for name in columns:
        pairs = rows.select("group", slice_column(name)).unique()
        values = pairs[slice_column(name)].n_unique()
        lie_in_one = not pairs["group"].is_duplicated().any()
        if lie_in_one and LEAST <= values <= MOST and values < pairs.height:
            nested.append(name)
    return nested
