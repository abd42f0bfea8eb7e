"""Gaps between slices that page one names: significant in the whole report, and large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding.probability_caveats import MATTERS
from reportgen.concluding.single_class import of_single_class
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.tables.comparisons import Gap
from reportgen.text import numbers
from reportgen.text.words import listed

LEAST_GAPS = {
    "recall": 0.1,
    "false_positive_rate": 0.1,
    "auc": 0.05,
    "error_rate": 0.1,
    "accuracy": 0.1,
    "subset_accuracy": 0.1,
}
"""Gaps of so much matter, in the order in which page one names them."""

RATIOS = ("root_mean_squared_error", "mean_absolute_error")
"""Errors: so much larger in one slice than in another as ``MATTERS`` says."""

OF_PREVALENCE = ("error_rate", "accuracy")
"""What follows the shares of the classes alone where a model predicts one class."""

MOST_SLICINGS = 2
"""Slicings with a sentence of their own."""


def gaps_that_matter(results: Results) -> list[Gap]:
    """Such gaps, those that page one names first in front."""
    alpha = float(results.spec.get("comparisons", {}).get("alpha", 0.05))
    single = of_single_class(results.metrics)
    order = [*LEAST_GAPS, *RATIOS]
    gaps = [Gap(**row) for row in results.gaps.iter_rows(named=True)]
    matter = [
        gap
        for gap in gaps
        if gap.average is None
        and gap.metric in order
        and gap.p_report is not None
        and gap.p_report < alpha
        and _is_large(gap)
        and not (gap.model in single and gap.metric in OF_PREVALENCE)
    ]
    return sorted(matter, key=lambda gap: (order.index(gap.metric), -gap.gap))


def of_gaps(results: Results, leader: str) -> Iterator[Caveat]:
    """The measure of the leader, else of any model, that differs most between slices."""
    gaps = gaps_that_matter(results)
    gaps = [gap for gap in gaps if gap.model == leader] or gaps
    slicings = list(dict.fromkeys(tuple(gap.slicing) for gap in gaps))
    for slicing in slicings[:MOST_SLICINGS]:
        first, *others = (gap for gap in gaps if tuple(gap.slicing) == slicing)
        also = [measure(gap.metric) for gap in others if gap.model == first.model]
        yield Caveat("gap_between_slices", "moderate", _in_words(results, first, also))


def _is_large(gap: Gap) -> bool:
    if gap.metric in RATIOS:
        return gap.highest_value >= MATTERS * gap.lowest_value
    return gap.gap >= LEAST_GAPS[gap.metric]


def _in_words(results: Results, gap: Gap, also: Sequence[str]) -> str:
    values = dict(results.slices.select("slice", "values").iter_rows())
    low, high = (
        f"{numbers.estimate(value)} ({bounded(', '.join(values[label]))})"
        for value, label in ((gap.lowest_value, gap.lowest), (gap.highest_value, gap.highest))
    )
    text = (
        f"The {measure(gap.metric)} of {bounded(gap.model)} differs by "
        f"{bounded(listed(list(gap.slicing)))}: {low} to {high}, adjusted "
        f"{numbers.p_value(gap.p_adjusted)}"
    )
    if also:
        text += f"; so {'do' if len(also) > 1 else 'does'} its {listed(also)}"
    return f"{text}."
