"""What a report can print of metrics, tests, curves, sections and charts has its Chinese."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

import reportgen
from reportgen.comparisons.registry import TESTS
from reportgen.curves import CURVES
from reportgen.metrics import REGISTRY, Metric
from reportgen.results.definitions.interval_texts import INTERVALS
from reportgen.sections.lookup import sentence
from reportgen.sections.references import formula, how
from reportgen.sections.registry import PREDICTIONS, SCORES, declared
from reportgen.translation import translator

PACKAGE = Path(reportgen.__file__).parent

HEADS = {
    "charts": ({"tooltips"}, {"title", "subtitle"}),
    "sections": ({"columns", "Column"}, {"caption", "title"}),
}
"""In a package, the calls whose arguments are printed, and the arguments of any call that are."""


def metrics() -> list[Metric]:
    return [metric for of_task in REGISTRY.values() for metric in of_task.values()]


def titles() -> list[str]:
    every = (
        getattr(cls, "title", None)
        for about in (PREDICTIONS, SCORES)
        for cls in declared(about).values()
    )
    return [title for title in every if isinstance(title, str)]


TEXTS: dict[str, Callable[[], Collection[str]]] = {
    "measures": lambda: [metric.label for metric in metrics()],
    "undefined measures": lambda: [sentence(metric.undefined) for metric in metrics()],
    "formulas of measures": lambda: [formula(metric.formula) for metric in metrics()],
    "tests": lambda: [name for test in TESTS.values() for name in (test.short, test.label)],
    "formulas of tests": lambda: [how(test.formula) for test in TESTS.values()],
    "intervals": lambda: [text for one in INTERVALS.values() for text in (one.name, one.how)],
    "curves": lambda: [curve.title for curve in CURVES.values()],
    "sections": titles,
    "charts": lambda: set(written("charts")),
    "tables": lambda: set(written("sections")),
}
"""What gives the texts of each kind: made by the test, not where tests are collected."""


def written(package: str) -> Iterator[str]:
    """Titles of axes and tooltips, heads and captions of tables that are written out."""
    calls, names = HEADS[package]
    for path in (PACKAGE / package).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            parts = node.args[1:2] if called == "Column" else node.args if called in calls else []
            parts = [*parts, *(w.value for w in node.keywords if called in calls or w.arg in names)]
            for part in parts:
                first = part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield first.value


@pytest.mark.parametrize("kind", TEXTS)
def test_every_text_of_a_registry_has_a_translation(kind: str) -> None:
    into, listed = translator("zh", set()), TEXTS[kind]()
    missing = []
    for text in filter(None, listed):
        into.text(text, "td")
        if into.missing and into.label(text) == text and not into.is_neutral(text):
            missing.append(text)
        into.missing.clear()

    assert missing == []
    assert len(listed) > 20, kind
