"""Who publishes: this process, or the one that watches it.

A build that is supervised asks its supervisor to hold the output folder, to
make the stage, and to publish: whatever happens to the process that evaluates,
nothing half made is seen and nothing is left behind. Messages are lines of JSON.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypedDict

from reportgen import interrupts
from reportgen.builds import publish
from reportgen.errors import (
    LockedError,
    OutputError,
    Problem,
    ProblemRecord,
    ReportgenError,
    SpecError,
)

GONE = 143
"""Exit code of a process whose supervisor has ended: nobody reads it."""

ERRORS = {error.exit_code: error for error in (SpecError, OutputError, LockedError)}


class WorkerAnswer(TypedDict, total=False):
    """What the supervisor answers: a value, or the exit code and the problems of an error."""

    value: str
    exit: int
    problems: Sequence[ProblemRecord]


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
        answer: WorkerAnswer = json.loads(line)
        if code := answer.get("exit"):
            raise ERRORS.get(code, OutputError)(*map(Problem.from_dict, answer["problems"]))
        return answer.get("value")

    def _end(self) -> NoReturn:
        os._exit(GONE)


DRAWING = 900.0
"""Seconds for the pages where nothing else limits a build: loops of a template may never end."""


class _Connected:
    channel: Channel | None = None
    only: int | None = None
    seconds: float | None = None
    megabytes: float | None = None
    stated: tuple[float | None, float | None] = (None, None)


def connect(connection: socket.socket, only: int | None = None) -> Channel:
    """Have the supervisor at the other end publish from now on.

    ``only`` is the place of the one spec, of several, that this process builds.
    """
    _Connected.channel, _Connected.only = Channel(connection), only
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
        _Connected.stated = seconds, megabytes
        _Connected.channel.tell(seconds=seconds, megabytes=megabytes)


def limit_drawing() -> None:
    """Tell the supervisor that drawing begins, which has a limit where nothing limits the time."""
    seconds, megabytes = _Connected.stated
    if seconds is None:
        limit(DRAWING, megabytes)


@contextmanager
def writing(out: Path, source: Path | None = None) -> Iterator[None]:
    """``publish.writing``, by whoever publishes."""
    channel = _Connected.channel
    if channel is None:
        with publish.writing(out, source):
            yield
        return
    channel.ask(open=[str(out), None if source is None else str(source)])
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


def published(stage: Path, target: Path, *, is_latest: bool, source: Path | None) -> None:
    """``publish.published``, by whoever publishes."""
    channel = _Connected.channel
    if channel is None:
        publish.published(stage, target, is_latest=is_latest, source=source)
    else:
        name = None if source is None else str(source)
        channel.ask(publish=[str(stage), str(target), is_latest, name])


def only() -> int | None:
    """The place of the one spec, of several, that this process builds; null where it has all."""
    return _Connected.only


def report(outcome: Mapping[str, Any]) -> None:
    """Tell the supervisor of several specs what the build of this one came to."""
    if _Connected.channel is not None:
        _Connected.channel.tell(outcome=outcome)


def answer_of(error: ReportgenError) -> WorkerAnswer:
    """Return an error as the answer to a request."""
    return {"exit": error.exit_code, "problems": [p.to_dict() for p in error.problems]}
