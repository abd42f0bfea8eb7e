"""Who publishes: this process, or the one that watches it.

A build that is supervised asks its supervisor to hold the output folder, to
make the stage, and to publish: whatever happens to the process that evaluates,
nothing half made is seen and nothing is left behind. Messages are lines of JSON.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from reportgen import interrupts
from reportgen.builds import publish
from reportgen.errors import LockedError, OutputError, Problem, ReportgenError

GONE = 143
"""Exit code of a process whose supervisor has ended: nobody reads it."""

ERRORS = {error.exit_code: error for error in (OutputError, LockedError)}


class Channel:
    """The worker's end of the connection to its supervisor."""

    def __init__(self, connection: socket.socket) -> None:
        self.stream = connection.makefile("rw", encoding="utf-8", newline="\n")

    def tell(self, **message: Any) -> None:
        """Send a message that has no answer."""
        try:
            self.stream.write(json.dumps(message) + "\n")
            self.stream.flush()
        except OSError:
            self._end()

    def ask(self, **message: Any) -> Any:
        """Send a request and return its answer; raise the error that it met."""
        with interrupts.held():
            self.tell(**message)
            line = self.stream.readline()
        if not line:
            self._end()
        answer = json.loads(line)
        if answer.get("exit"):
            raise ERRORS.get(answer["exit"], OutputError)(*map(problem_of, answer["problems"]))
        return answer.get("value")

    def _end(self) -> NoReturn:
        os._exit(GONE)


class _Connected:
    channel: Channel | None = None
    seconds: float | None = None
    megabytes: float | None = None


def connect(connection: socket.socket) -> Channel:
    """Have the supervisor at the other end publish from now on."""
    _Connected.channel = Channel(connection)
    return _Connected.channel


def is_connected() -> bool:
    """Whether a supervisor watches this process."""
    return _Connected.channel is not None


def limit_all(seconds: float | None, megabytes: float | None) -> None:
    """Limit all that this process does, as the command line has it; a spec's limits then yield."""
    _Connected.seconds, _Connected.megabytes = seconds, megabytes
    limit(None, None)


def limit(seconds: float | None, megabytes: float | None) -> None:
    """Tell the supervisor, where there is one, the limits of what now begins."""
    if _Connected.channel is not None:
        seconds, megabytes = _Connected.seconds or seconds, _Connected.megabytes or megabytes
        _Connected.channel.tell(seconds=seconds, megabytes=megabytes)


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """``publish.writing``, by whoever publishes."""
    channel = _Connected.channel
    if channel is None:
        with publish.writing(out):
            yield
        return
    channel.ask(open=str(out))
    try:
        yield
    finally:
        channel.ask(close=True)


@contextmanager
def staged(out: Path, name: str) -> Iterator[Path]:
    """``publish.staged``, by whoever publishes."""
    channel = _Connected.channel
    if channel is None:
        with publish.staged(out, name) as stage:
            yield stage
        return
    stage = Path(channel.ask(stage=[str(out), name]))
    try:
        yield stage
    finally:
        channel.ask(unstage=True)


def published(stage: Path, target: Path) -> None:
    """Publish a stage, unless the target is there, and point ``latest`` at the target."""
    channel = _Connected.channel
    if channel is None:
        publish.published(stage, target)
    else:
        channel.ask(publish=[str(stage), str(target)])


def problem_of(plain: dict[str, Any]) -> Problem:
    """Return the problem that ``Problem.to_dict`` wrote."""
    return Problem(**{**plain, "rows": tuple(plain["rows"])})


def answer_of(error: ReportgenError) -> dict[str, Any]:
    """Return an error as the answer to a request."""
    return {"exit": error.exit_code, "problems": [p.to_dict() for p in error.problems]}
