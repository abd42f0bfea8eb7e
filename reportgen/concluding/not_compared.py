"""Models that no recommended test compares with the reference of page one, and why."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded, joined
from reportgen.concluding.contest import Contest
from reportgen.concluding.identical_models import are_identical
from reportgen.concluding.other_measures import ahead_of_uncompared
from reportgen.concluding.untested import reason_against, tests_of_measure
from reportgen.measuring.context import UNLIKE_ROWS
from reportgen.records.decision import Caveat
from reportgen.records.model import Results

MOST_REASONS = 2
"""Of more different reasons one stands for all."""


def open_rivals(
    results: Results, contest: Contest, compared_with: str, baseline: str | None
) -> list[str]:
    """The models that nothing shows to be worse than the leader, though it is ahead of another.

    No recommended test compares them with it. Those are left out that rank below the model that the
    leader is ahead of, with an interval that lies apart from the leader's, and those that a third
    model separates from it. With a declared baseline that is not the leader the question is that
    pair alone.
    """
    leader, leading = contest.leader, contest.values[contest.leader]
    if baseline not in (None, leader) or contest.by_rank:
        return []
    place = contest.order.index(compared_with)
    complete = results.data.get("paired_models") or contest.order  # others are not ranked
    return [
        name
        for rank, name in enumerate(contest.order)
        if contest.standing(name, leader) == "not compared"
        and name in complete
        and name not in contest.tied
        and not are_identical(results, name, leader)
        and contest.between(name, leader) is None
        and (rank < place or not leading.lies_apart(contest.values[name]))
    ]


def not_compared(results: Results, contest: Contest, reference: str) -> Iterator[Caveat]:
    """The models that no recommended test compares with the reference of page one, and why.

    And what those of another measure say of them.
    """
    rows = tests_of_measure(results, contest.measure)
    deciding = frozenset(row.comparison for row in contest.tests.values())
    reasons: dict[tuple[str, str], list[str]] = {}
    for name in contest.order:
        pair = frozenset((name, reference))
        if name == reference or are_identical(results, name, reference):
            continue
        if pair not in contest.tests:
            of_pair = [row for row in rows if frozenset(row.models) == pair]
            why = reason_against(of_pair, deciding)
            text = "no test of the two is recommended" if why is None else why.why
            if results.data.get("paired_models") and text == UNLIKE_ROWS:
                continue  # which another caveat says of all models that lack rows
            reasons.setdefault((_alone(contest, name, pair), text), []).append(name)
    if len(reasons) > MOST_REASONS:
        [(_, first), names] = next(iter(reasons.items()))
        count = sum(map(len, reasons.values()))
        text = f"{count} models are not compared with {bounded(reference)}, such as "
        yield Caveat("not_compared", "moderate", f"{text}{bounded(names[0])}: {first}.")
        unlike = [name for names in reasons.values() for name in names]
        yield from ahead_of_uncompared(results, contest, reference, unlike)
        return
    for (alone, text), names in reasons.items():
        verb = "is" if len(names) == 1 else "are"
        who = joined([bounded(name) for name in names])
        what = f"{who} {verb} not compared with {bounded(reference)}: {text}."
        if alone:
            what = f"{who} {verb} compared with {bounded(reference)} {alone}: {text}."
        middle = [(name, contest.between(name, reference)) for name in names]
        what += "".join(
            f" {bounded(name)} is significantly behind {bounded(other)}, "
            f"which is significantly behind {bounded(reference)}."
            for name, other in middle
            if other is not None
        )
        yield Caveat("not_compared", "moderate", what)
        in_doubt = [name for name, other in middle if other is None]
        yield from ahead_of_uncompared(results, contest, reference, in_doubt)


def _alone(contest: Contest, name: str, pair: frozenset[str]) -> str:
    """By which tests of the margin alone a pair is compared, if by any."""
    asked = {row.shows for row in contest.open_margins if frozenset(row.models) == pair}
    if pair in contest.within or "equivalence" in asked:
        return "by the test of equivalence alone"
    if name in contest.not_inferior or "non_inferiority" in asked:
        return "by the test of non-inferiority alone"
    return ""
