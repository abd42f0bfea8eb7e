"""The models in each half of the time, where their difference drifts or a model got worse."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparing.approximation import DRIFTS
from reportgen.comparisons.records import lower_is_better
from reportgen.comparisons.wording import MOST_NAMES, bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.result_caveats import grown_worse
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.records.shift import ChangeParts
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers
from reportgen.text.words import listed


def by_half(results: Results, contest: Contest) -> Iterator[Caveat]:
    """The values of the deciding measure in both halves, and which model is better in the later.

    Where the difference drifts, or another model is the better one there and one got worse: the
    later half is the one that a reader will see more of. Of more models than ``MOST_NAMES`` those
    that are best on all rows. The halves are not tested.
    """
    changes = _changes(results, contest)
    if len(changes) < 2:
        return
    better = min if lower_is_better(contest.measure) else max
    first = better(changes, key=lambda one: one.before).model
    then = better(changes, key=lambda one: one.now).model
    if not _drifts(results, contest) and (first == then or not grown_worse(results)):
        return
    values = [
        f"{bounded(one.model)} {numbers.estimate(one.before)}, then {numbers.estimate(one.now)}"
        for one in changes
    ]
    best = "better" if len(changes) == 2 else "best"
    where = "both halves" if first == then else "the later half"
    text = (
        f"{contest.what} in the earlier and in the later half of the time: {listed(values)}. In "
        f"{where} {bounded(then)} is the {best} one (not tested)."
    )
    yield Caveat("by_half", "moderate", text)


def _changes(results: Results, contest: Contest) -> list[ChangeParts]:
    """The change of each model in the deciding measure, in the order of page one."""
    shift = results.shift
    if shift is None or shift.basis != "time":
        return []
    of_model = {c.model: c for c in reversed(shift.changes) if c.metric == contest.measure}
    return [of_model[name] for name in contest.order if name in of_model][:MOST_NAMES]


def _drifts(results: Results, contest: Contest) -> bool:
    """Whether the test of the measure is not recommended as the difference drifts."""
    return any(
        row.why == DRIFTS and row.metric == contest.measure and row.slice is None
        for row in rows_of(results.comparisons, ComparisonRow)
    )
