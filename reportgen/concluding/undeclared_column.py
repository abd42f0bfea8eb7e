"""What an undeclared column leaves of the verdict and of the gates."""

from __future__ import annotations

from pandera.typing.polars import DataFrame

from reportgen.comparing.undeclared_limits import (
    independent_units,
    named_as_group,
    times_as_wide,
    widened,
)
from reportgen.comparisons.simultaneous import possible
from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.headline_numbers import signed_limit
from reportgen.concluding.model_values import on_all_rows
from reportgen.metric_names import parted
from reportgen.records.decision import Caveat
from reportgen.records.model import Results, typed
from reportgen.records.rows import rows_of
from reportgen.spec.gates import Gate, parse, sides_of
from reportgen.tables import Gates
from reportgen.tables.results import GateRow
from reportgen.text import decimals, numbers


def undone(results: Results, contest: Contest) -> Caveat | None:
    """What the limits of the leader's difference would be with the column as group.

    Where the deciding test rejects only without it, so that there is no conclusion.
    """
    leader = contest.leader
    other = next((m for m in contest.order if frozenset((m, leader)) in contest.undone), None)
    if other is None:
        return None
    row = contest.undone[frozenset((other, leader))]
    estimate, low, high = row.estimate, row.simultaneous_low, row.simultaneous_high
    times = times_as_wide(results.data, row.metric, row.models)
    if estimate is None or low is None or high is None or times is None:
        return None
    ends = possible(row.metric, estimate, *widened(estimate, low, high, times))
    digits = decimals.shared_by_effects([(estimate, low, high)])
    about = " to ".join(signed_limit(end, digits) for end in ends)
    units = independent_units(results.data)
    text = (
        f"In {contest.what} {' − '.join(map(bounded, row.models))} is "
        f"{numbers.signed(estimate, digits)} ({signed_limit(low, digits)} to "
        f"{signed_limit(high, digits)} for independent {units}, about {about} with "
        f"{named_as_group(results.data)})."
    )
    return Caveat("undone_by_column", "severe", text)


def with_open_gates(gates: DataFrame[Gates], results: Results) -> DataFrame[Gates]:
    """The gates; one that passes by limits of independent rows is open where wider ones miss it."""
    if not any(one.get("sampled", True) for one in results.data.get("undeclared_groups", ())[:1]):
        return gates
    as_group, units = named_as_group(results.data), independent_units(results.data)
    rows = list(rows_of(gates, GateRow))
    for row in rows:
        if _needs_narrow_limits(row, results):
            row["state"] = "inconclusive"
            row["why"] = (
                f"its limits treat {units} as independent, and with {as_group} they would miss the "
                "limit of the gate"
            )
    return typed(Gates, rows)


def _needs_narrow_limits(row: GateRow, results: Results) -> bool:
    if (
        row["state"] != "pass"
        or row["slice"] is not None
        or row["basis"] not in ("pooled rows", "groups")
    ):
        return False
    gate = parse(row["gate"])
    ends = _wider_limits(gate, row, results)
    return not all(map(gate.holds, ends))


def _wider_limits(gate: Gate, row: GateRow, results: Results) -> list[float]:
    """The limits that decide the gate, with the column as group; none where they are not known."""
    metric, average = parted(gate.left.metric)
    sides = sides_of(gate)
    times = times_as_wide(results.data, metric, {side.model for side in sides})
    if times is None or average is not None or len({side.metric for side in sides}) > 1:
        return []
    value, low, high = row["observed"], row["low"], row["high"]
    bound = gate.left.bound
    if bound is not None and gate.right is None:
        of_model = on_all_rows(results.metrics, metric)[gate.left.model]
        value, low, high = of_model.value, of_model.low, of_model.high
    if value is None or low is None or high is None:
        return []
    ends = dict(zip(("low", "high"), widened(value, low, high, times), strict=True))
    return [ends[bound]] if bound is not None else list(ends.values())
