"""What page one says where tests could not detect what the values show."""

from __future__ import annotations

import math
from collections.abc import Iterator

from reportgen.comparisons.probability_losses import NAME as OF_LOSSES
from reportgen.comparisons.wording import bounded, joined
from reportgen.concluding.caveats import cannot_reject
from reportgen.concluding.contest import Contest
from reportgen.metric_names import LOG_LOSS
from reportgen.metrics import find, loss_of
from reportgen.records import basis
from reportgen.records.model import Results
from reportgen.records.rows import class_sizes, evaluation_of
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


FEWEST_FOLDS, MOST_FOLDS = 5, 30
"""Of fewer folds equal models are often ahead in each; of more a test over folds has more power."""

SELDOM = 0.13
"""How probable that may be of equal models, over all that the leader is compared with."""


def of_folds(results: Results, contest: Contest) -> Iterator[str]:
    """The models that the leader is ahead of in every fold, though the test over folds decides not.

    Training sets that overlap, and few folds, leave such a test little power. Repeats share rows,
    so that many of their folds say less.
    """
    evaluation, leader = evaluation_of(results.data), contest.leader
    folds = evaluation.fits or 0
    if contest.basis != "mean over folds" or evaluation.scheme != "k_fold":
        return
    rivals = contest.rivals(leader, results.decision.baseline)
    chance = len(rivals) * 2 * 0.5**folds
    if not FEWEST_FOLDS <= folds <= MOST_FOLDS or chance > SELDOM:
        return
    level = [
        name
        for name in rivals
        if contest.standing(name, leader) == "level"
        and _is_ahead_in_every_fold(results, contest, name)
    ]
    if level:
        who = joined([bounded(name) for name in level])
        yield (
            f"{bounded(leader)} is ahead of {who} in each of {numbers.count(folds)} folds. With "
            f"equal models, this happens in about {numbers.percent(max(chance, 0.01), 0)} of "
            "cases. A test over folds whose training sets overlap has little power, in "
            "simulations 0.11 where a test of the pooled rows had 0.38."
        )


MANY_OF_CLASS = 200
"""From so many rows of each class on the worst loss of one of them weighs little."""


def of_log_losses(results: Results, contest: Contest) -> Iterator[str]:
    """What it costs that the test of log losses allows for the worst loss that a row may have."""
    if level_by_log_losses(results, contest):
        yield (
            "The test of log losses allows for sure and wrong predictions that these rows may lack "
            "by chance, and so has little power: in simulations of 300 rows, a tenth of them "
            "positive, it detected a difference in 0 to 5 % of the samples, a t-test in 42 to 44 %."
        )


def level_by_log_losses(results: Results, contest: Contest) -> list[str]:
    """The models that only the test of log losses compares with the leader, and does not reject."""
    if loss_of(contest.measure) != LOG_LOSS:
        return []
    if min(class_sizes(results.data).values(), default=0) >= MANY_OF_CLASS:
        return []
    leader, tests = contest.leader, contest.tests
    rivals = contest.rivals(leader, results.decision.baseline)
    return [
        name
        for name in rivals
        if contest.standing(name, leader) == "level"
        and tests[frozenset((name, leader))].comparison == OF_LOSSES
    ]


def _is_ahead_in_every_fold(results: Results, contest: Contest, other: str) -> bool:
    """Whether the leader has the better value in every fold; of folds that both have values in."""
    values = results.folds.filter(metric=contest.measure, role="test").drop_nulls("value")
    part = ("dataset", "repeat", "fold")
    first, second = (
        values.filter(model=name).select(*part, "value") for name in (contest.leader, other)
    )
    both = first.join(second, on=part, nulls_equal=True, suffix="_other")
    ahead = both["value"] - both["value_other"]
    ahead = -ahead if contest.less_is_better else ahead
    return not both.is_empty() and both.height == first.height and bool((ahead > 0).all())


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
