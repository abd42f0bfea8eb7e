"""A lead in AUC over all rows that no slice of a slicing shows: it separates slices, not rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.pairs_in_slices import beside_lead, of_measure
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.slice_tests import DifferenceInSlice
from reportgen.text.words import listed

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
