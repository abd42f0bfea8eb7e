"""Everything that can go wrong, drawn once.

ReportgenError
├── SpecError            2   the command line or the spec cannot be used
├── DataError            3   the input data is not what the spec says
├── UndefinedError       4   a statistic that the spec requires has no value
├── EmptyError           5   nothing to evaluate
├── RenderError          6   a chart, page or font could not be made
├── LimitError           7   a limit of time, memory or size was reached
├── OutputError          8   the result could not be written
└── LockedError         75   another build is writing to the same folder

A failed gate (1) is a result, not an error: the report is written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import ClassVar, TypedDict, cast


def printable(text: str) -> str:
    r"""Return text that names of the data cannot make a terminal obey: what is unseen is escaped.

    >>> printable("a column \x1b[31m\n")
    'a column \\x1b[31m\\n'
    """
    return "".join(c if _is_seen(c) else c.encode("unicode_escape").decode() for c in text)


def terminal_text(text: str) -> str:
    r"""Return lines as a terminal may show them: no character moves it, or turns a line round.

    What is escaped stays JSON where the text is JSON. Line ends, tabs and the isolates that pages
    put around words from right to left stay.

    >>> terminal_text("gates:\n\x1b[2J\u202e")
    'gates:\n\\u001b[2J\\u202e'
    """
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _is_seen(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066\u2067]")


class ProblemRecord(TypedDict):
    """A problem as plain values."""

    code: str
    message: str
    place: str
    hint: str
    line: int | None
    column: int | None
    rows: tuple[int, ...]
    count: int | None
    value: str | None


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault, with its place and a hint.

    ``place`` is what a person can open: ``report.yaml:3:8``, or
    ``predictions.csv, column 'p', rows 4, 9``. ``code`` is stable and can be
    searched for. ``rows`` holds the first offending row numbers (1 is the
    first row of data), ``count`` how many there are in all. ``value`` is cell
    content and is shown only on request.
    """

    code: str
    message: str
    place: str = ""
    hint: str = ""
    line: int | None = None
    column: int | None = None
    rows: tuple[int, ...] = ()
    count: int | None = None
    value: str | None = None

    def __str__(self) -> str:
        head = f"{printable(self.place)}: " if self.place else ""
        hint = f"\n  hint: {printable(self.hint)}" if self.hint else ""
        return f"{head}{self.code}: {printable(self.message)}{hint}"

    def to_dict(self) -> ProblemRecord:
        """Return the problem as plain values, for ``--error-format json``."""
        return cast("ProblemRecord", asdict(self))

    @classmethod
    def from_dict(cls, plain: ProblemRecord) -> Problem:
        """Return the problem that ``to_dict`` gave."""
        return replace(cls(**plain), rows=tuple(plain["rows"]))


MOST_PROBLEMS = 100
"""Problems that an error lists; of further ones it gives the number."""


class ReportgenError(Exception):
    """A fault that a user can mend; carries every problem, up to ``MOST_PROBLEMS``."""

    exit_code: ClassVar[int] = 70

    def __init__(self, *problems: Problem | str, more: int = 0) -> None:
        """Take problems, or what is wrong in words; ``more`` counts those that are not listed."""
        more += max(0, len(problems) - MOST_PROBLEMS)
        listed = [
            Problem(type(self).__name__.removesuffix("Error").lower(), p)
            if isinstance(p, str)
            else p
            for p in problems[:MOST_PROBLEMS]
        ]
        if more:
            message = f"and {more:,} more {'problem' if more == 1 else 'problems'}"
            listed.append(Problem("more-problems", message, count=more))
        self.problems: Sequence[Problem] = tuple(listed)
        super().__init__("\n".join(map(str, self.problems)))


class SpecError(ReportgenError):
    """The spec or the command line cannot be used."""

    exit_code = 2


class DataError(ReportgenError):
    """The input data is missing, damaged or not what the spec says."""

    exit_code = 3


class UndefinedError(ReportgenError):
    """A statistic that the spec requires is undefined for this data."""

    exit_code = 4


class EmptyError(ReportgenError):
    """There is nothing to evaluate."""

    exit_code = 5


class RenderError(ReportgenError):
    """A chart or a page could not be made, or would have been made wrongly."""

    exit_code = 6


class LimitError(ReportgenError):
    """A limit of time, memory or size was reached."""

    exit_code = 7


class OutputError(ReportgenError):
    """The result could not be written; what was there before is untouched."""

    exit_code = 8


class LockedError(ReportgenError):
    """Another build is writing to the same folder."""

    exit_code = 75
