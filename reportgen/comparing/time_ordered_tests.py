"""Comparisons of rows that are in order of time."""

from __future__ import annotations

from collections.abc import Sequence
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
    diebold_mariano_several,
)
from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.comparisons.registry import forms_of
from reportgen.measuring.context import Losses, TestSettings
from reportgen.text.reasons import WEIGHTED


def compared_in_time(
    rows: pl.DataFrame, losses: Losses, settings: TestSettings, horizon: int | None
) -> list[Comparison]:
    """Tests of every pair in order of time; without a column of time nothing.

    Diebold and Mariano's of the mean loss at each point, also of all models at once, and of
    scores DeLong's with a long-run variance; of rows in groups their forms for clustered rows. The
    effect is of accuracy where a loss is that of a wrong decision; of squared errors their sizes
    are compared, too.
    """
    if "time" not in rows.columns:
        return []
    ordered = sorted(losses.models, key=lambda name: name == settings.baseline)
    records = _of_several(rows, losses, settings, ordered) if len(ordered) > 2 else []
    pairs = combinations(ordered, 2)
    return [
        *records,
        *(r for pair in pairs for r in _of_pair(rows, losses, settings, pair, horizon)),
    ]


def _of_several(
    rows: pl.DataFrame, losses: Losses, settings: TestSettings, models: Sequence[str]
) -> list[Comparison]:
    """The tests of all models at once: none of rows in groups, nor of weighted or unpaired ones."""
    if settings.unpaired or settings.weight or settings.groups is not None:
        return []
    return [
        diebold_mariano_several(_points(rows, **of), settings.question(tuple(models), measure))
        for measure, of in _by_measure(losses, models).items()
    ]


def _by_measure(losses: Losses, models: Sequence[str]) -> dict[str, dict[str, pl.Expr]]:
    """The losses of models in each measure that is compared; of accuracy whether they are right."""
    of = {name: losses.of[name].cast(pl.Float64) for name in models}
    further = {
        measure: {name: of_models[name] for name in models}
        for measure, of_models in losses.further.items()
        if of_models.keys() >= set(models)
    }
    if losses.kind == "zero_one":
        return {losses.measure: {name: 1 - loss for name, loss in of.items()}, **further}
    roots = {name: loss.sqrt() for name, loss in of.items()}
    return {losses.measure: of, ABSOLUTE: roots, **further}


def _of_pair(
    rows: pl.DataFrame,
    losses: Losses,
    settings: TestSettings,
    pair: tuple[str, str],
    horizon: int | None,
) -> list[Comparison]:
    reason = settings.unpaired or (WEIGHTED if settings.weight else None)
    records: list[Comparison] = []
    for measure, of in _by_measure(losses, pair).items():
        both = {side: of[name] for side, name in zip(("first", "second"), pair, strict=True)}
        question = settings.question(pair, measure)
        if reason:
            made = diebold_mariano if settings.groups is None else diebold_mariano_groups
            records += question.undefined(reason, *forms_of(made))
        elif settings.groups is not None:
            of_rows = rows.select("point", **both)
            records.append(diebold_mariano_groups(of_rows, settings.groups, question))
        else:
            records += diebold_mariano(_points(rows, **both), question, horizon=horizon)
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
        return question.record(name, undefined=reason)
    first, second = (losses.scores[name] for name in question.models)
    scores = rows.select("point", "truth", first=first, second=second)
    if groups is not None:
        return delong_groups_long_run(scores, groups, question)
    return delong_long_run(scores, question)


def _points(rows: pl.DataFrame, **losses: pl.Expr) -> pl.DataFrame:
    """The mean losses of models at each time point, oldest first."""
    points = rows.select("point", **losses).drop_nulls()
    points = points.sort("point", maintain_order=True)
    again = (points["point"] == points["point"].shift()).any()
    return points.group_by("point", maintain_order=True).mean() if again else points
