"""The evaluation of regression models from sums and cells of parts."""

from __future__ import annotations

from reportgen.column_statistics import as_float as as_number
from reportgen.comparisons.paired_losses import SQUARED
from reportgen.engines.estimate_counting import OF_TRUTH
from reportgen.engines.gather import Gathered
from reportgen.engines.plan import Plan
from reportgen.errors import DataError
from reportgen.predictions import Check
from reportgen.predictions.declared_models import models_of
from reportgen.predictions.label_encoding import too_small
from reportgen.predictions.source import counted as count_text
from reportgen.results.binned.contrasts import ErrorContrasts
from reportgen.results.binned.counted_task import CountedTask, distinct
from reportgen.results.binned.counts import refuse_parts
from reportgen.results.binned.estimates import (
    errors_of_parts,
    estimate_results,
    measures_of_groups,
)
from reportgen.results.binned.fold_metrics import Folds
from reportgen.results.binned.group_counts import plain_kinds
from reportgen.results.binned.number_sums import NumberCounts, as_float
from reportgen.results.binned.part_counts import masses
from reportgen.results.binned.sums_by_group import SumsByGroup


def number_task(plan: Plan, totals: Gathered, title: str) -> CountedTask:
    """What the counts of all parts say of regression models."""
    refuse_parts(totals, plan, title)
    counted = _counts(plan, totals)
    cells = counted.cells_of(OF_TRUTH)
    sizes = (as_number(cells[end].abs().max(), 0.0) for end in ("low", "high"))
    if problems := too_small(max(sizes), plan.spec, title):
        raise DataError(*problems)
    trivial = as_float(counted.spread_of_truth()[1] / counted.facts["evaluated"])
    return CountedTask(
        counted,
        Folds(
            counted,
            plan,
            lambda parts: errors_of_parts(counted, parts),
            distinct=distinct(plan.spec, totals),
        ),
        lambda settings: estimate_results(counted, settings),
        {SQUARED: trivial},
        "estimates",
        _checks(counted),
        ErrorContrasts(counted),
        lambda _: measures_of_groups(counted),
    )


def _counts(plan: Plan, totals: Gathered) -> NumberCounts:
    tables = totals.partial.tables
    mass = masses(plan, ("mass", "mass2"))
    groups = None
    if plan.grouped:
        kinds = plain_kinds(tables["decisions"])
        groups = SumsByGroup.of(tables["groups"], tables["group_values"], kinds)
    return NumberCounts(
        plan.spec,
        models_of(plan.spec),
        totals.partial.facts,
        tables["decisions"].with_columns(**mass),
        tables["sums"],
        tables["ranges"],
        tables["cells"],
        groups=groups,
    )


def _checks(counted: NumberCounts) -> list[Check]:
    models = counted.models
    rows = count_text(counted.facts["rows"], "row", "rows")
    numbers = count_text(len(models), "column", "columns")
    checks = [
        Check("complete", f"no truth or estimate missing in {rows}"),
        Check("estimates", f"{numbers} of finite numbers"),
    ]
    if any(m.low for m in models):
        checks.append(Check("intervals", "no lower limit above its upper limit"))
    return checks
