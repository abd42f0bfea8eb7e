"""Differences between models by slice: where the leader loses, which vary, leads between slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.comparisons import lower_is_better
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding.contest import Contest
from reportgen.concluding.headline_numbers import estimate_and_limits
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.slice_tests import (
    DifferenceInSlice,
    PairsBySlice,
    PairVaries,
    pairs_of_measure,
)
from reportgen.text import decimals, numbers
from reportgen.text.words import listed

MOST_SENTENCES = 4
"""More pairs of models are counted."""


def of_measure(results: Results) -> PairsBySlice | None:
    """The differences by slice in the measure that decides; null where it has none."""
    return pairs_of_measure(results.data.get("pairs_by_slice", ()), results.decision.measure)


MOST_REVERSED = 3
"""Slices in which the leader is beaten that are named."""


@dataclass(frozen=True, slots=True)
class Reversal:
    """A model that beats the leader in so many of the slices of a slicing, more than half."""

    winner: str
    slicing: str
    beaten: int
    slices: int

    def in_words(self) -> str:
        """Who is ahead, and in how many slices of what."""
        return f"{bounded(self.winner)} is significantly ahead of it in {self._where()}"

    def _where(self) -> str:
        if self.beaten == self.slices:
            return f"every slice of {self.slicing}"
        of = f"of the {numbers.count(self.slices)} slices of {self.slicing}"
        return f"{numbers.count(self.beaten)} {of}"


def reversal(results: Results, leader: str) -> Reversal | None:
    """The model that beats the leader in most slices of a slicing, by limits that hold at once."""
    record = of_measure(results)
    if record is None:
        return None
    beaten: dict[tuple[str, tuple[str, ...]], int] = {}
    for one in record["slices"]:
        if _loser(one, record["metric"]) == leader:
            winner = next(name for name in one["models"] if name != leader)
            key = winner, tuple(one["slicing"])
            beaten[key] = beaten.get(key, 0) + 1
    slicings = [tuple(slicing) for slicing in results.slices["slicing"].to_list()]
    reversals = [
        Reversal(winner, listed(slicing), count, slicings.count(slicing))
        for (winner, slicing), count in beaten.items()
        if slicings.count(slicing) > 1 and 2 * count > slicings.count(slicing)
    ]
    return max(reversals, key=lambda one: one.beaten / one.slices, default=None)


def beside_lead(results: Results, leader: str) -> str:
    """What the headline adds where the leader over all rows is beaten in most slices; or empty."""
    if results.decision.relation not in ("ahead", "level", "mixed", "equivalent"):
        return ""
    most = reversal(results, leader)
    return "" if most is None else f"; {most.in_words()}"


def reversed_in_slices(results: Results, leader: str) -> Iterator[Caveat]:
    """What page one says: the slices in which another model beats the leader, by most first.

    Where slices have no limits, that a difference with the leader varies and changes its sign.
    """
    if text := _reversals(results, leader):
        yield Caveat("reversed_in_slice", "moderate", text)
        return
    if (record := of_measure(results)) is None:
        return
    for one in record["varies"]:
        varies = one["p_adjusted"] < 1 - record["confidence"] and leader in one["models"]
        if varies and _changes_sign(one, record):
            yield Caveat("reversed_in_slice", "moderate", _of_pair(one, record))


def apart_in_slices(results: Results) -> Iterator[Caveat]:
    """Where no model is better than guessing on all rows: that either one is ahead in some slice.

    Page one names no leader then who could be beaten.
    """
    if results.decision.relation != "at chance" or (record := of_measure(results)) is None:
        return
    alpha = 1 - record["confidence"]
    varying = [one for one in record["varies"] if one["p_adjusted"] < alpha]
    opposed = [one for one in varying if _opposed(_slices_of(one, record))]
    for one in opposed[:MOST_REVERSED]:
        yield Caveat("apart_in_slices", "moderate", _of_pair(one, record))


def _changes_sign(one: PairVaries, record: PairsBySlice) -> bool:
    """Whether either model is ahead in some slice, where slices have no limits."""
    own = _slices_of(one, record)
    return all(line["low"] is None for line in own) and _opposed(own)


def _opposed(own: Sequence[DifferenceInSlice]) -> bool:
    return min(map(_value, own)) < 0 < max(map(_value, own))


def _slices_of(one: PairVaries, record: PairsBySlice) -> list[DifferenceInSlice]:
    return [
        line
        for line in record["slices"]
        if (line["models"], line["slicing"]) == (one["models"], one["slicing"])
    ]


def _reversals(results: Results, leader: str) -> str:
    """A sentence for each such slice of a few, and how many more there are; or empty."""
    record = of_measure(results)
    if record is None:
        return ""
    beaten = [one for one in record["slices"] if _loser(one, record["metric"]) == leader]
    largest: dict[str, DifferenceInSlice] = {}
    for one in sorted(beaten, key=lambda one: -abs(one["value"])):
        largest.setdefault(one["slice"], one)
    texts = [
        f"{bounded(_winner(one, leader))} beats {bounded(leader)} in {label}: "
        f"{measure(record['metric'])} {_by(one, record)}."
        for label, one in list(largest.items())[:MOST_REVERSED]
    ]
    if beside_lead(results, leader):  # the headline counts the slices
        between = f"The lead of {bounded(leader)} over all rows is between slices, not within them."
        texts.append(between)
    elif (also := len(largest) - MOST_REVERSED) > 0:
        more = numbers.plural(also, "other slice")
        texts.append(f"{bounded(leader)} is beaten in {more} too.")
    return " ".join(texts)


def _winner(one: DifferenceInSlice, leader: str) -> str:
    return next(name for name in one["models"] if name != leader)


def _loser(one: DifferenceInSlice, metric: str) -> str | None:
    """The model that is significantly worse in a slice."""
    first, second = one["models"]
    low, high = one["low"], one["high"]
    if low is not None and low > 0:
        return first if lower_is_better(metric) else second
    if high is not None and high < 0:
        return second if lower_is_better(metric) else first
    return None


def _by(one: DifferenceInSlice, record: PairsBySlice) -> str:
    """By how much the better model of a slice is ahead."""
    value, low, high = one["value"], one["low"], one["high"]
    if value < 0:
        value, low, high = -value, _negative(high), _negative(low)
    written, ends = estimate_and_limits(value, low, high)
    word = "lower" if lower_is_better(record["metric"]) else "higher"
    level = numbers.level(record["confidence"])
    return f"{written} {word}" + (f" (simultaneous {level} CI {ends})" if ends else "")


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def sentences(results: Results) -> Iterator[str]:
    """Which differences vary by slice, or that none does; how it is tested."""
    record = of_measure(results)
    if record is None:
        return
    what = measure(record["metric"])
    if record["untested"]:
        yield f"Differences between models are not compared by slice: {record['untested']}."
        return
    leader, relation = results.decision.leader, results.decision.relation
    if leader is not None and relation not in ("single", "at chance", "no conclusion"):
        yield from filter(None, [_reversals(results, leader)])
    alpha = 1 - record["confidence"]
    varying = [one for one in record["varies"] if one["p_adjusted"] < alpha]
    for one in varying[:MOST_SENTENCES]:
        yield _of_pair(one, record)
    if (left := len(varying) - MOST_SENTENCES) > 0:
        verb = "varies" if left == 1 else "vary"
        yield f"{numbers.plural(left, 'more difference')} in {what} {verb} by slice."
    if record["varies"] and not varying:
        yield f"No difference between models in {what} varies significantly by slice."


def _of_pair(one: PairVaries, record: PairsBySlice) -> str:
    """From which difference to which, with the slices."""
    own = _slices_of(one, record)
    ends = min(own, key=_value), max(own, key=_value)
    digits = decimals.shared_by_effects((line["value"], line["low"], line["high"]) for line in ends)
    first, second = map(bounded, one["models"])
    shown = [f"{numbers.signed(line['value'], digits)} in {line['slice']}" for line in ends]
    return (
        f"The difference in {measure(record['metric'])} between {first} and {second} varies by "
        f"{listed(one['slicing'])}: from {shown[0]} to {shown[1]} "
        f"(adjusted {numbers.p_value(one['p_adjusted'], 1 - record['confidence'])})."
    )


def _value(line: DifferenceInSlice) -> float:
    return line["value"]


LEAST_SHARE = 0.9
"""The slices with a difference hold so much of the rows, at least: others could hold the lead."""


def between_slices_only(results: Results, contest: Contest) -> Iterator[Caveat]:
    """That in every slice the lead is smaller than its lower limit over all rows.

    A mean of losses over all rows is one over its slices, so that this is said of AUC alone.
    """
    decision, record = results.decision, of_measure(results)
    leader, other = contest.leader, decision.compared_with
    if decision.relation != "ahead" or other is None or contest.measure != "auc" or record is None:
        return
    difference = contest.difference(leader, other)
    if difference is None or difference.low is None or beside_lead(results, leader):
        return
    of_slicings: dict[tuple[str, ...], list[DifferenceInSlice]] = {}
    for line in record["slices"]:
        if set(line["models"]) == {leader, other}:
            of_slicings.setdefault(tuple(line["slicing"]), []).append(line)
    least, rows = difference.low, results.data["rows_evaluated"]
    for slicing in sorted(of_slicings, key=len):
        lines = of_slicings[slicing]
        cover = len(lines) > 1 and sum(line["rows"] for line in lines) >= LEAST_SHARE * rows
        if cover and all(_is_below(line, leader, least) for line in lines):
            yield Caveat("reversed_in_slice", "moderate", _in_words(slicing, leader, other))
            return


def _is_below(line: DifferenceInSlice, leader: str, least: float) -> bool:
    """Whether the leader is ahead by less in the slice, by its limits or as ranks are the same."""
    of_leader = 1 if line["models"][0] == leader else -1
    end = line["high"] if of_leader == 1 else line["low"]
    return line["value"] == 0 if end is None else of_leader * end < least


def _in_words(slicing: Sequence[str], leader: str, other: str) -> str:
    return (
        f"The lead of {bounded(leader)} over {bounded(other)} is between the slices of "
        f"{listed(slicing)}, not within them."
    )
