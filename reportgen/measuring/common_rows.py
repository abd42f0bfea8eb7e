"""Models in long form that do not all have the same rows: how good each is on those of all."""

from __future__ import annotations

from functools import reduce

import polars as pl

from reportgen.clusters import Groups, t_quantile
from reportgen.comparisons.grouped import mean_difference_in_groups
from reportgen.measuring.context import EvaluationContext, Losses, rows_with_output
from reportgen.records.row_facts import CommonRows

KEYS = ("id", "dataset", "repeat", "fold", "role")
"""What the rows of two models share that are partners, as far as there is a column of it."""


def common_rows(context: EvaluationContext, losses: Losses) -> CommonRows | None:
    """The mean loss of every model on the rows that all have, or the share of right decisions.

    Of two models with the difference, the first minus the second, and the limits that a t
    distribution gives it, by group where rows come in groups. Null unless models have an id
    and rows of their own as well as common ones; of weighted rows too, whose weights may differ.
    """
    predictions = context.predictions
    if predictions.unpaired is None or not predictions.rows_in_common or context.weight:
        return None
    rows = context.rows
    keys = [name for name in KEYS if name in rows.columns]
    columns = {model.name: model for model in predictions.models}
    parts = [
        rows_with_output(rows, columns[name]).select(*keys, loss.cast(pl.Float64).alias(f"{place}"))
        for place, (name, loss) in enumerate(losses.of.items())
    ]
    every = pl.concat([part.select(keys) for part in parts]).n_unique()
    complete = [name for name, part in zip(losses.of, parts, strict=True) if part.height == every]
    common = reduce(lambda one, other: one.join(other, on=keys, nulls_equal=True), parts)
    common = common.drop_nulls([f"{place}" for place in range(len(parts))])
    if common.is_empty():
        return None
    of = [common[f"{place}"] for place in range(len(parts))]
    if losses.kind == "zero_one":
        of = [1.0 - lost for lost in of]
    record: CommonRows = {
        "measure": losses.measure,
        "rows": common.height,
        "complete": complete if len(complete) > 1 else [],
        "models": [
            {"model": name, "value": _mean(values)}
            for name, values in zip(losses.of, of, strict=True)
        ],
        "difference": None,
        "low": None,
        "high": None,
    }
    if len(of) == 2:
        groups = rows.unique(keys).select(*keys, "group") if "group" in rows.columns else None
        units = common.join(groups, on=keys)["group"] if groups is not None else common["id"]
        mean = mean_difference_in_groups(of[0], of[1], Groups.of(units))
        record["difference"] = mean.value
        if mean.value is not None and mean.reason is None:
            half = mean.error * t_quantile(context.spec.confidence, mean.df)
            record["low"], record["high"] = mean.value - half, mean.value + half
    return record


def _mean(values: pl.Series) -> float:
    return float(values.sum()) / len(values)
