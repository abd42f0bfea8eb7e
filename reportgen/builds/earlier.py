"""The builds before one: which it is compared with, and why one cannot be."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from reportgen.builds import acceptance, history_file
from reportgen.builds.acceptance import Accepted
from reportgen.builds.history_file import HistoryRow, StoredGate
from reportgen.builds.pairing import class_names
from reportgen.records.rows import rows_of
from reportgen.results import Results
from reportgen.spec import Spec
from reportgen.spec.gates import Earlier, Gate, parse

ValueAndLimits = tuple[float, float | None, float | None]


@dataclass(frozen=True)
class EarlierBuilds:
    """The last build of each earlier logical date, in order, and the levels accepted by hand."""

    builds: Sequence[HistoryRow]
    levels: Sequence[Accepted]
    folder: Path

    @classmethod
    def of(cls, folder: Path, date: dt.date) -> EarlierBuilds:
        """Those of a spec's folder before a date."""
        builds = acceptance.date_before(history_file.history(folder), date)
        levels = acceptance.accepted_by_hand(folder)
        return cls(rows_of(history_file.by_date(builds), HistoryRow), levels, folder)

    @property
    def digest(self) -> str:
        """What a comparison with them depends on."""
        named = [(build["id"], build["inputs"]) for build in self.builds]
        by_hand = [(level.build, level.at) for level in self.levels]
        return hashlib.sha256(json.dumps([named, by_hand]).encode()).hexdigest()

    @property
    def previous(self) -> HistoryRow | None:
        """The newest one."""
        return self.builds[-1] if self.builds else None

    def build(self, which: Earlier) -> HistoryRow | None:
        """The build that a gate names: the newest one, or the newest that is accepted."""
        if which == "previous":
            return self.previous
        accepted = (b for b in reversed(self.builds) if acceptance.is_accepted(b, self.levels))
        return next(accepted, None)

    @property
    def window(self) -> list[HistoryRow]:
        """Those that history follows: from the newest level that was accepted by hand on."""
        dates = [level.date for level in self.levels]
        built_on = {build["date"] for build in self.builds}
        start = max((date for date in dates if date in built_on), default="")
        return [build for build in self.builds if build["date"] >= start]

    def gate(self, text: str, slice_name: str | None = None) -> StoredGate | None:
        """What the newest build says of a gate."""
        if self.previous is None:
            return None
        same = (
            gate
            for gate in self.previous["gates"]
            if (gate["gate"], gate["slice"]) == (text, slice_name)
        )
        return next(same, None)


@dataclass(frozen=True)
class Incomparable:
    """Why two builds cannot be compared: they are of different kinds, or one has no numbers."""

    reason: str
    by_kind: bool = True

    @property
    def text(self) -> str:
        """The reason where nothing says yet that they cannot be compared."""
        return f"not comparable: {self.reason}" if self.by_kind else self.reason


def incomparable(results: Results, build: HistoryRow) -> Incomparable | None:
    """Why a build cannot be compared with an earlier one; null where it can.

    The names of the models do not matter here: a gate names its own.
    """
    data = results.data
    if build["task"] is None:
        return Incomparable(f"{build['id']} has no results.json", by_kind=False)
    differences = {
        "task": (data.get("task"), build["task"]),
        "positive class": (data.get("positive"), build["positive"]),
        "classes": (json.dumps(class_names(data)), build["classes"]),
    }
    for name, (now, then) in differences.items():
        if now != then:
            return Incomparable(f"the {name} was {then}, and is {now}")
    if data.get("weighted") != build["weighted"]:
        return Incomparable(f"rows {'are' if data.get('weighted') else 'are no longer'} weighted")
    smallest = results.declared.privacy.small_cells
    if smallest is not None and (build["small_cells"] or 0) < smallest:
        reason = f"{build['id']} does not withhold counts below {smallest} (privacy.small_cells)"
        return Incomparable(reason, by_kind=False)
    return None


NumberKey = tuple[str, str, str | None, str | None]
"""Metric, model, average and slice of a number."""


def number(build: HistoryRow, key: NumberKey) -> ValueAndLimits | None:
    """A number of an earlier build with its limits; nothing where it has none."""
    for row in build["numbers"]:
        if (row["metric"], row["model"], row["average"], row["slice"]) == key:
            return row["value"], row["low"], row["high"]
    return None


def number_now(metrics: pl.DataFrame, key: NumberKey) -> ValueAndLimits | None:
    """A number of results with its limits; nothing where it has no value."""
    metric, model, average, slice_name = key
    rows = metrics.filter(
        pl.col("metric") == metric,
        pl.col("model") == model,
        pl.col("average").eq_missing(average),
        pl.col("slice").eq_missing(slice_name),
        pl.col("class").is_null(),
    )
    if rows.is_empty() or rows["value"].item() is None:
        return None
    row = rows.row(0, named=True)
    return row["value"], row["low"], row["high"]


def accumulates(spec: Spec, gate: Gate) -> bool:
    """Whether a gate is decided on the rows of all builds: one between two models."""
    ends = gate.left.bound or (gate.right and gate.right.bound)
    return spec.history.accumulate and gate.right is not None and not ends


def is_against_builds(spec: Spec) -> bool:
    """Whether a spec has gates that earlier builds have a part in."""
    gates = [parse(text) for text in spec.gates]
    return any(gate.earlier is not None or accumulates(spec, gate) for gate in gates)
