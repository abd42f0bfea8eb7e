"""Which tests of pairs cannot reject whatever the data sets show: each needs too many of them."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.comparisons import Comparison
from reportgen.comparisons.corrections import TIMES_FAMILY


def least_adjusted(records: Sequence[Comparison], correction: str) -> dict[str, float]:
    """The least adjusted p that a family of tests over data sets can have, by test.

    That of the pair with the most data sets, times the number of pairs. Tests without a least
    p, and corrections that do not multiply it, are left out.
    """
    if correction not in TIMES_FAMILY:
        return {}
    least: dict[str, list[float | None]] = {}
    for record in records:
        if record.unit == "data sets" and record.p_value is not None and len(record.models) == 2:
            least.setdefault(record.comparison, []).append(record.reachable)
    return {
        name: min(1.0, len(floors) * min(known))
        for name, floors in least.items()
        if len(known := [floor for floor in floors if floor is not None]) == len(floors)
    }
