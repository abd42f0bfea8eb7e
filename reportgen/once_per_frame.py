"""Compute what follows from a table once, as long as the table is there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import finalize

import polars as pl

P = ParamSpec("P")
T = TypeVar("T")


def once_per_frame(
    compute: Callable[Concatenate[pl.DataFrame, P], T],
) -> Callable[Concatenate[pl.DataFrame, P], T]:
    """Return a function that computes its result once for each table and further arguments.

    Its result is shared, and is not to be changed.

    >>> @once_per_frame
    ... def heights(frame):
    ...     return [frame.height]
    >>> frame = pl.DataFrame({"a": [1, 2]})
    >>> heights(frame) is heights(frame), heights(frame.clone()) is heights(frame)
    (True, False)
    """
    of_frames: dict[int, dict[Hashable, T]] = {}

    @wraps(compute)
    def computed(frame: pl.DataFrame, /, *arguments: P.args, **options: P.kwargs) -> T:
        results = of_frames.get(id(frame))
        if results is None:
            results = of_frames[id(frame)] = {}
            finalize(frame, of_frames.pop, id(frame)).atexit = False
        key = (arguments, tuple(sorted(options.items())))
        if key not in results:
            results[key] = compute(frame, *arguments, **options)
        return results[key]

    return computed
