"""Options that every command takes, and what a command says while it works."""

from __future__ import annotations

import datetime as dt
import functools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import click

from reportgen.builds import channel
from reportgen.cli.faults import Style, print_line
from reportgen.errors import DataError, OutputError, Problem, terminal_text
from reportgen.progress import on_terminal, steps

if TYPE_CHECKING:
    from reportgen.delivery.notices import When


class OneOf(click.Choice[str]):
    """One of a few words; what is refused says which of them is close."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the message of click, and the close word."""
        from reportgen.spec.nearest import did_you_mean

        meant = did_you_mean(str(value), self.choices)
        message = super().get_invalid_choice_message(value, ctx)
        return f"{message} {meant[0].upper()}{meant[1:]}" if meant else message


class BuildOptions(TypedDict):
    """The options of ``build``, by the name of its parameters."""

    specs: Sequence[Path]
    out: Path | None
    overrides: Sequence[str]
    jobs: int
    date: dt.datetime | None
    as_json: bool
    verbose: bool
    quiet: bool
    notify: When | None
    mail: Sequence[str]
    webhook: bool
    apprise: bool
    dry_run: bool
    junit: Path | None
    openmetrics: Path | None
    annotate: Literal["github"] | None
    summary: Path | None


@dataclass(frozen=True)
class Settings:
    """How a command talks: results on stdout, all else on stderr."""

    as_json: bool
    verbose: bool
    quiet: bool
    style: Style

    def result(self, plain: Any, text: str) -> None:
        """Print the result of the command, as JSON where that was asked for."""
        shown = json.dumps(plain, ensure_ascii=False, indent=1) if self.as_json else text
        try:
            click.echo(terminal_text(shown))
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            message = f"the result cannot be printed: {(error.strerror or '').lower()}"
            raise OutputError(Problem("output", message, "standard output")) from None

    def notice(self, text: str) -> None:
        """Tell a person something that is not the result."""
        if not self.quiet:
            print_line(text)

    def warn(self, text: str) -> None:
        """Tell a person what is not as it should be, however quiet it is to be."""
        print_line(text)

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """Show the steps of long work: a line that changes on a terminal, plain lines elsewhere."""
        if self.quiet:
            yield lambda step: None  # noqa: ARG005  # told, not shown
        elif on_terminal() and not self.verbose:
            with steps() as say_step:
                yield say_step
        else:
            started = time.monotonic()
            yield lambda step: print_line(f"after {time.monotonic() - started:.1f} s: {step}")


def _no_file(_context: click.Context, _option: click.Parameter, value: Path) -> Path:
    """Refuse a file in the place of the folder of builds, which seems to have none."""
    if os.path.exists(value) and not os.path.isdir(value):
        message, hint = "a file is in the place of a folder", "choose another --out"
        raise OutputError(Problem("not-a-folder", message, str(value), hint))
    return value


out_of_builds = click.option(
    "--out",
    type=click.Path(path_type=Path),
    callback=_no_file,
    default=Path("reports"),
    show_default=True,
    help="Folder of the builds.",
)
"""The option of commands on builds that are there."""

set_keys = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a key of the spec; may be repeated.",
)
"""The option of commands that read a spec."""

force = click.option("--force", is_flag=True, help="Overwrite an existing file.")
"""The option of commands that write a file of the user's choice."""

Handler = Callable[..., int | None]
"""A command's function; it returns an exit code, or nothing for 0."""


def common(command: Handler) -> Handler:
    """Give a command the options that all share, as ``settings``."""

    @click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")
    @click.option(
        "--error-format",
        type=OneOf(["text", "json"]),
        default="text",
        help="Format of errors on stderr.",
    )
    @click.option("--show-values", is_flag=True, help="Show cell contents in messages on the data.")
    @click.option("-v", "--verbose", is_flag=True, help="Print a line for every step.")
    @click.option("-q", "--quiet", is_flag=True, help="Print only results and errors.")
    @functools.wraps(command)
    def with_settings(
        *,
        as_json: bool,
        verbose: bool,
        quiet: bool,
        error_format: str,
        show_values: bool,
        **options: Any,
    ) -> int | None:
        style = Style(error_format == "json", show_values)
        return command(settings=Settings(as_json, verbose, quiet, style), **options)

    return with_settings


class _Limit(click.FloatRange):
    """A number in a range; NaN, which compares with none, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        return self.fail(f"{value!r} is not a number.", param, ctx) if isnan(number) else number


def limited(command: Handler) -> Handler:
    """Give a command the options that limit its time and memory."""

    @click.option(
        "--max-seconds",
        type=_Limit(min=0, min_open=True),
        help="Stop with exit code 7 after this many seconds (per spec).",
    )
    @click.option(
        "--max-megabytes",
        type=_Limit(min=1),
        help="Stop with exit code 7 above this many megabytes, summed over all processes.",
    )
    @functools.wraps(command)
    def with_limits(
        *, max_seconds: float | None, max_megabytes: float | None, **options: Any
    ) -> int | None:
        channel.limit_all(max_seconds, max_megabytes)
        return command(**options)

    return with_limits


def reading(command: Handler) -> Handler:
    """Give a command the options that say where specs may read files, as ``allowed_roots``."""

    @click.option(
        "--allow-root",
        "allowed",
        multiple=True,
        metavar="DIR",
        type=click.Path(path_type=Path),
        envvar="REPORTGEN_ALLOWED_ROOTS",
        show_envvar=True,
        help="Let specs also read files in this folder and below; may be repeated.",
    )
    @click.option("--allow-outside", is_flag=True, help="Let specs read files anywhere.")
    @functools.wraps(command)
    def with_roots(*, allowed: tuple[Path, ...], allow_outside: bool, **options: Any) -> int | None:
        return command(allowed_roots=None if allow_outside else allowed, **options)

    return with_roots


def text_of(path: Path, hint: str = "") -> str:
    """Read a text file that the user named; ``hint`` says which one is wanted."""
    from reportgen.builds.stored import content_of

    try:
        return content_of(path).decode()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "").lower() or "not UTF-8 text"
        message = f"cannot be read: {reason}"
        raise DataError(Problem("unreadable", message, str(path), hint)) from None
