"""What evaluations of counts share, whatever the task."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.engines.partial import from_fixed_point
from reportgen.engines.plan import Plan
from reportgen.predictions.files import DataFile
from reportgen.predictions.source import Source


def title_of(files: Sequence[DataFile]) -> str:
    """What names the files together."""
    return Source(tuple(f.name for f in files), ()).title


def masses(plan: Plan, names: tuple[str, str]) -> dict[str, pl.Expr]:
    """Sums of weights and of their squares, or the rows themselves."""
    rows = pl.col("rows").cast(pl.Float64)
    return {
        name: from_fixed_point(pl.col(weight)) if plan.weighted else rows
        for name, weight in zip(names, ("weight", "weight2"), strict=True)
    }
