"""The models of a spec before any row is read."""

from __future__ import annotations

from reportgen.predictions.column_names import output_column
from reportgen.predictions.validated import ModelColumns
from reportgen.spec import Spec, class_names
from reportgen.spec.tasks import entries


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
