"""Of models in long form that do not all have the same rows: those that have every one, paired."""

from __future__ import annotations

from dataclasses import replace

from reportgen.measuring.context import rows_with_output
from reportgen.predictions import ModelColumns, Predictions
from reportgen.predictions.column_names import outputs
from reportgen.predictions.recognition import recognised

APART = ("dataset", "repeat", "fold", "role", "time")
"""Columns that tell more of a row than which example it is: such rows are not paired here."""


def of_every_row(predictions: Predictions) -> Predictions | None:
    """The predictions of the models that have every example, in one row each.

    Null where fewer than two have, where no id tells the examples, and where the models do not
    describe one alike.
    """
    frame = predictions.frame
    if predictions.unpaired is None or "id" not in frame.columns or set(APART) & set(frame.columns):
        return None
    every, given = frame["id"].n_unique(), outputs(frame.columns)
    parts = [(model, rows_with_output(frame, model)) for model in predictions.models]
    complete = [(model, rows) for model, rows in parts if rows.height == every]
    if len(complete) < 2:
        return None
    described = [rows.drop(given).sort("id") for _, rows in complete]
    if not all(described[0].equals(rows) for rows in described[1:]):
        return None
    wide = complete[0][1].select(*described[0].columns, *_own(complete[0][0]))
    for model, rows in complete[1:]:
        wide = wide.join(rows.select("id", *_own(model)), on="id", maintain_order="left")
    return replace(
        predictions,
        frame=wide.drop("id"),
        models=tuple(model for model, _ in complete),
        unpaired=None,
        rows_in_common=None,
        evaluation=recognised(wide),
        identities=None,
        shown=None,
        row_numbers=None,
        undeclared=None,
    )


def _own(model: ModelColumns) -> list[str]:
    """The columns of a model."""
    single = (model.score, model.label, model.estimate, model.low, model.high)
    several = (*model.scores, *model.labels)
    return [name for name in (*single, *several) if name is not None]
