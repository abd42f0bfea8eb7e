"""What evaluations of counts share, whatever the task."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.engines.partial import from_fixed_point
from reportgen.engines.plan import Plan
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import output_column
from reportgen.predictions.files import DataFile
from reportgen.predictions.source import Source
from reportgen.spec import Spec, class_names
from reportgen.spec.tasks import entries


def title_of(files: Sequence[DataFile]) -> str:
    """What names the files together."""
    return Source(tuple(f.name for f in files), ()).title


def models_of(spec: Spec) -> tuple[ModelColumns, ...]:
    """The models, with the columns that their outputs would have among rows in memory."""
    size = len(class_names(spec))
    models = []
    for k, (steps, model) in enumerate(entries(spec)):
        single = {
            output: output_column(output, k) if getattr(model, output, None) else None
            for output in ("score", "label", "estimate", "low", "high")
        }
        scores, labels = (
            tuple(output_column(output, k, c) for c in range(size))
            if getattr(model, f"{output}s", None)
            else ()
            for output in ("score", "label")
        )
        quantile, level = (getattr(model, name, None) for name in ("quantile", "level"))
        columns = ModelColumns(
            str(steps[-1]), **single, scores=scores, labels=labels, quantile=quantile, level=level
        )
        models.append(columns)
    return tuple(models)


def masses(plan: Plan, names: tuple[str, str]) -> dict[str, pl.Expr]:
    """Sums of weights and of their squares, or the rows themselves."""
    rows = pl.col("rows").cast(pl.Float64)
    return {
        name: from_fixed_point(pl.col(weight)) if plan.weighted else rows
        for name, weight in zip(names, ("weight", "weight2"), strict=True)
    }
