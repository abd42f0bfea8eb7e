"""Which tests of pairs cannot reject whatever the data sets show: each needs too many of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reportgen.comparisons import TESTS, Comparison
from reportgen.comparisons.adjustment import FamilyPart
from reportgen.comparisons.corrections import TIMES_FAMILY

PairTest = tuple[str, str, tuple[str, ...]]
"""A test, its measure and the pair of models."""


def least_adjusted(
    records: Sequence[Comparison], correction: str, baseline: str | None = None
) -> dict[PairTest, float]:
    """The least adjusted p that the family of a test of a pair over data sets can have.

    That of the pair with the most data sets, times the number of pairs, which may be above 1. Tests
    without a least p or with a correction of their own, and corrections that do not multiply it,
    are left out.
    """
    if correction not in TIMES_FAMILY:
        return {}
    families: dict[tuple[str, str], dict[FamilyPart, list[Comparison]]] = {}
    for record in records:
        own = TESTS[record.comparison].corrects
        if record.unit == "data sets" and len(record.models) == 2 and not own:
            parts = families.setdefault((record.comparison, record.metric), {})
            parts.setdefault(FamilyPart.of(record, baseline), []).append(record)
    result: dict[PairTest, float] = {}
    for (name, metric), parts in families.items():
        for part, members in parts.items():
            together = [r for other in parts if part.includes(other) for r in parts[other]]
            floors = [r.reachable for r in together if r.p_value is not None]
            known = [floor for floor in floors if floor is not None]
            if known and len(known) == len(floors):
                least = len(floors) * min(known)
                result |= {(name, metric, record.models): least for record in members}
    return result


def data_sets_needed(count: int, least: float, alpha: float) -> int:
    """Data sets from which an adjusted p can be below α: each one more halves the ``least`` p.

    >>> data_sets_needed(5, 435 / 2**4, 0.05), data_sets_needed(15, 435 / 2**14, 0.05)
    (15, 0)
    """
    return count + math.floor(math.log2(least / alpha)) + 1 if least >= alpha else 0
