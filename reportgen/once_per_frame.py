"""Compute what follows from a table, or from results, once, as long as these are there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import finalize

P = ParamSpec("P")
T = TypeVar("T")
Keyed = TypeVar("Keyed")


def once_per_frame(
    compute: Callable[Concatenate[Keyed, P], T],
) -> Callable[Concatenate[Keyed, P], T]:
    """Return a function that computes its result once for each table and further arguments.

    Two tables of the same rows are two; so it is with results.

    Its result is shared, and is not to be changed.

    >>> import polars as pl
    >>> @once_per_frame
    ... def heights(frame):
    ...     return [frame.height]
    >>> frame = pl.DataFrame({"a": [1, 2]})
    >>> heights(frame) is heights(frame), heights(frame.clone()) is heights(frame)
    (True, False)
    """
    of_frames: dict[int, dict[Hashable, T]] = {}

    @wraps(compute)
    def computed(frame: Keyed, /, *arguments: P.args, **options: P.kwargs) -> T:
        results = of_frames.get(id(frame))
        if results is None:
            results = of_frames[id(frame)] = {}
            finalize(frame, of_frames.pop, id(frame)).atexit = False
        key = (arguments, tuple(sorted(options.items())))
        if key not in results:
            results[key] = compute(frame, *arguments, **options)
        return results[key]

    return computed
