"""Comparisons of rows that are in order of time."""

from __future__ import annotations

from itertools import combinations

import polars as pl

from reportgen.comparisons import Comparison, diebold_mariano
from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.measuring.losses import Losses
from reportgen.measuring.significance_settings import WEIGHTED, TestSettings


def compared_in_time(
    rows: pl.DataFrame, losses: Losses, settings: TestSettings, horizon: int | None
) -> list[Comparison]:
    """Diebold-Mariano of every pair on the mean loss at each point of time; else nothing.

    The effect is of the measure that the report's tests speak of: of accuracy
    where a loss is that of a wrong decision; of squared errors their sizes are compared, too.
    """
    if "time" not in rows.columns:
        return []
    ordered = sorted(losses.models, key=lambda name: name == settings.baseline)
    pairs = combinations(ordered, 2)
    return [r for pair in pairs for r in _of_pair(rows, losses, settings, pair, horizon)]


def _of_pair(
    rows: pl.DataFrame,
    losses: Losses,
    settings: TestSettings,
    pair: tuple[str, str],
    horizon: int | None,
) -> list[Comparison]:
    first, second = (losses.of[name].cast(pl.Float64) for name in pair)
    if losses.kind == "zero_one":
        first, second = 1 - first, 1 - second
    of_measures = {losses.measure: (first, second)}
    if losses.kind == "squared":
        of_measures[ABSOLUTE] = (first.sqrt(), second.sqrt())
    reason = settings.unpaired or (WEIGHTED if settings.weight else None)
    records: list[Comparison] = []
    for measure, both in of_measures.items():
        question = settings.question(pair, measure)
        if reason:
            nothing = pl.DataFrame(schema={"first": pl.Float64, "second": pl.Float64})
            records += [r.undefined_because(reason) for r in diebold_mariano(nothing, question)]
        else:
            records += diebold_mariano(_points(rows, *both), question, horizon=horizon)
    return records


def _points(rows: pl.DataFrame, first: pl.Expr, second: pl.Expr) -> pl.DataFrame:
    """The mean loss of both models at each point of time, oldest first."""
    points = rows.select("point", first=first, second=second).drop_nulls()
    points = points.sort("point", maintain_order=True)
    again = (points["point"] == points["point"].shift()).any()
    return points.group_by("point", maintain_order=True).mean() if again else points
