"""What the registries say of the metrics, tests and corrections that results hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from math import isfinite

from reportgen.comparisons import TESTS, TestInfo
from reportgen.comparisons.corrections import CORRECTION_NAMES
from reportgen.comparisons.registry import COUNTED, SYMBOLS
from reportgen.metric_names import parted
from reportgen.metrics import REGISTRY, Metric, find, follows_shares
from reportgen.records.definitions import (
    CorrectionDefinition,
    Definitions,
    IntervalDefinition,
    MetricDefinition,
    TestDefinition,
)
from reportgen.records.model import RESULT_TABLES, Results
from reportgen.results.definitions.interval_info import interval_info, place
from reportgen.tasks import TaskReport


def definitions(results: Results) -> Definitions:
    """The definitions of all that tables and data of the results name, and of nothing else.

    Formulas and sources of metrics are those that a report with all measures prints.
    """
    tables, data = results.comparisons, results.data
    levels, explained = data.get("slice_levels"), results.declared.all_measures
    tests = {*tables["comparison"], *([levels["comparison"]] if levels else ())}
    corrections = {*tables["correction"].drop_nulls()}
    metrics = _metrics(dict.fromkeys(_metric_names(results)), results.task.name)
    return Definitions(
        tuple(_metric(metric, explained=explained) for metric in metrics),
        tuple(_test(test) for name, test in TESTS.items() if name in tests),
        tuple(_intervals(results)),
        tuple(
            CorrectionDefinition(name, label)
            for name, label in CORRECTION_NAMES.items()
            if name in corrections
        ),
        TaskReport(**{each.name: getattr(results.task, each.name) for each in fields(TaskReport)}),
    )


def _metric_names(results: Results) -> Iterable[str]:
    """The metrics that any table names, averages as their metric."""
    every = (getattr(results, name) for name in RESULT_TABLES)
    for table in (*every, *results.curves.values()):
        if "metric" in table.columns:
            yield from (parted(name)[0] for name in table["metric"].unique(maintain_order=True))
    if measure := results.data.get("measure"):
        yield measure


def _intervals(results: Results) -> Iterator[IntervalDefinition]:
    """The methods of all intervals, in the order in which they are explained."""
    tables = (getattr(results, name) for name in RESULT_TABLES)
    columns = (table["interval"].drop_nulls() for table in tables if "interval" in table.columns)
    for name in sorted({name for column in columns for name in column.unique()}, key=place):
        if (method := interval_info(name)) is not None:
            yield IntervalDefinition(name, method.label, method.how, method.source)


def _metrics(names: Iterable[str], task: str) -> list[Metric]:
    """Each as the task has it and as two classes have it, in the order of the registries."""
    every = [(find(name, task), find(name)) for name in names]
    metrics = dict.fromkeys(metric for pair in every for metric in pair if metric is not None)
    tasks = [task, *REGISTRY]
    order = {m: place for place, m in enumerate(m for r in REGISTRY.values() for m in r.values())}
    return sorted(metrics, key=lambda m: (tasks.index(m.task), order.get(m, len(order))))


def _metric(metric: Metric, *, explained: bool) -> MetricDefinition:
    lowest, highest = (bound if isfinite(bound) else None for bound in metric.bounds)
    return MetricDefinition(
        name=metric.name,
        task=metric.task,
        label=metric.label,
        group=metric.group,
        aspect=metric.aspect,
        lowest=lowest,
        highest=highest,
        better=metric.better,
        core=metric.core,
        tested_as=None if metric.tested_as == metric.name else metric.tested_as,
        follows_shares=follows_shares(metric.name),
        unit=metric.unit,
        unit_power=metric.unit_power,
        top=metric.top,
        formula=metric.formula if explained else None,
        book=metric.book if explained else None,
        reference=metric.reference if explained else None,
    )


def _test(test: TestInfo) -> TestDefinition:
    return TestDefinition(
        name=test.name,
        label=test.label,
        short=test.short,
        compares=test.compares,
        formula=test.formula,
        reference=test.reference,
        symbol_note=SYMBOLS.get(test.symbol),
        counts=test.symbol in COUNTED,
    )
