"""Gates as JUnit XML, which CI servers show as tests.

A build is a test suite and a gate a test case, named as the spec writes it. A gate that
fails is a ``failure``, an inconclusive one is ``skipped``, and a build that could not be
made is an ``error``. The values stand in the properties of the test case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from reportgen.errors import printable
from reportgen.records.gate_rows import name_of
from reportgen.tables.results import GateRow
from reportgen.text import numbers

_NUMBERS: tuple[Literal["observed", "low", "high", "limit"], ...] = (
    "observed",
    "low",
    "high",
    "limit",
)


@dataclass(frozen=True)
class FailedBuild:
    """A spec without a report: its exit code, and what is wrong, the shortest first."""

    exit_code: int
    messages: Sequence[str]


GateRows = Sequence[GateRow]
"""Rows of ``Results.gates``."""


def junit(builds: Iterable[tuple[str, GateRows | FailedBuild]], *, strict: bool = False) -> str:
    """Return the test suites of builds as XML.

    Args:
        builds: The name of each spec, and its gates or why there is no report.
        strict: An inconclusive gate is a failure too, as ``fail_on: [fail, inconclusive]`` has it.

    >>> failed = FailedBuild(3, ["rows.csv: no-file there is no such file"])
    >>> print(junit([("nightly", failed)]).splitlines()[1])
    <testsuites tests="1" failures="0" errors="1" skipped="0">
    """
    suites = [_suite(name, outcome, strict=strict) for name, outcome in builds]
    root = ElementTree.Element("testsuites", _totals(suites))
    root.extend(suites)
    ElementTree.indent(root, " ")
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(name: str, outcome: GateRows | FailedBuild, *, strict: bool) -> ElementTree.Element:
    build = ElementTree.Element("testcase", {"classname": printable(name), "name": "build"})
    suite = ElementTree.Element("testsuite", {"name": printable(name)})
    if isinstance(outcome, FailedBuild):
        error = ElementTree.SubElement(
            build, "error", {"type": f"exit code {outcome.exit_code}", "message": _first(outcome)}
        )
        error.text = "\n".join(map(_escaped, outcome.messages))
        suite.append(build)
    else:
        suite.append(build)
        suite.extend(_case(name, gate, strict=strict) for gate in outcome)
    suite.attrib.update(_totals([suite]))
    return suite


def _first(failed: FailedBuild) -> str:
    return printable(failed.messages[0].partition("\n")[0]) if failed.messages else ""


def _escaped(text: str) -> str:
    return "\n".join(printable(line) for line in text.split("\n"))


def _case(name: str, gate: GateRow, *, strict: bool) -> ElementTree.Element:
    names = {"classname": printable(name), "name": printable(name_of(gate))}
    case = ElementTree.Element("testcase", names)
    properties = ElementTree.SubElement(case, "properties")
    for key in _NUMBERS:
        if gate[key] is not None:
            ElementTree.SubElement(properties, "property", {"name": key, "value": repr(gate[key])})
    ElementTree.SubElement(properties, "property", {"name": "basis", "value": gate["basis"]})
    if gate["state"] == "fail" or (strict and gate["state"] == "inconclusive"):
        ElementTree.SubElement(case, "failure", {"message": observed(gate)})
    elif gate["state"] == "inconclusive":
        ElementTree.SubElement(case, "skipped", {"message": f"inconclusive: {observed(gate)}"})
    return case


def observed(gate: GateRow) -> str:
    """Return what was observed for a gate, and its limit.

    >>> observed({"observed": 0.9, "low": 0.85, "high": 0.94, "limit": 0.8})
    'observed 0.900, interval 0.850 to 0.940, limit 0.8'
    """
    if gate["observed"] is None:
        return "no value"
    limit = "" if gate["limit"] is None else f", limit {numbers.threshold(gate['limit'])}"
    return f"{with_interval(gate)}{limit}"


def with_interval(gate: GateRow) -> str:
    """Return the observed number of a gate and its interval, as the report has them.

    >>> with_interval({"observed": 1019262.0, "low": None, "high": None})
    'observed 1,019,262'
    """
    from reportgen.sections import gates

    low, high = gate["low"], gate["high"]
    text = f"observed {gates.printed(gate)[0]}"
    if low is None or high is None:
        return text
    digits = gates.digits_of([gate])
    return f"{text}, interval {numbers.fixed(low, digits)} to {numbers.fixed(high, digits)}"


def _totals(suites: Sequence[ElementTree.Element]) -> dict[str, str]:
    def number(tag: str) -> str:
        return str(sum(len(list(suite.iter(tag))) for suite in suites))

    return {
        "tests": number("testcase"),
        "failures": number("failure"),
        "errors": number("error"),
        "skipped": number("skipped"),
    }
