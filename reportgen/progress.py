"""How far long work is: on a terminal, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[], None]
OnStep = Callable[[str], None]


def on_terminal() -> bool:
    """Whether standard error is a terminal that lines can be drawn on again."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress(label: str, total: int) -> Iterator[Advance]:
    """Show a bar with percent and remaining time; what is yielded is called after each part.

    Nothing is written where standard error is not a terminal. ``NO_COLOR`` is respected.
    """
    if not on_terminal():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda: bar.advance(task)


def silent(step: str) -> None:
    """Show nothing of a step."""


@contextmanager
def steps() -> Iterator[OnStep]:
    """Show the step that long work is at, in one line that changes; nothing off a terminal."""
    if not on_terminal():
        yield silent
        return
    from rich.console import Console

    with Console(stderr=True).status("starting", spinner_style="") as status:
        yield status.update
