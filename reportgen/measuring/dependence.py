"""How rows of a group depend on each other: design effects, and AUCs within groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import (
    FEW,
    Effect,
    Groups,
    intraclass_correlation,
    mean_effect,
    t_quantile,
)
from reportgen.comparisons import diebold_mariano_groups
from reportgen.comparisons.grouped import mean_difference_in_groups
from reportgen.comparisons.records import Question
from reportgen.leverage import effective_groups, groups_needed
from reportgen.measuring.context import EvaluationContext, TaskResults, rows_with_output
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.pairs_within_groups import (
    area_within_groups,
    differences_within_groups,
    pairs_in_order,
)
from reportgen.predictions.column_names import slice_column
from reportgen.records.groups import GroupMeasure, GroupsRecord


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
    groups, of_rows = Groups.of(rows["group"]), context.weights_of(rows)
    weights = None if of_rows is None else groups.sums(of_rows)
    sizes = groups.sizes.astype(np.float64)
    record = record_of_sizes(sizes, list(_measures(context, task_results)), weights)
    record["in_time"] = _in_time(context, task_results)
    single = [names[0] for names in context.slicings if len(names) == 1]
    if nested := slices_of_groups(rows, single):
        record["nested_in"] = nested
    if context.spec.privacy.small_cells:
        return record
    record["identical"] = context.predictions.identical_in_groups or 0
    record["crossed"] = context.predictions.crossed
    if rows.schema.get("truth") != pl.Boolean:
        return record
    scores = task_results.losses.scores if weights is None else {}
    truth, confidence = rows["truth"].to_numpy(), context.spec.confidence
    pairs = {
        MetricSubject(model, confidence=confidence): in_order
        for model, score in scores.items()
        if (in_order := pairs_in_order(groups, truth, rows[score])) is not None
    }
    return {
        **record,
        "within": [area_within_groups(each, number) for number, each in pairs.items()],
        "differences_within": differences_within_groups(pairs),
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
    """How many times as wide limits of a mean loss are that also allow for time points.

    Where groups lose the same at all time points, all of them are worth one: √G times.
    """
    if "point" not in context.rows.columns or context.weight is not None:
        return None
    widest = None
    columns = {model.name: model for model in context.predictions.models}
    for name, loss in task_results.losses.of.items():
        rows = rows_with_output(context.rows, columns[name])
        losses = rows.select("point", first=loss.cast(pl.Float64), second=pl.lit(0.0))
        groups, question = Groups.of(rows["group"]), Question((name, name), "mean_absolute_error")
        mean = mean_difference_in_groups(losses["first"], losses["second"], groups)
        if mean.reason is not None and losses["first"].n_unique() > 1:
            widest = max(widest or 0.0, groups.number**0.5)
            continue
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
        weights = context.weights_of(rows)
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


LEAST_VALUES, MOST_VALUES = 3, 20
"""Fewer values, as of a sex, are all that there are; of more a report says little of each."""


def slices_of_groups(rows: pl.DataFrame, columns: Iterable[str]) -> list[str]:
    """The columns of slices with a few values, of which each group has one.

    Args:
        rows: the evaluated rows, with ``group`` where they come in groups.
        columns: the names of the columns of slices.

    Returns:
        The columns in which no group has two values, and more groups than values. None without
        groups.

    >>> rows = pl.DataFrame({"group": [0, 1, 2, 3], slice_column("site"): ["a", "b", "c", "c"]})
    >>> slices_of_groups(rows, ["site"])
    ['site']
    """
    if "group" not in rows.columns:
        return []
    nested = []
    for name in columns:
        pairs = rows.select("group", slice_column(name)).unique()
        values = pairs[slice_column(name)].n_unique()
        lie_in_one = not pairs["group"].is_duplicated().any()
        if lie_in_one and LEAST_VALUES <= values <= MOST_VALUES and values < pairs.height:
            nested.append(name)
    return nested
