"""What page one says where no test decides between the models."""

from __future__ import annotations

import re

from reportgen.comparisons.verdicts import all_differ
from reportgen.comparisons.wording import bounded
from reportgen.concluding import headline_numbers as form
from reportgen.concluding import opposed_list, same_ranking
from reportgen.concluding.chance_headline import (
    around_mean,
    closer_where_heavy,
    of_heavy_tails,
)
from reportgen.concluding.contest import Contest
from reportgen.concluding.not_compared import open_rivals
from reportgen.concluding.untested import without_conclusion
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers
from reportgen.text.words import listed, without_article

LONGEST_REASON = 130
LONGEST_BEGINNING = 60
"""A longer reason stands below the headline, which has its beginning if that is short."""

_AFTER = re.compile(r" \(|: |\. ")
"""Where the reason itself ends: brackets, what follows a colon and further sentences explain it."""


def no_conclusion(results: Results, contest: Contest) -> str:
    """The headline where no test decides: what takes the conclusion away, if it is short."""
    if alike := same_ranking.all_alike(results, contest):
        return alike
    if of_mean := around_mean(results, contest):
        return of_mean
    if alone := alone_finite(results, contest):
        return alone
    if opposed := opposed_list.headline(results, contest):
        return opposed
    how = "No conclusion on which model is better"
    if len(contest.values) < 2:
        how = f"No conclusion on how good {bounded(contest.leader)} is"
    if contest.unanswered(results.decision.baseline):
        pair = f"{bounded(contest.leader)} against {bounded(str(results.decision.baseline))}"
        how = f"No conclusion on {pair}"
    why = without_conclusion(results, contest).why
    if len(why) > LONGEST_REASON:
        why = _AFTER.split(why, maxsplit=1)[0]
        why = why if len(why) <= LONGEST_BEGINNING else ""
    return f"{how}: {why}" if why else how


def alone_finite(results: Results, contest: Contest) -> str:
    """The headline where the loss of every other model is infinite; or empty."""
    if len(contest.values) != 1 or not contest.infinite:
        return ""
    infinite = listed([bounded(name) for name in contest.infinite])
    value = form.of_leader(results, contest)
    who = bounded(contest.leader)
    return f"{who} has a {contest.what} of {value}, and that of {infinite} is infinite"


OF_LEAVE_ONE_OUT = (
    "Under leave-one-out the AUC ranks scores of as many fits as rows, so no model leads by it. "
    "Scores that only state the share of positives of their training rows have an AUC of 0."
)


def ranked_best(results: Results, contest: Contest) -> str:
    """The models of the best mean rank over data sets; or that the leader has not the best one.

    Differences count with their size in the tests that put it before another, and not in ranks.
    """
    first = contest.ranked_first
    count = numbers.plural(results.data["datasets"], "data set")
    rank = numbers.fixed(contest.values[contest.leader].mean_rank, 2)
    verb = "ranks" if len(first) == 1 else "rank"
    top = min(contest.values, key=lambda name: contest.values[name].mean_rank or 0.0)
    best = numbers.fixed(contest.values[top].mean_rank, 2)
    if (contest.values[top].mean_rank or 0.0) < (contest.values[contest.leader].mean_rank or 0.0):
        who = f"{bounded(contest.leader)} leads in {contest.what} over {count}"
        return f"{who}, though {bounded(top)} has the better mean rank ({best} against {rank})"
    return f"{form.names_or(first)} {verb} best in {contest.what} over {count} (mean rank {rank})"


def reason_of(results: Results, contest: Contest) -> str:
    """The sentences below it: which model has the best value, or why none has."""
    if (common := contest.common) is not None:
        return (
            "No model is significantly more accurate than always predicting the common class "
            f"({numbers.number(common)})."
        )
    if len(contest.values) < 2:
        return f"Its {contest.what} on these rows is {form.of_leader(results, contest)}."
    if results.data.get("unpaired"):
        of_own = form.of_own_rows(contest, with_id=results.declared.columns.id is not None)
        shared = results.data.get("on_common_rows")
        return f"{of_own} {form.of_common_rows(shared, contest.measure)}" if shared else of_own
    if contest.by_rank:
        return f"{ranked_best(results, contest)}."
    if contest.measure == "auc" and evaluation_of(results.data).scheme == "leave_one_out":
        return OF_LEAVE_ONE_OUT
    return _best_value(results, contest)


def _best_value(results: Results, contest: Contest) -> str:
    """Which models have the best value of the measure."""
    if tied := contest.tied:
        both = form.names_or([contest.leader, *tied])
        same = f"{both} have the same {contest.what}, {form.of_leader(results, contest)}."
        differ = same_ranking.of_probabilities(results, contest) if contest.what == "AUC" else ""
        return f"{same} {differ}".rstrip()
    best = f"{bounded(contest.leader)} has the {contest.extreme} {contest.what}"
    value, second = form.of_leader(results, contest), contest.values[contest.order[1]]
    if contest.values[contest.leader].lies_apart(second):
        value += f", and that of {bounded(contest.order[1])} is {form.of_value(second)}"
    closer = closer_where_heavy(results, contest)
    of_all = (f"{best}, {value}.", *closer, *of_heavy_tails(results, contest))
    return " ".join(of_all)


def ahead_of_some(results: Results, contest: Contest) -> str:
    """Where no test compares the best model with another one that may be as good."""
    decision, leader = results.decision, bounded(contest.leader)
    other = str(decision.compared_with)
    rivals = open_rivals(results, contest, other, decision.baseline)
    value = form.model_value(contest.values[contest.leader], contest.digits_of_values)
    best = f"{leader} has the {contest.extreme} {contest.what}, {value}"
    verb = "is" if len(rivals) == 1 else "are"
    untested = f"{form.names_or(rivals)} {verb} not compared with {leader}"
    return f"{best}, and is significantly ahead of {bounded(other)}; {untested}"


def all_at_once(contest: Contest, row: ComparisonRow) -> str:
    """What the test of all models at once shows; where only pairs differ, that these are others."""
    if row.reject:
        return f"{all_differ(row.models, row.metric, row.evidence)}."
    if not contest.others("behind"):
        return str(row.verdict)
    test, p = without_article(row.label), numbers.p_value(row.p_value, row.alpha)
    return f"The test of all models at once does not reject ({test}, {p}); pairs do."
