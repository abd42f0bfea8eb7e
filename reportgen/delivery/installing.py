"""Install, show and remove schedules that this program made.

What is written bears a line that says so, and nothing without it is overwritten or
removed: a unit or workflow of the same name that somebody else wrote is refused.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from reportgen.errors import OutputError, Problem

MARK = "# Made by `reportgen schedule"
"""How every file and block begins that may be replaced or removed again."""


def units_folder() -> Path:
    """Return where systemd looks for the timers of a user."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "systemd" / "user"


_BY_HAND = "print the schedule, and copy it"
_NO_SESSION = "log in as this user, not by su or sudo; or use --for cron"


def install_timer(units: Mapping[str, str]) -> list[Path]:
    """Write a service and its timer for this user, and start the timer.

    Raises:
        OutputError: a unit of that name is not ours, cannot be written, or systemd refuses it.
    """
    files = {units_folder() / name: text for name, text in units.items()}
    before = {path: path.read_text(encoding="utf-8") for path in files if path.exists()}
    paths = write(files)
    timer = next(name for name in units if name.endswith(".timer"))
    try:
        _run(["systemctl", "--user", "daemon-reload"])
        _run(["systemctl", "--user", "enable", "--now", timer])
    except OutputError:
        remove([path for path in paths if path not in before])
        write(before)
        raise
    return paths


def remove_timer(name: str) -> list[Path]:
    """Stop the timer of this name and remove its units; return what was removed."""
    paths = [units_folder() / f"{name}{suffix}" for suffix in (".timer", ".service")]
    present = [path for path in paths if path.exists()]
    _check_ours(present)
    if present:
        _run(["systemctl", "--user", "disable", "--now", f"{name}.timer"])
        for path in present:
            path.unlink()
        _run(["systemctl", "--user", "daemon-reload"])
    return present


def write(files: Mapping[Path, str]) -> list[Path]:
    """Write files, of which none may be somebody else's.

    Raises:
        OutputError: one is there and not ours, or cannot be written.
    """
    _check_ours([path for path in files if path.exists()])
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            reason = (error.strerror or "").lower()
            raise OutputError(Problem("output", f"cannot write: {reason}", str(path))) from error
    return list(files)


def remove(paths: Sequence[Path]) -> list[Path]:
    """Remove files that are ours; return those that were there."""
    present = [path for path in paths if path.exists()]
    _check_ours(present)
    for path in present:
        path.unlink()
    return present


def _check_ours(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.read_text(encoding="utf-8", errors="replace").startswith(MARK):
            hint = "give another --name, or remove it yourself"
            message = "this file was not made by reportgen schedule"
            raise OutputError(Problem("not-ours", message, str(path), hint))


def crontab() -> str:
    """Return this user's crontab; empty where there is none, as on a machine without cron."""
    if shutil.which("crontab") is None:
        return ""
    return _run(["crontab", "-l"], missing_is_empty=True)


def crontab_block(table: str, name: str) -> str:
    """Return the lines of a crontab that belong to a schedule, its marks included."""
    begin, end = _marks(name)
    start, stop = table.find(begin), table.find(end)
    return table[start : stop + len(end)] if 0 <= start < stop else ""


def install_cron(lines: str, name: str) -> None:
    """Put the lines of a schedule in this user's crontab, in the place of earlier ones."""
    begin, end = _marks(name)
    before = _without(crontab(), name)
    _run(["crontab", "-"], text=f"{before}{begin}{lines}{end}")


def remove_cron(name: str) -> str:
    """Remove the lines of a schedule from this user's crontab; return them."""
    table = crontab()
    block = crontab_block(table, name)
    if block:
        _run(["crontab", "-"], text=_without(table, name))
    return block


def _without(table: str, name: str) -> str:
    block = crontab_block(table, name)
    remaining = table.replace(block, "") if block else table
    return remaining if not remaining or remaining.endswith("\n") else f"{remaining}\n"


def _marks(name: str) -> tuple[str, str]:
    return f"{MARK}`: {name}\n", f"# End of {name}\n"


def _run(command: Sequence[str], text: str = "", *, missing_is_empty: bool = False) -> str:
    """Run a program of the system and return what it prints."""
    program = shutil.which(command[0])
    if program is None:
        message = f"there is no {command[0]} on this machine"
        raise OutputError(Problem("no-program", message, hint=_BY_HAND))
    done = subprocess.run(  # noqa: S603  # fixed words and a checked name
        [program, *command[1:]], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode and not missing_is_empty:
        error_text = done.stderr.strip().partition("\n")[0]
        hint = _NO_SESSION if "connect to bus" in error_text else _BY_HAND
        raise OutputError(Problem("refused", f"{' '.join(command)}: {error_text}", hint=hint))
    return done.stdout if not done.returncode else ""
