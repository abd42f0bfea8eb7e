"""Columns of the horizon of a forecast, which subgroups are shown of."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

_NAME = re.compile(r"(?:.*[\s_-])?(?:horizon|lead|lead[\s_-]?time|steps?|ahead|h)(?:[\s_-].*)?")


def horizons(frame: pl.DataFrame, time: str | None, slices: Sequence[str]) -> list[str]:
    """Those of ``slices`` that are named so, and that tell the rows of one time apart.

    Errors grow with the horizon: values of all horizons together hold for none of them.

    >>> frame = pl.DataFrame({"t": [1, 1, 2, 2], "horizon_h": [1, 24, 1, 24]})
    >>> horizons(frame, "t", ["horizon_h"])
    ['horizon_h']
    """
    if time is None or frame[time].n_unique() == frame.height:
        return []
    named = [name for name in slices if _NAME.fullmatch(name.lower())]
    return [name for name in named if not frame.select(time, name).is_duplicated().any()]
