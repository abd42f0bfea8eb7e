"""What page one says of models of several quantiles: those of each are compared alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding import headline_numbers as form
from reportgen.concluding.contest import Contest
from reportgen.concluding.decision_caveats import of_quantiles
from reportgen.concluding.leading import contest_of
from reportgen.concluding.ranked_models import with_difference
from reportgen.concluding.untested import without_conclusion
from reportgen.concluding.written_tests import evidence
from reportgen.metric_names import PINBALL_LOSS, of_parameter, quantile_in_words
from reportgen.records.decision import UNDECIDED, Decision, FamilyOfTests, RankedModel
from reportgen.records.model import Results
from reportgen.records.rows import quantile_levels
from reportgen.spec import ScoresSpec, Spec
from reportgen.text import numbers
from reportgen.text.words import capitalised

MOST_QUANTILES = 3
"""Of more quantiles the headline counts those that have a winner."""

Contests = Mapping[float, Contest]
"""The models of each quantile in its pinball loss."""


def contests(results: Results, spec: Spec | ScoresSpec) -> Contests:
    """Those of the models of each quantile; empty where all estimate one, or some the mean."""
    levels = quantile_levels(results.data["models"])
    if len(levels) < 2 or spec.comparisons.primary is not None:
        return {}
    tables = results.metrics, results.comparisons
    of = {
        level: contest_of(
            *tables,
            results.data,
            names,
            spec.baseline if spec.baseline in names else None,
            of_parameter(PINBALL_LOSS, level),
        )
        for level, names in levels.items()
    }
    return {level: contest for level, contest in of.items() if contest is not None}


def together(of: Contests) -> Contest:
    """The contests as one, each model by the loss of its own quantile: for the order of pairs."""
    first = next(iter(of.values()))
    return replace(
        first,
        measure=PINBALL_LOSS,
        values={name: value for contest in of.values() for name, value in contest.values.items()},
        tests={pair: row for contest in of.values() for pair, row in contest.tests.items()},
    )


def decision(results: Results, spec: Spec | ScoresSpec, of: Contests) -> Decision:
    """What the contests come to, without the state of the build."""
    whole = together(of)
    row = next(iter(whole.tests.values()), None)
    family = None
    if row is not None:
        family = FamilyOfTests(row.family or "", int(row.family_size or 1), row.correction)
    of_all = replace(
        UNDECIDED,
        relation="by quantile",
        measure=PINBALL_LOSS,
        basis=whole.basis,
        baseline=spec.baseline,
        alpha=spec.comparisons.alpha,
        test=None if row is None else row.comparison,
        family=family,
        models=tuple(_models(of, whole)),
    )
    results = replace(results, decision=of_all)
    return replace(
        of_all,
        headline=_headline(results, of),
        sentence=" ".join(_sentences(results, of)),
        caveats=tuple(of_quantiles(results, spec, of)),
    )


def _models(of: Contests, whole: Contest) -> Iterator[RankedModel]:
    """The models, those of the lowest quantile first, each beside the best of its quantile."""
    for contest in of.values():
        leader = contest.leader
        for name in contest.order:
            value = contest.values[name]
            standing = contest.standing(name, leader)
            ranked = RankedModel(name, value.value, value.low, value.high, standing)
            yield with_difference(ranked, whole.difference(leader, name))


def _headline(results: Results, of: Contests) -> str:
    several = {level: contest for level, contest in of.items() if len(contest.values) > 1}
    if not several:
        return "No models are compared: each estimates a different quantile"
    open_ = [one for one in several.values() if not one.tests and not _are_alike(one)]
    if len(open_) == len(several):
        why = without_conclusion(results, open_[0]).why
        if len(open_) > 1:
            why = why.replace(open_[0].what, measure(PINBALL_LOSS))
        return f"No conclusion on which model is better at any quantile: {why}"
    if len(several) <= MOST_QUANTILES:
        digits = together(of).digits_of_values
        parts = [_of_one(level, contest, digits) for level, contest in several.items()]
        return capitalised("; ".join(parts))
    won = sum(len(c.others("behind")) == len(c.values) - 1 for c in several.values())
    count = numbers.count(len(several))
    if not won:
        return f"At none of {count} quantiles is a model significantly better than all others"
    which = f"all {count}" if won == len(several) else f"{numbers.count(won)} of {count}"
    return f"At {which} quantiles a model is significantly better than all others, by pinball loss"


def _are_alike(contest: Contest) -> bool:
    """Whether all models of a quantile have the same loss."""
    return len(contest.tied) + 1 == len(contest.values)


def _of_one(level: float, contest: Contest, digits: int) -> str:
    """Which model is better at a quantile, and by how much; values have the table's decimals."""
    where, leader = quantile_in_words(level), bounded(contest.leader)
    if not contest.tests and _are_alike(contest):
        alike = form.names_or([contest.leader, *contest.tied])
        value = form.model_value(contest.values[contest.leader], digits)
        return f"{where}: {alike} have the same pinball loss, {value}"
    if not contest.tests:
        return f"{where}: no test of the models is recommended"
    behind, rest = contest.others("behind"), contest.others("level", "equivalent", "not compared")
    if rest:
        value = form.model_value(contest.values[contest.leader], digits)
        level_with = f"no significant difference from {form.names_or(rest)}"
        return f"{where}: {leader} has the lowest pinball loss ({value}), {level_with}"
    difference = contest.difference(contest.leader, behind[0]) if len(behind) == 1 else None
    if difference is None:
        return f"{where}: {leader} beats {form.names_or(behind)}"
    size, limits = form.size(difference)
    return f"{where}: {leader} beats {bounded(behind[0])}, pinball loss {size} lower{limits}"


def _sentences(results: Results, of: Contests) -> Iterator[str]:
    """The tests of the best model of each quantile and the next one."""
    several = [contest for contest in of.values() if len(contest.values) > 1]
    for contest in several if len(several) <= MOST_QUANTILES else ():
        others = [name for name in contest.order if name != contest.leader]
        difference = contest.difference(contest.leader, others[0])
        if difference is not None:
            yield f"{evidence(results, contest, difference)}."
