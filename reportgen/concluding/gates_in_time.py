"""Which limits of a difference in order of time let a gate pass, and why others do not."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.comparisons import LONG_RUN
from reportgen.concluding.untested import named_reason
from reportgen.intervals.method_names import MethodName
from reportgen.spec.gates import Gate, Side


def in_order(interval: str | None) -> bool:
    """Whether an interval allows for errors that follow each other."""
    return interval is not None and (
        interval == LONG_RUN or MethodName.read(interval).allows == "blocks of time"
    )


def against_test(
    metric: str, sides: Sequence[Side], comparisons: pl.DataFrame | None
) -> str | None:
    """Why the test in order of time whose limits a gate reads may not hold its level, if it may."""
    if comparisons is None:
        return None
    models = {side.model for side in sides}
    tests = [
        row
        for row in comparisons.filter(
            metric=metric, interval=LONG_RUN, shows="difference"
        ).to_dicts()
        if set(row["models"]) == models and row["slice"] is None
    ]
    if not tests or any(row["recommendation"] == "recommended" for row in tests):
        return None
    return next((named_reason(row["label"], row["why"]) for row in tests if row["why"]), None)


def in_time(gate: Gate, differences: pl.DataFrame) -> str:
    """Why limits of independent rows let no gate pass, and the gate that could be decided."""
    why = "the rows are in time order, and the limits of this difference take them as independent"
    pair = {side.model for side in (gate.left, gate.right) if side is not None}
    of_pair = [
        row["metric"]
        for row in differences.filter(interval=LONG_RUN).to_dicts()
        if set(row["models"]) == pair
    ]
    if not of_pair:
        return why
    return f"{why}; write the gate on {of_pair[0]}, which the Diebold–Mariano test decides"
