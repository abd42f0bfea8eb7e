"""Tests that cannot reject, or do not hold their level, as there are too few units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from reportgen.comparisons import TESTS, Comparison
from reportgen.comparisons.adjustment import FamilyPart
from reportgen.comparisons.corrections import TIMES_FAMILY
from reportgen.comparisons.registry import TestInfo
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.text.numbers import plural
from reportgen.text.words import singular

POINTS = 20
"""From so many time points on a difference may stand."""

OF_FEW_POINTS = 1e-5
"""No test of 24 to 200 time points of models that are alike had a p below it.

(``tests.simulations.far_below``: autocorrelation 0 to 0.95, losses and AUCs.)
"""

OF_PANELS = {"delong_groups_long_run": 30}
"""Of groups in time too, for AUCs alone: none of 10,000 panels had such a p by that test.

(``tests.simulations.far_below``: 10 to 40 groups, 30 to 150 time points; of decisions 0.002 had.)
"""


def stands(record: Comparison, p: float) -> bool:
    """Whether p is so far below α that a level which is held only roughly does not matter."""
    return record.p_value is not None and record.p_value < p


def too_few_units(
    record: Comparison,
    test: TestInfo,
    evaluation: Evaluation,
    rarer_class: int | None,
    own_least: float,
) -> Iterator[str]:
    """That the test needs more rows of the rarer class, or units; ``own_least``: its smallest p."""
    needs, in_time = test.needs, "time" in test.allows
    units = {"data sets": evaluation.datasets, "rows": evaluation.independent_units}
    count = record.observations or units.get(record.unit, evaluation.fits)
    if rarer_class is not None and rarer_class < needs.least_of_class:
        yield (
            f"the rarer class has {plural(rarer_class, 'row')}, and the test holds its level only "
            f"from {needs.least_of_class} on"
        )
    if record.unit == "samples" or count is None or count >= needs.least:
        return
    panels = OF_PANELS.get(record.comparison, needs.least)
    least = panels if "groups" in test.allows else POINTS
    if in_time and count >= least and stands(record, OF_FEW_POINTS):
        return
    needed = max(needs.least, data_sets_needed(count, own_least, record.alpha))
    unit: str = record.unit
    if in_time:
        unit = "time points"
    elif unit == "rows" and not record.observations:
        unit = evaluation.independent_unit
    verb, noun = ("are", unit) if count > 1 else ("is", singular(unit))
    yield f"there {verb} only {count:,} {noun}, and the test needs at least {needed:,}"


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
