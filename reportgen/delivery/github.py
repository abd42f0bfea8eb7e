"""What a step of GitHub Actions says of its builds: annotations, and the summary of the job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reportgen.delivery.junit import observed
from reportgen.errors import printable
from reportgen.records.gate_rows import name_of
from reportgen.tables.results import GateRow

LONGEST_SUMMARY = 512 * 1024
"""Bytes of a step's summary; GitHub silently drops one near 1 MiB."""

_LEVELS = {"fail": "error", "inconclusive": "warning"}


def gate_annotations(name: str, gates: Iterable[GateRow]) -> Iterator[str]:
    """Yield a workflow command for each gate of a spec that does not pass.

    >>> gate = {"gate": "m.auc >= 0.9", "state": "fail", "observed": None}
    >>> print(*gate_annotations("nightly", [gate]))
    ::error title=nightly%3A m.auc >= 0.9::gate failed, no value
    """
    words = {"fail": "gate failed", "inconclusive": "gate inconclusive"}
    for gate in gates:
        state = gate["state"]
        if state in _LEVELS:
            title = f"{name}: {name_of(gate)}"
            yield annotation(_LEVELS[state], title, f"{words[state]}, {observed(gate)}")


def annotation(level: str, title: str, message: str) -> str:
    """Return a workflow command; what it could be ended with is escaped.

    >>> annotation("error", "a, b", "100 %")
    '::error title=a%2C b::100 %25'
    """
    return f"::{level} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    lines = "\n".join(printable(line) for line in text.split("\n"))
    return lines.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def step_summary(parts: Iterable[tuple[str, str]], room: int = LONGEST_SUMMARY) -> str:
    r"""Return the summaries of builds one after the other, in at most so many bytes.

    Args:
        parts: Of each build a line, and its summary, which the line stands in for where
            there is no more room.
        room: Bytes that there are.

    >>> step_summary([("a: PASS", "long text"), ("b: FAIL", "more")], room=18)
    'a: PASS\n\nmore\n\n'
    """
    lines = [(f"{line}\n\n", f"{summary}\n\n") for line, summary in parts]
    needed = sum(_size(line) for line, _ in lines)
    result = []
    for line, summary in lines:
        needed -= _size(line)
        fits = _size(summary) <= room - needed
        result.append(summary if fits else line)
        room -= _size(result[-1])
    return "".join(result)


def _size(text: str) -> int:
    return len(text.encode())
