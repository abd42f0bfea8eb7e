"""How a number went from build to build, and what else changed on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportgen.builds import acceptance, earlier, history_file
from reportgen.errors import Problem, SpecError
from reportgen.metric_names import parted
from reportgen.spec.gates import parse_side

Record = dict[str, Any]

_MARKS = {"spec": "spec changed", "versions": "versions changed", "test_set": "other rows"}


def listed(folder: Path) -> Record:
    """The newest build of a spec, and how many there are."""
    builds = history_file.history(folder).to_dicts()
    newest = builds[-1]
    entry = {key: newest[key] for key in ("title", "date", "id", "state", "state_text", "headline")}
    return {"name": folder.name, **entry, "builds": len(builds)}


def trend(folder: Path, number: str | None = None) -> list[Record]:
    """The builds of a spec by date with a number and its limits; the deciding one when left out.

    ``number`` reads MODEL.METRIC. ``marks`` say what changed since the build before, and which
    level was accepted by hand.
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
    before: Record | None = None
    result = []
    for build in history_file.by_date(history_file.history(folder)).to_dicts():
        model, metric = (side.model, side.metric) if side else (build["leader"], build["measure"])
        estimate = None
        if model and metric:
            name, average = parted(metric)
            estimate = earlier.number(build, (name, model, average, None))
        value, low, high = estimate or (None, None, None)
        marks = [text for key, text in _MARKS.items() if before and before[key] != build[key]]
        if build["id"] in levels:
            marks.append(f"accepted: {levels[build['id']].because}")
        alarms = [gate for gate in build["gates"] if gate["state"] == "fail"]
        marks += [f"{gate['gate']}: alarm, night {gate['night'] or 1:.0f}" for gate in alarms]
        result.append(
            {
                **{key: build[key] for key in ("date", "id", "state", "headline", "archived")},
                "number": f"{model}.{metric}",
                "value": value,
                "low": low,
                "high": high,
                "marks": marks,
            }
        )
        before = build
    return result
