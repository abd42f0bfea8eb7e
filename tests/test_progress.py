"""Progress: percent and remaining time on a terminal, nothing elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

CODE = """
from reportgen.progress import progress, steps
with progress("fitting", 4) as advance:
    for _ in range(4):
        advance()
with steps() as say:
    say("drawing")
print("end")
"""


def _on_terminal(**more: str) -> str:
    """What the code writes to a terminal as its standard error."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **more}
    process = subprocess.Popen(
        [sys.executable, "-c", CODE], stderr=slave, stdout=subprocess.PIPE, env=environment
    )
    os.close(slave)
    parts = []
    try:
        while part := os.read(master, 4096):
            parts.append(part)
    except OSError:  # the other end is closed
        pass
    os.close(master)
    process.communicate()
    return b"".join(parts).decode()


def test_a_terminal_shows_percent_and_remaining_time():
    shown = _on_terminal()

    assert "fitting" in shown
    assert "100%" in shown
    assert "0:00:00" in shown
    assert "drawing" in shown
    assert "\x1b[3" in shown  # colours


def test_no_color_is_respected():
    assert "\x1b[3" not in _on_terminal(NO_COLOR="1")


def test_nothing_is_shown_where_output_is_piped():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, check=True)

    assert done.stderr == b""
    assert done.stdout == b"end\n"
