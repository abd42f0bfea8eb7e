"""What ``build`` tells a CI server: JUnit, OpenMetrics, annotations, the summary of a step."""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import click

from reportgen.cli.options import BuildOptions, Handler, OneOf, Settings
from reportgen.cli.outcomes import SpecOutcome
from reportgen.errors import OutputError, Problem

OPTIONS = ("junit", "openmetrics", "annotate", "summary")

_file = click.Path(path_type=Path, dir_okay=False)

_FIRST_WORDS = {"junit": (b"<?xml ",), "openmetrics": (b"# TYPE ", b"# HELP ", b"# EOF")}
"""By option, what every file that is written for it begins with."""


def reported_to_ci(command: Handler) -> Handler:
    """Give a command the options of a CI server; the process that started it heeds them."""

    @click.option("--junit", type=_file, help="Write the gates to this file as JUnit XML.")
    @click.option(
        "--openmetrics", type=_file, help="Write the numbers to this file as OpenMetrics."
    )
    @click.option(
        "--annotate",
        type=OneOf(["github"]),
        help="Mark gates that do not pass in the job's log.",
    )
    @click.option("--summary", type=_file, help="Append the summaries to this file.")
    @functools.wraps(command)
    def without_ci(**options: Any) -> int | None:
        own_options = {name: value for name, value in options.items() if name not in OPTIONS}
        return command(**own_options)

    return without_ci


def is_requested(options: BuildOptions) -> bool:
    """Whether a command line has any of these options."""
    given = options["junit"], options["openmetrics"], options["annotate"], options["summary"]
    return any(option is not None for option in given)


def check(options: BuildOptions) -> None:
    """Refuse to replace a file with other content, such as the data, before anything is built.

    Raises:
        OutputError: an existing file is not one that this option wrote.
    """
    for option, path in (("junit", options["junit"]), ("openmetrics", options["openmetrics"])):
        if path is None or not path.is_file():
            continue
        with suppress(OSError), path.open("rb") as file:  # writing says why it cannot be read
            if (start := file.read(8)) and not start.startswith(_FIRST_WORDS[option]):
                message = f"the file has other content, which --{option} would replace"
                raise OutputError(Problem("output", message, str(path), "name a new file"))


def tell(settings: Settings, options: BuildOptions, outcomes: Sequence[SpecOutcome]) -> None:
    """Write what was asked for of the builds of one command.

    Raises:
        OutputError: a file cannot be written.
    """
    if options["annotate"] and not settings.as_json:
        click.echo("\n".join(line for one in outcomes for line in _annotations(one)))
    if options["junit"]:
        write(options["junit"], _junit(outcomes).encode())
    if options["openmetrics"]:
        write(options["openmetrics"], _openmetrics(settings, outcomes).encode())
    if options["summary"]:
        from reportgen.delivery.github import step_summary

        text = step_summary((one.line, _text(one, "markdown") or one.line) for one in outcomes)
        write(options["summary"], text.encode(), "ab")


def write(path: Path, content: bytes, mode: Literal["wb", "ab"] = "wb") -> None:
    """Write a file that the user named.

    Raises:
        OutputError: it cannot be written, or is a pipe that nothing reads.
    """
    try:
        with open(path, mode, opener=_without_waiting) as file:
            file.write(content)
    except OSError as error:
        unread = error.errno == errno.ENXIO and path.is_fifo()
        reason = "nothing reads the pipe" if unread else (error.strerror or "").lower()
        raise OutputError(Problem("output", f"cannot write: {reason}", str(path))) from error


def _without_waiting(name: str, flags: int) -> int:
    """Open a file; a pipe that nothing reads is an error, not a wait."""
    number = os.open(name, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    os.set_blocking(number, True)
    return number


def _annotations(outcome: SpecOutcome) -> Iterator[str]:
    from reportgen.delivery import github

    if outcome.build is None:
        yield github.annotation("error", outcome.name, outcome.summary)
    else:
        yield from github.gate_annotations(outcome.name, outcome.build["gates"])


def _junit(outcomes: Sequence[SpecOutcome]) -> str:
    from reportgen.delivery.junit import FailedBuild, junit

    return junit(
        (one.name, FailedBuild(one.exit, [*one.problems, one.summary]))
        if one.build is None
        else (one.name, one.build["gates"])
        for one in outcomes
    )


def _openmetrics(settings: Settings, outcomes: Sequence[SpecOutcome]) -> str:
    from reportgen.delivery.openmetrics import openmetrics
    from reportgen.results import Results

    results = {}
    for one in outcomes:
        if one.build is None:
            continue
        if text := _text(one, "json"):
            results[one.name] = Results.from_json(text, one.build["files"]["json"])
        else:
            settings.warn(f"{one.name}: no numbers, as results.json was not written")
    return openmetrics(results.items())


def _text(outcome: SpecOutcome, kind: str) -> str:
    files: Mapping[str, str] = {} if outcome.build is None else outcome.build["files"]
    return Path(files[kind]).read_text(encoding="utf-8") if kind in files else ""
