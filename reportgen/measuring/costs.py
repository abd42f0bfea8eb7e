"""What errors cost: by row where they differ, and 1 each where none are declared."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import exp, isclose, isfinite
from typing import TypeVar

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.clusters import Groups, mean_effect
from reportgen.column_statistics import as_float
from reportgen.intervals import normal_quantile
from reportgen.intervals.method_names import MethodName
from reportgen.measuring.binary_model import BinaryModel, predicted_positive
from reportgen.measuring.context import UNDECLARED_COSTS, EvaluationContext
from reportgen.measuring.costed_rows import CostRows, at_prevalence
from reportgen.measuring.grouped import GroupedRows
from reportgen.measuring.own_cost_limits import POSSIBLE_COSTS, own_cost_limits
from reportgen.metric_names import OF_UNIT_COSTS
from reportgen.metrics.settings import ErrorCosts
from reportgen.records.model import typed
from reportgen.records.rows import rows_of
from reportgen.spec import Costs, Spec
from reportgen.spec.costs import CostColumn
from reportgen.tables import Differences
from reportgen.tables.comparisons import DifferenceRow
from reportgen.tables.results import MetricRow
from reportgen.tasks import TASKS

OWN_COSTS = {"cost_false_negative", "cost_false_positive"}
"""Columns of costs that differ from row to row."""

OF_ROWS = "mean of rows"
"""The interval of what rows save: mean ± z standard errors."""


def fixed_costs(spec: Spec) -> ErrorCosts:
    """The declared cost of each kind of error; 1 where none is declared, or rows have their own."""
    costs = spec.costs if isinstance(spec.costs, Costs) else UNDECLARED_COSTS

    def fixed(cost: float | CostColumn) -> float:
        return 1.0 if isinstance(cost, CostColumn) else float(cost)

    return {
        "false_negative": fixed(costs.false_negative),
        "false_positive": fixed(costs.false_positive),
    }


def row_cost(rows: pl.DataFrame, predicted: pl.Expr, costs: ErrorCosts) -> pl.Expr:
    """What each row costs under a decision, its own cost where rows have one; null without."""
    return error_cost(rows, costs) * (pl.col("truth") != predicted).cast(pl.Float64)


def error_cost(rows: pl.DataFrame, costs: ErrorCosts) -> pl.Expr:
    """What a wrong decision about each row costs, its own cost where rows have one."""
    false_negative, false_positive = _of_kinds(rows, costs)
    return pl.when(pl.col("truth")).then(false_negative).otherwise(false_positive)


def cost_rows(context: EvaluationContext, rows: pl.DataFrame, score: str) -> CostRows:
    """The rows by what a wrong decision about them costs, at the prevalence that is stated."""
    weight, unit = context.weight, context.unit
    false_negative, false_positive = _of_kinds(rows, context.error_costs)
    frame = rows.select(
        score=pl.col(score).cast(pl.Float64),
        positive="truth",
        costs=pl.when("truth").then(false_negative).otherwise(false_positive).cast(pl.Float64),
        weight=pl.col(weight).cast(pl.Float64) if weight else pl.lit(1.0),
    )
    group = None if unit is None else Groups.of(rows[unit]).code
    of_rows = CostRows(
        frame["score"].to_numpy(),
        frame["positive"].to_numpy(),
        frame["costs"].to_numpy(),
        frame["weight"].to_numpy(),
        group,
    )
    stated = context.spec.prevalence
    return at_prevalence(of_rows, None if stated is None else float(stated))


def with_row_costs(
    numbers: Sequence[MetricRow],
    model: BinaryModel,
    rows: pl.DataFrame,
    context: EvaluationContext,
) -> list[MetricRow]:
    """The numbers with the measures of cost summed from each row's own costs.

    The interval of the mean is ``own_cost_limits``, of rows in groups that of the sums by group.
    That of the savings is of what each row saves; the other sums and shares have none.
    """
    table = _cost_table(model, rows, context.error_costs, context.weight)
    exact = _exact(table)
    mean = exact["cost_sensitive_error_rate"]
    limits, method = _limits_of_mean(mean, table, model, context)
    saved = _limits_of_savings(table, model, context)

    grouped = isinstance(model.grouped, GroupedRows)
    of_savings = str(MethodName(OF_ROWS, "groups")) if grouped else OF_ROWS

    def summed(row: MetricRow) -> MetricRow:
        if row["metric"] not in exact:
            return row
        value = exact[row["metric"]]
        low = high = interval = None
        if row["metric"] == "cost_sensitive_error_rate" and limits is not None:
            (low, high), interval = limits, method
        if row["metric"] == "savings" and value is not None and saved is not None:
            (low, high), interval = saved, of_savings
        return {**row, "value": value, "low": low, "high": high, "interval": interval}

    return [summed(row) for row in numbers]


def _cost_table(
    model: BinaryModel, rows: pl.DataFrame, costs: ErrorCosts, weight: str | None
) -> pl.DataFrame:
    """What the decision about each row costs, what it could cost, and what either guess would."""
    false_negative, false_positive = _of_kinds(rows, costs)
    positive, predicted = pl.col("truth"), predicted_positive(model.columns, model.threshold)
    return rows.select(
        positive=positive,
        wrong=positive != predicted,
        possible=error_cost(rows, costs).cast(pl.Float64),
        cost=row_cost(rows, predicted, costs),
        negative_guess=false_negative * positive,
        positive_guess=false_positive * ~positive,
        weight=pl.col(weight).cast(pl.Float64) if weight else pl.lit(1.0),
    )


def _limits_of_mean(
    mean: float | None, table: pl.DataFrame, model: BinaryModel, context: EvaluationContext
) -> tuple[tuple[float, float] | None, str]:
    """The limits of the mean cost, None where there are none, and their method."""
    confidence = context.spec.confidence
    if isinstance(model.grouped, GroupedRows):
        by_group = str(MethodName(OF_ROWS, "groups"))
        error = _of_groups(table["cost"], model.grouped, context) ** 0.5
        if not mean or error <= 0:
            return None, by_group
        # on the scale of the logarithm: costs are skewed
        relative = normal_quantile(confidence) * error / mean
        return (mean * exp(-relative), mean * exp(relative)), by_group
    decided = table.drop_nulls(["possible", "wrong", "positive", "weight"])
    if decided.is_empty():
        return None, POSSIBLE_COSTS
    possible, wrong, positive, weight = (
        decided[name].to_numpy() for name in ("possible", "wrong", "positive", "weight")
    )
    limits = own_cost_limits(possible, wrong, positive, weight, confidence, model.repeats)
    return limits, POSSIBLE_COSTS


def _limits_of_savings(
    table: pl.DataFrame, model: BinaryModel, context: EvaluationContext
) -> tuple[float, float] | None:
    """Limits of the savings, of what rows cost less than under either guess (delta method).

    Which guess is the cheaper one is only known from the rows: each limit is the lower one of the
    limits of the savings relative to either (intersection-union).
    """
    cost, w, ends = pl.col("cost"), pl.col("weight"), []
    confidence = context.spec.confidence
    total = (w * cost).sum()
    for guess in (pl.col("negative_guess"), pl.col("positive_guess")):
        of_guess = (w * guess).sum()
        share = total / of_guess
        saved = table.select(adds=share * guess - cost, of_guess=of_guess, value=1 - share)
        value, scale = saved["value"][0], as_float(saved["of_guess"][0], 0.0)
        if not (isfinite(value) and scale > 0):
            continue
        variance = as_float((table["weight"] * saved["adds"]).pow(2).sum(), 0.0) * model.repeats
        if isinstance(model.grouped, GroupedRows):
            size = as_float(table["weight"].sum(), 0.0)
            variance = _of_groups(saved["adds"], model.grouped, context) * size**2
        variance /= scale**2
        half_width = normal_quantile(confidence) * variance**0.5
        if half_width > 0 or value < 1:  # deciding as the guess saves nothing for certain
            ends.append((value - half_width, value + half_width))
    if not ends:
        return None
    return min(low for low, _ in ends), min(1.0, *(high for _, high in ends))


def _of_groups(cost: pl.Series, rows: GroupedRows, context: EvaluationContext) -> float:
    """Robust variance of the mean cost, inflated for limits by t; 0 where it is unknown."""
    of_rows = rows.in_order(cost.cast(pl.Float64).to_numpy())
    effect = mean_effect(of_rows, rows.groups, rows.weights)
    variance = 0.0 if effect is None else effect[0] * effect[1].inflation(context.spec.confidence)
    return variance if variance > 0 else 0.0


def _exact(table: pl.DataFrame) -> dict[str, float | None]:
    """Total, mean, normalised and saved cost."""
    w = pl.col("weight")
    sums = table.select(
        total=(w * pl.col("cost")).sum(),
        negative_guess=(w * pl.col("negative_guess")).sum(),
        positive_guess=(w * pl.col("positive_guess")).sum(),
        weight=w.sum(),
    ).row(0, named=True)
    total, size = sums["total"], sums["weight"]
    guesses = sums["negative_guess"], sums["positive_guess"]
    cheaper, worst = min(guesses), sum(guesses)
    return {
        "total_cost": total,
        "cost_sensitive_error_rate": total / size if size else None,
        "normalised_cost": total / worst if worst else None,
        "savings": 1 - total / cheaper if cheaper else None,
    }


def _of_kinds(rows: pl.DataFrame, costs: ErrorCosts) -> tuple[pl.Expr, pl.Expr]:
    """Cost of missing a row, and of a false alarm at it."""

    def of_kind(column: str, fixed: float) -> pl.Expr:
        return pl.col(column) if column in rows.columns else pl.lit(fixed)

    return (
        of_kind("cost_false_negative", costs["false_negative"]),
        of_kind("cost_false_positive", costs["false_positive"]),
    )


ERROR_RATE = "error_rate"

CostedRow = TypeVar("CostedRow", MetricRow, DifferenceRow)


def with_error_rate(rows: Sequence[MetricRow], spec: Spec, task: str) -> list[MetricRow]:
    """The measures of every model, costs of 1 each with the interval of the error rate."""

    def whose(row: MetricRow) -> Hashable:
        return row["model"], row["slice"], row["class"], row["average"]

    return _same_interval(rows, whose) if _unit_costs(spec, task) else list(rows)


def with_error_differences(
    differences: DataFrame[Differences], spec: Spec, task: str
) -> DataFrame[Differences]:
    """The differences of every pair, those of costs of 1 with the interval of the error rates."""

    def whose(row: DifferenceRow) -> Hashable:
        return tuple(row["models"])

    if not _unit_costs(spec, task):
        return differences
    return typed(Differences, _same_interval(rows_of(differences, DifferenceRow), whose))


def _unit_costs(spec: Spec, task: str) -> bool:
    return spec.costs is None and TASKS[task].two_classes


def _same_interval(
    rows: Sequence[CostedRow], whose: Callable[[CostedRow], Hashable]
) -> list[CostedRow]:
    errors = {whose(row): row for row in rows if row["metric"] == ERROR_RATE}
    return [
        _with_interval(row, errors.get(whose(row))) if row["metric"] in OF_UNIT_COSTS else row
        for row in rows
    ]


def _with_interval(row: CostedRow, error: CostedRow | None) -> CostedRow:
    value = row["value"]
    if error is None or error["low"] is None or error["value"] is None or value is None:
        return row
    if not isclose(value, error["value"], rel_tol=1e-9, abs_tol=1e-12):
        return row
    row = row.copy()
    row["low"], row["high"], row["interval"] = error["low"], error["high"], error["interval"]
    return row
