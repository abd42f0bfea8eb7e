"""The command line. Heavy imports stand inside the commands, so that help answers at once."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # see reportgen/__init__.py
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code; Ctrl-C is heard from here on."""
    from reportgen import stopping

    try:
        stopping.listen()
        from reportgen.cli.group import run

        code = run(sys.argv[1:] if arguments is None else arguments)
    except stopping.Stopped as stop:  # before there was anything to tell
        code = 128 + stop.number
    stopping.ignore()
    sys.exit(code)


__all__ = ["main"]
