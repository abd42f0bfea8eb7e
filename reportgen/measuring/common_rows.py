"""Models in long form that do not all have the same rows: how good each is on those of all."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

import polars as pl

from reportgen.measuring.context import EvaluationContext, Losses, area, mean, rows_with_output
from reportgen.metric_names import COST
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
