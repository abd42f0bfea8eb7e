"""Who leads: the measure that decides, its basis, and how every model stands to the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from reportgen.comparing.undeclared_limits import is_undone
from reportgen.comparisons import lower_is_better
from reportgen.concluding.contest import Contest, decimals_of_tests
from reportgen.concluding.model_values import (
    ModelValue,
    of_infinite_loss,
    on_all_rows,
    undefined_reasons,
)
from reportgen.concluding.rare_class import OF_COMMON_CLASS, has_rare_class
from reportgen.metric_names import COST, WINKLER_SCORE, parted
from reportgen.metrics import find
from reportgen.records import basis
from reportgen.records.rows import DataRecord, evaluation_of, rows_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.tasks import TASKS

OF_DECISIONS = ("balanced_accuracy",)
"""What decides between decisions of which one class is rare, where no cost does."""

OVER_PARTS = "folds"
"""The average of measures that are means over folds or data sets, as the results name it."""

Tests = dict[frozenset[str], ComparisonRow]


def decimals_of_effects(comparisons: pl.DataFrame, measure: str, data: DataRecord) -> int:
    """The decimals of the differences in a measure, as sentences have them."""
    return decimals_of_tests(deciding_tests(comparisons, measure, data).values())


def deciding_tests(
    comparisons: pl.DataFrame, measure: str, data: DataRecord
) -> dict[frozenset[str], ComparisonRow]:
    """The recommended test of each pair of models in a measure, on all rows."""
    rows = [row for row in rows_of(comparisons, ComparisonRow) if row.slice is None]
    return _deciding(rows, measure, data)


def contest_of(
    metrics: pl.DataFrame,
    comparisons: pl.DataFrame,
    data: DataRecord,
    names: Sequence[str],
    baseline: str | None = None,
    primary: str | None = None,
    *,
    stated_share: bool = True,
) -> Contest | None:
    """The primary measure, else the first of the task that a recommended test of two decides.

    Else the first that has a value, of several models if there is one.

    A declared baseline is one of the two where any such test has it: a baseline
    that gives labels only has no AUC.

    A test of the best model comes before one of others alone: with the declared baseline, if any;
    without one, a test of the best two.

    Declared costs decide before AUC and accuracy (``deciding_measures``).

    Of a rare class accuracy says little: it does not decide in place of the AUC of the models,
    nor of their balanced accuracy. Nor does it where positives are not as frequent as the spec
    states: ``stated_share`` says whether they are, or nothing is stated.

    Models that no recommended test compares stand with their means over several folds, where these
    have limits: those of pooled rows are too narrow.

    A table of values has one measure, which is the one. None where no model has
    a value of any of them.
    """
    task = TASKS[data["task"]]
    if task.of_values:
        return _of_scores(metrics, comparisons, data, names)
    rows = [row for row in rows_of(comparisons, ComparisonRow) if row.slice is None]
    deciding = deciding_measures(data, rows, costs=stated_share)
    if primary is not None:
        deciding = (_with_test(primary, rows, data),)
    values_of = {m: _values(metrics, *parted(m), names) for m in deciding}
    measures = [m for m, values in values_of.items() if values]
    ranking = [m for m in measures if m not in OF_COMMON_CLASS]
    elsewhere = primary is None and (has_rare_class(data) or not stated_share)
    if elsewhere and ranking and _compares(values_of[ranking[0]], baseline):
        measures = ranking
    elif elsewhere:
        of_decisions = [m for m in OF_DECISIONS if _deciding(rows, m, data)][:1]
        values_of |= {m: _values(metrics, m, None, names) for m in of_decisions}
        measures = of_decisions or measures
    decided = {m: _deciding(rows, m, data) for m in measures}
    tested = [m for m in measures if decided[m]]
    tested = [m for m in tested if any(baseline in pair for pair in decided[m])] or tested
    if not measures:
        return None
    of_best = [m for m in tested if _of_best(m, values_of[m], decided[m], baseline)]
    of_best = [m for m in of_best if _of_nearest(m, values_of[m], decided[m], baseline)] or of_best
    of_several = [m for m in measures if len(values_of[m]) > 1]
    measure = (of_best or tested or of_several or measures)[0]
    tests = decided[measure]
    unit = next((row.unit for row in tests.values()), "rows")
    name, average = parted(measure)
    if not tests and average is None and _has_limits_over_folds(metrics, name, data):
        unit = "folds"
    of = basis.of_unit(unit, data)
    if of not in ("pooled rows", "groups"):
        name, average = measure, OVER_PARTS
    values = _values(metrics, name, average, names)
    if not values:
        return None
    lower = lower_is_better(measure)
    margins = _open_margins(rows, measure)
    known = _established(rows, measure)
    tests, undone = _parted(tests, data)
    infinite = of_infinite_loss(metrics, measure)
    contest = Contest(measure, of, values, tests, *known, lower, undone=undone, infinite=infinite)
    reasons = undefined_reasons(metrics, name, average)
    return replace(contest, open_margins=margins, undefined=reasons)


def _parted(tests: Tests, data: DataRecord) -> tuple[Tests, Tests]:
    """The tests that stand, and those that an undeclared column undoes."""
    undone = {pair: row for pair, row in tests.items() if is_undone(row, data)}
    return {pair: row for pair, row in tests.items() if pair not in undone}, undone


def _with_test(primary: str, rows: Sequence[ComparisonRow], data: DataRecord) -> str:
    """The primary measure; where only the one that fixes it has a recommended test, that one.

    The root of the MSE, and R², order models on the same rows as the MSE does.
    """
    metric = find(primary, data["task"])
    fixed_by = None if metric is None else metric.determined_by
    if fixed_by is None or _deciding(rows, primary, data) or not _deciding(rows, fixed_by, data):
        return primary
    return fixed_by


def deciding_measures(
    data: DataRecord, rows: Sequence[ComparisonRow], *, costs: bool = True
) -> tuple[str, ...]:
    """The measures that may decide: first the cost per row, where costs are declared and tested.

    Who declares what errors cost asks which model costs less. AUC and accuracy answer another
    question: all errors are alike to accuracy, all thresholds to the AUC. The cost is that of the
    decisions as they are made, at the thresholds in use, also at the default 0.5: that is what
    happens if the models are used so, and all that a recommended test compares. What each model
    costs at its best threshold, and which one ranks better, stand beside it (``cost_headline``).
    Where no recommended test compares costs, as where thresholds were chosen on the evaluated rows,
    the AUC of two classes decides, but not accuracy. The rule looks at declarations and standing
    alone, never at p: models that cost the same have a winner no more often than the test rejects
    (``tests.simulations.declared_costs_decide``). ``costs``: those of the rows are asked for, not
    those at another prevalence, which the spec states.

    Of prediction intervals around the same estimates their Winkler score decides.
    """
    quantiles = [model.get("quantile") for model in data["models"]]
    task = TASKS[data["task"]]
    measures = task.deciding_measures(quantiles)
    whole = [row for row in rows if row.slice is None]
    untested = task.of_numbers and not any(_is_tested(whole, name) for name in measures)
    if untested and _is_tested(whole, WINKLER_SCORE):
        return (WINKLER_SCORE, *measures)
    has_costs = costs and any(row.metric == COST for row in whole)
    if task.two_classes and has_costs:
        measures = tuple(name for name in measures if name not in OF_COMMON_CLASS)
    return (COST, *measures) if has_costs else measures


def _is_tested(rows: Sequence[ComparisonRow], measure: str) -> bool:
    """Whether a test of a measure has a result: between the same outputs none has."""
    return any(row.metric == measure and row.undefined is None for row in rows)


def _has_limits_over_folds(metrics: pl.DataFrame, name: str, data: DataRecord) -> bool:
    """Whether a mean over folds has limits, which those of pooled fits are narrower than."""
    means = on_all_rows(metrics, name, OVER_PARTS) if evaluation_of(data).pooled_fits else {}
    overlapping = evaluation_of(data).scheme != "data_sets"
    return overlapping and any(one.low is not None for one in means.values())


def _of_best(
    measure: str,
    values: Mapping[str, ModelValue],
    tests: Mapping[frozenset[str], ComparisonRow],
    baseline: str | None,
) -> bool:
    """Whether a test compares the best model: with the baseline, where that has a test too."""
    if not values:
        return False
    best = (min if lower_is_better(measure) else max)(values, key=lambda name: values[name].value)
    if baseline is not None and baseline != best and any(baseline in pair for pair in tests):
        return frozenset((best, baseline)) in tests
    return any(best in pair for pair in tests)


def _of_nearest(
    measure: str,
    values: Mapping[str, ModelValue],
    tests: Mapping[frozenset[str], ComparisonRow],
    baseline: str | None,
) -> bool:
    """Whether a test compares the best two models, where no baseline is declared."""
    ordered = sorted(
        values, key=lambda name: values[name].value, reverse=not lower_is_better(measure)
    )
    return baseline is not None or frozenset(ordered[:2]) in tests


def _compares(values: Mapping[str, ModelValue], baseline: str | None) -> bool:
    """Whether a measure has values of several models, the declared baseline among them."""
    return len(values) > 1 and (baseline is None or baseline in values)


def _of_scores(
    metrics: pl.DataFrame, comparisons: pl.DataFrame, data: DataRecord, names: Sequence[str]
) -> Contest:
    measure = str(data["measure"])
    table = {(r["metric"], r["model"]): r["value"] for r in metrics.to_dicts()}
    several = len(names) > 1
    values = {
        name: ModelValue(
            table[f"mean {measure}", name],
            mean_rank=table["mean_rank", name] if several else None,
        )
        for name in names
    }
    rows = rows_of(comparisons, ComparisonRow)
    tests, undone = _parted(_deciding(rows, measure, data), data)
    by_rank = several and data.get("unit") != "fold"
    of = basis.of_unit("folds" if data.get("unit") == "fold" else "data sets", data)
    lower = data["better"] == "lower"
    return Contest(
        measure,
        of,
        values,
        tests,
        *_established(rows, measure),
        lower,
        by_rank,
        _open_margins(rows, measure),
        overall=_overall(rows) if by_rank else None,
        undone=undone,
    )


def _overall(rows: Sequence[ComparisonRow]) -> ComparisonRow | None:
    """The recommended test of more models than a pair."""
    return next(
        (
            row
            for row in rows
            if len(row.models) > 2
            and row.reject is not None
            and row.recommendation == "recommended"
        ),
        None,
    )


def _values(
    metrics: pl.DataFrame, measure: str, average: str | None, names: Sequence[str]
) -> dict[str, ModelValue]:
    by_model = on_all_rows(metrics, measure, average)
    return {name: by_model[name] for name in names if name in by_model}


def _deciding(
    rows: Sequence[ComparisonRow], measure: str, data: DataRecord
) -> dict[frozenset[str], ComparisonRow]:
    """The recommended test of each pair: the same of all pairs where there is one.

    One that an undeclared column undoes does not make another measure decide.
    """
    decides = [
        row
        for row in rows
        if row.metric == measure
        and (row.recommendation == "recommended" or is_undone(row, data))
        and row.reject is not None
        and len(row.models) == 2
        and row.shows == "difference"
    ]
    counts: dict[str, int] = {}
    for row in decides:
        counts[row.comparison] = counts.get(row.comparison, 0) + 1
    ordered = sorted(decides, key=lambda row: -counts[row.comparison])
    tests: dict[frozenset[str], ComparisonRow] = {}
    for row in ordered:
        tests.setdefault(frozenset(row.models), row)
    return tests


def _established(
    rows: Sequence[ComparisonRow], measure: str
) -> tuple[dict[frozenset[str], ComparisonRow], dict[str, ComparisonRow]]:
    """The tests that establish equivalence by pair, and non-inferiority to the baseline by model.

    No reason speaks against them.
    """
    fit = [row for row in rows if _asks_within_margin(row, measure) and row.reject]
    equivalent = {frozenset(row.models): row for row in fit if row.shows == "equivalence"}
    return equivalent, {r.models[0]: r for r in fit if r.shows == "non_inferiority"}


def _open_margins(rows: Sequence[ComparisonRow], measure: str) -> list[ComparisonRow]:
    return [row for row in rows if _asks_within_margin(row, measure) and row.reject is False]


def _asks_within_margin(row: ComparisonRow, measure: str) -> bool:
    return (
        row.is_of_margin
        and row.metric == measure
        and row.recommendation != "avoid"
        and row.why is None
    )
