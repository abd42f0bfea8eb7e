"""Estimates of a number, from sums and cells: what the results hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import nan, sqrt
from typing import get_args

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.column_statistics import as_float as as_number
from reportgen.comparisons import (
    Comparison,
    Question,
    equivalence_of_errors,
    undefined_errors,
)
from reportgen.comparisons.grouped import (
    mean_difference_in_groups,
    mean_errors_in_groups,
    tails_of,
)
from reportgen.comparisons.paired import Mean, mean_from
from reportgen.comparisons.paired_losses import (
    ABSOLUTE,
    DIFFERENCES,
    SQUARED,
    Tails,
    errors_from,
    undefined_ranks,
)
from reportgen.curves import error_characteristic, residual_quantiles
from reportgen.engines.estimate_counting import DIFFERENCE_OF, OF_TRUTH, PAIR
from reportgen.engines.partial import ALL, FITS
from reportgen.measuring.class_averages import with_interval_of
from reportgen.measuring.context import WEIGHTS_COUNTED, Losses, TaskResults, TestSettings
from reportgen.measuring.dependence import group_measure
from reportgen.measuring.gains import GAINS, ErrorTails, agreeing
from reportgen.measuring.independent_means import SQUARED_ERRORS
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import rows_from_groups
from reportgen.metrics import REGISTRY
from reportgen.metrics.aggregates import Aggregate, Recorded, aggregates_of, of_parts
from reportgen.metrics.pairs import TRUTH, quantile
from reportgen.predictions.compared_outputs import compared_outputs
from reportgen.records.groups import GroupMeasure
from reportgen.results.binned.few_errors import limits_of_few
from reportgen.results.binned.fold_metrics import ValuesOfParts
from reportgen.results.binned.forecasts import UNSURE, within
from reportgen.results.binned.group_counts import ScopeAndPart
from reportgen.results.binned.limits_of_sums import limits_of_sums
from reportgen.results.binned.number_sums import At, NumberCounts, as_float
from reportgen.results.binned.part_counts import numbers_of_slices
from reportgen.results.binned.sums_by_group import SumsByGroup
from reportgen.results.estimate_measures import unavailable
from reportgen.results.regression import model_record
from reportgen.small_queries import selected
from reportgen.spec.measures import evaluated, has_limits_of_sums
from reportgen.tables import CURVES, Curve
from reportgen.tables.results import MetricRow

RANKS = "ranks need every pair of rows, and only sums and cells are counted"
"""Why rank correlations and rank tests have no value."""

TOO_WIDE = "truths were counted in cells that are too wide for it"
"""Why a share of what a constant loses has no value where the truth is far from 0."""

MEASURES = REGISTRY["regression"]

NOT_OF_GROUPS = (GAINS["d2_absolute_error"], "concordance_correlation")
"""Distances from the median, and variances over n − 1 rows: sums by group have neither."""

_FARTHEST = pl.max_horizontal(pl.col("low").abs().max(), pl.col("high").abs().max())


def estimate_results(counted: NumberCounts, settings: TestSettings) -> TaskResults:
    """Everything that estimates of a number have, as from rows in memory."""
    numbers = [r for k in range(len(counted.models)) for r in _with_limits(counted, k)]
    in_slices, unsliced = numbers_of_slices(
        counted, lambda *of_slice: _with_limits(counted, *of_slice)
    )
    return TaskResults(
        metrics=[*numbers, *in_slices],
        curves=_curves(counted),
        comparisons=list(_compared(counted, settings)),
        models=[model_record(columns) for columns in counted.models],
        truth={"distribution": _distribution(counted)},
        skipped=[
            *unsliced,
            {
                "what": "estimates against the truth, row by row",
                "model": None,
                "reason": "only counts of rows are available; engine: exact shows rows",
            },
        ],
        losses=Losses(SQUARED, SQUARED, "squared", of={}),
    )


def measured(
    counted: NumberCounts, model: int, scope: int = ALL, part: str = "[]", label: str | None = None
) -> list[MetricRow]:
    """Every measure of a model on the rows of a part, with bounds where cells are mixed."""
    columns = counted.models[model]
    number = MetricSubject(columns.name, label)
    value, *bounds = (_values(counted, model, scope, part, at) for at in get_args(At))
    rows = [number.row("n", as_float(counted.mass(scope, part)))]
    without = unavailable(columns)
    for metric in evaluated(counted.spec, "regression"):
        if metric.name in without:
            rows.append(number.row(metric.name, None, undefined=metric.undefined))
        elif metric.name not in value:
            rows.append(number.row(metric.name, None, undefined=RANKS))
        else:
            (row,) = number.from_values([metric], {metric.name: (value[metric.name], None, None)})
            ends = [bound[metric.name] for bound in bounds if metric.name in bound]
            row = within(row, *ends)
            rows.append(row if row["undefined"] != UNSURE else {**row, "undefined": TOO_WIDE})
    return rows


def _values(
    counted: NumberCounts, model: int, scope: int, part: str, at: At
) -> dict[str, float | None]:
    """The measures that sums and cells tell; but at the middle of cells only those of cells."""
    level = counted.models[model].level or counted.spec.confidence
    aggregates: Recorded = {}
    expressions: dict[str, pl.Expr] = {}
    without = unavailable(counted.models[model])
    for metric in evaluated(counted.spec, "regression"):
        if metric.name in without:
            continue
        recorded: Recorded = {}
        with of_parts(recorded):
            expression = metric.expression_of_groups(level=level)
        roots = set(expression.meta.root_names())
        of_errors = any(a.kind == "quantile" and "estimate" in a.roots for a in recorded.values())
        chosen = {"ends": "truth" in roots, "middle": True}.get(at, of_errors)
        if chosen and "estimate" not in roots:
            aggregates |= recorded
            expressions[metric.name] = expression
    if not expressions:
        return {}
    truths = counted.truths(scope, part, spread=at == "ends")
    columns = counted.columns(aggregates, (model, scope, part), truths, at)
    return selected(truths.with_columns(**columns), expressions).row(0, named=True)


def _with_limits(
    counted: NumberCounts, model: int, scope: int = ALL, part: str = "[]", label: str | None = None
) -> list[MetricRow]:
    """The measures of a part; the core ones that are means have limits from sums of squares."""
    rows = measured(counted, model, scope, part, label)
    groups = counted.sums_by_group
    if groups is not None:
        return _with_limits_of_groups(groups, counted, model, rows, (scope, part))
    core = [m for m in evaluated(counted.spec, "regression") if has_limits_of_sums(m, counted.spec)]
    losses = {m.name: SQUARED if m.name in SQUARED_ERRORS else m.name for m in core}
    of_means = {m: losses[m.name] for m in core if MEASURES[losses[m.name]].mean}
    values = {str(r["metric"]): r["value"] for r in rows}
    limits = limits_of_sums(counted, model, values, of_means, scope, part)
    limits = limits_of_few(counted, (model, scope, part), limits, of_means, values)
    for row in rows:
        if str(row["metric"]) in limits:
            row["low"], row["high"], row["interval"] = limits[str(row["metric"])]
    return rows


def _with_limits_of_groups(
    groups: SumsByGroup,
    counted: NumberCounts,
    model: int,
    rows: list[MetricRow],
    place: ScopeAndPart,
) -> list[MetricRow]:
    """The core means, and what is made of squares and products, with limits by group."""
    values = {str(r["metric"]): r["value"] for r in rows}
    columns = counted.models[model]
    spec = counted.spec
    means = [
        m
        for m in evaluated(spec, "regression")
        if has_limits_of_sums(m, spec) and m.mean and values[m.name] is not None
    ]
    smooth = [
        m for m in MEASURES.values() if m.influence is not None and m.name not in NOT_OF_GROUPS
    ]
    of_groups = groups.means(model, means, place)
    stand_ins = groups.stand_ins(model, place)
    weighted = spec.columns.weight is not None
    means = [m for m in means if m.name in of_groups.columns and not (weighted and m.proportion)]
    if stand_ins is None:
        return rows
    confidence = spec.confidence
    number = MetricSubject(columns.name, rows[0]["slice"], grouped=True, confidence=confidence)
    frame, codes = stand_ins
    limited = rows_from_groups(
        number, frame, [*means, *smooth], codes, values, of_groups, counted.rows(*place)
    )
    by_name = {row["metric"]: row for row in limited}
    result = [
        with_interval_of(by_name[row["metric"]], row) if row["metric"] in by_name else row
        for row in rows
    ]
    tails = _tails_of_errors(counted, model, place)
    return agreeing(number, result, frame, codes, tails=tails)


def _tails_of_errors(counted: NumberCounts, model: int, place: ScopeAndPart) -> ErrorTails:
    """Those of the errors of the rows; weighted ones are counted with their weights alone."""
    rows, central = counted.rows(*place), counted.central("mean_error", model, *place)
    if counted.weighted or central is None or not central[1]:
        return ErrorTails(rows, None)
    return ErrorTails(rows, as_float(rows * central[3] / central[1] ** 2))


def _curves(counted: NumberCounts) -> dict[str, DataFrame[Curve]]:
    """Residual quantiles at the means of cells; the error characteristic at their ends: exact."""
    residuals: list[pl.DataFrame] = []
    errors: list[pl.DataFrame] = []
    for k, columns in enumerate(counted.models):
        cells = counted.errors_of(k)
        pairs = cells.select("rows", truth="middle", estimate=0.0)
        residuals.append(residual_quantiles(pairs, columns.name))
        sizes = cells.group_by(pl.col("key").abs()).agg(
            pl.col("rows").sum(), truth=pl.col("far").abs().max(), estimate=pl.lit(0.0)
        )
        pairs = sizes.sort("truth")
        errors.append(error_characteristic(pairs, columns.name))
    parts = {"residual_quantiles": residuals, "error_characteristic": errors}
    return {name: CURVES[name].table.validate(pl.concat(of)) for name, of in parts.items()}


def _distribution(counted: NumberCounts) -> dict[str, float | None]:
    """Where the truth lies; its median only where no two values share the cell that it is in."""
    mean, away = counted.spread_of_truth()
    n = counted.facts["evaluated"]
    cells = counted.cells_of(OF_TRUTH)
    median = quantile(TRUTH, 0.5)
    ends = [
        cells.select(truth=end, weight=pl.col("rows").cast(pl.Float64)).select(median).item()
        for end in ("low", "high")
    ]
    return {
        "mean": mean,
        "standard_deviation": sqrt(as_float(away / (n - 1))) if n > 1 else None,
        "minimum": as_number(cells["low"].min()),
        "median": ends[0] if ends[0] == ends[1] else None,
        "maximum": as_number(cells["high"].max()),
    }


def _compared(counted: NumberCounts, settings: TestSettings) -> Iterator[Comparison]:
    """The tests of paired errors of every pair, from sums of powers of differences."""
    names = [model.name for model in counted.models]
    places = sorted(range(len(names)), key=lambda k: names[k] == settings.baseline)
    for a, b in combinations(places, 2):
        question = settings.question((names[a], names[b]), SQUARED)
        if counted.weighted:
            grouped = counted.dependent is not None
            yield from undefined_errors(question, WEIGHTS_COUNTED, grouped=grouped, weighted=True)
            continue
        yield from _tests_of_errors(counted, (a, b), question, settings)


def _tests_of_errors(
    counted: NumberCounts, pair: tuple[int, int], question: Question, settings: TestSettings
) -> Iterator[Comparison]:
    """The tests of the errors of two models; with a margin that of one mean against it."""
    of_sizes = replace(question, metric=ABSOLUTE)
    squares, sizes = _difference(counted, *pair), _difference(counted, *pair, ABSOLUTE)
    groups = counted.sums_by_group
    if groups is None:
        yield errors_from(*squares, question)
        yield errors_from(sizes[0], squares[1] and squares[1].of_models(), of_sizes)
    else:
        alike = groups.as_rows()

        def lost(name: str) -> tuple[Floats, Floats]:
            first, second = (groups.lost_by(k, MEASURES[name]) / alike.sizes for k in pair)
            return first, second

        def by_group(name: str, tails: Tails | None) -> tuple[Mean, Tails | None]:
            losses, kurtosis = lost(name), None if tails is None else tails.kurtosis
            mean = mean_difference_in_groups(*losses, alike)
            return mean, None if mean.reason else tails_of(losses, alike, kurtosis)

        kurtosis = None if squares[1] is None else squares[1].kurtosis
        yield from mean_errors_in_groups(lost(SQUARED), lost(ABSOLUTE), alike, question, kurtosis)
        squares, sizes = by_group(SQUARED, squares[1]), by_group(ABSOLUTE, sizes[1])
    yield from undefined_ranks(question, RANKS, grouped=groups is not None)
    margin = settings.margin_in(ABSOLUTE if settings.primary == ABSOLUTE else SQUARED)
    if margin is None:
        return
    if settings.primary == ABSOLUTE:
        yield from equivalence_of_errors(*sizes, of_sizes, margin)
    else:
        yield from equivalence_of_errors(*squares, question, margin)


def _difference(
    counted: NumberCounts, a: int, b: int, loss: str = SQUARED
) -> tuple[Mean, Tails | None]:
    """Mean difference of the squared, or absolute, errors of two models; what shows heavy tails."""
    first, second = sorted((a, b))
    n = counted.facts["evaluated"]
    central = counted.central(DIFFERENCE_OF.format(loss), PAIR * (first + 1) + second)
    if central is None:
        return mean_from(n, None, None, 0.0, what=DIFFERENCES), None
    mean, squares, _, fourth = central
    largest = max(counted.cells_of(k).select(_FARTHEST).item() for k in (a, b))
    largest = largest**2 if loss == SQUARED else largest
    spread = sqrt(as_float(squares / (n - 1))) if n > 1 else None
    value = as_float(mean if a < b else -mean)
    kurtosis = as_float(n * fourth / squares**2) if squares else None
    tails = Tails(kurtosis, tuple(_variation(counted, model) for model in (a, b)))
    return mean_from(n, value, spread, largest, what=DIFFERENCES), tails


def _variation(counted: NumberCounts, model: int) -> float:
    """Coefficient of variation of the squared errors of a model, as ``Tails`` has it."""
    central = counted.central(SQUARED, model)
    if central is None or not central[0]:
        return sqrt(max(counted.facts["evaluated"] - 1, 0))
    mean, squares, _, _ = central
    return sqrt(as_float(squares / (counted.facts["evaluated"] * mean**2)))


def measures_of_groups(counted: NumberCounts) -> list[GroupMeasure]:
    """What groups do to the mean squared error of each model."""
    groups, records = counted.sums_by_group, []
    for k, columns in enumerate(counted.models if groups else ()):
        central = counted.central(SQUARED, k)
        if groups is None or central is None:
            continue
        effect, correlation = groups.effect_on_mean(
            groups.lost_by(k, MEASURES[SQUARED]), as_float(central[1])
        )
        size = counted.effective_size
        correlation = nan if counted.weighted else correlation
        records.append(group_measure(columns.name, SQUARED, size, effect, correlation))
    return records


def errors_of_parts(counted: NumberCounts, parts: Sequence[str]) -> ValuesOfParts:
    """The mean squared and absolute error of every model in every part, and further losses."""
    of_errors = {m: [columns.name for columns in counted.models] for m in (SQUARED, ABSOLUTE)}
    result: dict[tuple[str, str], list[float | None]] = {}
    for measure, names in (of_errors | compared_outputs(counted.models)).items():
        for k, columns in enumerate(counted.models):
            if columns.name not in names:
                continue
            loss = _loss(measure, columns.level or counted.spec.confidence)
            values = result.setdefault((measure, columns.name), [])
            for part in parts:
                total, mass = counted.total(loss.name, k, FITS, part), counted.mass(FITS, part)
                values.append(None if total is None or not mass else as_float(total / mass))
    return result


def _loss(measure: str, level: float) -> Aggregate:
    """The sum of what rows lose in a measure."""
    aggregates = aggregates_of(MEASURES[measure], level).values()
    return next(a for a in aggregates if a.kind == "total" and a.roots)
