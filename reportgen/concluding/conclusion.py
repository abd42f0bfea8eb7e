"""From the numbers to the decision: gates, leader, chance, caveats, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from reportgen.comparing.unseen_costs import UnseenCost
from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.comparisons.wording import among, measure
from reportgen.concluding import (
    by_quantile,
    chance,
    headlines,
    identical_models,
    margins,
    threshold_advice,
)
from reportgen.concluding.caveats import cannot_reject, caveats, takes_away
from reportgen.concluding.contest import Contest, Difference
from reportgen.concluding.cost_headline import are_of_rows, not_ranked_below, shares_of
from reportgen.concluding.decision_caveats import of_decision
from reportgen.concluding.gate_differences import OwnRows
from reportgen.concluding.gates import NumbersOfGates, counts_of, evaluate_gates
from reportgen.concluding.leading import contest_of
from reportgen.concluding.lowest_class import lowest_class
from reportgen.concluding.not_compared import open_rivals
from reportgen.concluding.opposed_list import is_opposed
from reportgen.concluding.pair_order import in_order, pair_order
from reportgen.concluding.ranked_models import ranked_models
from reportgen.concluding.reversed_scores import reversed_model
from reportgen.concluding.same_ranking import useful_by_area
from reportgen.concluding.section_reading import with_reading
from reportgen.concluding.undeclared_column import with_open_gates
from reportgen.concluding.units_needed import units_needed
from reportgen.concluding.untested import different_quantities
from reportgen.concluding.validated_labels import against_winner
from reportgen.concluding.values_in_use import values_in_use
from reportgen.metric_names import COST, MEAN_OVER_FOLDS, parted
from reportgen.records import basis, withheld_parts
from reportgen.records.decision import (
    UNDECIDED,
    AtChance,
    Caveat,
    Decision,
    FamilyOfTests,
    GateCounts,
    Relation,
    State,
    ThresholdChange,
)
from reportgen.records.model import Results, typed
from reportgen.records.rows import chosen_on_tested_rows, evaluation_of, too_unequal
from reportgen.spec import ScoresSpec, Spec
from reportgen.tables import Gates
from reportgen.tables.comparisons import RANKS
from reportgen.tables.results import GateRow
from reportgen.text.words import sentence


def with_decision(
    results: Results, spec: Spec | ScoresSpec, changes: Sequence[ThresholdChange] = ()
) -> Results:
    """The results with their pairs in order, their gates and their decision.

    ``changes`` say what another threshold of each model would save.

    Raises:
        UndefinedError: a number that a gate needs has no value.
    """
    with among(results.models):
        return _with_decision(results, spec, changes)


def _with_decision(
    results: Results, spec: Spec | ScoresSpec, changes: Sequence[ThresholdChange]
) -> Results:
    gates = () if isinstance(spec, ScoresSpec) else spec.gates
    contest = _contest(results, spec)
    if contest is not None:
        results = in_order(results, pair_order(contest, spec.baseline))
    smallest = spec.privacy.small_cells
    if smallest is not None and changes:
        advice = withheld_parts.WithheldPart(withheld_parts.ADVICE)
        left_out = withheld_parts.records([advice], smallest)
        results = replace(results, skipped=[*results.skipped, *left_out])
        changes = ()  # they count the errors at another threshold
    places = [spec.locate(("gates", index)) for index in range(len(gates))]
    numbers = NumbersOfGates(
        results.metrics,
        results.differences,
        of_rows=basis.of_rows(results.data),
        over_folds=_over_folds(contest, results),
        of_data_sets=_of_data_sets(results),
        timed=bool(results.data.get("timed")),
        too_unequal=too_unequal(results.data),
        chosen_here=chosen_on_tested_rows(results.data["models"]),
        slices=results.slices,
        comparisons=results.comparisons,
        same_outputs=identical_models.of_scores(results.data),
        same_rankings=results.data.get("same_rankings", ()),
        own_rows=OwnRows.of(results),
        shares=shares_of(results),
        withheld=withheld_parts.columns_of_slices(results.skipped, smallest),
        in_use=values_in_use(results),
        task=results.task.name,
        unseen_cost=UnseenCost.of(results.data, results.declared.costs),
        models=results.data["models"],
    )
    evaluated = evaluate_gates(gates, numbers, places)
    results = replace(results, gates=with_open_gates(evaluated, results))
    return with_reading(replace(results, decision=decide(results, spec, changes)))


def _contest(results: Results, spec: Spec | ScoresSpec) -> Contest | None:
    """The models in the measure that decides by the spec, or by the task."""
    if of_quantiles := by_quantile.contests(results, spec):
        return by_quantile.together(of_quantiles)
    tables = results.metrics, results.comparisons
    names = results.models
    primary = spec.comparisons.primary
    share = are_of_rows(results)
    contest = contest_of(*tables, results.data, names, spec.baseline, primary, stated_share=share)
    if primary is None and contest is not None and useful_by_area(results, contest):
        return contest_of(*tables, results.data, names, spec.baseline, "auc")
    return contest


def with_gates(results: Results, rows: Sequence[GateRow]) -> Results:
    """The results with these rows of gates, and the state that follows from them."""
    gates = typed(Gates, rows)
    counts, decision = counts_of(gates), results.decision
    if decision.leader is None and decision.relation != "by quantile":
        state: State = "fail" if counts.failed else "inconclusive"
    else:
        state = _state(counts, decision.relation, decision.caveats)
    decision = replace(decision, gates=counts, state=state)
    results = replace(results, gates=gates, decision=decision)
    widths = margins.widths(results)
    return replace(results, reading=replace(results.reading, interval_widths=widths))


def _of_data_sets(results: Results) -> bool:
    return evaluation_of(results.data).scheme == "data_sets"


def _over_folds(contest: Contest | None, results: Results) -> frozenset[str]:
    """The measures of which gates read means over folds, or over data sets, as tests do.

    Every one that has them, where page one prints such means of what decides. Over folds the cost,
    too, whose means may have no limits.
    """
    means = results.metrics.filter(pl.col("slice").is_null(), average=MEAN_OVER_FOLDS)
    with_limits = frozenset(means.drop_nulls("low")["metric"])
    if _of_data_sets(results):
        return with_limits
    of_folds = contest is not None and contest.basis in ("mean over folds", "data sets")
    return with_limits | {contest.measure, COST} if contest and of_folds else frozenset()


def decide(
    results: Results, spec: Spec | ScoresSpec, changes: Sequence[ThresholdChange]
) -> Decision:
    """The decision that results hold."""
    names = results.models
    counts = counts_of(results.gates)
    contest = _contest(results, spec)
    declared = not isinstance(spec, ScoresSpec) and spec.costs is not None
    guessing: tuple[AtChance, ...] = ()
    if not results.task.of_values:
        of_mean = [m["name"] for m in results.data["models"] if m.get("quantile") is None]
        guessing = chance.at_chance(results, contest, of_mean, costs=declared)
    if contest is None:
        return _without_value(results, spec, counts)
    if of_quantiles := by_quantile.contests(results, spec):
        decision = by_quantile.decision(results, spec, of_quantiles)
        state = _state(counts, decision.relation, decision.caveats)
        return replace(decision, state=state, gates=counts)
    both_classes = 0 < (results.data.get("prevalence") or 0) < 1
    if len(names) > 1 and contest.measure == "accuracy" and both_classes:
        contest, guessing = chance.without_guesses(contest, guessing, results.data)
    return _decided(results, spec, contest, guessing, counts, changes)


def _without_value(results: Results, spec: Spec | ScoresSpec, counts: GateCounts) -> Decision:
    data_caveats = caveats(results.data, None, None, (), spec.comparisons.test)
    withheld = withheld_parts.caveat(results.skipped, spec.privacy.small_cells)
    headline, text = _undefined(results, spec.comparisons.primary)
    undefined = Caveat("undefined", "severe", "No deciding measure has a value.")
    severe = (undefined, *data_caveats, *withheld)
    state: State = "fail" if counts.failed else "inconclusive"
    return Decision(
        state,
        "no conclusion",
        headline,
        text,
        baseline=spec.baseline,
        alpha=spec.comparisons.alpha,
        caveats=severe,
        gates=counts,
    )


def _undefined(results: Results, primary: str | None) -> tuple[str, str]:
    """That no measure has a value, and why, where the one that the spec names has none."""
    metric, average = parted(primary or "")
    rows = results.metrics.filter(pl.col("slice").is_null(), metric=metric)
    rows = rows if average is None else rows.filter(average=average)
    reasons = rows["undefined"].drop_nulls().unique(maintain_order=True)
    if primary is None or len(reasons) != 1:
        tables = "The tables give the reason for each missing number."
        return "No conclusion: no measure has a value", tables
    what = measure(primary)
    why = f"{sentence(what)[:-1]} is undefined: {reasons[0]}."
    return f"No conclusion: {what} has no value", why


def _decided(
    results: Results,
    spec: Spec | ScoresSpec,
    contest: Contest,
    guessing: tuple[AtChance, ...],
    counts: GateCounts,
    changes: Sequence[ThresholdChange],
) -> Decision:
    decision = _compared(results, spec, contest, guessing)
    relation, leader = decision.relation, contest.leader
    # of models that cost no less than guessing at the thresholds in use, others may
    if relation != "no conclusion" and (relation != "at chance" or contest.measure == COST):
        rivals = (leader, *contest.rivals(leader, spec.baseline))
        rivals = not_ranked_below(results, rivals)
        pooled = contest.basis == "mean over folds"
        models = results.data["models"]
        action = threshold_advice.advised(results.metrics, rivals, changes, models, pooled=pooled)
        decision = replace(decision, action=action)
    results = replace(results, decision=decision)
    listed = tuple(of_decision(results, spec, contest))
    return replace(
        decision,
        state=_state(counts, relation, listed),
        headline=headlines.headline(results, contest),
        sentence=headlines.text(results, contest),
        caveats=listed,
        gates=counts,
        lowest=lowest_class(results, leader),
        models=ranked_models(results, contest, leader, spec.baseline, relation),
    )


def _compared(
    results: Results, spec: Spec | ScoresSpec, contest: Contest, guessing: tuple[AtChance, ...]
) -> Decision:
    """How the leader stands to the others, and what the tests leave open; not yet in words."""
    leader, baseline = contest.leader, spec.baseline
    compared_with = _compared_with(contest, leader, baseline)
    relation = _relation(results, contest, leader, compared_with, baseline, guessing)
    if relation == "no conclusion":
        compared_with = None
    difference = contest.difference(leader, compared_with) if compared_with else None
    ruled_out = _ruled_out(contest, leader, baseline) if relation in ("level", "mixed") else None
    asked = margins.asked_of(contest, leader, compared_with, baseline)
    of_other = contest.measure == ABSOLUTE and margins.is_of_squares(results, contest)
    margin = None if of_other else margins.declared(spec, contest)
    decision = replace(
        UNDECIDED,
        relation=relation,
        measure=contest.measure,
        basis=contest.basis,
        units=evaluation_of(results.data).independent_unit,
        leader=leader,
        baseline=baseline,
        compared_with=compared_with,
        alpha=spec.comparisons.alpha,
        ruled_out=ruled_out,
        margin=margin,
        units_needed=(
            units_needed(results.data, difference, margin, asked)
            if relation in ("level", "mixed")
            else None
        ),
        at_chance=guessing,
        reference=contest.reference(leader, baseline),
    )
    if relation == "single":
        value = contest.values[leader]
        return replace(decision, estimate=value.value, low=value.low, high=value.high)
    return decision if difference is None else _with_difference(decision, difference)


def _with_difference(decision: Decision, difference: Difference) -> Decision:
    row = difference.row
    return replace(
        decision,
        estimate=difference.estimate,
        low=difference.low,
        high=difference.high,
        p=row.p_value,
        p_adjusted=row.p_adjusted,
        test=row.comparison,
        family=FamilyOfTests(row.family or "", int(row.family_size or 1), row.correction),
        smallest_detectable=row.detectable,
    )


def _state(counts: GateCounts, relation: Relation, listed: Sequence[Caveat]) -> State:
    """A failed gate fails the build; what takes the conclusion away leaves it open.

    That models rank all rows alike is a conclusion.
    """
    if counts.failed:
        return "fail"
    severe = any(caveat.severity == "severe" for caveat in listed)
    alike = any(caveat.code == "needs_no_test" for caveat in listed)
    if counts.inconclusive or severe or (relation in ("no conclusion", "at chance") and not alike):
        return "inconclusive"
    return "pass" if counts.declared else "no gates"


def _compared_with(contest: Contest, leader: str, baseline: str | None) -> str | None:
    """The declared baseline; else the best model that is level with the leader, or the next one."""
    others = [name for name in contest.order if name != leader]
    tested = [
        name
        for name in others
        if contest.standing(name, leader) != "not compared"
        or frozenset((name, leader)) in contest.undone
    ]
    if baseline is not None and baseline in tested:
        return baseline
    level = [n for n in tested if contest.standing(n, leader) in ("level", "equivalent", "ahead")]
    return next(iter([*level, *tested]), None)


def _relation(  # one per thing that decides
    results: Results,
    contest: Contest,
    leader: str,
    compared_with: str | None,
    baseline: str | None,
    guessing: Sequence[AtChance],
) -> Relation:
    data = results.data
    if contest.common is not None or different_quantities(data):
        return "no conclusion"
    if takes_away(data, contest.measure):
        return "no conclusion"
    no_test = len(data["models"]) > 1 and compared_with is None
    # of as many fits as rows no measure says what chance is
    if not (no_test and evaluation_of(data).scheme == "leave_one_out"):
        of_headline = chance.of_headline(guessing, contest.measure, data)
        leads = compared_with is not None and contest.others("behind") != []
        leads = leads and chance.leads_otherwise(of_headline, results, contest)
        if {row.model for row in of_headline} >= set(contest.values) and not leads:
            return "at chance"
    undone = frozenset((compared_with, leader)) in contest.undone or contest.unanswered(baseline)
    if undone or reversed_model(results, contest) is not None:
        return "no conclusion"
    if compared_with is None:
        return "no conclusion" if no_test else "single"
    relation = _of_several(contest, leader, compared_with, baseline)
    if relation == "ahead" and open_rivals(results, contest, compared_with, baseline):
        relation = "mixed"
    open_ = is_opposed(results, contest) or against_winner(results, contest.measure) is not None
    return "no conclusion" if relation in ("ahead", "mixed") and open_ else relation


def _of_several(
    contest: Contest, leader: str, compared_with: str, baseline: str | None
) -> Relation:
    """How the leader stands to the others, by the tests between them."""
    standings = [contest.standing(n, leader) for n in contest.order if n != leader]
    if "ahead" in standings:
        return "no conclusion"
    if contest.by_rank and "behind" in standings:
        return "mixed" if {"level", "equivalent"} & set(standings) else "ahead"
    if contest.standing(compared_with, leader) == "behind":
        return "ahead"
    rivals = {contest.standing(name, leader) for name in contest.rivals(leader, baseline)}
    return "equivalent" if rivals == {"equivalent"} else "level"


def _ruled_out(contest: Contest, leader: str, baseline: str | None) -> float | None:
    """The largest difference to a model level with the leader that the limits allow.

    None where they allow for all that a difference from a useful model can be, or where no
    difference could be significant: nothing is ruled out then.
    """
    ends = []
    for name in contest.rivals(leader, baseline):
        difference = contest.difference(leader, name)
        if difference is None or difference.low is None or difference.high is None:
            return None
        if difference.row.effect == RANKS or cannot_reject(difference.row, contest):
            return None
        ends += [abs(difference.low), abs(difference.high)]
    largest = max(ends, default=None)
    value = contest.values[leader].value - (0.5 if contest.measure == "auc" else 0.0)
    return largest if largest is not None and largest < abs(value) else None
