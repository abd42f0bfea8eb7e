"""How a row of the gates is written, wherever it is printed."""

from __future__ import annotations

from reportgen.spec.gates import parse, sides_of
from reportgen.tables.results import GateRow


def name_of(row: GateRow) -> str:
    """A gate as it was written, with the slice that a row is of.

    >>> name_of({"gate": "forest.recall by site >= 0.85", "slice": "site = A"})
    'forest.recall by site >= 0.85 [site = A]'
    """
    return str(row["gate"]) if row.get("slice") is None else f"{row['gate']} [{row['slice']}]"


def by_point_estimate(row: GateRow) -> bool:
    """Whether a value without an interval decided a gate; an end of an interval needs none."""
    gate = parse(row["gate"])
    has_ends = any(side.bound for side in sides_of(gate))
    return row["why"] is None and row["low"] is None and not has_ends and gate.earlier is None
