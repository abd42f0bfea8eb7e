"""A metric's own expression on many replicates at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.metrics import METRICS, Metric
from reportgen.resampling.cells import Cells
from reportgen.resampling.frames import FRAMES

Floats = npt.NDArray[np.float64]

_ROWS = 2**19


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric that is evaluated: its name, the frame it reads, its expression and its range."""

    name: str
    on: str
    expression: pl.Expr
    bounds: tuple[float, float]


def measures(
    metrics: Iterable[str | Metric] | None, settings: Mapping[str, Any] | None = None
) -> list[Measure]:
    """The metrics by name or as they are; None: every binary one but the counts themselves."""
    chosen = (
        [m for m in METRICS.values() if m.group != "count"]
        if metrics is None
        else [METRICS[m] if isinstance(m, str) else m for m in metrics]
    )
    return [
        Measure(m.name, m.on, m.expression(**(settings or {})), m.bounds)
        for m in chosen
        if m.on in FRAMES
    ]


def evaluated(
    wanted: Sequence[Measure], positive: Floats, negative: Floats, cells: Cells
) -> Floats:
    """Value of each measure (columns) in each replicate (rows), NaN where it is undefined."""
    found = np.full((len(positive), len(wanted)), np.nan)
    size = max(1, _ROWS // (len(cells) + 1))
    for first in range(0, len(positive), size):
        part = slice(first, first + size)
        for on, build in FRAMES.items():
            at = [k for k, m in enumerate(wanted) if m.on == on]
            if at:
                frame = build(positive[part], negative[part], cells)
                found[part, at] = by_replicate(
                    frame, [wanted[k].expression for k in at], len(positive[part]), on == "counts"
                )
    return found


def by_replicate(
    frame: pl.DataFrame, expressions: Sequence[pl.Expr], replicates: int, rowwise: bool = False
) -> Floats:
    """Value of each expression per ``replicate``, numbered from 0; NaN where it is undefined.

    Every sum runs over one replicate in the order of its rows, so that threads
    leave no trace.
    """
    named = [e.cast(pl.Float64).alias(str(k)) for k, e in enumerate(expressions)]
    lazy = frame.lazy()
    if rowwise:
        values = lazy.select("replicate", *named)
    else:
        sorted_rows = lazy.with_columns(pl.col("replicate").set_sorted())
        # A shift cannot be pieced together from parts of a group: with one beside it no sum is.
        whole = pl.col("replicate").shift(1).last().alias("whole")
        grouped = sorted_rows.group_by("replicate", maintain_order=True).agg(*named, whole)
        values = grouped.drop("whole")
    table = values.collect(engine="in-memory")
    found = np.full((replicates, len(expressions)), np.nan)
    found[table["replicate"].to_numpy()] = table.drop("replicate").to_numpy()
    return np.where(np.isfinite(found), found, np.nan)
