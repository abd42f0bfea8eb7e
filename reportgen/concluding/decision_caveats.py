"""All caveats of a decision, in the order of page one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy.special import bdtr, ndtr, ndtri

from reportgen.comparing.unfit_thresholds import beyond_probabilities, without_threshold
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding import (
    claim_verdicts,
    constrained_thresholds,
    identical_models,
    reference_changes,
    reversed_scores,
    same_ranking,
    single_errors,
)
from reportgen.concluding.caveats import caveats, takes_away
from reportgen.concluding.class_costs import of_class_costs
from reportgen.concluding.class_order import off_centre
from reportgen.concluding.contest import Contest
from reportgen.concluding.cost_headline import are_of_rows
from reportgen.concluding.costs_in_use import free_error, stated_prevalence
from reportgen.concluding.estimated_means import of_means
from reportgen.concluding.few_units import claims_of_few_sets, sets_without_value
from reportgen.concluding.halves_of_time import by_half
from reportgen.concluding.lowest_class import (
    abstained,
    always_predicted,
    lower_of_few,
    never_predicted,
    without_rows,
)
from reportgen.concluding.margins import of_squares, small_difference, untested_margin
from reportgen.concluding.measure_caveats import of_counts, opposed_means, unlike_errors
from reportgen.concluding.misread_outputs import misread_outputs
from reportgen.concluding.model_values import on_all_rows
from reportgen.concluding.nominal_coverage import off_nominal
from reportgen.concluding.not_compared import not_compared
from reportgen.concluding.opposed_list import OPPOSED, is_opposed, top_of_the_list
from reportgen.concluding.other_measures import (
    against_leader,
    ahead_elsewhere,
    apart_from_leader,
    disagreeing,
)
from reportgen.concluding.pairs_in_slices import (
    apart_in_slices,
    between_slices_only,
    reversed_in_slices,
)
from reportgen.concluding.probability_caveats import of_probabilities
from reportgen.concluding.ranks_within_groups import within_groups
from reportgen.concluding.result_caveats import (
    cheaper_models,
    concentrated_weights,
    labels_against_scores,
    one_class_decisions,
    other_validation_rows,
    shifted_classes,
    threshold_beyond,
    undeclared_threshold,
    without_cost,
    without_error,
    worse_in_time,
)
from reportgen.concluding.single_class import of_single_class
from reportgen.concluding.slice_caveats import between_slices, of_slices, of_these_values
from reportgen.concluding.slice_gaps import of_gaps
from reportgen.concluding.undecided_headline import LONGEST_REASON
from reportgen.concluding.undeclared_column import undone
from reportgen.concluding.untested import (
    EACH_ALONE,
    different_quantities,
    passed_over,
    remedy,
    sets_needed,
    untested,
    without_conclusion,
)
from reportgen.metric_names import COST, PINBALL_LOSS, parted
from reportgen.metrics import METRICS
from reportgen.records import withheld_parts
from reportgen.records.decision import AtChance, Caveat, Decision
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.spec import ScoresSpec, Spec
from reportgen.spec.gates import Gate, parse
from reportgen.tables.results import GateRow
from reportgen.text import numbers

COSTS_DECIDE = "Compare recall and precision, or declare costs, which then decide."

MANY_ALIKE = 5
"""From so many models on the limits of the best one hold its true value too rarely."""


WITH_FURTHER = (
    *("no_valid_test", "needs_no_test", "undone_by_column", "reversed_scores"),
    OPPOSED.code,
)
"""What takes the conclusion away and leaves all else that limits the results to be said."""


def of_decision(results: Results, spec: Spec | ScoresSpec, contest: Contest) -> Iterator[Caveat]:
    """What limits the conclusion or takes it away."""
    decision = results.decision
    other = decision.compared_with
    row = None if other is None else contest.tests.get(frozenset((contest.leader, other)))
    of_data = caveats(
        results.data,
        contest,
        row,
        _worth_saying(results),
        spec.comparisons.test,
        headline_on_chance=decision.relation == "at chance",
    )
    one_model = identical_models.are_one_model(results, contest)
    if decision.relation == "no conclusion" and one_model:
        of_data = tuple(one for one in of_data if one.code != "same_outputs")  # the headline's
    if decision.relation == "no conclusion" and not takes_away(results.data, contest.measure):
        why = _no_conclusion(results, contest)
        why = identical_models.without_test(results, contest) if one_model else why
        yield why
        if why.code == "no_valid_test" and results.declared.columns.id is None:
            of_data = tuple(one for one in of_data if one.code != "unpaired")  # the headline's
        if sets_needed(without_conclusion(results, contest), results):
            of_data = tuple(one for one in of_data if one.code != "few_units")
        if why.code not in WITH_FURTHER:
            yield from of_data
            yield from off_nominal(results)
            yield from claim_verdicts.of_models(results)
            yield from claims_of_few_sets(results)
            return
    severe = [one for one in of_data if one.severity == "severe"]
    yield from severe
    yield from claim_verdicts.of_models(results)
    yield from claims_of_few_sets(results)
    yield from labels_against_scores(results)
    models = results.data["models"]
    yield from undeclared_threshold(without_threshold(models), contest.measure)
    yield from threshold_beyond(results, beyond_probabilities(models), contest.measure)
    yield from lower_of_few(results)
    yield from never_predicted(results)
    yield from abstained(results)
    yield from without_rows(results)
    if _compares(decision):
        yield from unlike_errors(results, contest)
        yield from against_leader(results, contest)
    elif _without_winner(decision, severe):
        yield from ahead_elsewhere(results, contest)
    yield from of_data[len(severe) :]
    worth = any("of equal weight" in one.text for one in of_data)  # of the rarer class
    of_results = _of_results(results, spec, contest)
    yield from (one for one in of_results if not worth or one.code != "concentrated_weights")
    yield from _of_comparison(results, spec, contest)
    yield from withheld_parts.caveat(results.skipped, spec.privacy.small_cells)


def of_quantiles(
    results: Results, spec: Spec | ScoresSpec, contests: Mapping[float, Contest]
) -> Iterator[Caveat]:
    """What limits the conclusions on models of several quantiles, or takes them away."""
    of_data = caveats(results.data, None, None, (), spec.comparisons.test)
    severe = [one for one in of_data if one.severity == "severe"]
    yield from severe
    yield from claim_verdicts.of_models(results)
    compared = [contest for contest in contests.values() if len(contest.values) > 1]
    unlike = [c for c in compared if len(c.tied) + 1 < len(c.values)]
    untested_ones = [contest for contest in unlike if not contest.tests]
    for contest in untested_ones[:1]:
        reason = without_conclusion(results, contest).why
        of_all = len(untested_ones) == len(unlike)
        why = "" if of_all and len(compared) == len(unlike) else f": {reason}"  # the headline's
        what = contest.what if len(untested_ones) == 1 else measure(PINBALL_LOSS)
        text = f"No test of {what} is recommended on these data{why}."
        yield Caveat("no_valid_test", "severe" if of_all else "moderate", text)
    yield from of_data[len(severe) :]
    yield from _of_results(results, spec, next(iter(contests.values())))
    yield from withheld_parts.caveat(results.skipped, spec.privacy.small_cells)


def _worth_saying(results: Results) -> list[AtChance]:
    """The models that are not better than guessing, without those that are the guess itself.

    Other caveats say which class these always predict.
    """
    decision, alone = results.decision, always_predicted(results)
    if decision.relation == "at chance":
        return [*decision.at_chance]
    single = of_single_class(results.metrics)
    return [
        row
        for row in decision.at_chance
        if not (row.measure == "accuracy" and row.model in alone)
        and not (row.measure == COST and row.model in single and row.value == row.chance)
    ]


def _without_winner(decision: Decision, severe: Sequence[Caveat]) -> bool:
    """Whether another measure may say more: no test decides, or models cost no less than guessing.

    At the thresholds in use, that is, which says nothing of how they rank the rows.
    """
    if decision.relation == "at chance":
        return decision.measure == COST
    return decision.relation == "no conclusion" and not severe


def _compares(decision: Decision) -> bool:
    """Whether the headline says how a model stands to others."""
    return decision.relation not in ("single", "at chance", "no conclusion", "by quantile")


def _no_conclusion(results: Results, contest: Contest) -> Caveat:
    """What takes the conclusion away where it is not the data."""
    if different_quantities(results.data):
        return Caveat("different_quantities", "severe", EACH_ALONE)
    if contest.common is not None or is_opposed(results, contest):
        return OPPOSED if contest.common is None else Caveat("rare_class", "severe", COSTS_DECIDE)
    why_not = reversed_scores.caveat(results, contest) or undone(results, contest)
    if why_not is not None:
        return why_not
    if len(contest.values) == 1 and contest.infinite:
        text = (
            f"No test of {contest.what} is needed: any finite loss is lower than an infinite one."
        )
        return Caveat("needs_no_test", "moderate", text)
    without = without_conclusion(results, contest)
    reason = without.why
    why = "" if len(reason) <= LONGEST_REASON else f": {reason}"
    what = untested(results, contest.measure, contest.leader)
    if contest.unanswered(decision_baseline := results.decision.baseline):
        pair = f"{bounded(contest.leader)} against {bounded(str(decision_baseline))}"
        what = f"{pair} in {contest.what}"
    if same_ranking.all_alike(results, contest):
        return Caveat("needs_no_test", "moderate", f"No test of {what} is needed: {reason}.")
    text = f"No test of {what} is recommended on these data{why}."
    if without.turned_off:
        text = f"The tests of {what} were not run: set bootstrap.replicates to 1,000 or more."
    if more := sets_needed(without, results):
        text = f"A test needs at least {numbers.count(more)} data sets."
    text += remedy(without, results)
    return Caveat("no_valid_test", "severe", text)


def _of_results(results: Results, spec: Spec | ScoresSpec, contest: Contest) -> Iterator[Caveat]:
    """What the numbers of the models show."""
    decision, leader = results.decision, contest.leader
    compared = _compares(decision)
    yield from constrained_thresholds.of_limits(results)
    yield from constrained_thresholds.of_validation(results, contest.measure)
    yield from read_one_by_one(results)
    yield from reference_changes.since_reference(results)
    outweighing = list(single_errors.outweighing(results))
    yield from outweighing or single_errors.unseen(results)
    yield from concentrated_weights(results)
    yield from within_groups(results, contest)
    yield from between_slices(results)
    yield from off_nominal(results)
    yield from of_counts(results)
    yield from other_validation_rows(results)
    yield from sets_without_value(results, contest.measure)
    yield from of_means(results, contest)
    yield from off_centre(results)
    yield from without_error(results)
    has_costs = _has_costs(spec)
    yield from free_error(results)
    yield from misread_outputs(results)
    if decision.relation != "at chance" or decision.measure == COST:
        at_chance = {row.model for row in decision.at_chance if row.measure == "auc"}
        models = results.data["models"]
        undeclared = [*without_threshold(models), *beyond_probabilities(models)]
        yield from one_class_decisions(results, at_chance, has_costs, undeclared)
    if contest.measure == "auc" and compared and (top := top_of_the_list(results, leader)):
        yield Caveat("top_of_the_list", "moderate", top[1])
    yield from of_probabilities(results, leader if compared else None, contest.measure)
    yield from same_ranking.untested_probabilities(results, contest)
    if compared:
        yield from reversed_in_slices(results, leader)
        yield from between_slices_only(results, contest)
    yield from apart_in_slices(results)
    yield from of_gaps(results)
    yield from of_slices(results, leader)
    yield from stated_prevalence(results, leader)
    yield from reference_changes.shifts_since_reference(results)
    yield from worse_in_time(results)
    yield from by_half(results, contest)


def _of_comparison(results: Results, spec: Spec | ScoresSpec, contest: Contest) -> Iterator[Caveat]:
    """What was compared otherwise or not at all, and other measures and costs."""
    relation, leader = results.decision.relation, contest.leader
    if relation not in ("no conclusion", "single"):
        yield from passed_over(results, contest, spec.baseline)
        reference = contest.reference(leader, spec.baseline)
        yield from not_compared(results, contest, reference)
        yield from _best_of_many(contest)
        yield from small_difference(results, contest)
        yield from of_these_values(results, contest, withheld=bool(spec.privacy.small_cells))
        yield from of_squares(results, contest)
        yield from opposed_means(results, contest)
        yield from untested_margin(results, contest)
    if isinstance(spec, Spec) and results.task.several_classes:
        classes = [one["class"] for one in results.data["classes"]]
        yield from without_cost(spec, classes)
        yield from of_class_costs(results)
    apart = list(disagreeing(results, contest, spec.baseline))
    yield from apart
    if _compares(results.decision):
        yield from apart_from_leader(results, contest, ["f1"] if apart else [])
    if _has_costs(spec):
        if are_of_rows(results):
            yield from cheaper_models(results, leader)
        if relation not in ("no conclusion", "at chance"):
            yield from shifted_classes(results)


def _best_of_many(contest: Contest) -> Iterator[Caveat]:
    """What page one says of a leader that many others are level with.

    Of 1, 2, 3, 5, 8 and 12 models with one AUC of 0.8, whose scores have a correlation of 0.5, the
    95 % limits of the best held it in 0.95, 0.94, 0.93, 0.91, 0.89 and 0.84 (200 rows, 250 data
    sets: ``tests.simulations.best_of_many``), of 12 with one of 0.9 in 0.92.
    """
    alike = 1 + len(contest.others("level", "equivalent"))
    if alike >= MANY_ALIKE and not contest.by_rank:
        end = "lowest" if contest.less_is_better else "highest"
        text = (
            f"{bounded(contest.leader)} has the {end} {measure(contest.measure)} of {alike} models "
            "that do not differ significantly. The value of the best of several models is too "
            "good on average. In simulations of 12 equally good models its 95 % limits contained "
            "the true value in 84 to 92 % of cases."
        )
        yield Caveat("best_of_many", "moderate", text)


def _has_costs(spec: Spec | ScoresSpec) -> bool:
    return not isinstance(spec, ScoresSpec) and spec.costs is not None


LEAST = 0.5
"""Fewer gates that fail by chance need no word."""


def read_one_by_one(results: Results) -> Iterator[Caveat]:
    """How many gates are read by slice, and how many would fail if all slices were alike."""
    rows = [row for row in rows_of(results.gates, GateRow) if row["slice"] is not None]
    if len(rows) < 2:
        return
    text = f"{numbers.count(len(rows))} gates by slice are evaluated one by one"
    failing = [expected for row in rows if (expected := _by_chance(results, row)) is not None]
    if len(failing) < len(rows):
        text += ", by limits that do not hold for all of them at once."
    elif sum(failing) < LEAST:
        return
    else:
        number = numbers.fixed(sum(failing), 1)
        text += f": if all slices had the value of all rows, about {number} would fail by chance."
    yield Caveat("gates_by_slice", "moderate", text)


def _by_chance(results: Results, row: GateRow) -> float | None:
    """How probably a slice with the value of all rows misses the limit; null where that misses it.

    The standard error of all rows, scaled to the rows of the slice. Of a share the observed one is
    binomial, of as many rows as its standard error means.
    """
    gate = parse(row["gate"])
    metric, average = parted(gate.left.metric)
    whole = on_all_rows(results.metrics, metric, average).get(gate.left.model)
    rows = results.slices.filter(slice=row["slice"])["rows"].to_list()
    if whole is None or whole.low is None or whole.high is None or not rows:
        return None
    if not gate.holds(whole.value) or gate.left.bound is not None or gate.right is not None:
        return None
    share = rows[0] / results.data["rows_evaluated"]
    half = (whole.high - whole.low) / 2
    error = half / float(ndtri((1 + results.confidence) / 2)) / share**0.5
    return _missed(gate, metric, whole.value, error)


def _missed(gate: Gate, metric: str, value: float, error: float) -> float:
    """The probability that a value with this standard error misses the limit of a gate."""
    above = gate.op in (">=", ">")
    if error == 0:
        return 0.0
    if metric not in METRICS or METRICS[metric].bounds != (0, 1) or not 0 < value < 1:
        side = gate.limit - value if above else value - gate.limit
        return float(ndtr(side / error))
    number = max(1, round(value * (1 - value) / error**2))
    counts = np.arange(number + 1)
    missed = [not gate.holds(round(k / number, 12)) for k in counts.tolist()]
    return float(np.diff(bdtr(counts, number, value), prepend=0.0)[missed].sum())
