"""Conditions that no data can bear on: they hold, or fail, for every value of a measure."""

from __future__ import annotations

from reportgen.metric_names import parted
from reportgen.spec import gates
from reportgen.spec.tasks import UNTOLD
from reportgen.tasks import TaskName

LARGEST = 1e100
"""The largest value that is claimed of a measure without bounds."""


def untestable(claim: gates.Gate, task: TaskName | None) -> str | None:
    """Why no data can bear on a claim: the measure has no such value."""
    low, high = range_of(claim.left.metric, task)
    low, high = max(low, -LARGEST), min(high, LARGEST)
    return None if low <= claim.limit <= high else _lies(claim.left.metric, low, high)


def decided(gate: gates.Gate, task: TaskName | None) -> tuple[str, str] | None:
    """Why a gate passes, or fails, whatever the data are, and a hint; null where they decide."""
    if gate.earlier == "history":
        return None
    low, high = range_of(gate.left.metric, task)
    other = gate.right if gate.earlier is None else gate.left
    where = _lies(gate.left.metric, low, high)
    if other is not None:
        least, most = range_of(other.metric, task)
        low, high = low - most, high - least
        where = f"the difference lies between {low:g} and {high:g}"
    return outcome(gate.op, gate.limit, (low, high), where)


def decided_limit(
    op: gates.Operator, limit: float, metric: str, task: TaskName | None
) -> tuple[str, str] | None:
    """The same of a constraint on a measure, such as ``>= 0.95``."""
    ends = range_of(metric, task)
    return outcome(op, limit, ends, _lies(metric, *ends))


def range_of(metric: str, task: TaskName | None) -> tuple[float, float]:
    """The least and the greatest value of a measure; infinite where it has no bound."""
    from reportgen.metrics import find

    definition = find(parted(metric)[0], task or UNTOLD[0])
    return (-float("inf"), float("inf")) if definition is None else definition.bounds


def outcome(
    op: gates.Operator, limit: float, ends: tuple[float, float], where: str
) -> tuple[str, str] | None:
    """What holds, or does not, at both ends of a range, and a hint.

    >>> outcome(">=", 95, (0, 1), "recall lies between 0 and 1")
    ('no data can meet it: recall lies between 0 and 1', '95 % is written 0.95')
    >>> outcome("<=", 1, (0, 1), "recall lies between 0 and 1")[0]
    'every value meets it: recall lies between 0 and 1'
    >>> outcome(">=", 1, (0, 1), "recall lies between 0 and 1")
    """
    met = [gates.compare(end, op, limit) for end in ends]
    if all(met):
        return f"every value meets it: {where}", "remove it, or choose a limit that can be missed"
    if any(met):
        return None
    percentage = f"{limit:g} % is written {limit / 100:g}"
    hint = percentage if ends[1] == 1 < limit <= 100 else "choose another limit"
    return f"no data can meet it: {where}", hint


def _lies(metric: str, low: float, high: float) -> str:
    if high == float("inf"):
        return f"{metric} has no upper bound" if low == -high else f"{metric} is at least {low:g}"
    if low == -float("inf"):
        return f"{metric} is at most {high:g}"
    return f"{metric} lies between {low:g} and {high:g}"
