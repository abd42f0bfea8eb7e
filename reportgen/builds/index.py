"""The index of an output folder: a line per spec, a list of builds of each, feed, badges.

    OUT/index.html  feed.xml  badge.json  badge.svg      of all specs
    OUT/SPEC/index.html  badge.json  badge.svg           of one

All are made from the histories, and a file is written only where it changes.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import polars as pl

from reportgen.builds import history_file
from reportgen.builds.address import spec_folders
from reportgen.builds.history_file import ListedBuild
from reportgen.builds.stored import build_ids
from reportgen.errors import Problem, printable
from reportgen.records.rows import rows_of
from reportgen.spec.repeated import days_of
from reportgen.tables.results import WORST_FIRST

if TYPE_CHECKING:
    from jinja2 import Environment

PATIENT = 1.5
"""Cadences after which a spec without a new build is stale."""

FEED_ENTRIES = 50
STRIP = 14
"""Builds whose states stand in a spec's line."""

_COLUMNS = ("id", "date", "created", "name", "title", "state", "state_text", "headline", "every")
_COLOURS = {"pass": "#2a7d4f", "fail": "#b3261e", "inconclusive": "#8a6100", "": "#5f6368"}
_STATES = {"pass": "pass", "fail": "fail", "inconclusive": "open"}


class SpecLine(TypedDict):
    """The line of a spec in the index of all."""

    name: str
    title: str
    link: str
    date: str
    state: str
    state_text: str
    headline: str
    due: str
    stale: str
    count: int
    strip: list[str]


def update(out: Path, changed: Path | None = None) -> list[Path]:
    """Bring the index of an output folder up to date; return the files that were written.

    Only the list of the ``changed`` spec is made again, and those that have no list yet.
    Nothing is written while another process writes it; that one, or the next build, will.
    Raises ``OSError`` where it cannot be written.
    """
    with history_file.held(out) as ours:
        if not ours:
            return []
        specs: list[tuple[Path, list[ListedBuild]]] = []
        files: dict[Path, str] = {}
        for folder in spec_folders(out):
            builds = _builds(folder)
            specs.append((folder, builds))
            if not builds:
                continue
            if changed is None or folder == changed or not (folder / "index.html").exists():
                files |= _of_spec(folder, builds)
        files |= _of_all(out, [(folder.name, builds) for folder, builds in specs])
        return [path for path, text in files.items() if _written(path, text)]


def notice(out: Path, changed: Path | None = None) -> Problem | None:
    """Bring the index up to date; what is to be said where it cannot be written."""
    try:
        update(out, changed)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"the index cannot be written: {reason}"
        return Problem("index", message, str(out), "`reportgen index` writes it again")
    return None


def _builds(folder: Path) -> list[ListedBuild]:
    try:
        with (folder / history_file.FILE).open("rb") as file:
            table = pl.read_parquet(file, columns=list(_COLUMNS))
    except (OSError, pl.exceptions.PolarsError):
        table = pl.DataFrame(schema={name: pl.String() for name in _COLUMNS})
    if set(table["id"]) != set(build_ids(folder)):
        there = history_file.history(folder).filter(~pl.col("archived"))
        table = there.select(_COLUMNS)
    return rows_of(table.sort("date", "created", "id", nulls_last=False), ListedBuild)


def _of_spec(folder: Path, builds: Sequence[ListedBuild]) -> dict[Path, str]:
    """The list of builds of a spec, newest first, by month; a mark and a word for each state."""
    newest = builds[-1]
    months = [
        {"name": month, "builds": [_day(folder, build) for build in group]}
        for month, group in groupby(reversed(builds), key=lambda build: build["date"][:7])
    ]
    page = _render("builds.html.j2", name=folder.name, title=newest["title"], months=months)
    return {folder / "index.html": page, **_badges(folder, folder.name, newest["state"])}


def _day(folder: Path, build: ListedBuild) -> dict[str, str]:
    state = (build["state"] or "")[:1]
    return {"link": _link(folder, build["id"]), "day": build["date"][8:], "state": state}


def _link(folder: Path, build_id: str) -> str:
    """What a build is opened by: its page, or the folder of one that has none."""
    return f"{build_id}/report.html" if (folder / build_id / "report.html").exists() else build_id


def _of_all(out: Path, specs: Sequence[tuple[str, Sequence[ListedBuild]]]) -> dict[Path, str]:
    lines = [_line(out / name, builds) for name, builds in specs if builds]
    states = [line["state"] for line in lines]
    worst = next((state for state in WORST_FIRST if state in states), None)
    counted = {state: states.count(state) for state in WORST_FIRST}
    return {
        out / "index.html": _render("index.html.j2", lines=lines, counts=counted),
        out / "feed.xml": _feed(specs),
        **_badges(out, "reports", worst),
    }


def _line(folder: Path, builds: Sequence[ListedBuild]) -> SpecLine:
    """The line of a spec: its newest build, when by ``every`` the next is due, the last states."""
    newest = builds[-1]
    every = newest["every"]
    due = _due(dt.date.fromisoformat(newest["date"]), days_of(every)) if every else None
    return {
        "name": folder.name,
        "title": newest["title"],
        "link": _link(folder, newest["id"]),
        "date": newest["date"],
        "state": newest["state"] or "",
        "state_text": newest["state_text"] or "no results.json",
        "headline": newest["headline"] or "",
        "due": due.strftime("%Y-%m-%dT%H:%MZ") if due else "",
        "stale": due.strftime("%Y-%m-%d %H:%M UTC") if due else "",
        "count": len(builds),
        "strip": [(build["state"] or "")[:1] for build in builds[-STRIP:]],
    }


def _due(date: dt.date, days: float) -> dt.datetime:
    """When a spec is stale that is built every so many days."""
    built = dt.datetime.combine(date, dt.time(), dt.UTC)
    try:
        return built + dt.timedelta(days=PATIENT * days)
    except OverflowError:  # after the last day of the calendar
        return dt.datetime.max


def _feed(specs: Sequence[tuple[str, Sequence[ListedBuild]]]) -> str:
    """The newest builds of all specs as an Atom feed (RFC 4287)."""
    newest = sorted(
        ({**build, "spec": name} for name, builds in specs for build in builds[-FEED_ENTRIES:]),
        key=lambda build: (build["created"], build["id"]),
        reverse=True,
    )[:FEED_ENTRIES]
    updated = newest[0]["created"] if newest else "1970-01-01T00:00:00Z"
    return _render("feed.xml.j2", entries=newest, updated=updated)


def _badges(folder: Path, label: str, state: str | None) -> dict[Path, str]:
    """The badge as an endpoint of shields.io, and as a picture."""
    state = state or ""
    message, colour = _STATES.get(state, "none"), _COLOURS.get(state, _COLOURS[""])
    plain = {"schemaVersion": 1, "label": label, "message": message, "color": colour}
    widths = [round(6.6 * len(text) + 12) for text in (label, message)]
    picture = _render(
        "badge.svg.j2", label=label, message=message, colour=colour, left=widths[0], right=widths[1]
    )
    text = json.dumps(plain, ensure_ascii=False) + "\n"
    return {folder / "badge.json": text, folder / "badge.svg": picture}


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(values, colours=_COLOURS)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from reportgen.compiled_templates import CompiledTemplates
    from reportgen.resources import TEMPLATES

    loader = FileSystemLoader(TEMPLATES / "index")
    return Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
        bytecode_cache=CompiledTemplates("index"),
    )


def _written(path: Path, text: str) -> bool:
    """Replace a file by a text, unless it has it already."""
    if path.is_file() and path.read_bytes() == text.encode():
        return False
    fresh = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return True
