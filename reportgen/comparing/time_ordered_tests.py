"""Comparisons of rows that are in order of time."""

from __future__ import annotations

from itertools import combinations

import polars as pl

from reportgen.clusters import Groups
from reportgen.comparisons import (
    Comparison,
    Question,
    delong_groups_long_run,
    delong_long_run,
    diebold_mariano,
    diebold_mariano_groups,
)
from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.measuring.context import WEIGHTED, Losses, TestSettings

OF_POINTS, OF_GROUPS = ("diebold_mariano", "diebold_mariano_lags"), ("diebold_mariano_groups",)
"""The tests of losses: of points of time, and of rows in groups over time."""


def compared_in_time(
    rows: pl.DataFrame, losses: Losses, settings: TestSettings, horizon: int | None
) -> list[Comparison]:
    """Tests of every pair in order of time; without a column of time nothing.

    Diebold and Mariano's of the mean loss at each point, and of scores DeLong's with a long-run
    variance; of rows in groups their forms for clustered rows. The effect is of the measure
    that the report's tests speak of: of accuracy
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
            tests = OF_POINTS if settings.groups is None else OF_GROUPS
            records += question.undefined(reason, *tests)
        elif settings.groups is not None:
            of_rows = rows.select("point", first=both[0], second=both[1])
            records.append(diebold_mariano_groups(of_rows, settings.groups, question))
        else:
            records += diebold_mariano(_points(rows, *both), question, horizon=horizon)
    if set(pair) <= losses.scores.keys():
        question = settings.question(pair, "auc")
        records.append(_of_areas(rows, losses, question, settings.groups, reason))
    return records


def _of_areas(
    rows: pl.DataFrame,
    losses: Losses,
    question: Question,
    groups: Groups | None,
    reason: str | None,
) -> Comparison:
    """The test of the AUCs of two models, or why there is none."""
    if reason:
        name = "delong_long_run" if groups is None else "delong_groups_long_run"
        return question.undefined(reason, name)[0]
    first, second = (losses.scores[name] for name in question.models)
    scores = rows.select("point", "truth", first=first, second=second)
    if groups is not None:
        return delong_groups_long_run(scores, groups, question)
    return delong_long_run(scores, question)


def _points(rows: pl.DataFrame, first: pl.Expr, second: pl.Expr) -> pl.DataFrame:
    """The mean loss of both models at each point of time, oldest first."""
    points = rows.select("point", first=first, second=second).drop_nulls()
    points = points.sort("point", maintain_order=True)
    again = (points["point"] == points["point"].shift()).any()
    return points.group_by("point", maintain_order=True).mean() if again else points
