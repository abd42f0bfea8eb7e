"""Gaps between slices that page one names: significant in the whole report, and large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding.model_values import RELEVANT_RATIO
from reportgen.concluding.single_class import of_single_class
from reportgen.metrics import METRICS, follows_shares
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

FALSE_POSITIVES = (0.02, 2.0)
"""A false-positive rate also matters where it is so much, and so many times, higher."""

RATIOS = ("root_mean_squared_error", "mean_absolute_error")
"""Errors: so much larger in one slice than in another as ``RELEVANT_RATIO`` says."""

WITHIN_CLASSES = [n for n in LEAST_GAPS if n in METRICS and METRICS[n].within_classes]
"""What the shares of the classes do not change: gaps in these stand before those of all rows."""

MOST_LINES = 3
"""Models with a sentence of their own; more are counted."""


def gaps_that_matter(results: Results) -> list[Gap]:
    """Such gaps, those that page one names first in front."""
    single = of_single_class(results.metrics)
    order = [*LEAST_GAPS, *RATIOS]
    gaps = [Gap(**row) for row in results.gaps.iter_rows(named=True)]
    matter = [
        gap
        for gap in gaps
        if gap.average is None
        and gap.metric in order
        and gap.p_report is not None
        and gap.p_report < results.alpha
        and _is_large(gap)
        and not (gap.model in single and follows_shares(gap.metric))
    ]
    return sorted(matter, key=lambda gap: (order.index(gap.metric), _ends(gap)[0] - _ends(gap)[1]))


def _ends(gap: Gap) -> tuple[float, float]:
    """The two values that the test is of, the lower one first."""
    if gap.slice_value is None or gap.others_value is None:
        return gap.lowest_value, gap.highest_value
    low, high = sorted((gap.slice_value, gap.others_value))
    return low, high


def of_gaps(results: Results) -> Iterator[Caveat]:
    """Of each model the gap that page one names first; the largest of them in front.

    A gap in the error rate, which differs between slices as the share of positives does, is named
    only of a model that has none within the classes, and then with the shares.
    """
    gaps = gaps_that_matter(results)
    within = {gap.model for gap in gaps if gap.metric in WITHIN_CLASSES}
    gaps = [gap for gap in gaps if gap.model not in within or gap.metric in WITHIN_CLASSES]
    first: dict[str, Gap] = {}
    for gap in gaps:
        first.setdefault(gap.model, gap)
    for model, gap in list(first.items())[:MOST_LINES]:
        also = [
            other
            for other in gaps
            if other.model == model and other.slicing == gap.slicing and other is not gap
        ]
        yield Caveat("gap_between_slices", "moderate", _in_words(results, gap, also))
    more = len(first) - MOST_LINES
    if more > 0:
        text = f"{numbers.plural(more, 'more model')} {'differ' if more > 1 else 'differs'}"
        yield Caveat("gap_between_slices", "moderate", f"{text} between slices.")


def _is_large(gap: Gap) -> bool:
    low, high = _ends(gap)
    if gap.metric in RATIOS:
        return high >= RELEVANT_RATIO * low
    least, times = FALSE_POSITIVES
    often = high - low >= least and high >= times * low
    return high - low >= LEAST_GAPS[gap.metric] or (gap.metric == "false_positive_rate" and often)


def _in_words(results: Results, gap: Gap, also: Sequence[Gap]) -> str:
    values = dict(results.slices.select("slice", "values").iter_rows())
    by = bounded(listed(list(gap.slicing)))
    if gap.slice is None:
        low, high = (
            f"{numbers.estimate(value)} ({bounded(', '.join(values[label]))})"
            for value, label in ((gap.lowest_value, gap.lowest), (gap.highest_value, gap.highest))
        )
        where = f"by {by}: {low} to {high}"
    else:
        where = (
            f"by {by}, most in {bounded(', '.join(values[gap.slice]))}: {_against_others(gap)} "
            f"in the other {round(gap.slices) - 1} slices{_large(gap)}"
        )
    text = (
        f"The {measure(gap.metric)} of {bounded(gap.model)} differs {where}, adjusted "
        f"{numbers.p_value(gap.p_adjusted)}"
    )
    if also:
        parts = [
            f"{measure(other.metric)} ({_against_others(other)})"
            if gap.slice is not None and other.slice == gap.slice
            else measure(other.metric)
            for other in also
        ]
        text += f"; so {'do' if len(also) > 1 else 'does'} its {listed(parts)}"
    if follows_shares(gap.metric):
        text += _shares(results, gap)
    return f"{text}."


def _large(gap: Gap) -> str:
    """That the others are those that are not small, where some are."""
    return " that are not small" if gap.left_out else ""


def _against_others(gap: Gap) -> str:
    return f"{numbers.estimate(gap.slice_value)} against {numbers.estimate(gap.others_value)}"


def _shares(results: Results, gap: Gap) -> str:
    """That the shares of positives differ too between what is compared, where by a quarter."""
    of_slicing = [
        row
        for row in results.slices.iter_rows(named=True)
        if list(row["slicing"]) == list(gap.slicing) and row["slice"] not in gap.left_out
    ]
    if any(row["positives"] is None for row in of_slicing):
        return ""
    sides = [
        [row for row in of_slicing if row["slice"] == end] for end in (gap.lowest, gap.highest)
    ]
    if gap.slice is not None:
        sides = [
            [row for row in of_slicing if (row["slice"] == gap.slice) == own]
            for own in (True, False)
        ]
    shares = [
        sum(row["positives"] for row in side) / sum(row["rows"] for row in side) for side in sides
    ]
    if max(shares) < RELEVANT_RATIO * min(shares):
        return ""
    low, high = map(numbers.prevalence, shares)
    return f"; the share of positives differs too, {low} and {high}"
