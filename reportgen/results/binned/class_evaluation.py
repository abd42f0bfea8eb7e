"""The evaluation of several classes from counts of parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from reportgen import metric_names
from reportgen.engines.class_counting import CORRECT, COST, COSTLIEST, PREDICTED
from reportgen.engines.gather import Gathered
from reportgen.engines.partial import ALL, FITS, from_fixed_point
from reportgen.engines.plan import Plan
from reportgen.errors import DataError
from reportgen.predictions import Check
from reportgen.predictions.binary_labels import spelled_as
from reportgen.predictions.class_labels import resolve_classes_of_counts
from reportgen.predictions.column_names import output_column
from reportgen.predictions.declared_models import models_of
from reportgen.predictions.passed_checks import labels_check
from reportgen.predictions.source import counted as count_text
from reportgen.results.binned.counted_task import CountedTask, distinct
from reportgen.results.binned.counts import by_frequency, dtype_of, refuse_parts, refuse_unknown
from reportgen.results.binned.fold_metrics import (
    Folds,
    ValuesOfParts,
    means_of_parts,
    shares_of_parts,
)
from reportgen.results.binned.group_counts import kinds_of
from reportgen.results.binned.grouped_shares import measures_of_decisions, shares_of
from reportgen.results.binned.multiclass import (
    BinnedClassCounts,
    class_results,
    gives_probabilities,
    is_correct,
)
from reportgen.results.binned.part_counts import PartCounts, masses
from reportgen.results.binned.sums_by_group import SumsByGroup
from reportgen.results.multiclass import cost_of_decision
from reportgen.spec import class_costs
from reportgen.spec.tasks import entries


def class_task(plan: Plan, totals: Gathered, title: str) -> CountedTask:
    """What the counts of all parts say of several classes."""
    refuse_parts(totals, plan, title)
    counted = _counts(plan, totals, title)
    sizes = counted.row_sizes.values()
    errors = {m.name: ~is_correct(counted, k) for k, m in enumerate(counted.models)}
    return CountedTask(
        counted,
        Folds(
            counted,
            plan,
            lambda parts: _values_of_parts(counted, parts),
            distinct=distinct(plan.spec, totals),
        ),
        lambda settings: class_results(counted, settings, tested_rows(counted, totals)),
        {"error_rate": 1 - max(sizes) / sum(sizes), "rank_loss": 0.5},
        "scores",
        _checks(counted),
        of_groups=lambda _: measures_of_decisions(counted, errors, "accuracy"),
        shares=shares_of(counted, errors),
    )


def _values_of_parts(counted: BinnedClassCounts, parts: Sequence[str]) -> ValuesOfParts:
    """Accuracy, and cost where costs are declared."""
    decided = counted.matrix.filter(scope=FITS, kind="decision")
    is_error = pl.col("truth") != pl.col("predicted")
    costs = class_costs(counted.spec, counted.classes)
    values = shares_of_parts(counted, decided, is_error, "accuracy", parts)
    if costs is None:
        return values
    lost = cost_of_decision(pl.col("predicted"), costs)
    return {**values, **means_of_parts(counted, decided, lost, metric_names.COST, parts)}


def _counts(plan: Plan, totals: Gathered, title: str) -> BinnedClassCounts:
    spec, facts, tables = plan.spec, totals.partial.facts, totals.partial.tables
    dtype = dtype_of(facts)
    classes = resolve_classes_of_counts(spec, by_frequency(facts["truth"]), dtype, title)
    if isinstance(classes, list):
        raise DataError(*classes)
    spelled = [spelled_as(name, dtype) for name in classes]
    refuse_unknown(facts["labels"], spelled, plan, title)
    places = {text: k for k, text in enumerate(spelled)}

    def placed(name: str) -> pl.Expr:
        return pl.col(name).replace_strict(places, return_dtype=pl.UInt16)

    matrix, cells, decisions = (tables[n] for n in ("matrix", "class_cells", "decisions"))
    groups = None
    if plan.grouped:
        predicted = {
            PREDICTED.format(k): [places.get(text) for text in texts]
            for k, texts in _predictions(decisions, len(list(entries(spec)))).items()
        }
        meant = decisions.drop("truth", "decisions").with_columns(
            decisions["truth"].replace_strict(places, default=None, return_dtype=pl.UInt16),
            *(pl.Series(n, of, dtype=pl.UInt16) for n, of in predicted.items()),
        )
        groups = SumsByGroup.of(
            tables["groups"], tables["group_values"], kinds_of(decisions, meant)
        )
    return BinnedClassCounts(
        spec,
        tuple(
            replace(m, highest=output_column("highest", k) if m.scores else None)
            for k, m in enumerate(models_of(spec))
        ),
        facts,
        with_correct(decisions, len(list(entries(spec)))).with_columns(
            **masses(plan, ("mass", "mass2"))
        ),
        tables["sums"],
        tables["ranges"],
        classes,
        matrix.with_columns(
            placed("truth"), placed("predicted"), **masses(plan, ("count", "count2"))
        ),
        cells.with_columns(
            positive=pl.col("truth") == "1",
            scores=from_fixed_point(pl.col("scores")),
            **masses(plan, ("mass", "mass2")),
        ).drop("rows"),
        groups=groups,
    )


def _predictions(decisions: pl.DataFrame, models: int) -> dict[int, list[str]]:
    """What each model predicts in joint decisions; nothing in those that do not say."""
    records = [json.loads(text) for text in decisions["decisions"].to_list()]
    return {k: [r.get(PREDICTED.format(k), "") for r in records] for k in range(models)}


def with_correct(decisions: pl.DataFrame, models: int) -> pl.DataFrame:
    """Decisions with one Boolean column for each model: whether it is correct.

    Where costs are declared also with what each costs, and what the costliest error would.
    """
    records = [json.loads(text) for text in decisions["decisions"].to_list()]
    names = [CORRECT.format(k) for k in range(models)]
    columns = [pl.Series(n, [r.get(n) for r in records], dtype=pl.Boolean) for n in names]
    if any(COSTLIEST in record for record in records):
        names = [COSTLIEST, *(COST.format(k) for k in range(models))]
        columns += [pl.Series(n, [r.get(n) for r in records], dtype=pl.Float64) for n in names]
    return decisions.drop("decisions").with_columns(columns)


def tested_rows(counted: PartCounts, totals: Gathered) -> pl.DataFrame:
    """Rows by which models are correct about them; by their weight too, where few differ."""
    lines = counted.lines_of()
    if lines is not None:
        return lines.frame
    by_weight = totals.partial.tables.get("weighted")
    if by_weight is None or by_weight.is_empty():
        return counted.decisions.filter(scope=ALL)
    return with_correct(by_weight, len(counted.models)).rename({"value": "weight"})


def _checks(counted: BinnedClassCounts) -> list[Check]:
    facts, dtype = counted.facts, dtype_of(counted.facts)
    sizes = {name: facts["truth"].get(spelled_as(name, dtype), 0) for name in counted.classes}
    columns = sum(len(m.scores) for m in counted.models)
    rows = count_text(facts["rows"], "row", "rows")
    checks = [
        Check("complete", f"no truth, score or label missing in {rows}"),
        labels_check(sizes, "class", "classes"),
    ]
    if columns:
        detail = f"{count_text(columns, 'column', 'columns')} of finite numbers"
        checks.append(Check("scores", detail))
    scored = [k for k, model in enumerate(counted.models) if model.scores]
    proper = [k for k in scored if gives_probabilities(counted, k)]
    if proper:
        names = ", ".join(counted.models[k].name for k in proper)
        checks.append(Check("sums", f"{names}: the scores of every row add up to 1"))
    others = [counted.models[k].name for k in scored if k not in proper]
    return [
        *checks,
        *(Check("sums", f"{m}: scores, not probabilities", warning=True, model=m) for m in others),
    ]
