"""Being asked to stop, by Ctrl-C or SIGTERM, at any moment.

A signal is remembered and then raised as ``Stopped``, wherever the program is.
Two things may come between: work that must not be cut in two runs under
``held()``, which raises at its end; and code that turns every exception into
something else (a callback of native code, a finaliser) may eat it, so whoever
reports a fault of others, or publishes, calls ``check()`` first.
"""

from __future__ import annotations

import signal
import sys
import time
from contextlib import contextmanager

STOPPED = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
"""What a process was that a signal stopped."""

TYPE_CHECKING = False  # see reportgen/__init__.py
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

GRACE = 2.0
"""Seconds in which a further signal is the same request: an impatient second Ctrl-C."""


_PR_SET_PDEATHSIG = 1


class Stopped(BaseException):
    """A signal asked us to stop: not an error."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _Requests:
    """What was asked for, and how many sections now wait with it."""

    number: signal.Signals | None = None
    time: float = -GRACE
    holding: int = 0


def listen() -> None:
    """Take SIGINT and SIGTERM from now on, unless whoever started us had them ignored."""
    _Requests.number, _Requests.time = None, -GRACE
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _hear)


def ignore() -> None:
    """Hear no further signal: the work is done, only the exit is left."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def requested_signal() -> signal.Signals | None:
    """Return the signal that has come, if any."""
    return _Requests.number


def check() -> None:
    """Raise ``Stopped`` where a signal has come."""
    if _Requests.number is not None:
        raise Stopped(_Requests.number)


def acknowledge() -> None:
    """Raise no more for the signal that has come: whoever calls this sees to it."""
    _Requests.number = None


@contextmanager
def held() -> Iterator[None]:
    """Finish what is inside before a signal is raised."""
    _Requests.holding += 1
    try:
        yield
    finally:
        _Requests.holding -= 1
    if not _Requests.holding:
        check()


def end_with_parent() -> None:
    """Have this process end when the one that started it does, even by a kill."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _hear(number: int, frame: FrameType | None) -> None:
    del frame
    now = time.monotonic()
    again = now - _Requests.time < GRACE
    if not again:
        _Requests.number, _Requests.time = signal.Signals(number), now
    if not again and not _Requests.holding:
        raise Stopped(number)
