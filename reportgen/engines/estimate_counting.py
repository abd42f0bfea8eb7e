"""Counts of predictions of a number: exact sums, extremes, and cells of truths and of errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.engines.exact_sums import (
    banded_columns,
    column_of,
    has_any,
    powers,
    product_of,
    summed_by_group,
)
from reportgen.engines.group_counting import plain_lines
from reportgen.engines.number_bins import number_keys, significands
from reportgen.engines.partial import ALL, FITS, TABLES, WEIGHTS, Partial, added, to_fixed_point
from reportgen.engines.plan import Plan
from reportgen.engines.scope import Scope, facts_of, scopes_of
from reportgen.metric_names import MEAN_ERRORS
from reportgen.metrics import REGISTRY
from reportgen.metrics.aggregates import Aggregate, Recorded, aggregates_of, loss_of
from reportgen.metrics.pairs import ERROR, TRUTH
from reportgen.predictions.column_names import output_column
from reportgen.predictions.compared_outputs import compared_outputs
from reportgen.predictions.declared_models import models_of
from reportgen.spec import Spec
from reportgen.spec.measures import evaluated, has_limits_of_sums
from reportgen.spec.outputs import AnyModel
from reportgen.spec.tasks import entries

OF_TRUTH = -1
"""The model of what is counted of the truth alone."""

PAIR = 1000
"""The pair of models a and b is counted as if it were model 1000·(a + 1) + b."""

DIFFERENCE_OF = "difference:{}"
"""What the rows of one model lose less those of another."""

BETWEEN_SLICES = (*MEAN_ERRORS, "mean_error")
"""The losses whose means are compared between slices."""

OF_NUMBERS = ("cells", "decisions", "sums", "ranges")
"""The tables that are filled."""

OF_GROUPS = ("groups", "group_values")
"""Those that are filled too where rows come in groups."""

BY_MOMENTS = {"mean_squared_error": "e·e", "mean_error": "e"}
"""Mean losses whose sums by group are such moments."""

WEIGHT_SUM = "w"
"""The sum of the weights by group."""

OF_ALL = (WEIGHT_SUM, "y", "y·y")
"""The sums by group that are those of any model."""

EXTREMES = ("every", "least", "greatest")
"""The kinds of aggregates of which the least and the greatest value are kept."""

WEIGHTED_TABLES = ("matrix", "decisions", "class_cells", "cells")
"""The tables of counted rows, which have their weights beside them."""

UNWEIGHTED = "rows"
"""Sums of the truth that count each row once, whatever it weighs."""


@dataclass(frozen=True)
class Counted:
    """What is counted of a model: ``aggregates`` of its measures, powers of ``losses`` by name."""

    aggregates: Recorded
    losses: Mapping[str, pl.Expr]


def counted_of(spec_model: AnyModel, spec: Spec) -> Counted:
    """What the measures of a model are made of; powers of those that are means and have limits."""
    level = getattr(spec_model, "level", None) or spec.confidence
    has_interval = getattr(spec_model, "low", None) is not None
    recorded: Recorded = {}
    losses: dict[str, pl.Expr] = {}
    for metric in evaluated(spec, "regression"):
        of_metric = aggregates_of(metric, level)
        roots = {root for aggregate in of_metric.values() for root in aggregate.roots}
        if roots & {"low", "high"} and not has_interval:
            continue
        recorded |= of_metric
        if metric.mean and has_limits_of_sums(metric, spec):
            losses[metric.name] = loss_of(metric, level)
    return Counted(recorded, losses)


def power_name(loss: str, power: int, weights: int) -> str:
    """The sum of Σ w^weights·l^power of a loss l."""
    return f"power:{loss}:{power}:{weights}"


def count_estimates(frame: pl.DataFrame, plan: Plan) -> Partial:
    """Return the sums and cells of rows under canonical names."""
    if not plan.weighted:
        frame = frame.with_columns(weight=pl.lit(1.0))
    scopes, test_rows, facts = scopes_of(frame, plan)
    names = (*OF_NUMBERS, *OF_GROUPS) if plan.grouped else OF_NUMBERS
    tables: dict[str, list[pl.DataFrame]] = {name: [] for name in names}
    for scope in scopes:
        for name, table in _of_scope(scope, plan):
            tables[name].append(table)
    facts |= {"truth": {}, "dtype": ["Float64"]} | facts_of(frame, test_rows, plan)
    return Partial({name: whole(name, t, plan) for name, t in tables.items()}, facts)


def whole(name: str, frames: Sequence[pl.DataFrame], plan: Plan) -> pl.DataFrame:
    """One table of all frames, with weights where rows have any."""
    if name == "group_values":
        return added(name, frames)
    weights = WEIGHTS if plan.weighted and name in WEIGHTED_TABLES else {}
    columns = pl.Schema({**TABLES[name], **weights})
    chosen = [frame.select(columns.names()).cast(columns) for frame in frames]
    return pl.concat(chosen) if chosen else pl.DataFrame(schema=columns)


def _of_scope(scope: Scope, plan: Plan) -> Iterator[tuple[str, pl.DataFrame]]:
    counter = SumCounter.of(scope, weighted=plan.weighted)
    yield "decisions", counter.sizes()
    if plan.grouped:
        yield "groups", plain_lines(scope)
    if scope.number == FITS:
        yield from _of_fits(counter, plan)
        return
    losses: dict[int, dict[str, Floats]] = {}
    by_group: dict[str, Sequence[Floats]] = {}
    of_truth: Recorded = {}
    for k, (_, model) in enumerate(entries(plan.spec)):
        pairs = _pairs(scope.rows, k)
        counted = counted_of(model, plan.spec)
        yield from counter.aggregates(pairs, only(counted.aggregates, of_truth=False), k)
        of_truth |= only(counted.aggregates, of_truth=True)
        yield "cells", counter.cells(pairs.select(ERROR).to_series().to_numpy(), k)
        chosen = counted.losses
        if scope.number != ALL:
            chosen = {n: chosen[n] for n in BETWEEN_SLICES}
        yield from _of_losses(pairs, chosen, counter, k)
        by_group |= _by_group(pairs, counted, counter, k) if plan.grouped else {}
        if scope.number == ALL:
            lost = pairs.select(chosen[name].alias(name) for name in MEAN_ERRORS)
            losses[k] = {name: lost[name].to_numpy() for name in MEAN_ERRORS}
    if plan.grouped:
        yield "group_values", summed_by_group(scope, by_group)
    pairs = _pairs(scope.rows, None)
    yield from counter.aggregates(pairs, of_truth, OF_TRUTH)
    truth = pairs["truth"].to_numpy()
    yield "cells", counter.cells(truth, OF_TRUTH)
    if scope.number != ALL:
        return
    of_powers = enumerate(powers(truth, 2), 1)
    named = ((power_name(UNWEIGHTED, power, 0), pair) for power, pair in of_powers)
    yield "sums", counter.sums(named, OF_TRUTH)
    if not plan.weighted:
        yield from _of_pairs(losses, counter)


def _of_fits(counter: SumCounter, plan: Plan) -> Iterator[tuple[str, pl.DataFrame]]:
    """What the parts of an evaluation are compared in: errors, and further outputs."""
    metrics, rows = REGISTRY["regression"], counter.scope.rows
    squared = aggregates_of(metrics["mean_squared_error"], plan.spec.confidence)
    absolute = aggregates_of(metrics["mean_absolute_error"], plan.spec.confidence)
    models = models_of(plan.spec)
    compared = compared_outputs(models)
    for k, model in enumerate(models):
        lost = {**squared, **absolute}
        for measure in (name for name, names in compared.items() if model.name in names):
            lost |= aggregates_of(metrics[measure], model.level or plan.spec.confidence)
        yield from counter.aggregates(_pairs(rows, k), only(lost, of_truth=False), k)
    yield from counter.aggregates(_pairs(rows, None), only(squared, of_truth=True), OF_TRUTH)


def _by_group(
    pairs: pl.DataFrame, counted: Counted, counter: SumCounter, model: int
) -> dict[str, Sequence[Floats]]:
    """What is added up by group: what rows lose, and the moments of truths and errors."""
    losses = {n: loss for n, loss in counted.losses.items() if n not in BY_MOMENTS}
    rows = pairs.select(pl.lit(1.0).alias(WEIGHT_SUM), TRUTH.alias("y"), ERROR.alias("e"), **losses)
    one, y, e, *lost = (column.cast(pl.Float64).to_numpy() for column in rows.iter_columns())
    moments = {"y": (y, one), "y·y": (y, y), "e": (e, one), "e·e": (e, e), "y·e": (y, e)}
    values = {name: counter.product(*sides) for name, sides in moments.items()}
    values |= {name: counter.product(of, one) for name, of in zip(losses, lost, strict=True)}
    if counter.weight is not None:
        values[WEIGHT_SUM] = (counter.weight,)
    return {
        column_of(OF_TRUTH if name in OF_ALL else model, name): sums
        for name, sums in values.items()
        if model == 0 or name not in OF_ALL
    }


def _of_pairs(
    losses: Mapping[int, Mapping[str, Floats]], counter: SumCounter
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Powers of what the rows of each model lose less those of each other one."""
    for a, b in combinations(losses, 2):
        for name in MEAN_ERRORS:
            difference = losses[a][name] - losses[b][name]
            table = counter.powers(DIFFERENCE_OF.format(name), difference, PAIR * (a + 1) + b)
            yield "sums", table


def _of_losses(
    pairs: pl.DataFrame, losses: Mapping[str, pl.Expr], counter: SumCounter, model: int
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Powers of what each row loses."""
    for column in pairs.select(**losses).iter_columns():
        yield "sums", counter.powers(column.name, column.cast(pl.Float64).to_numpy(), model)


def only(aggregates: Mapping[str, Aggregate], *, of_truth: bool) -> Recorded:
    """Those that are of the truth alone, or the others."""
    return {
        name: a for name, a in aggregates.items() if (a.roots <= {"truth", "weight"}) == of_truth
    }


def _pairs(rows: pl.DataFrame, model: int | None) -> pl.DataFrame:
    outputs = {
        output: name
        for output in ("estimate", "low", "high")
        if model is not None and (name := output_column(output, model)) in rows.columns
    }
    return rows.select("truth", pl.col("weight").cast(pl.Float64), **outputs)


def _floats(column: pl.Series) -> Floats:
    """A column as floats, NaN where it is null; as it stands where it has no null."""
    if column.dtype != pl.Float64:
        column = column.cast(pl.Float64)
    return (column.fill_null(np.nan) if column.null_count() else column).to_numpy()


@dataclass(frozen=True)
class SumCounter:
    """Counts and sums of the rows of a scope by its parts; ``place`` is the part of each row."""

    scope: Scope
    parts: pl.Series
    place: Integers | None
    weight: Floats | None

    @classmethod
    def of(cls, scope: Scope, *, weighted: bool) -> SumCounter:
        """What counts the rows of a scope, which have a weight in any case."""
        parts = pl.Series("part", scope.texts, dtype=pl.String)
        place = scope.rows["part"].to_numpy().astype(np.int64) if len(parts) > 1 else None
        weight = scope.rows["weight"].cast(pl.Float64).to_numpy() if weighted else None
        return cls(scope, parts, place, weight)

    def labelled(self, table: pl.DataFrame, model: int, name: str | None = None) -> pl.DataFrame:
        """A table by ``place`` with its scope, part, model and name."""
        columns = {"scope": pl.lit(self.scope.number), "model": pl.lit(model)}
        if name is not None:
            columns["name"] = pl.lit(name)
        part = self.parts.gather(table["place"]) if table.height else pl.Series(dtype=pl.String)
        return table.with_columns(part.alias("part"), **columns)

    def sizes(self) -> pl.DataFrame:
        """Rows and weights of each part."""
        table = self.by_part().group_by("place").agg(**self.tally())
        return self.labelled(table, 0).with_columns(truth=pl.lit(""), decisions=pl.lit("{}"))

    def tally(self) -> dict[str, pl.Expr]:
        """How many rows there are, and their weights where they have any."""
        if self.weight is None:
            return {"rows": pl.len()}
        w = pl.col("weight")
        sums = {"weight": to_fixed_point(w).sum(), "weight2": to_fixed_point(w**2).sum()}
        return {"rows": pl.len(), **sums}

    def aggregates(
        self, pairs: pl.DataFrame, aggregates: Recorded, model: int
    ) -> Iterator[tuple[str, pl.DataFrame]]:
        """Sums and extremes of what measures are made of."""
        if not aggregates:
            return
        columns = {
            f"{name}|{k}": value.cast(pl.Float64) if a.kind == "every" else value
            for name, a in aggregates.items()
            if a.kind != "quantile"
            for k, value in enumerate(a.values)
        }
        values = pairs.lazy().with_columns(**columns).select(*columns).collect(engine="in-memory")
        of_sums = [a for a in aggregates.values() if a.kind not in (*EXTREMES, "quantile")]
        yield "sums", self.sums(((a.name, self._added(a, values)) for a in of_sums), model)
        if extremes := [a for a in aggregates.values() if a.kind in EXTREMES]:
            yield "ranges", self._ranges(values, extremes, model)

    def _added(self, aggregate: Aggregate, values: pl.DataFrame) -> tuple[Floats, ...]:
        """What an aggregate adds up: the values of one column, or the products of two."""
        one, *other = (
            _floats(values[f"{aggregate.name}|{k}"]) for k in range(len(aggregate.values))
        )
        if aggregate.kind != "total":
            return self.product(one, other[0])
        return (one if self.weight is None else self.weight * one,)

    def product(self, one: Floats, other: Floats) -> tuple[Floats, ...]:
        """Products of two values, weighted, each as two floats that it is the sum of."""
        high, low = product_of(one, other)
        if self.weight is None:
            return high, low
        product, error = product_of(high, self.weight)
        return product, error + low * self.weight

    def _ranges(
        self, values: pl.DataFrame, aggregates: Sequence[Aggregate], model: int
    ) -> pl.DataFrame:
        names = [a.name for a in aggregates]
        columns = values.select(pl.col(f"{name}|0").cast(pl.Float64).alias(name) for name in names)
        ends = (
            columns.with_columns(self.by_part()["place"])
            .group_by("place")
            .agg(
                *(pl.col(name).min().alias(f"{name}|low") for name in names),
                *(pl.col(name).max().alias(f"{name}|high") for name in names),
            )
        )
        tables = [
            self.labelled(ends.select("place", low=f"{n}|low", high=f"{n}|high"), model, n)
            for n in names
        ]
        return pl.concat(tables)

    def sums(self, named: Iterable[tuple[str, Sequence[Floats]]], model: int) -> pl.DataFrame:
        """Sums by name, each of values that several columns add up to."""
        names: list[str] = []

        def columns() -> Iterator[Floats]:
            for name, sides in named:
                for values in sides:
                    if has_any(values):
                        names.append(name)
                        yield values

        table = banded_columns(columns(), self.place, len(self.parts))
        of_column = pl.Series(names, dtype=pl.String).gather(table["column"])
        return self.labelled(table.drop("column"), model).with_columns(of_column.alias("name"))

    def powers(self, name: str, values: Floats, model: int) -> pl.DataFrame:
        """The sums of w^k·l^j of values l, j up to k, for k from 1 to 4."""
        if self.weight is None:
            of_powers = enumerate(powers(values, 4), 1)
            return self.sums(((power_name(name, j, j), pair) for j, pair in of_powers), model)
        weighted = self.weight * values
        by_power = [(np.ones_like(values), np.zeros_like(values)), *powers(weighted, 4)]
        by_weight = [np.ones_like(values), *(high for high, _ in powers(self.weight, 4))]

        def products() -> Iterator[tuple[str, Sequence[Floats]]]:
            for k in (1, 2, 3, 4):
                for j in range(k + 1):
                    high, low = by_power[j]
                    product, error = product_of(high, by_weight[k - j])
                    yield power_name(name, j, k), (product, error + low * by_weight[k - j])

        return self.sums(products(), model)

    def cells(self, values: Floats, model: int) -> pl.DataFrame:
        """Rows of each cell of some numbers, their extremes, and the sum of their significands."""
        weight = pl.col("weight") if self.weight is not None else pl.lit(1.0)
        rows = self.by_part().with_columns(
            key=number_keys(values), value=values, significand=significands(values)
        )
        ends = {
            "low": pl.col("value").min(),
            "high": pl.col("value").max(),
            "scores": to_fixed_point(pl.col("significand") * weight).sum(),
        }
        table = rows.lazy().group_by("place", "key").agg(**self.tally(), **ends).collect()
        return self.labelled(table, model).with_columns(truth=pl.lit(""))

    def by_part(self) -> pl.DataFrame:
        """The weight of each row, and the ``place`` of its part."""
        place = pl.lit(0, pl.Int64) if self.place is None else pl.Series(self.place)
        return self.scope.rows.select("weight").with_columns(place.alias("place"))
