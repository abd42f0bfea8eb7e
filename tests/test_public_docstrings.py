"""The docstrings of the public functions have all parts, and their examples run as doctests."""

import ast
import inspect
import re
import textwrap

import pytest

import reportgen
from reportgen.comparisons import TESTS
from reportgen.curves import RANKING_CURVES
from reportgen.intervals.proportions import PROPORTIONS
from reportgen.metrics import REGISTRY
from reportgen.tables import CURVES

FUNCTIONS = {n: o for n in reportgen.__all__ if inspect.isfunction(o := getattr(reportgen, n))}

TABLES = {record.table.__name__: record.table for record in CURVES.values()}

MAKERS = {
    name: maker
    for name, maker in {
        **vars(reportgen.curves),
        **{curve.make.__name__: curve.make for curve in RANKING_CURVES.values()},
    }.items()
    if inspect.isfunction(maker)
    and (returned := re.fullmatch(r"DataFrame\[(\w+)\]", str(maker.__annotations__.get("return"))))
    and returned[1] in TABLES
}
"""What makes a curve of the results."""

SIGNIFICANCE = {test.compute.__name__: test.compute for test in TESTS.values()}

SHARES = {limits.__name__: limits for limits in PROPORTIONS.values()}

DOCUMENTED = {**FUNCTIONS, **MAKERS, **SIGNIFICANCE, **SHARES}

METRICS = {(task, name): m for task, of in REGISTRY.items() for name, m in of.items()}

EXEMPT = {"build", "evaluate", "report", "split", "cross_predict"}
"""What follows no paper."""

PLAIN = {"estimates", "score_distribution", "threshold_curve", "paired_counts", "sweep"}
"""Tables of what is given, which no paper defines."""

SOURCE = re.compile(r"doi:10\.|\(\d{4}\)")


def part(text: str, heading: str) -> str:
    """The lines under a heading of a docstring."""
    match = re.search(rf"^{heading}:\n((?:    .*\n?)+)", text, re.MULTILINE)
    return match[1] if match else ""


def raises(function) -> bool:
    """Whether a function raises an error itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.Raise) for node in ast.walk(tree))


def test_a_public_function_tells_its_arguments_what_it_returns_and_has_an_example():
    for name, documented in DOCUMENTED.items():
        function = inspect.unwrap(documented)
        text = inspect.getdoc(function)
        arguments = re.findall(r"^    \**(\w+): \S", part(text, "Args"), re.MULTILINE)

        assert arguments == list(inspect.signature(function).parameters), name
        assert part(text, "Returns"), name
        assert ">>> " in text, name
        undefined = r"[Uu]ndefined|[Nn]ull|[Nn]o \w+|left out|[Dd]efined for every"
        assert re.search(undefined, text), name
        assert "Raises" in text or not raises(function), name


def test_a_public_statistic_has_its_source():
    texts = {n: inspect.getdoc(inspect.unwrap(f)) for n, f in DOCUMENTED.items()}
    without = {name for name, text in texts.items() if not SOURCE.search(text)}

    assert without - EXEMPT - PLAIN == set()


@pytest.mark.parametrize("name", MAKERS)
def test_a_curve_names_the_columns_of_its_table(name):
    text = inspect.getdoc(MAKERS[name])
    table = re.fullmatch(r"DataFrame\[(\w+)\]", MAKERS[name].__annotations__["return"])[1]
    columns = TABLES[table].to_schema().columns

    assert [c for c in columns if f"``{c}``" not in part(text, "Returns")] == []


def test_every_curve_of_the_results_is_made_by_a_documented_function():
    tables = {m.__annotations__["return"].removeprefix("DataFrame[")[:-1] for m in MAKERS.values()}

    assert tables == {*TABLES}


def test_a_metric_tells_formula_undefined_case_source_and_parameters():
    for key, metric in METRICS.items():
        text = inspect.getdoc(inspect.unwrap(metric.build))

        assert metric.summary, key
        assert metric.formula, key
        assert metric.undefined or metric.group == "count", key
        assert SOURCE.search(metric.reference), key
        assert [name for name in metric.parameters if f"``{name}``" not in text] == [], key
