"""The evaluation of several labels from counts of parts."""

from __future__ import annotations

import polars as pl

from reportgen.engines.class_counting import CORRECT
from reportgen.engines.gather import Gathered
from reportgen.engines.label_counting import SUBSET
from reportgen.engines.partial import FITS, from_fixed_point
from reportgen.engines.plan import Plan
from reportgen.predictions import Check
from reportgen.predictions.declared_models import models_of
from reportgen.predictions.source import counted as count_text
from reportgen.results.binned.class_evaluation import tested_rows, with_correct
from reportgen.results.binned.counted_task import CountedTask, distinct
from reportgen.results.binned.counts import refuse_parts
from reportgen.results.binned.fold_metrics import Folds, shares_of_parts
from reportgen.results.binned.group_counts import kinds_of
from reportgen.results.binned.grouped_shares import measures_of_decisions, shares_of
from reportgen.results.binned.multilabel import LabelCounts, label_results
from reportgen.results.binned.part_counts import masses
from reportgen.results.binned.sums_by_group import SumsByGroup
from reportgen.spec import class_names
from reportgen.spec.tasks import entries


def label_task(plan: Plan, totals: Gathered, title: str) -> CountedTask:
    """What the counts of all parts say of several labels."""
    refuse_parts(totals, plan, title)
    counted = _counts(plan, totals)
    errors = {m.name: ~pl.col(CORRECT.format(k)) for k, m in enumerate(counted.models)}
    sets, is_error = counted.matrix.filter(scope=FITS, kind=SUBSET), ~pl.col("predicted")
    return CountedTask(
        counted,
        Folds(
            counted,
            plan,
            lambda parts: shares_of_parts(counted, sets, is_error, "subset_accuracy", parts),
            distinct=distinct(plan.spec, totals),
        ),
        lambda settings: label_results(counted, settings, tested_rows(counted, totals)),
        {},
        "scores",
        _checks(counted),
        of_groups=lambda _: measures_of_decisions(counted, errors, "subset_accuracy"),
        shares=shares_of(counted, errors, "subset_accuracy"),
    )


def _counts(plan: Plan, totals: Gathered) -> LabelCounts:
    tables = totals.partial.tables
    matrix, cells, decisions = (tables[n] for n in ("matrix", "class_cells", "decisions"))
    holds = (pl.col(name) == "1" for name in ("truth", "predicted"))
    correct = with_correct(decisions, len(list(entries(plan.spec))))
    groups = None
    if plan.grouped:
        kinds = kinds_of(decisions, correct)
        groups = SumsByGroup.of(tables["groups"], tables["group_values"], kinds)
    return LabelCounts(
        plan.spec,
        models_of(plan.spec),
        totals.partial.facts,
        correct.with_columns(**masses(plan, ("mass", "mass2"))),
        tables["sums"],
        tables["ranges"],
        class_names(plan.spec),
        matrix.with_columns(*holds, **masses(plan, ("count", "count2"))),
        cells.with_columns(
            positive=pl.col("truth") == "1",
            scores=from_fixed_point(pl.col("scores")),
            **masses(plan, ("mass", "mass2")),
        ).drop("rows"),
        groups=groups,
    )


def _checks(counted: LabelCounts) -> list[Check]:
    rows = count_text(counted.facts["rows"], "row", "rows")
    columns = sum(len(m.scores) for m in counted.models)
    checks = [
        Check("complete", f"no truth, score or label missing in {rows}"),
        Check("labels", count_text(len(counted.classes), "label", "labels")),
    ]
    if columns:
        detail = f"{count_text(columns, 'column', 'columns')} of finite numbers"
        checks.append(Check("scores", detail))
    return checks
