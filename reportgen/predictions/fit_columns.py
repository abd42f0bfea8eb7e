"""The columns that say which fit of a model a row is of."""

from __future__ import annotations

from collections.abc import Collection

FITS = ("repeat", "fold")
"""By both where both are declared: each repeat has a first fold."""


def fit_columns(columns: Collection[str]) -> list[str]:
    """The columns that tell fits apart; none where the rows are of one fit.

    >>> fit_columns(["id", "fold"])
    ['fold']
    """
    return [name for name in FITS if name in columns]
