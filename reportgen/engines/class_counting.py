"""Counts of several classes: truth × prediction, sums of what scores lose, cells of scores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from reportgen.array_types import Floats
from reportgen.engines.estimate_counting import OF_GROUPS, OF_TRUTH, SumCounter, only, whole
from reportgen.engines.exact_sums import column_of, summed_by_group
from reportgen.engines.group_counting import alike_lines, plain_lines
from reportgen.engines.partial import (
    ALL,
    FITS,
    MOST_WEIGHED,
    Facts,
    Partial,
    to_fixed_point,
)
from reportgen.engines.plan import Plan
from reportgen.engines.scope import Scope, facts_of, scopes_of
from reportgen.engines.score_bins import bin_keys
from reportgen.engines.tallies import Tally
from reportgen.metrics import REGISTRY, Metric
from reportgen.metrics.aggregates import Recorded, aggregates_of, loss_of
from reportgen.metrics.class_scores import DECIMALS, decimals_of
from reportgen.multiclass import least_cost_classes, predicted_classes, score_rows
from reportgen.predictions.binary_labels import spelled_as
from reportgen.predictions.column_names import classes_of, label_column, output_column
from reportgen.predictions.text_values import as_text
from reportgen.spec import Spec, class_costs, class_names
from reportgen.spec.tasks import entries

OF_CLASSES = ("matrix", "decisions", "weighted", "class_cells", "sums", "ranges")
"""The tables that are filled."""

HIGHEST = -1
"""The class of the cells of each row's highest score, whose truth is whether it is correct."""

OF_ROWS = {m.name: m for m in REGISTRY["multiclass"].values() if m.on == "rows"}
"""Measures of the scores of each row."""

PREDICTED = "predicted:{}"
"""The class that a model predicts, in joint decisions of rows in groups."""

CORRECT = "correct:{}"
"""Whether a model is correct about a row, in the JSON of joint decisions."""

COST = "cost:{}"
"""What the decision of a model about a row costs, in the same where costs are declared."""

COSTLIEST = "costliest"
"""What the costliest error about a row would cost."""


@dataclass(frozen=True)
class _Model:
    """A model with its columns of scores, and what it predicts, by names in the frame."""

    place: int
    scores: tuple[str, ...]
    has_label: bool

    @property
    def predicted(self) -> str:
        return PREDICTED.format(self.place)


@dataclass(frozen=True)
class _SpelledCosts:
    """What decisions cost, truth by prediction, of classes as the data spells them."""

    names: Sequence[str]
    table: Sequence[Sequence[float]]

    @classmethod
    def declared(cls, spec: Spec, dtype: pl.DataType) -> _SpelledCosts | None:
        """Those of a spec, whatever else it says of the classes; null where errors cost alike."""
        if not isinstance(spec.costs, Mapping):
            return None
        of_errors = spec.costs.values()
        every = [*spec.costs, *(name for errors in of_errors for name in errors)]
        names = list(dict.fromkeys(every))
        return cls([spelled_as(name, dtype) for name in names], class_costs(spec, names) or [])

    def of(self, rows: pl.DataFrame, models: Sequence[_Model]) -> dict[str, pl.Series]:
        """What the decision of each model costs, and what the costliest error would."""
        truth = _positions(rows["truth"], self.names).cast(pl.UInt32)
        by_cell = [cost for of_class in self.table for cost in of_class]
        costs = {COSTLIEST: _gathered([max(of_class) for of_class in self.table], truth)}
        for model in models:
            predicted = _positions(rows[model.predicted], self.names).cast(pl.UInt32)
            cells = truth * len(self.names) + predicted
            costs[COST.format(model.place)] = _gathered(by_cell, cells)
        return costs


def _gathered(costs: Sequence[float], places: pl.Series) -> pl.Series:
    """The costs at these places; classes without a place cost nothing."""
    return pl.Series(costs, dtype=pl.Float64).gather(places).fill_null(0.0)


def count_classes(frame: pl.DataFrame, plan: Plan) -> Partial:
    """Return the counts of rows under canonical names, with classes as the data spells them."""
    names, dtype = class_names(plan.spec), frame["truth"].dtype
    spelled = [spelled_as(name, dtype) for name in names]
    truth = as_text(frame["truth"])
    facts: Facts = {
        "truth": dict(truth.value_counts().iter_rows()),
        "dtype": [str(dtype)],
        "decimals": {},
        "disagreements": {},
    }
    if not plan.weighted:
        frame = frame.with_columns(weight=pl.lit(1.0))
    frame = frame.with_columns(truth, position=_positions(truth, spelled))
    models = [_model(frame, k, model) for k, (_, model) in enumerate(entries(plan.spec))]
    columns: list[pl.Series] = []
    for model in models:
        if model.scores:
            highest = predicted_classes(frame, model.scores)
            columns.append(highest.alias(output_column("highest", model.place)))
            by_score = pl.Series(spelled, dtype=pl.String).gather(highest)
            columns.append(by_score.alias(f"by_score:{model.place}"))
            decimals = decimals_of(frame, model.scores)
            facts["decimals"][str(model.place)] = {str(d): d in decimals for d in DECIMALS}
        predicted = as_text(frame[label_column(model.place)]) if model.has_label else by_score
        columns.append(predicted.alias(model.predicted))
    frame = frame.with_columns(columns)
    scopes, test_rows, of_scopes = scopes_of(frame, plan)
    for model in models:
        if model.scores and model.has_label:
            by_score = pl.Series(spelled, dtype=pl.String).gather(
                test_rows[output_column("highest", model.place)]
            )
            facts["disagreements"][str(model.place)] = int(
                (by_score != test_rows[model.predicted]).sum()
            )
    tables: dict[str, list[pl.DataFrame]] = {name: [] for name in tables_counted(plan)}
    declared = _SpelledCosts.declared(plan.spec, dtype)
    for scope in scopes:
        for name, table in _of_scope(scope, plan, models, spelled, declared):
            tables[name].append(table)
    facts |= of_scopes | facts_of(frame, test_rows, plan)
    counted, of_weights = tables_of_classes(tables, plan)
    return Partial(counted, facts | of_weights)


def tables_counted(plan: Plan) -> tuple[str, ...]:
    """The tables that are filled."""
    return (*OF_CLASSES, *OF_GROUPS) if plan.grouped else OF_CLASSES


def _model(frame: pl.DataFrame, place: int, model: object) -> _Model:
    return _Model(
        place, classes_of(frame.columns, "score", place), bool(getattr(model, "label", None))
    )


def _positions(labels: pl.Series, spelled: Sequence[str]) -> pl.Series:
    """The place of each label among the classes that the spec names; null for any other."""
    if not spelled:
        return pl.Series([None] * len(labels), dtype=pl.UInt16)
    places = pl.Series(range(len(spelled)), dtype=pl.UInt16)
    return labels.replace_strict(
        pl.Series(spelled, dtype=pl.String), places, default=None, return_dtype=pl.UInt16
    )


def _of_scope(
    scope: Scope,
    plan: Plan,
    models: Sequence[_Model],
    spelled: Sequence[str],
    declared: _SpelledCosts | None,
) -> Iterator[tuple[str, pl.DataFrame]]:
    counter = SumCounter.of(scope, weighted=plan.weighted)
    yield from _decided(scope, plan, models, counter, declared)
    by_group: dict[str, Sequence[Floats]] = {}
    costs = class_costs(plan.spec, class_names(plan.spec))
    weights = scope.rows.select(pl.col("weight").cast(pl.Float64))
    yield from counter.aggregates(weights, only(aggregates(), of_truth=True), OF_TRUTH)
    for model in models:
        for kind, predicted in _predictions(scope.rows, model, costs, spelled).items():
            yield (
                "matrix",
                cross_counted(counter, scope.rows["truth"], predicted, model.place, kind),
            )
        if model.scores and scope.number != FITS:
            scored = score_rows(
                scope.rows,
                model.scores,
                truth="position",
                weight="weight",
                highest=pl.col(output_column("highest", model.place)),
            )
            losses = mean_losses(scored, OF_ROWS.values(), by_group=plan.grouped)
            by_group |= {column_of(model.place, m.name): (v,) for m, v in losses.items()}
            yield from powers_of(losses, counter, model.place)
            yield from _of_scores(scope, plan, model, counter, scored)
    if plan.grouped and scope.number != FITS:
        yield "group_values", summed_by_group(scope, by_group)


def _decided(
    scope: Scope,
    plan: Plan,
    models: Sequence[_Model],
    counter: SumCounter,
    declared: _SpelledCosts | None,
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Rows by what models predict together, or by which are correct and what they cost."""
    truth = scope.rows["truth"]
    if plan.grouped and scope.number != FITS:
        outcomes = {m.predicted: scope.rows[m.predicted] for m in models}
        yield "decisions", joint_decisions(outcomes, counter, truth)
        yield "groups", lines_of(scope, outcomes, truth)
        return
    if plan.grouped:
        yield "groups", plain_lines(scope)
    if scope.number != ALL:
        yield "decisions", counter.sizes()
        return
    outcomes = {CORRECT.format(m.place): truth == scope.rows[m.predicted] for m in models}
    outcomes |= {} if declared is None else declared.of(scope.rows, models)
    yield "decisions", joint_decisions(outcomes, counter)
    yield from decisions_by_weight(outcomes, counter)


def mean_losses(
    rows: pl.DataFrame, measures: Iterable[Metric], *, by_group: bool
) -> dict[Metric, Floats]:
    """What rows lose by the measures that are means of them, all of them or the core ones.

    Not a number where it is undefined.
    """
    means = [m for m in measures if m.mean and (m.core or by_group)]
    losses = (loss_of(m).cast(pl.Float64).alias(m.name) for m in means)
    columns = rows.select(losses).iter_columns()
    return {m: column.to_numpy() for m, column in zip(means, columns, strict=True)}


def powers_of(
    losses: Mapping[Metric, Floats], counter: SumCounter, model: int
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Sums of powers of what rows lose by the core measures."""
    for metric, values in losses.items():
        if metric.core:
            yield "sums", counter.powers(metric.name, values, model)


def _of_scores(
    scope: Scope, plan: Plan, model: _Model, counter: SumCounter, scored: pl.DataFrame
) -> Iterator[tuple[str, pl.DataFrame]]:
    """What the scores of a model add: sums of its losses, and bins of each class's score."""
    yield from counter.aggregates(scored, only(aggregates(), of_truth=False), model.place)
    is_highest = scored["correct"].fill_null(value=False)
    highest = cells_of(scope, scored["highest"], is_highest, plan, (model.place, HIGHEST))
    yield "class_cells", highest
    for k, name in enumerate(model.scores):
        of_class = (scope.rows["position"] == k).fill_null(value=False)
        yield "class_cells", cells_of(scope, scope.rows[name], of_class, plan, (model.place, k))


def aggregates(measures: Iterable[Metric] = OF_ROWS.values()) -> Recorded:
    """What measures of single rows are made of."""
    recorded: Recorded = {}
    for metric in measures:
        recorded |= aggregates_of(metric)
    return recorded


def _predictions(
    rows: pl.DataFrame,
    model: _Model,
    costs: Sequence[Sequence[float]] | None,
    spelled: Sequence[str],
) -> Mapping[str, pl.Series]:
    """What a model predicts, and what costs least by its scores where costs are declared."""
    predictions = {"decision": rows[model.predicted]}
    if costs is not None and model.scores:
        least = rows.select(least_cost_classes(model.scores, costs)).to_series()
        predictions["least"] = pl.Series(spelled, dtype=pl.String).gather(least)
    return predictions


def cross_counted(
    counter: SumCounter, truth: pl.Series, predicted: pl.Series, model: int, kind: str
) -> pl.DataFrame:
    """Rows by truth and prediction."""
    rows = counter.by_part().with_columns(truth.alias("truth"), predicted.alias("predicted"))
    table = rows.group_by("place", "truth", "predicted").agg(**counter.tally())
    return counter.labelled(table, model).with_columns(kind=pl.lit(kind))


def joint_decisions(
    outcomes: Mapping[str, pl.Series], counter: SumCounter, truth: pl.Series | None = None
) -> pl.DataFrame:
    """Rows by what models predict: whether it is correct, by ``CORRECT`` names, or what it is."""
    columns = _columns_of(outcomes, truth)
    table = counter.by_part().hstack(columns).group_by("place", *(c.name for c in columns))
    counts = table.agg(**counter.tally())
    return counter.labelled(counts, 0).with_columns(**_texts(counts, list(outcomes)))


def lines_of(
    scope: Scope, outcomes: Mapping[str, pl.Series], truth: pl.Series | None = None
) -> pl.DataFrame:
    """The same by group."""
    return alike_lines(
        scope, _columns_of(outcomes, truth), lambda rows: _texts(rows, list(outcomes))
    )


def _columns_of(outcomes: Mapping[str, pl.Series], truth: pl.Series | None) -> list[pl.Series]:
    columns = [] if truth is None else [truth.alias("truth")]
    return columns + [column.alias(name) for name, column in outcomes.items()]


def _texts(rows: pl.DataFrame, names: Sequence[str]) -> dict[str, pl.Series]:
    decisions = [json.dumps(row) for row in rows.select(names).iter_rows(named=True)]
    truth = pl.Series([""], dtype=pl.String).new_from_index(0, rows.height)
    return {
        "truth": rows["truth"] if "truth" in rows.columns else truth,
        "decisions": pl.Series(decisions, dtype=pl.String),
    }


def decisions_by_weight(
    outcomes: Mapping[str, pl.Series], counter: SumCounter
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Rows by their weight and by what models predict, if few differ."""
    if counter.weight is None:
        return
    names, weight = list(outcomes), pl.Series("value", counter.weight)
    rows = pl.DataFrame([weight, *(column.alias(name) for name, column in outcomes.items())])
    table = rows.group_by("value", *names).agg(rows=pl.len())
    if table.height <= MOST_WEIGHED:
        decisions = [json.dumps(row) for row in table.select(names).iter_rows(named=True)]
        texts = pl.Series(decisions, dtype=pl.String)
        yield "weighted", table.with_columns(truth=pl.lit(""), decisions=texts)


def tables_of_classes(
    tables: Mapping[str, Sequence[pl.DataFrame]], plan: Plan
) -> tuple[dict[str, pl.DataFrame], Facts]:
    """The tables of all scopes, and whether rows are counted by their weights."""
    names = [name for name in tables if plan.weighted or name != "weighted"]
    facts: Facts = {"few_weights": bool(tables["weighted"])} if plan.weighted else {}
    return {name: whole(name, tables[name], plan) for name in names}, facts


def cells_of(
    scope: Scope, score: pl.Series, positive: pl.Series, plan: Plan, of: tuple[int, int]
) -> pl.DataFrame:
    """Cells of one column of scores against whether a row is of its class."""
    part = [scope.rows["part"]] if "part" in scope.rows.columns else []
    columns = {"truth": positive.cast(pl.UInt8), "key": bin_keys(score), "score": score}
    rows = pl.DataFrame([*part, *(s.alias(n) for n, s in columns.items())])
    if plan.weighted:
        value = pl.col("value")
        rows = rows.with_columns(value=scope.rows["weight"].cast(pl.Float64)).with_columns(
            weight=to_fixed_point(value), weight2=to_fixed_point(value**2)
        )
    tally = Tally(plan.weighted, "score")
    grouped = replace(scope, rows=rows).grouped({"key": "key"}, tally)
    model, label = of
    return grouped.with_columns(pl.lit(model).alias("model"), pl.lit(label).alias("class"))
