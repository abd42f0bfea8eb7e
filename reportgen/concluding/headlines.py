"""The headline and the sentences of a decision: what a reader who stops there takes away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reportgen.comparing.significance import POWER
from reportgen.comparisons.verdicts import doubt
from reportgen.comparisons.wording import bounded
from reportgen.concluding import headline_numbers as form
from reportgen.concluding import list_headline, little_power, margins, same_ranking
from reportgen.concluding.chance_headline import (
    below_guessing,
    of_guessing,
)
from reportgen.concluding.claim_verdicts import ClaimVerdicts
from reportgen.concluding.class_order import beside_closer, closer
from reportgen.concluding.contest import Contest, Difference
from reportgen.concluding.cost_headline import beside_costs
from reportgen.concluding.identical_models import are_one_model, of_scores
from reportgen.concluding.missing_codes import beside_conclusion
from reportgen.concluding.opposed_list import is_opposed, top_of_the_list
from reportgen.concluding.pairs_in_slices import beside_lead
from reportgen.concluding.ranks_within_groups import beside_lead_within
from reportgen.concluding.reference_changes import beside_leader
from reportgen.concluding.result_caveats import beside_labels, beside_worse
from reportgen.concluding.undecided_headline import (
    ahead_of_some,
    all_at_once,
    alone_finite,
    no_conclusion,
    ranked_best,
    reason_of,
)
from reportgen.concluding.untested import different_quantities
from reportgen.concluding.written_tests import evidence, of_means_alone
from reportgen.records import basis
from reportgen.records.decision import OF_ERRORS, Relation
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of
from reportgen.tables.comparisons import MEDIAN, PSEUDOMEDIAN
from reportgen.text import numbers
from reportgen.text.words import capitalised, listed


def headline(results: Results, contest: Contest) -> str:
    """The one line that stands in the box."""
    forms: dict[Relation, Callable[[Results, Contest], str]] = {
        "no conclusion": no_conclusion,
        "at chance": of_guessing,
        "single": _single,
        "ahead": _by_rank if contest.by_rank else _ahead,
        "equivalent": _equivalent,
        "level": _by_rank if contest.by_rank else _level,
        "mixed": _by_rank if contest.by_rank else ahead_of_some,
    }
    text = f"{forms[results.decision.relation](results, contest)}{_margin(results, contest)}"
    beside = f"{_beside(results, contest)}{beside_conclusion(results.data)}"
    if beside and results.decision.relation != "single":
        return f"{text}{beside}"
    return f"{list_headline.with_list(text, results, contest)}{beside}"


def _beside(results: Results, contest: Contest) -> str:
    """What the headline adds to the deciding measure; where it does, lists stand below it."""
    text = f"{margins.beside_level(results, contest)}{beside_costs(results, contest)}"
    text = f"{text}{beside_lead_within(results, contest)}"
    text = f"{text}{same_ranking.beside_accuracy(results, contest)}"
    text = f"{text}{same_ranking.beside_areas(results, contest)}"
    text = f"{text}{beside_closer(results, contest)}"
    text = f"{text}{beside_lead(results, contest.leader)}"
    if results.decision.relation == "no conclusion":
        return text
    text = f"{text}{beside_leader(results, contest.leader) or beside_worse(results)}"
    return f"{text}{beside_labels(results)}"


def _difference(results: Results, contest: Contest) -> Difference | None:
    """The leader minus the model that it is compared with."""
    other = results.decision.compared_with
    return None if other is None else contest.difference(contest.leader, other)


def _margin(results: Results, contest: Contest) -> str:
    """That a significant difference is within the declared margin, or all its limits beyond it."""
    other = results.decision.compared_with
    if other is None or results.decision.relation != "ahead" or contest.by_rank:
        return ""
    if margins.is_beyond(contest.difference(contest.leader, other), results.decision.margin):
        return f", more than the margin of {form.plain(results.decision.margin)}"
    row = contest.within.get(frozenset((contest.leader, other)))
    if not margins.lies_within(results, contest) and (row is None or row.why):
        return ""
    return f", within the margin of {form.plain(results.decision.margin)}"


def _single(results: Results, contest: Contest) -> str:
    claims = ClaimVerdicts.of(results)
    if claims is not None and claims.decide:
        return claims.headline()
    return f"{bounded(contest.leader)}: {contest.what} {form.of_leader(results, contest)}"


def _equivalent(results: Results, contest: Contest) -> str:
    decision, margin = results.decision, form.plain(results.decision.margin)
    of_median = any(row.effect == MEDIAN for row in contest.within.values())
    margin += ", by the median over data sets" if of_median else ""
    if (baseline := decision.baseline) is not None:
        alike = [name for name in contest.order if _is_equivalent(results, contest, name)]
        if len(alike) > 1:
            to = f"to {bounded(baseline)} in {contest.what} within ±{margin}"
            return f"{form.names_or(alike)} are equivalent {to}"
    rivals = contest.rivals(contest.leader, baseline)
    both = listed(form.names([contest.leader, *rivals]))
    return f"{both} are equivalent in {contest.what} within ±{margin}"


def _is_equivalent(results: Results, contest: Contest, name: str) -> bool:
    """Whether a model is equivalent to the declared baseline, by a test or as it is the same."""
    pair = {name, results.decision.baseline}
    same = any(pair <= {*alike} for alike in of_scores(results.data))
    return len(pair) == 2 and (same or frozenset(pair) in contest.within)


def text(results: Results, contest: Contest) -> str:
    """The sentences below the headline: the test, the other models, what is ruled out."""
    if results.decision.relation == "no conclusion":
        of_headline = contest.measure != "auc" or not contest.tied
        text = of_headline and same_ranking.all_alike(results, contest)
        text = text or alone_finite(results, contest)
        if is_opposed(results, contest):
            return _of_opposed(results, contest)
        if different_quantities(results.data):
            return " ".join(of_means_alone(results, contest))
        if text or are_one_model(results, contest):
            return ""
        others = list(_against_baseline(results, contest, ())) if contest.tests else []
        return " ".join([reason_of(results, contest), *others])
    return " ".join(_sentences(results, contest))


def _of_opposed(results: Results, contest: Contest) -> str:
    """By how much one model is ahead in AUC, and the other in average precision."""
    top = top_of_the_list(results, contest.leader)
    if top is None or (ahead := contest.difference(contest.leader, top[0])) is None:
        return ""
    return f"{evidence(results, contest, ahead)}. {top[1]}"


def _sentences(results: Results, contest: Contest) -> Iterator[str]:
    decision = results.decision
    yield from _before_tests(results, contest)
    yield from _tests(results, contest)
    yield from same_ranking.sentences(results, contest)
    if decision.relation != "at chance":
        yield from margins.within_margin(results, contest)
    yield from _other_models(results, contest)
    if decision.ruled_out is not None:
        rivals = contest.rivals(contest.leader, decision.baseline)
        differences = [d for name in rivals if (d := contest.difference(contest.leader, name))]
        effects = {one.row.effect for one in differences}
        what = "Median differences" if effects & {MEDIAN, PSEUDOMEDIAN} else "Differences"
        yield (
            f"{what} of more than {form.far_limit(differences)}{_from_rivals(results, contest)} "
            f"are ruled out in either direction at α = {decision.alpha:g}."
        )
    elif decision.relation == "level" and not contest.by_rank:
        yield from little_power.sentences(results, contest)
    if decision.relation not in ("at chance", "equivalent"):
        yield from little_power.of_folds(results, contest)
        yield from little_power.of_log_losses(results, contest)
    if decision.units_needed is not None:
        count = numbers.count(form.two_digits_up(decision.units_needed))
        margin, baseline = form.plain(decision.margin), decision.baseline
        asked = margins.asked_of(contest, contest.leader, decision.compared_with, baseline)
        would = f"would detect a difference of {margin} with probability {POWER:g}."
        if asked == "non_inferiority":
            would = (
                f"would show non-inferiority within {margin} with probability {POWER:g}, if the "
            )
            would += "models are alike."
        yield f"About {count} {decision.units} {would}"
    if contest.basis == "mean over folds":
        folds = evaluation_of(results.data).fits or results.data.get("datasets")
        pooled = decision.relation == "at chance" and contest.measure in OF_ERRORS
        values = f"{contest.what} values" if pooled else "Values"
        yield f"{values} are means over {numbers.count(folds)} {basis.parts(results.data)}."
    elif contest.basis == "data sets" and not contest.by_rank:
        yield "Values are means over data sets."


def _before_tests(results: Results, contest: Contest) -> Iterator[str]:
    """Claims, what speaks of models at chance, and lists for which the headline has no room."""
    claims, relation = ClaimVerdicts.of(results), results.decision.relation
    if claims is not None:
        yield from claims.sentences()
    if relation == "at chance":
        yield from below_guessing(results, contest)
    if relation != "single" and _beside(results, contest):
        yield from list_headline.sentences(results, contest)


def _tests(results: Results, contest: Contest) -> Iterator[str]:
    """The tests that the headline rests on: of all models, of equivalence, of the difference."""
    if contest.overall is not None:
        yield all_at_once(contest, contest.overall)
    if results.decision.relation == "equivalent":
        row = contest.within[frozenset((contest.leader, str(results.decision.compared_with)))]
        of_median = row.effect == MEDIAN
        shown = str(row.evidence)
        yield f"{capitalised(shown) if of_median else shown}.{doubt(row.why)}"
        yield from margins.beyond_in_sets(row)
    difference = _difference(results, contest)
    if difference is not None:
        yield f"{evidence(results, contest, difference)}."


def _from_rivals(results: Results, contest: Contest) -> str:
    """Between which models a difference is ruled out, where there are more than two."""
    if len(contest.values) == 2:
        return ""
    rivals = contest.rivals(contest.leader, results.decision.baseline)
    of_all = len(rivals) + 1 == len(contest.values)
    each = "each of " if 1 < len(rivals) <= form.MOST_IN_HEADLINE else ""
    others = "the others" if of_all else f"{each}{form.names_or(rivals)}"
    return f" between {bounded(contest.leader)} and {others}"


def _other_models(results: Results, contest: Contest) -> Iterator[str]:
    """How the models that the headline does not name stand to the leader."""
    leader = bounded(contest.leader)
    beyond = margins.beyond_margin(results, contest) if results.decision.baseline is None else ()
    stated = (results.decision.compared_with, *beyond)
    behind = [m for m in contest.others("behind") if m not in stated]
    level = [
        m for m in contest.others("level", "equivalent") if m != results.decision.compared_with
    ]
    if contest.by_rank:
        behind = level = []  # the headline names them
    alike = len(behind) > 1 and set(behind) == set(_behind_baseline(results, contest))
    if behind and not alike:
        also = "also " if results.decision.relation == "ahead" else ""
        yield f"{leader} is {also}significantly ahead of {form.names_or(behind)}."
    elif behind:
        both = f"{leader} and {bounded(str(results.decision.baseline))}"
        yield f"{both} are both significantly ahead of {form.names_or(behind)}."
    no_baseline = results.decision.baseline is None
    if results.decision.relation == "level" and no_baseline and not contest.by_rank:
        yield from _between_others(contest)
    if level and results.decision.relation == "ahead":
        yield f"{_no_difference(level, leader)}."
    texts = [*(behind if alike else ()), *margins.beyond_margin(results, contest)]
    yield from _against_baseline(results, contest, without=texts)


def _between_others(contest: Contest) -> Iterator[str]:
    """The models that another one than the leader is significantly ahead of."""
    for better in contest.order:
        worse = [
            n
            for n in contest.order
            if contest.standing(n, better) == "behind"
            and contest.standing(n, contest.leader) != "behind"
        ]
        if worse and better != contest.leader:
            verb = "is" if len(worse) == 1 else "are"
            yield f"{form.names_or(worse)} {verb} significantly behind {bounded(better)}."


def _behind_baseline(results: Results, contest: Contest) -> list[str]:
    baseline = results.decision.baseline
    if baseline in (None, contest.leader):
        return []
    return [n for n in contest.order if contest.standing(n, str(baseline)) == "behind"]


def _against_baseline(results: Results, contest: Contest, without: Sequence[str]) -> Iterator[str]:
    """The other models against the declared baseline, where that is not the leader.

    ``without`` are models that another sentence names.
    """
    baseline = results.decision.baseline
    if baseline is None or baseline == contest.leader:
        return
    known = (contest.leader, baseline, *without)
    others = [n for n in contest.order if n not in known]
    of = {name: contest.standing(name, baseline) for name in others}
    ahead = [n for n in others if of[n] == "ahead"]
    behind = [n for n in others if of[n] == "behind"]
    alone = [n for n in others if contest.standing(n, contest.leader) == "not compared"]
    level = [n for n in alone if of[n] in ("level", "equivalent")]
    name = bounded(baseline)
    for models, side in ((ahead, "significantly ahead of"), (behind, "significantly behind")):
        if models:
            yield f"{form.names_or(models)} {'is' if len(models) == 1 else 'are'} {side} {name}."
    if level:
        yield f"{_no_difference(level, name)}."


def _no_difference(models: Sequence[str], other: str) -> str:
    verb = "does" if len(models) == 1 else "do"
    return f"{form.names_or(models)} {verb} not differ significantly from {other}"


def _by_rank(results: Results, contest: Contest) -> str:
    """Over data sets, where models are ordered by mean rank."""
    ahead, level = contest.others("behind"), contest.others("level", "equivalent")
    best, leader = ranked_best(results, contest), bounded(contest.leader)
    if len(contest.ranked_first) > 1:
        behind = f"; {leader} is significantly ahead of {form.names_or(ahead)}" if ahead else ""
        return f"{best}{behind}"
    parts = [f"significantly ahead of {form.names_or(ahead)}"] if ahead else []
    if level:
        parts.append(f"no significant difference from {form.names_or(level)}")
    return f"{best}; {', '.join(parts)}" if parts else best


def _ahead(results: Results, contest: Contest) -> str:
    leader, other = bounded(contest.leader), bounded(str(results.decision.compared_with))
    difference, baseline = _difference(results, contest), results.decision.baseline
    if difference is None or difference.estimate is None:
        return f"{leader} is significantly ahead of {other} in {contest.what}"
    size, limits = form.size(difference)
    if contest.leader == baseline or (baseline is None and len(contest.values) > 2):
        value = form.model_value(contest.values[contest.leader], contest.digits_of_values)
        far = "higher" if contest.less_is_better else "lower"
        tied = contest.tied
        if tied:
            both = form.names_or([contest.leader, *tied])
            return (
                f"{both} have the same {contest.what}, {value}; "
                f"{other} is {size} {far} than {leader}{limits}"
            )
        return f"{leader} leads with {contest.what} {value}; {other} is {size} {far}{limits}"
    far = "lower" if contest.less_is_better else "higher"
    who = f"{leader} beats {other}"
    if closer(results, contest):
        who = f"{leader} is correct more often{f' than {other}' if len(contest.values) > 2 else ''}"
    return f"{who}: {contest.what} {size} {far}{limits}"


def _level(results: Results, contest: Contest) -> str:
    rivals = contest.rivals(contest.leader, results.decision.baseline)
    value = form.model_value(contest.values[contest.leader], contest.digits_of_values)
    tied = contest.tied
    others = [name for name in rivals if name not in tied]
    of_them = "them" if set(tied) <= set(rivals) else bounded(contest.leader)
    best = f"{bounded(contest.leader)} has the {contest.extreme} {contest.what}, {value}"
    written = {form.model_value(contest.values[n], contest.digits_of_values) for n in others}
    if written == {value} and not tied:  # alike but for rounding
        both = form.names_or([contest.leader, *others])
        extreme = f"the {contest.extreme} {contest.what}, {value}"
        return f"{both} have {extreme}, without a significant difference"
    if tied:
        best = f"{form.names_or([contest.leader, *tied])} have the same {contest.what}, {value}"
    if not others and tied:
        return best
    it = of_them if tied else "it"
    leading = contest.values[contest.leader]
    if apart := [name for name in others if leading.lies_apart(contest.values[name])]:
        of_both = "though their intervals do not overlap"
        return f"{best}; the test does not separate {form.names_or(apart)} from {it}, {of_both}"
    return f"{best}; {_no_difference(others, it)}"
