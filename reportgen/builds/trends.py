"""How a number went from build to build, and what else changed on the way."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from reportgen.builds import acceptance, earlier, history_file
from reportgen.builds.history_file import Condition, HistoryRow
from reportgen.errors import DataError, Problem, SpecError
from reportgen.history.level import slope
from reportgen.history.scale import back, estimate, is_logit
from reportgen.metric_names import joined, parted
from reportgen.metrics import find
from reportgen.records.rows import rows_of
from reportgen.spec.gates import parse_side
from reportgen.spec.nearest import suggestion
from reportgen.text import numbers

ALPHA = 0.05
"""Level of the test of a trend."""

_MARKS: Mapping[Condition, str] = {
    "spec": "spec changed",
    "versions": "versions changed",
    "test_set": "test set changed",
}


class NewestBuild(TypedDict):
    """The newest build of a spec, and how many there are."""

    name: str
    title: str
    date: str
    id: str
    state: str | None
    state_text: str | None
    headline: str | None
    builds: int


class NumberOfBuild(TypedDict):
    """A build with a number, its limits, and what changed since the build before."""

    date: str
    id: str
    state: str | None
    headline: str | None
    archived: bool
    number: str | None
    value: float | None
    low: float | None
    high: float | None
    marks: list[str]


class LineOfBuilds(TypedDict):
    """The straight line of a number over builds of different rows, and the test of its slope."""

    number: str
    builds: int
    first: float
    last: float
    p_value: float
    text: str


def listed(folder: Path) -> NewestBuild | None:
    """The newest build of a spec, and how many there are; null where none can be read."""
    builds = rows_of(history_file.history(folder), HistoryRow)
    if not builds:
        return None
    newest = builds[-1]
    return {
        "name": folder.name,
        "title": newest["title"],
        "date": newest["date"],
        "id": newest["id"],
        "state": newest["state"],
        "state_text": newest["state_text"],
        "headline": newest["headline"],
        "builds": len(builds),
    }


def _failed(night: float | None) -> str:
    """That a gate failed, and of a gate against earlier builds in which build in a row."""
    return "failed" if (night or 1) == 1 else f"failed, build {night:.0f} in a row"


def trend(folder: Path, number: str | None = None) -> list[NumberOfBuild]:
    """The builds of a spec by date with a number and its limits.

    ``number`` reads MODEL.METRIC; when left out, the deciding measure of the model that leads in
    the newest build. ``marks`` say what changed since the build before, the leader included, and
    which level was accepted by hand.

    Raises ``SpecError`` where it reads otherwise, ``DataError`` where no build has it.
    """
    side = None
    if number is not None:
        try:
            side = parse_side(number)
        except ValueError as fault:
            raise SpecError(
                Problem("usage", f"{number!r} is not the name of a number", "--number", str(fault))
            ) from None
    levels = {level.build: level for level in acceptance.accepted_by_hand(folder)}
    before: HistoryRow | None = None
    is_known = False
    result: list[NumberOfBuild] = []
    builds = rows_of(history_file.by_date(history_file.history(folder)), HistoryRow)
    of_leader = builds and (builds[-1]["leader"], builds[-1]["measure"])
    model, metric = (side.model, side.metric) if side else of_leader or (None, None)
    for build in builds:
        estimate = None
        if model and metric:
            name, average = parted(metric)
            estimate = earlier.number(build, (name, model, average, None))
        is_known |= estimate is not None
        value, low, high = estimate or (None, None, None)
        marks = [text for key, text in _MARKS.items() if before and before[key] != build[key]]
        if before and before["leader"] and before["leader"] != build["leader"]:
            marks.append(f"leader before: {before['leader']}")
        if build["id"] in levels:
            marks.append(f"accepted: {levels[build['id']].because}")
        failed = [gate for gate in build["gates"] if gate["state"] == "fail"]
        marks += [f"{gate['gate']}: {_failed(gate['night'])}" for gate in failed]
        result.append(
            {
                "date": build["date"],
                "id": build["id"],
                "state": build["state"],
                "headline": build["headline"],
                "archived": build["archived"],
                "number": f"{model}.{metric}" if model and metric else None,
                "value": value,
                "low": low,
                "high": high,
                "marks": marks,
            }
        )
        before = build
    if number is not None and result and not is_known:
        rows = before["numbers"] if before else []
        names = [f"{row['model']}.{joined(row['metric'], row['average'])}" for row in rows]
        hint = suggestion(number, dict.fromkeys(names))
        raise DataError(Problem("unknown-number", f"no build has {number!r}", "--number", hint))
    return result


def line(folder: Path, builds: Sequence[NumberOfBuild]) -> LineOfBuilds | None:
    """The trend of builds of different rows; null of fewer than five, or of several numbers.

    Builds of the same rows have the same errors, which are no evidence of a level.
    """
    rows = {row["id"]: row for row in rows_of(history_file.history(folder), HistoryRow)}
    names = {build["number"] for build in builds}
    sets = [rows[build["id"]]["test_set"] for build in builds]
    name = builds[-1]["number"]
    if name is None or len(names) > 1 or None in sets or len(set(sets)) < len(sets):
        return None
    definition = find(parted(name.rpartition(".")[2])[0])
    logit = definition is not None and is_logit(definition.bounds)
    days, estimates = [], []
    for build in builds:
        confidence = rows[build["id"]]["confidence"] or 0.95
        if build["value"] is not None:
            ends = (build["value"], build["low"], build["high"])
            one = estimate(*ends, confidence, logit=logit)
            if one is not None:
                days.append(dt.date.fromisoformat(build["date"]).toordinal())
                estimates.append(one)
    result = slope(days, estimates)
    if result is None:
        return None
    first, last = (back(end, logit=logit) for end in (result.first, result.last))
    count = len(estimates)
    if result.p_value < ALPHA:
        verb = "rises" if last > first else "falls"
        ends_text = f"from {numbers.number(first)} to {numbers.number(last)}"
        text = f"{name} {verb} {ends_text} over {count} builds"
    else:
        text = f"{name} has no significant trend over {count} builds"
    text += f" ({numbers.p_value(result.p_value)}; {'on the logit scale, ' * logit}random effects)"
    return {
        "number": name,
        "builds": count,
        "first": first,
        "last": last,
        "p_value": result.p_value,
        "text": text,
    }
