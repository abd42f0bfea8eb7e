"""What the registries say of the metrics, tests and corrections that results hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from math import isfinite

from reportgen.comparisons import TESTS, TestInfo
from reportgen.comparisons.corrections import CORRECTION_NAMES
from reportgen.comparisons.registry import COUNTED, SYMBOLS
from reportgen.intervals.method_names import IntervalText, MethodName
from reportgen.intervals.shapes import FEW_OF_A_SIDE
from reportgen.measuring.chosen_thresholds import THRESHOLDS
from reportgen.measuring.metric_rows import OF_SHARES
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
from reportgen.resampling.bootstrap_outcomes import NAMES
from reportgen.results.definitions.interval_texts import (
    INTERVALS,
    OF_UNEQUAL_GROUPS,
    ON_UNEQUAL_GROUPS,
)
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
        by_point="time points" in test.traits,
    )


def interval_info(name: str) -> IntervalText | None:
    """An interval method in words; nothing for an unknown one.

    Weighted rows have the addition "(effective size)" or "(squared weights)", rows in
    groups "(groups)", in order of time "(blocks of time)"; limits at a threshold that the rows
    chose end in "every threshold".

    >>> names = "wilson", "bootstrap BCa", "delta (effective size)", "sandwich (squared weights)"
    >>> [interval_info(name).label for name in names]
    ['Wilson score', 'BCa bootstrap', 'Delta method, effective size', 'Sandwich, squared weights']
    >>> interval_info("wilson (groups)").label, interval_info("hanley_mcneil")
    ('Wilson score, by group', None)
    """
    entry, written = INTERVALS.get(name) or INTERVALS.get(name.lower()), MethodName.read(name)
    if entry is None and written.every_threshold:
        return _for_every_threshold(str(written.fixed()))
    if entry is None and written.allows in ("groups", "blocks of time"):
        return (_by_group if written.allows == "groups" else _by_block)(written.method)
    weighted = written.allows in ("effective size", "squared weights")
    plain = INTERVALS.get(written.method.lower()) if weighted else None
    if entry or plain is None:
        return entry
    if written.allows == "squared weights":
        how = f"{plain.how} Weighted: the variance has sums of squared weights."
        return IntervalText(f"{plain.name}, squared weights", how, plain.source)
    if written.method in OF_SHARES:
        worth = (
            "Weighted: n = p(1 − p) over the variance of the weighted p; where fewer than "
            f"{FEW_OF_A_SIDE} rows are on either side, at most (Σw)² / Σw²."
        )
        source = f"{plain.source}; Korn & Graubard (1998), Survey Methodology 24, 193-201"
        return IntervalText(f"{plain.name}, effective size", f"{plain.how} {worth}", source)
    how = f"{plain.how} Weighted: n = (Σw)² / Σw²."
    return IntervalText(f"{plain.name}, effective size", how, plain.source)


def _by_group(name: str) -> IntervalText | None:
    plain = interval_info(name)
    if plain is None:
        return None
    if name in NAMES.values():
        allowance = "Whole groups are resampled."
        source = "Field & Welsh (2007), doi:10.1111/j.1467-9868.2007.00593.x"
    else:
        allowance = (
            "The variance is the design effect of the groups times that of independent rows (n "
            f"rows count as n/D), the quantile is Student's t. {OF_UNEQUAL_GROUPS}"
        )
        source = (
            "Rao & Scott (1992), doi:10.2307/2532311; Pan & Wall (2002), doi:10.1002/sim.1142; "
            f"{ON_UNEQUAL_GROUPS}"
        )
    return IntervalText(
        plain.name, f"{plain.how} {allowance}", f"{plain.source}; {source}", unit="group"
    )


def _by_block(name: str) -> IntervalText | None:
    """The method where rows are in order of time."""
    of_groups = interval_info(str(MethodName(name, "groups")))
    if of_groups is None:
        return None
    how = f"{of_groups.how} Groups are blocks of consecutive time points."
    how += " Limits of one model are at least as wide as for independent rows."
    source = f"{of_groups.source}; Carlstein (1986), doi:10.1214/aos/1176350057"
    return IntervalText(of_groups.name, how, source, unit="block")


def _for_every_threshold(name: str) -> IntervalText | None:
    """The method where the rows chose the threshold."""
    fixed = interval_info(name)
    if fixed is None:
        return None
    how = (
        f"{fixed.how} The threshold was chosen on these rows: the limits hold for all thresholds "
        f"at once, by Bonferroni's correction for {THRESHOLDS}."
    )
    return IntervalText(f"{fixed.label}, every threshold", how, fixed.source)


def place(name: str) -> tuple[int, str]:
    """Where a method stands in a table of methods: as they are listed, others after them."""
    methods = [method.lower() for method in INTERVALS]
    written = MethodName.read(name)
    plain = written.method.lower() if written.allows == "effective size" else name.lower()
    return methods.index(plain) if plain in methods else len(methods), name
