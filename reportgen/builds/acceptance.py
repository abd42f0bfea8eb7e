"""Levels that a person has accepted: ``accepted.json`` beside the builds of a spec.

A build that raised no alarm is accepted by itself. One that a person accepts, with a reason,
is the level from then on, and the window of history begins with it.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

import polars as pl

from reportgen.builds.history_file import HistoryRow
from reportgen.builds.publish import naming_faults
from reportgen.clock import moment
from reportgen.errors import DataError, Problem, SpecError

FILE = "accepted.json"


@dataclass(frozen=True)
class Accepted:
    """A build that was accepted by hand: its id and date, why, and when."""

    build: str
    date: str
    because: str
    at: str


def accepted_by_hand(folder: Path) -> list[Accepted]:
    """What was accepted of a spec's builds, in order of the builds' dates.

    Raises ``DataError`` where the file is none of ours: a level is not to be lost unseen.
    """
    path = folder / FILE
    if not path.exists():
        return []
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
        levels = [Accepted(**record) for record in records]
        if not all(isinstance(text, str) for level in levels for text in astuple(level)):
            raise TypeError
    except (OSError, ValueError, TypeError, RecursionError):
        message = "the accepted levels cannot be read"
        raise DataError(Problem("accepted", message, str(path), "restore the file")) from None
    return sorted(levels, key=lambda level: (level.date, level.at))


def accept(build: Path, because: str) -> Accepted:
    """Accept a build as the level that later ones are compared with; the window restarts.

    Raises ``DataError`` where the folder is no build or has no results, which later builds would
    be compared with, and ``SpecError`` where no reason is given.
    """
    from reportgen.builds.stored import manifest_of, results_text

    manifest = manifest_of(build)
    if not manifest:
        raise DataError(Problem("no-build", "this is not a build", str(build)))
    if not because.strip():
        hint = 'such as --because "new scanner since May"'
        raise SpecError(Problem("no-reason", "a reason is needed", "--because", hint))
    results_text(build)
    folder = build.resolve().parent
    at = f"{moment():%Y-%m-%dT%H:%M:%SZ}"
    level = Accepted(manifest["build"], manifest["date"], because.strip(), at)
    others = [old for old in accepted_by_hand(folder) if old.build != level.build]
    _write([*others, level], folder / FILE)
    return level


def _write(levels: Sequence[Accepted], path: Path) -> None:
    fresh = path.with_name(f".{path.name}-{os.getpid()}")
    with naming_faults(path.parent):
        text = json.dumps([asdict(level) for level in levels], ensure_ascii=False, indent=1)
        fresh.write_text(f"{text}\n", encoding="utf-8")
        fresh.replace(path)


def is_accepted(build: HistoryRow, levels: Sequence[Accepted]) -> bool:
    """Whether a build raised no alarm, or was accepted by hand."""
    return any(level.build == build["id"] for level in levels) or not alarms_of(build)


def alarms_of(build: HistoryRow) -> list[str]:
    """The gates of a build that failed."""
    return [gate["gate"] for gate in build["gates"] if gate["state"] == "fail"]


def date_before(builds: pl.DataFrame, date: dt.date) -> pl.DataFrame:
    """The builds of earlier logical dates."""
    return builds.filter(pl.col("date") < date.isoformat())
