"""Tests of fewer units than hold their level, and differences that stand nevertheless."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparing.least_p import data_sets_needed
from reportgen.comparisons import Comparison
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
