"""What page one says where the data rule no plausible difference between the models out."""

from __future__ import annotations

import math
from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.concluding.caveats import cannot_reject
from reportgen.concluding.contest import Contest
from reportgen.metrics import find
from reportgen.records import basis
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of
from reportgen.tables.comparisons import ALL_PAIRS
from reportgen.text import numbers


def sentences(results: Results, contest: Contest) -> Iterator[str]:
    """The smallest differences from the leader that were detectable, and how to have fewer tests.

    A reader who declares a baseline compares it with each other model, not every pair. None are
    detectable where the test cannot reject, of which a caveat speaks.
    """
    leader = contest.leader
    rivals = contest.rivals(leader, results.decision.baseline)
    tests = [row for n in rivals if (row := contest.tests.get(frozenset((n, leader))))]
    differences = sorted(row.detectable for row in tests if row.detectable is not None)
    powerless = any(cannot_reject(row, contest) for row in tests)
    if powerless or not differences or len(differences) < len(rivals):
        return
    count = max(int(row.family_size or 1) for row in tests)
    with_ = _units(results, contest)
    if count > 1:
        with_ += f" and {numbers.count(count)} comparisons"
    metric = find(contest.measure)
    largest = math.inf if metric is None else metric.bounds[1] - metric.bounds[0]
    least, most = (_written(differences[place], largest) for place in (0, -1))
    between = f"between {bounded(leader)} and the others"
    if differences[0] > largest:
        yield f"With {with_} no difference {between} would be detected with probability 0.8."
    elif least == most:
        yield f"With {with_} the smallest detectable difference is {least}."
    else:
        what = f"the smallest detectable differences {between}"
        yield f"With {with_} {what} are {least} to {most}."
    fewer = len(contest.order) - 1
    if fewer < count and all(row.family == ALL_PAIRS for row in tests):
        yield f"With a declared baseline only {numbers.count(fewer)} comparisons remain."


def _written(difference: float, largest: float) -> str:
    """A difference; above the largest that there can be, only that."""
    return numbers.estimate(difference) if difference <= largest else f"above {largest:g}"


def _units(results: Results, contest: Contest) -> str:
    """On how many observations the tests rest."""
    if contest.basis == "data sets":
        count = evaluation_of(results.data).datasets or results.data.get("datasets")
        return f"{numbers.count(count)} data sets"
    if contest.basis == "mean over folds":
        count = evaluation_of(results.data).fits or results.data.get("datasets")
        return f"{numbers.count(count)} {basis.parts(results.data)}"
    groups = results.data.get("groups")
    if groups and groups["largest"] > 1:
        return numbers.plural(groups["number"], "group")
    return f"{numbers.count(results.data['rows_evaluated'])} rows"
