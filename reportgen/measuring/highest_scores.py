"""The class with the highest score of each row, as a column of its own."""

from __future__ import annotations

from dataclasses import replace

from reportgen.multiclass import predicted_classes
from reportgen.predictions import Predictions
from reportgen.predictions.column_names import output_column


def with_highest(predictions: Predictions) -> Predictions:
    """The predictions with a column of the class with the highest score, of models with scores.

    It is worked out once, as most of what is evaluated reads it. Other tasks have none.
    """
    if predictions.task != "multiclass":
        return predictions
    frame, models = predictions.frame, []
    for place, columns in enumerate(predictions.models):
        if not columns.scores:
            models.append(columns)
            continue
        name = output_column("highest", place)
        frame = frame.with_columns(predicted_classes(frame, columns.scores).alias(name))
        models.append(replace(columns, highest=name))
    return replace(predictions, frame=frame, models=tuple(models))
