"""What the catalogue says, read off the registries and the docstrings."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Unpack

from reportgen.cli.entries import Entry, EntryFacts
from reportgen.tasks import CLASSIFICATION, PREDICTION

if TYPE_CHECKING:
    from reportgen.metrics import Metric
    from reportgen.resampling.limits import Method

_SOURCE = re.compile(r"^(?=[A-ZÀ-Ž][\w'’&.,\- ]* \(\d{4}\))", re.MULTILINE)
"""Where the sources begin in a docstring: the first line that begins with authors and a year."""


def collected() -> list[Entry]:
    """Return what the registries hold: measures, curves, comparisons, intervals, corrections."""
    return [*_metrics(), *_curves(), *_comparisons(), *_intervals(), *_corrections()]


def rendered() -> str:
    """Return the catalogue as the text of its file."""
    return json.dumps(collected(), indent=1, ensure_ascii=False) + "\n"


def _metrics() -> Iterator[Entry]:
    from reportgen.metric_names import CELLS
    from reportgen.metrics import REGISTRY
    from reportgen.metrics.class_means import AVERAGED, BY_CLASS

    of_classes = {*AVERAGED, *BY_CLASS, *CELLS}
    for task, registry in REGISTRY.items():
        for metric in registry.values():
            shared = task == "binary" and metric.name in of_classes
            yield of_metric(metric, CLASSIFICATION if shared else (task,))


def of_metric(metric: Metric, tasks: Sequence[str]) -> Entry:
    """The entry of a measure."""
    from reportgen.intervals.share_regions import NAME
    from reportgen.measuring import table_limits
    from reportgen.measuring.bootstrap_intervals import METHODS, is_resampled
    from reportgen.measuring.class_averages import METHODS as AVERAGE_METHODS
    from reportgen.measuring.independent_means import (
        closed_form,
        has_closed_form,
        has_limits,
        interval_of_mean,
    )
    from reportgen.measuring.kernels import KERNELS
    from reportgen.measuring.ranking_limits import method
    from reportgen.resampling.bootstrap_outcomes import NAMES
    from reportgen.resampling.class_matrix import method_of_table

    bootstrap: Method = "optimum" if metric.on == "hull" else METHODS[0]
    form = NAMES[bootstrap] if is_resampled(metric, "all") else None
    if metric.task == "binary" and metric.on == "counts" and form:
        form = NAME
    if metric.task == "binary" and form:
        form = method(metric) or form
    if metric.task == "multiclass" and form:
        form = table_limits.method_of(metric.name) or method_of_table(metric, form)
    if metric.task == "regression" and has_closed_form(metric, "all"):
        form = closed_form(metric)
    if metric.on == "rows" and has_limits(metric):
        form = interval_of_mean(metric).name
    if (metric.task, metric.name) == ("multiclass", "balanced_accuracy"):
        form = AVERAGE_METHODS["macro"]
    return {
        "name": metric.name,
        "group": metric.group,
        "tasks": list(tasks),
        "label": metric.label,
        "summary": metric.summary,
        "formula": metric.formula,
        "bounds": [None if abs(end) == float("inf") else end for end in metric.bounds],
        "better": metric.better,
        "undefined": metric.undefined,
        "interval": metric.interval.name if metric.interval else form,
        "core": metric.core,
        "kernel": metric.task == "binary" and metric.name in KERNELS,
        "book": metric.book or None,
        "reference": metric.reference,
    }


def _curves() -> Iterator[Entry]:
    from reportgen import curves, resampling
    from reportgen.tables import CURVES

    for name, curve in CURVES.items():
        named = (
            getattr(module, function_name)
            for module in (curves, resampling)
            for function_name in (name, f"{name}_curve")
            if hasattr(module, function_name)
        )
        registered = curves.RANKING_CURVES.get(name)
        maker = next(named) if registered is None else registered.make
        columns = list(curve.table.to_schema().columns)
        facts: EntryFacts = {**_documented(maker), "columns": columns}
        yield _entry(name, "curve", curve.tasks, **facts)


def _comparisons() -> Iterator[Entry]:
    """Yield every test of significance from its record, and dominance."""
    from reportgen import comparisons

    for name, test in comparisons.TESTS.items():
        facts: EntryFacts = {
            "label": test.short,
            "summary": f"{test.label}.",
            "about": test.summary,
            "compares": test.compares,
            "units": list(test.units),
            "allows": list(test.allows),
            "least": test.needs.least,
            "shows": test.shows,
            "symbol": test.symbol or None,
            "null": test.null_hypothesis,
            "formula": test.formula,
            "assumes": test.assumptions,
            "undefined": test.undefined,
            "reference": test.reference,
        }
        yield _entry(name, "comparison", test.tasks, **facts)
    yield _entry("dominance", "comparison", ("binary",), **_documented(comparisons.dominance))


def _intervals() -> Iterator[Entry]:
    """Yield the methods that reports use, then the functions that the package has beside them."""
    from reportgen.intervals import PAIRED, PROPORTIONS, UNPAIRED
    from reportgen.intervals.method_names import MethodName
    from reportgen.results.definitions.interval_texts import INTERVALS

    used = {
        name: description
        for name, description in INTERVALS.items()
        if MethodName.read(name).allows != "effective size"
    }
    for name, text in used.items():
        facts: EntryFacts = {"label": text.label, "summary": text.how, "reference": text.source}
        yield _entry(name, "interval", PREDICTION, **facts)
    of_shares = {**PROPORTIONS, **PAIRED, **UNPAIRED}
    for name, maker in of_shares.items():
        if name not in used:
            yield _entry(name, "interval", PREDICTION, **_documented(maker))


def _corrections() -> Iterator[Entry]:
    from reportgen.comparisons import CORRECTIONS

    for name, maker in CORRECTIONS.items():
        yield _entry(name, "correction", PREDICTION, **_documented(maker))


def _entry(name: str, group: str, tasks: Sequence[str], **facts: Unpack[EntryFacts]) -> Entry:
    return {"name": name, "group": group, "tasks": list(tasks), **facts}


_SIGNATURE = re.compile(r"\n(?:Args|Returns|Raises):\n(?:    .*\n?)+")
"""What only those read who call a function."""


def _documented(thing: object) -> EntryFacts:
    """Return the first sentence of a docstring, what it says beyond that, and its sources."""
    text = (inspect.getdoc(thing) or "").replace("``", "").partition("\n>>>")[0]
    first, _, details = _SIGNATURE.sub("\n", text).partition("\n\n")
    about, *sources = _SOURCE.split(details, maxsplit=1)
    return {
        "summary": " ".join(first.split()),
        "about": about.strip() or None,
        "reference": " ".join(" ".join(sources).split()).rstrip(".") or None,
    }
