"""Every measure in every part: each fit's test rows, and its training rows where they are there."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.measuring.compared_by_fold import OfParts, compared_by_fold
from reportgen.measuring.context import EvaluationContext, Losses, area, mean
from reportgen.metric_names import COST
from reportgen.predictions.evaluation_scheme import FIT
from reportgen.records.model import typed
from reportgen.tables import FoldMetrics

KEYS = (*FIT, "role")


def fold_metrics(
    context: EvaluationContext, losses: Losses, of_parts: OfParts | None
) -> DataFrame[FoldMetrics]:
    """The measure, AUC, declared costs, absolute and further losses of every model in every part.

    Of test parts what the spec compares, too (``compared_by_fold``). Empty where there is one test
    part and nothing says what it was trained on.
    """
    frame = context.predictions.frame
    if not (context.predictions.evaluation.pooled_fits or _trained(frame)):
        return typed(FoldMetrics, [])
    if "role" in frame.columns:
        frame = frame.filter(pl.col("role") != "validation")
    measures = {(losses.measure, name): _measure(context, losses, name) for name in losses.of}
    if losses.kind == "squared":
        measures |= {(ABSOLUTE, name): _absolute(context, losses, name) for name in losses.of}
    if context.weight is None:
        measures |= {("auc", name): area(score) for name, score in losses.scores.items()}
    further = {
        (measure, name): loss
        for measure, of_models in {COST: losses.costs, **losses.further}.items()
        for name, loss in of_models.items()
    }
    columns = {key: f"{key[0]}:{key[1]}" for key in further}
    frame = frame.with_columns(loss.alias(columns[key]) for key, loss in further.items())
    measures |= {key: mean(pl.col(column), context.weight) for key, column in columns.items()}
    keys = [key for key in KEYS if key in frame.columns]
    values = {f"m{place}": value for place, value in enumerate(measures.values())}
    table = frame.group_by(keys, maintain_order=True).agg(rows=pl.len().cast(pl.Float64), **values)
    of_named, compared = compared_by_fold(context, losses, keys, of_parts, frozenset(measures))
    if compared:
        table = table.join(of_named, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return in_order(table, [*measures, *compared])


def in_order(parts: pl.DataFrame, measures: Sequence[tuple[str, str]]) -> DataFrame[FoldMetrics]:
    """The table of parts in the order of their names, test parts first; numbers as numbers.

    ``parts`` has ``rows``, any of the keys of a part, and a column ``m0 m1 …``
    for each of ``measures``, which are pairs of metric and model.
    """
    keys = [key for key in KEYS if key in parts.columns]
    order = [pl.col(key).cast(pl.Float64, strict=False) for key in keys]
    missing = {key: pl.lit(None, pl.String) for key in KEYS if key not in keys}
    if "role" in missing:
        missing["role"] = pl.lit("test")
    ordered = parts.sort(*order, *keys, nulls_last=True).with_columns(**missing)
    ordered = ordered.sort("role", maintain_order=True)
    return FoldMetrics.validate(
        pl.concat(
            ordered.select(
                metric=pl.lit(metric),
                model=pl.lit(model),
                **{key: pl.col(key) for key in KEYS},
                rows="rows",
                value=pl.col(f"m{place}").cast(pl.Float64),
            )
            for place, (metric, model) in enumerate(measures)
        )
    )


def _trained(frame: pl.DataFrame) -> bool:
    return "role" in frame.columns and bool((frame["role"] == "train").any())


def _measure(context: EvaluationContext, losses: Losses, name: str) -> pl.Expr:
    loss = mean(losses.of[name], context.weight)
    return loss if losses.measure == losses.error else 1 - loss


def _absolute(context: EvaluationContext, losses: Losses, name: str) -> pl.Expr:
    """The mean absolute error, which decides where a few errors outweigh all other squares."""
    return mean((pl.col("truth") - losses.predicted[name]).abs(), context.weight)
