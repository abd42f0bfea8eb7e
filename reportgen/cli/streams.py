"""Standard output and error on devices that are closed, full or gone."""

from __future__ import annotations

import errno
import os
import sys

UNWRITTEN = 8
"""Exit code of ``OutputError``, where the result of a command could not be printed."""


def open_closed() -> None:
    """Have the three standard streams lead somewhere, before another file takes their number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            os.set_inheritable(number, True)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))


def is_of_output(error: BaseException) -> bool:
    """Whether an error that nobody has named is of a stream: those of files bear their name."""
    full = {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EPIPE}
    return isinstance(error, OSError) and error.errno in full and error.filename is None


def flushed(code: int) -> int:
    """Write what is left to write; return the exit code, another one where the result is lost.

    The interpreter would do so at its very end, and leave with a code of its own.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _discard(stream.fileno())
            if stream is sys.stdout:
                code = code or UNWRITTEN
        except ValueError:  # it is closed
            pass
    return code


def _discard(number: int) -> None:
    """Have a stream lead nowhere, so that nothing more can fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
