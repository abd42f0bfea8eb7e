"""What the builds of one command came to: printed one by one, summed up, and as an exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from reportgen.errors import Problem, ProblemRecord

if TYPE_CHECKING:
    from reportgen.cli.options import Settings
    from reportgen.tables.results import GateRow

GATE_FAILED = 1

ORDER = (70, 8, 7, 6, 3, 2, 4, 5, 75, 1, 0)
"""Exit codes from the worst to the best: of several specs the worst one counts."""

_WORDS = {
    70: "a bug in reportgen",
    8: "the output could not be written",
    7: "a limit of time, memory or size was reached",
    6: "the report could not be rendered",
    3: "the data cannot be used",
    2: "the spec cannot be used",
    4: "a statistic that the spec requires is undefined",
    5: "there is nothing to evaluate",
    75: "another build is using the folder",
}


class BuildSummary(TypedDict):
    """A build as ``--json`` has it."""

    name: str
    title: str
    date: str
    path: str
    unchanged: bool
    files: Mapping[str, str]
    decision: Mapping[str, Any]
    gates: Sequence[GateRow]
    notices: Sequence[ProblemRecord]


class OutcomeSummary(TypedDict):
    """One of several specs as ``--json`` has it."""

    spec: str
    name: str
    exit: int
    summary: str


class OutcomeRecord(OutcomeSummary):
    """The outcome of a spec as plain values."""

    text: str
    problems: Sequence[str]
    build: BuildSummary | None
    printed: str


class BuildsSummary(TypedDict):
    """What ``--json`` says of the builds of a command line; of several specs each."""

    builds: Sequence[BuildSummary]
    specs: NotRequired[Sequence[OutcomeSummary]]


@dataclass(frozen=True)
class SpecOutcome:
    """One spec: its name, the exit code that it ends with, and its build where there is one.

    ``printed`` is the summary in the language of the spec.
    """

    spec: str
    name: str
    exit: int
    summary: str
    text: str = ""
    problems: Sequence[str] = ()
    build: BuildSummary | None = None
    printed: str = ""

    @property
    def line(self) -> str:
        """The line of the summary."""
        return f"{self.name}: {self.printed or self.summary}"


def not_built(
    spec: Path | str, name: str, code: int, problems: Sequence[Problem] = ()
) -> SpecOutcome:
    """The outcome of a spec that has no build.

    >>> not_built("specs/a.yaml", "a", 3).line
    'a: NOT BUILT (exit 3): the data cannot be used'
    """
    why = _WORDS.get(code, "stopped")
    summary = f"NOT BUILT (exit {code}): {why}"
    return SpecOutcome(str(spec), name, code, summary, problems=[str(one) for one in problems])


def worst(codes: Sequence[int]) -> int:
    """The exit code of several specs.

    >>> worst([0, 1, 3, 2]), worst([0, 75, 1]), worst([])
    (3, 75, 0)
    """
    unknown = [code for code in codes if code not in ORDER]
    return unknown[0] if unknown else min(codes, key=ORDER.index, default=0)


def tell(settings: Settings, outcomes: Sequence[SpecOutcome]) -> int:
    """Print what every spec came to; return the exit code."""
    builds = [one.build for one in outcomes if one.build is not None]
    texts = [one.text for one in outcomes if one.text]
    plain: BuildsSummary = {"builds": builds}
    if len(outcomes) > 1:
        plain["specs"] = [_of_spec(one) for one in outcomes]
        texts += ["", *(one.line for one in outcomes)]
    if texts:
        settings.result(plain, "\n".join(texts))
    return worst([one.exit for one in outcomes])


def _of_spec(outcome: SpecOutcome) -> OutcomeSummary:
    return {
        "spec": outcome.spec,
        "name": outcome.name,
        "exit": outcome.exit,
        "summary": outcome.summary,
    }
