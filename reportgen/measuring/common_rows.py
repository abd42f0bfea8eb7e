"""Models in long form without all the same rows: the rows of all, and models with every row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import polars as pl

from reportgen.measuring.context import EvaluationContext, Losses, area, mean, rows_with_output
from reportgen.metric_names import COST
from reportgen.predictions import ModelColumns, Predictions
from reportgen.predictions.column_names import outputs
from reportgen.predictions.recognition import recognised
from reportgen.records.row_facts import CommonRows

KEYS = ("id", "dataset", "repeat", "fold", "role")
"""What the rows of two models share that are partners, as far as there is a column of it."""


def common_rows(context: EvaluationContext, losses: Losses) -> CommonRows | None:
    """Every model's AUC and mean losses on the rows that all have, of decisions the correct share.

    Null unless models have an id and rows of their own as well as common ones; of weighted rows
    too, whose weights may differ.
    """
    predictions = context.predictions
    if predictions.unpaired is None or not predictions.rows_in_common or context.weight:
        return None
    rows = context.rows
    keys = [name for name in KEYS if name in rows.columns]
    of = {m.name: rows_with_output(rows, m) for m in predictions.models if m.name in losses.of}
    every = pl.concat([part.select(keys) for part in of.values()]).n_unique()
    complete = [name for name, part in of.items() if part.height == every]
    common = reduce(
        lambda one, other: one.join(other, on=keys, nulls_equal=True),
        [part.select(keys) for part in of.values()],
    )
    if common.is_empty():
        return None
    values = {
        (metric, name): of[name].join(common, on=keys, nulls_equal=True).select(value).item()
        for metric, of_models in _measures(losses).items()
        for name, value in of_models.items()
    }
    return {
        "rows": common.height,
        "complete": complete if len(complete) > 1 else [],
        "models": [
            {"model": name, "measure": metric, "value": value}
            for (metric, name), value in values.items()
            if value is not None
        ],
    }


def _measures(losses: Losses) -> Mapping[str, Mapping[str, pl.Expr]]:
    """What is measured of the models on these rows, as one value each."""
    shares = losses.kind == "zero_one"
    means = {COST: losses.costs, **losses.further, losses.measure: losses.of}
    return {
        "auc": {name: area(score) for name, score in losses.scores.items()},
        **{
            metric: {
                name: mean(1 - loss if shares and metric == losses.measure else loss, None)
                for name, loss in of.items()
            }
            for metric, of in means.items()
        },
    }


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
