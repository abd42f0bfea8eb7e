"""The command line. Heavy imports stand inside the commands, so that help answers at once."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # see reportgen/__init__.py
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code; Ctrl-C is heard from here on.

    Commands that read data or evaluate run in a process of their own, which
    this one watches (``reportgen.cli.supervisor``). With ``arguments`` given
    they run in this one.
    """
    from reportgen import interrupts

    try:
        interrupts.listen()
        from reportgen.cli import streams

        streams.open_closed()
        code = _code(arguments)
        code = streams.flushed(code)
    except interrupts.Stopped as stop:  # before there was anything to tell
        code = 128 + stop.number
    interrupts.ignore()
    sys.exit(code)


def _code(arguments: Sequence[str] | None) -> int:
    if arguments is None:
        from reportgen.cli import dispatch

        if dispatch.is_for(sys.argv[1:]):
            return dispatch.run(sys.argv[1:])
    from reportgen.cli.group import run

    return run(sys.argv[1:] if arguments is None else arguments)


__all__ = ["main"]
