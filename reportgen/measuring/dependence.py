"""How rows of a group depend on each other: design effects, and AUCs within groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import (
    FEW,
    Effect,
    Groups,
    correction,
    degrees_of_freedom,
    intraclass_correlation,
    mean_effect,
    t_quantile,
)
from reportgen.comparisons import diebold_mariano_groups
from reportgen.comparisons.grouped import mean_difference_in_groups
from reportgen.comparisons.records import Question
from reportgen.leverage import effective_groups, groups_needed
from reportgen.measuring.context import EvaluationContext, TaskResults, rows_with_output
from reportgen.records.groups import (
    AreaWithinGroups,
    DifferenceWithinGroups,
    GroupMeasure,
    GroupsRecord,
)


def groups_record(context: EvaluationContext, task_results: TaskResults) -> GroupsRecord | None:
    """The groups of the evaluated rows and what they do to the measures; null without a column.

    ``measures`` has for each model the design effect D of its main measure and
    of its AUC, the intraclass correlation of its losses, and the rows that
    these are worth, n/D (of weighted rows Kish's size over D). ``few`` says that
    limits which allow for the groups are rough, ``too_unequal`` why they do not hold.
    Rao & Scott (1992), doi:10.2307/2532311; Donner (1986), doi:10.2307/1403259.
    """
    if "group" not in context.predictions.frame.columns:
        return None
    rows = context.rows
    if "group" not in rows.columns:
        return record_of_sizes(np.ones(rows.height), ())
    groups, weight = Groups.of(rows["group"]), context.weight
    weights = None if weight is None else groups.sums(rows[weight].cast(pl.Float64).to_numpy())
    sizes = groups.sizes.astype(np.float64)
    record = record_of_sizes(sizes, list(_measures(context, task_results)), weights)
    record["in_time"] = _in_time(context, task_results)
    if context.spec.privacy.small_cells:
        return record
    record["identical"] = context.predictions.identical_in_groups or 0
    record["crossed"] = context.predictions.crossed
    if rows.schema.get("truth") != pl.Boolean:
        return record
    scores = task_results.losses.scores if weights is None else {}
    areas = (
        area_within_groups(rows, model, score, context.spec.confidence)
        for model, score in scores.items()
    )
    return {
        **record,
        "within": [area for area in areas if area is not None],
        "differences_within": differences_within_groups(rows, scores, context.spec.confidence),
        "matched": _matched(rows, groups),
        "with_positives": rows.filter("truth")["group"].n_unique(),
        "with_negatives": rows.filter(~pl.col("truth"))["group"].n_unique(),
    }


def _matched(rows: pl.DataFrame, groups: Groups) -> tuple[int, int] | None:
    """How many positives and negatives each group has; null where they differ, or one has none.

    Of few groups that may be so by chance.
    """
    sizes, positive = groups.sizes, groups.sums(rows["truth"].to_numpy().astype(np.float64))
    if len(sizes) < FEW or np.ptp(sizes) or np.ptp(positive) or not 0 < positive[0] < sizes[0]:
        return None
    return int(positive[0]), int(sizes[0] - positive[0])


def record_of_sizes(
    sizes: Floats, measures: Sequence[GroupMeasure], weights: Floats | None = None
) -> GroupsRecord:
    """The record of groups with so many rows, and such sums of weights."""
    worth = effective_groups(sizes if weights is None else weights) if len(sizes) else None
    needed = groups_needed(worth, len(sizes), weighted=weights is not None)
    of = "size" if weights is None else "weight"
    return {
        "number": len(sizes),
        "largest": int(sizes.max(initial=0)),
        "mean_rows": float(sizes.mean()) if len(sizes) else None,
        "effective": effective_groups(sizes) if len(sizes) else None,
        "few": len(sizes) < FEW,
        "too_unequal": None
        if needed is None
        else f"the {len(sizes):,} groups are worth {worth:.2g} of equal {of}, and limits and tests "
        f"by group hold their level from {needed} on",
        "measures": list(measures),
    }


def _in_time(context: EvaluationContext, task_results: TaskResults) -> float | None:
    """How many times as wide limits of a mean loss are that also allow for points of time."""
    if "point" not in context.rows.columns or context.weight is not None:
        return None
    widest = None
    columns = {model.name: model for model in context.predictions.models}
    for name, loss in task_results.losses.of.items():
        rows = rows_with_output(context.rows, columns[name])
        losses = rows.select("point", first=loss.cast(pl.Float64), second=pl.lit(0.0))
        groups, question = Groups.of(rows["group"]), Question((name, name), "mean_absolute_error")
        mean = mean_difference_in_groups(losses["first"], losses["second"], groups)
        both = diebold_mariano_groups(losses, groups, question)
        if both.low is None or both.high is None or not mean.error:
            continue
        half = mean.error * t_quantile(question.confidence, mean.df)
        widest = max(widest or 0.0, (both.high - both.low) / 2 / half)
    return widest


def _measures(context: EvaluationContext, task_results: TaskResults) -> Iterator[GroupMeasure]:
    """A record for each model and measure that has a design effect."""
    losses = task_results.losses
    columns = {model.name: model for model in context.predictions.models}
    for name, loss in losses.of.items():
        rows = rows_with_output(context.rows, columns[name])
        groups, lost = Groups.of(rows["group"]), rows.select(loss.cast(pl.Float64)).to_series()
        weights = (
            None if context.weight is None else rows[context.weight].cast(pl.Float64).to_numpy()
        )
        size = float(rows.height) if weights is None else weights.sum() ** 2 / (weights**2).sum()
        if lost.null_count() == 0 and (mean := mean_effect(lost.to_numpy(), groups, weights)):
            correlation = intraclass_correlation(lost.to_numpy(), groups)
            yield group_measure(name, losses.measure, size, mean[1], correlation)
        if name in losses.scores:
            yield group_measure(name, "auc", size, task_results.area_effects[name])


def group_measure(
    model: str, metric: str, size: float, effect: Effect, correlation: float = math.nan
) -> GroupMeasure:
    """What groups do to a measure of a model; rows are never worth more than their number."""
    return {
        "model": model,
        "metric": metric,
        "design_effect": _finite(effect.design),
        "intraclass_correlation": _finite(correlation),
        "effective_rows": _finite(size / max(effect.design, 1.0)) if effect.design else None,
        "degrees_of_freedom": _finite(effect.degrees_of_freedom),
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


FEWEST = 10
"""Fewer groups with both classes say little."""

MOST_COMPARED = 10
"""So many models are set against each other within groups."""


def area_within_groups(
    rows: pl.DataFrame, model: str, score: str, confidence: float
) -> AreaWithinGroups | None:
    """The share of pairs of one group that are in order, ties as one half.

    Args:
        rows: A ``group``, a Boolean ``truth`` and the score of each row.
        model: The model's name.
        score: The column of its scores.
        confidence: That of the limits, from the sums by group (t).

    Returns:
        The record, null with fewer than ``FEWEST`` groups that have both classes.

    Reference: Obuchowski (1997), doi:10.2307/2533958, of whose pairs these are those within
    clusters; of a ratio of sums: Cochran (1977), *Sampling Techniques*, 2.11.

    >>> rows = pl.DataFrame({
    ...     "group": [g for g in range(10) for _ in "ab"],
    ...     "truth": [True, False] * 10, "p": [0.9, 0.4] * 9 + [0.1, 0.2],
    ... })
    >>> one = area_within_groups(rows, "m", "p", 0.95)
    >>> one["value"], one["groups"], one["pairs"]
    (0.9, 10, 10)
    """
    in_order = _pairs_in_order(rows, score)
    if in_order is None:
        return None
    pairs, ordered = in_order["pairs"].to_numpy(), in_order["ordered"].to_numpy()
    value, half = _of_pairs(ordered, pairs, confidence)
    return {
        "model": model,
        "value": value,
        "low": max(0.0, value - half),
        "high": min(1.0, value + half),
        "groups": in_order.height,
        "pairs": round(float(pairs.sum())),
    }


def differences_within_groups(
    rows: pl.DataFrame, scores: Mapping[str, str], confidence: float
) -> list[DifferenceWithinGroups]:
    """How far the AUCs of two models lie apart in the pairs of one group, by the same groups.

    Args:
        rows: A ``group``, a Boolean ``truth`` and the scores.
        scores: The column of each model's scores; of the first ``MOST_COMPARED`` models.
        confidence: That of the limits of each difference alone, from the sums by group (t).

    Returns:
        A record for every two models that score the same rows; none with fewer than ``FEWEST``
        groups that have both classes.

    Reference: as of ``area_within_groups``.

    >>> rows = pl.DataFrame({
    ...     "group": [g for g in range(10) for _ in "ab"], "truth": [True, False] * 10,
    ...     "p": [0.9, 0.4] * 9 + [0.1, 0.2], "q": [0.9, 0.4] * 5 + [0.1, 0.2] * 5,
    ... })
    >>> [one] = differences_within_groups(rows, {"m": "p", "n": "q"}, 0.95)
    >>> one["first"], one["second"], round(one["value"], 3), one["low"] < 0.4 < one["high"]
    ('m', 'n', 0.4, True)
    """
    tables = {
        model: table
        for model, score in list(scores.items())[:MOST_COMPARED]
        if (table := _pairs_in_order(rows, score)) is not None
    }
    result: list[DifferenceWithinGroups] = []
    for (first, one), (second, other) in combinations(tables.items(), 2):
        if not one.select("group", "pairs").equals(other.select("group", "pairs")):
            continue
        apart = (one["ordered"] - other["ordered"]).to_numpy()
        value, half = _of_pairs(apart, one["pairs"].to_numpy(), confidence)
        result.append(
            {
                "first": first,
                "second": second,
                "value": value,
                "low": max(-1.0, value - half),
                "high": min(1.0, value + half),
            }
        )
    return result


def _pairs_in_order(rows: pl.DataFrame, score: str) -> pl.DataFrame | None:
    """The pairs of each group with both classes, and how many a score puts in order, ties half."""
    known = rows.select("group", "truth", score=pl.col(score)).drop_nulls()
    ranked = known.with_columns(rank=pl.col("score").rank("average").over("group"))
    positives = pl.col("truth").sum().cast(pl.Float64)
    by_group = (
        ranked.group_by("group", maintain_order=True)
        .agg(
            pairs=positives * (pl.len() - positives),
            ordered=pl.col("rank").filter("truth").sum() - positives * (positives + 1) / 2,
        )
        .filter(pl.col("pairs") > 0)
    )
    return None if by_group.height < FEWEST else by_group


def _of_pairs(sums: Floats, pairs: Floats, confidence: float) -> tuple[float, float]:
    """A ratio of sums by group, and half the width of its limits."""
    whole = float(pairs.sum())
    value = float(sums.sum() / whole)
    apart = (sums - value * pairs) / whole
    error = math.sqrt(float(np.square(apart).sum()) * correction(len(apart)))
    return value, t_quantile(confidence, degrees_of_freedom(apart)) * error
