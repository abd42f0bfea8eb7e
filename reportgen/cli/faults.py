"""Faults on stderr: one line each with its place, a ``hint:`` line, or JSON."""

from __future__ import annotations

import contextlib
import errno
import json
import signal
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import click

from reportgen import interrupts
from reportgen.builds import channel
from reportgen.errors import Problem, ReportgenError, SpecError, printable, terminal_text
from reportgen.exhaustion import exhausted
from reportgen.interrupts import STOPPED
from reportgen.version import __version__

_REFUSED = {
    errno.ENAMETOOLONG: ("name", "the name of a file or folder is too long", ""),
    errno.EACCES: (
        "not-permitted",
        "access is not permitted",
        "check the permissions of the folders above it, too",
    ),
}
"""What the system says against a name that a command was given."""


@dataclass(frozen=True)
class Style:
    """How faults are reported."""

    as_json: bool = False
    show_values: bool = False

    @classmethod
    def of(cls, words: Sequence[str]) -> Style:
        """Read the style from the arguments themselves: a usage error comes before any option."""
        as_json = "--error-format=json" in words or ("--error-format", "json") in pairwise(words)
        return cls(as_json, "--show-values" in words)


def tell(error: BaseException, style: Style) -> int:
    """Tell what ended a command; return the exit code.

    Whatever a signal was turned into on its way here, it is reported as a signal.
    """
    number = interrupts.requested_signal()
    if number is None and isinstance(error, KeyboardInterrupt | click.Abort):
        number = signal.SIGINT
    if number is not None:
        problem = Problem(STOPPED[number], "nothing incomplete was published")
        # a supervisor tells what it was asked itself
        return report_faults(128 + number, [] if channel.is_connected() else [problem], style)
    match error:
        case ReportgenError():
            return report_faults(error.exit_code, error.problems, style)
        case click.ClickException():
            return _tell_usage(error, style)
    if limit := exhausted(error):
        return report_faults(limit.exit_code, limit.problems, style)
    if isinstance(error, OSError) and error.filename is not None and error.errno in _REFUSED:
        code, message, hint = _REFUSED[error.errno]
        problem = Problem(code, message, str(error.filename), hint)
        return report_faults(SpecError.exit_code, [problem], style)
    return report_faults(ReportgenError.exit_code, [_saved(error)], style)


def report_faults(code: int, problems: Sequence[Problem], style: Style) -> int:
    """Write problems to stderr; cell contents only where they were asked for."""
    withheld = not style.show_values and any(one.rows and one.value for one in problems)
    if not style.show_values:
        problems = [replace(problem, value=None) for problem in problems]
    if style.as_json:
        report = {"exit": code, "problems": [problem.to_dict() for problem in problems]}
        print_line(json.dumps(report, ensure_ascii=False))
        return code
    for problem in problems:
        value = "" if problem.value is None else f"\n  value: {printable(problem.value)}"
        print_line(f"{problem}{value}")
    if withheld:
        print_line("--show-values prints the values, too")
    return code


def print_line(text: str) -> None:
    """Write a line to stderr; where that is full or closed, the exit code has to do."""
    with contextlib.suppress(OSError):
        click.echo(terminal_text(text), err=True)


def _tell_usage(error: click.ClickException, style: Style) -> int:
    if style.as_json:
        problem = Problem("usage", error.format_message(), hint="see --help")
        return report_faults(error.exit_code, [problem], style)
    with contextlib.suppress(OSError):
        error.show()
    return error.exit_code


def _saved(error: BaseException) -> Problem:
    """Save where a bug struck, without the data that it struck on, and say where that is."""
    kind = type(error).__name__
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="reportgen-", suffix=".trace", delete=False, encoding="utf-8"
        ) as file:
            file.write(trace(error))
    except OSError as fault:
        where = f"no trace could be saved: {fault.strerror}"
        return Problem("bug", f"{kind} in reportgen", hint=f"please report it; {where}")
    return Problem("bug", f"{kind} in reportgen", hint=f"please report it with {file.name}")


def trace(error: BaseException) -> str:
    """Return types and places of an exception and its causes; messages may hold cells of data."""
    versions = f"reportgen {__version__}, python {sys.version.split()[0]}, {sys.platform}\n"
    parts: list[str] = []
    link: BaseException | None = error
    while link is not None:
        stack = "".join(traceback.format_tb(link.__traceback__))
        parts.append(f"{type(link).__qualname__}\n{stack}")
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return versions + "\ncaused by\n".join(parts)
