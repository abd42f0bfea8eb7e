"""Confusion counts of decisions: one row per model, summed in one pass."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.frames import FrameLike, polars_frame
from reportgen.metric_names import CELLS, OUTCOMES
from reportgen.tables import Counts


def counts(
    frame: FrameLike,
    *,
    truth: str = "truth",
    predicted: Mapping[str, pl.Expr] | str = "predicted",
    weight: str | None = None,
) -> DataFrame[Counts]:
    """Count correct and wrong predictions, one row per model.

    ``truth`` is a Boolean column (true: positive). ``predicted`` is a Boolean
    column, or one Boolean expression per model. Returns ``model``, ``tp fp fn
    tn`` and ``tp2 fp2 fn2 tn2``, the sums of squared weights that intervals
    need (the counts again where rows are not weighted). Rows where truth or
    prediction is null are not counted. Zhou (2016), table 2.1.

    Args:
        frame: rows: a Polars, pandas or PyArrow table, or a mapping of columns.
        truth: the Boolean column of the truth.
        predicted: the Boolean column of predictions, or an expression of it for each model.
        weight: the column of weights; None where every row counts once.

    Returns:
        One row per model, as above. Counts are in rows, or in weight; 0 where none.

    >>> frame = pl.DataFrame({"truth": [True, True, False], "predicted": [True, False, False]})
    >>> counts(frame).select("tp", "fp", "fn", "tn").row(0)
    (1.0, 0.0, 1.0, 1.0)
    """
    decisions = {predicted: pl.col(predicted)} if isinstance(predicted, str) else predicted
    powers = ("", "2") if weight else ("",)
    sums = [
        _sum(cell, pl.col(truth), prediction, weight, power).alias(f"{i}:{name}{power}")
        for i, prediction in enumerate(decisions.values())
        for name, cell in OUTCOMES.items()
        for power in powers
    ]
    # Sums of weights must not depend on how the rows are cut; whole numbers cannot.
    totals = (
        polars_frame(frame).lazy().select(sums).collect(engine="in-memory" if weight else "auto")
    )
    counted = totals.row(0, named=True)
    rows = [
        {
            "model": model,
            **{name: float(counted[f"{i}:{name}"]) for name in CELLS},
            **{f"{name}2": float(counted[f"{i}:{name}{powers[-1]}"]) for name in CELLS},
        }
        for i, model in enumerate(decisions)
    ]
    return Counts.validate(pl.DataFrame(rows))


def _sum(
    outcome: tuple[bool, bool], truth: pl.Expr, prediction: pl.Expr, weight: str | None, power: str
) -> pl.Expr:
    is_positive, predicted_positive = outcome
    correct = (truth if is_positive else ~truth) & (
        prediction if predicted_positive else ~prediction
    )
    if weight is None:
        return correct.sum()
    weights = pl.col(weight) ** 2 if power else pl.col(weight)
    return pl.when(correct).then(weights).otherwise(0.0).sum()
