"""The table of gates: what was observed, how far it is from the limit, and what that rests on."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.metric_names import parted
from reportgen.records import basis
from reportgen.records.decision import MEASURES_OF_ROWS
from reportgen.records.gate_rows import by_point_estimate, name_of
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, rows_of
from reportgen.sections import lookup
from reportgen.sections.tables import Cell, Column, Row, Table
from reportgen.spec.gates import parse, sides_of
from reportgen.spec.repeated import DAILY
from reportgen.tables.results import WORST_FIRST, GateRow
from reportgen.text import decimals, numbers
from reportgen.text.decimals import MOST_DECIMALS, POWERS
from reportgen.text.words import sentence

MOST_NAMES = 3
"""More gates that share a reason are counted."""

MOST_PASSED = 4
"""Slices that pass a gate and have a row each."""


def _inconclusive(results: Results) -> list[str]:
    """What leaves gates open: each reason with its gates, where not all have one."""
    rows = rows_of(results.gates.filter(pl.col("why").is_not_null(), state="inconclusive"), GateRow)
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if not parse(row["gate"]).earlier:  # these have a column of remarks
            reasons.setdefault(str(row["why"]), []).append(lookup.clean(name_of(row)))
    if len(reasons) == 1 and not _open_against_builds(results):
        return [f"Inconclusive: {why}." for why in reasons]
    return [f"Inconclusive, {_which(gates)}: {why}." for why, gates in reasons.items()]


def _open_against_builds(results: Results) -> bool:
    """Whether the interval of a gate against one build leaves it open."""
    rows = results.gates.filter(pl.col("low").is_not_null(), state="inconclusive")["gate"]
    return any(parse(gate).earlier not in (None, "history") for gate in rows)


def _without_interval(results: Results) -> list[str]:
    """Which gates the point estimate decides."""
    rows = rows_of(results.gates, GateRow)
    gates = [lookup.clean(name_of(row)) for row in rows if by_point_estimate(row)]
    which = "" if len(gates) == len(rows) else f": {_which(gates)}"
    return [f"Without an interval the point estimate decides{which}."] if gates else []


def _of_measures(results: Results) -> list[str]:
    """The caveats of the decision that are about the measures of gates, with these gates."""
    measures = {
        gate: {
            (name, side.model)
            for side in sides_of(parse(gate))
            for name in (side.metric, parted(side.metric)[0])
        }
        for gate in results.gates["gate"].unique(maintain_order=True)
    }
    in_use = set(results.gates.filter(basis=basis.IN_USE)["gate"])
    notes = []
    for caveat in results.decision.caveats:
        about = [gate for gate, of in measures.items() if any(caveat.is_about(*n) for n in of)]
        if caveat.code == MEASURES_OF_ROWS:
            about = [gate for gate in about if gate not in in_use]
        gates = [lookup.clean(gate) for gate in about]
        if gates:
            which = f"{_which(gates)}: " if len(gates) < len(measures) else ""
            notes.append(f"{which}{lookup.clean(caveat.text)}")
    return notes


def _which(gates: Sequence[str]) -> str:
    return "; ".join(gates) if len(gates) <= MOST_NAMES else f"{len(gates)} gates"


def _gate_row(row: GateRow, data: DataRecord, digits: int) -> Row:
    name = name_of(row)
    remarks = [row["why"]] if row["why"] else []
    if (row["night"] or 0) > 1:
        remarks.append(f"same alarm, night {row['night']:.0f}")
    if row["usual"] is not None:
        remarks.append(f"usual change {numbers.estimate(row['usual'])}")
    if row["against"]:
        remarks.append(f"against {row['against']}")
    if parse(row["gate"]).earlier == "history" and row["limit"] is not None:
        remarks.append(f"prediction limit {numbers.estimated(row['limit'], None, digits)}")
    observed, interval = printed(row, digits)
    return Row(
        {
            "gate": Cell(lookup.clean(name), kind="code"),
            "observed": Cell(observed),
            "interval": Cell(interval or "–"),
            "margin": Cell(numbers.signed(row["margin"], digits)),
            "basis": basis.words(row["basis"], data),
            "state": Cell(row["state"], state=row["state"]),
            "remark": lookup.clean("; ".join(remarks)),
        }
    )


def printed(row: GateRow, digits: int | None = None) -> tuple[str, str]:
    """The observed number and its interval, with decimals that tell them from the limit."""
    observed, low, high = row["observed"], row["low"], row["high"]
    digits = digits_of([row]) if digits is None else digits
    limits = "" if low is None or high is None else numbers.limits(low, high, digits)
    return numbers.estimated(observed, low, digits), limits


def digits_of(rows: Sequence[GateRow]) -> int:
    """The decimals of observed numbers of one unit, more where one or an end is at its limit.

    A number that does not meet its limit, or meets it, is not printed as the limit itself.
    """
    valued = [row for row in rows if row["observed"] is not None]
    digits = decimals.shared((r["observed"], r["low"], r["high"]) for r in valued)
    if digits == POWERS:
        return digits
    near = [
        x - limit
        for row in valued
        for x in (row["observed"], row["low"], row["high"])
        if x is not None and (limit := row.get("limit")) is not None and x != limit
    ]
    while digits < MOST_DECIMALS and any(round(x, digits) == 0 for x in near):
        digits += 1
    return digits


def _unit(row: GateRow, results: Results) -> str:
    """What the numbers of gates of one unit have in common: shares of any measure have one."""
    name = parse(row["gate"]).left.metric
    metric = lookup.metric_info(name, results)
    return (
        "share" if metric is None or (metric.highest is not None and metric.highest <= 1) else name
    )


def _by_unit(results: Results) -> dict[str, int]:
    """The decimals of each unit."""
    rows: dict[str, list[GateRow]] = {}
    for row in rows_of(results.gates, GateRow):
        rows.setdefault(_unit(row, results), []).append(row)
    return {unit: digits_of(of_unit) for unit, of_unit in rows.items()}


def _of_builds(results: Results, level: str) -> list[str]:
    """What the gates against earlier builds are computed by."""
    alarms = results.declared.history.alarms_per_year
    what = "false alarm" if alarms == 1 else "false alarms"
    notes = [
        f"Gates against earlier builds may give {alarms:g} {what} a year together, with a build "
        f"every {(results.declared.every or DAILY).removeprefix('1 ')}."
    ]
    levels = results.gates["confidence"].drop_nulls()
    if levels.len():
        notes.append(
            "Against one build: observed is the difference, its interval is at the level of "
            f"that budget, {100 * levels[0]:.2f} %; other intervals are at {level}."
        )
    if _open_against_builds(results):
        notes.append(
            "A gate against one build fails where the whole interval misses the limit, and is "
            "inconclusive where part of it does."
        )
    if results.gates["usual"].drop_nulls().len():
        notes.append(
            "Usual change: median absolute change between accepted builds on the same rows."
        )
    if any(parse(gate).earlier == "history" for gate in results.gates["gate"]):
        notes.append(
            "Within history: the prediction limit of the accepted builds and a CUSUM share the "
            "budget. Distance to limit: to the prediction limit."
        )
    return notes


def _ordered(rows: Sequence[GateRow]) -> list[tuple[GateRow, int]]:
    """Gates with how many they stand for: failed ones first, then open ones.

    Of a gate that more slices pass than ``MOST_PASSED``, the slice nearest to the limit is shown.
    """
    passed: dict[str, list[GateRow]] = {}
    for row in rows:
        if row["state"] == "pass" and row["slice"] is not None:
            passed.setdefault(row["gate"], []).append(row)
    many = {gate: of_gate for gate, of_gate in passed.items() if len(of_gate) > MOST_PASSED}
    nearest = {gate: min(of_gate, key=_distance) for gate, of_gate in many.items()}
    shown = [
        (row, len(many[row["gate"]]) if nearest.get(row["gate"]) is row else 1)
        for row in rows
        if row["state"] != "pass" or row["gate"] not in many or nearest[row["gate"]] is row
    ]
    return sorted(shown, key=lambda one: WORST_FIRST.index(one[0]["state"]))


def _distance(row: GateRow) -> float:
    return float("inf") if row["margin"] is None else row["margin"]


def gates_table(results: Results) -> Table | None:
    """Every gate with its observed value, limit, distance to it, basis and state."""
    level = numbers.level(results.confidence)
    bases = set(results.gates["basis"].to_list())
    accumulated = results.gates["fresh"].drop_nulls().len() > 0
    of_builds = accumulated or any(parse(gate).earlier for gate in results.gates["gate"])
    digits = _by_unit(results)
    ordered = _ordered(rows_of(results.gates, GateRow))
    rows = tuple(_gate_row(row, results.data, digits[_unit(row, results)]) for row, _ in ordered)
    columns = (
        Column("gate", "Gate"),
        Column("state", "State", "left"),
        Column("observed", "Observed"),
        Column("interval", "CI" if of_builds else f"{level} CI"),
        Column("margin", "Distance to limit"),
        *((Column("basis", "Basis", "left"),) if len(bases) > 1 else ()),
        *((Column("remark", "Remark", "left"),) if of_builds else ()),
    )
    notes = ["Distance to limit: positive on the side that passes."]
    notes += [
        f"{lookup.clean(row['gate'])}: {count} slices pass, and the one nearest to the limit is "
        "shown; results.json has all."
        for row, count in ordered
        if count > 1
    ]
    family = results.decision.family
    if family is not None and family.size > 1:
        notes.append("Intervals of gates are individual, not simultaneous over the models.")
    if results.reading.interval_widths:
        notes.append(sentence(results.reading.interval_widths))
    if len(bases) == 1:
        notes.append(f"Basis: {basis.words(bases.pop(), results.data)}.")
    if any(parse(gate).earlier for gate in results.gates["gate"]):
        notes += _of_builds(results, level)
    if accumulated:
        notes.append(
            f"Rows of several builds: {level} limits of a confidence sequence, which hold for all "
            "nights together."
        )
    notes += _inconclusive(results)
    notes += _of_measures(results)
    if results.metrics["least"].count():
        notes.append(
            "A number computed from counted scores is known only between two bounds, and its "
            "interval is widened by them."
        )
    notes += _without_interval(results)
    return Table("gates", "Gates", columns, rows, tuple(notes)) if rows else None
