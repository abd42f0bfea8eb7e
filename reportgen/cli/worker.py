"""The process that works: ``python -m reportgen.cli.worker CONNECTION[:PLACE] WORDS...``.

PLACE is that of the one spec, of several, that it builds.

It evaluates and renders, and asks its supervisor to publish. What native code
writes to standard error goes to the supervisor, which reads it where this
process dies; its own messages go where they always go.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import signal
import socket
import sys
from typing import NoReturn

from reportgen import interrupts
from reportgen.cli import deferred_methods


def main(place: str, words: list[str]) -> NoReturn:
    """Run a command, tell the supervisor its exit code and end without clearing up memory."""
    interrupts.end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor hears it, and sends SIGTERM
    interrupts.listen()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=False)
    _own_errors()
    deferred_methods.defer()
    from reportgen.builds import channel
    from reportgen.cli import streams
    from reportgen.cli.group import run
    from reportgen.cli.unused_libraries import leave_out

    connection, _, only = place.partition(":")
    stream = socket.socket(fileno=int(connection))
    supervisor = channel.connect(stream, int(only) if only else None)
    code = streams.flushed(run(words, leave_out))
    interrupts.ignore()
    supervisor.tell(exit=code)
    os._exit(code)


def _own_errors() -> None:
    """Write messages to standard error as before; what writes to its number goes elsewhere.

    The supervisor passes the terminal as number 2 and its own file as the next
    free number in ``REPORTGEN_NATIVE_ERRORS``.
    """
    file = os.environ.pop("REPORTGEN_NATIVE_ERRORS", "")
    if not file:
        return
    with contextlib.suppress(OSError):
        terminal = os.dup(2)
        os.dup2(int(file), 2)
        os.close(int(file))
        old = sys.stderr
        sys.stderr = os.fdopen(terminal, "w", 1, encoding=old.encoding, errors=old.errors)


if __name__ == "__main__":
    gc.disable()  # what is imported stays; once the libraries are there it is enabled
    try:
        main(sys.argv[1], sys.argv[2:])
    except interrupts.Stopped as stop:  # while loading: the supervisor says it
        os._exit(128 + stop.number)
