"""The sentence that says what to do with the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isclose

import polars as pl

from reportgen.comparisons.wording import bounded
from reportgen.concluding import headline_numbers as form
from reportgen.concluding.cost_headline import CLEARLY_LESS
from reportgen.concluding.single_class import of_single_class
from reportgen.measuring.threshold_change import VALIDATED
from reportgen.measuring.thresholds import BY_DEFAULT
from reportgen.metric_names import COST
from reportgen.records.decision import ThresholdChange
from reportgen.records.rows import ModelRecord, chosen_on_tested_rows
from reportgen.text import decimals, numbers

NONE_CHOSEN: Mapping[str, ModelRecord] = {}

MOST_CASES = 1_000_000
"""Changes in errors are counted per so many cases at most."""


def advised(
    metrics: pl.DataFrame,
    rivals: Sequence[str],
    changes: Sequence[ThresholdChange],
    models: Sequence[ModelRecord] = (),
    *,
    pooled: bool,
) -> ThresholdChange | None:
    """Of the leader and the models level with it the one that costs least at its best threshold.

    ``models`` say which thresholds were chosen on these rows, or by nobody.

    A model that ranks worse, or costs more at the thresholds in use, may still be the cheapest:
    then it is named. Where nobody declared a threshold it is however little it costs less: that
    the models were compared at the default one says nothing of what they can reach.
    """
    open_ = [change for change in changes if change.model in rivals]
    cheapest = min(open_, key=lambda change: change.cost_then, default=None)
    if cheapest is None:
        return None
    leader = rivals[0]
    of_leader = next((change for change in open_ if change.model == leader), None)
    if cheapest.model != leader and of_leader is not None:
        cheapest = replace(cheapest, leader_cost=of_leader.cost_then)
    other = min(changes, key=lambda change: change.cost_then)
    by_default = any(model.get("threshold_rule") == BY_DEFAULT for model in models)
    if other.cost_then < (1 if by_default else CLEARLY_LESS) * cheapest.cost_then:
        cheapest = replace(cheapest, cheaper=other.model, cheaper_cost=other.cost_then)
    trivial = cheapest.constant_cost
    chosen = {name: one for one in models if (name := one["name"]) in chosen_on_tested_rows(models)}
    text = advice(
        cheapest,
        leader,
        trivial,
        chosen,
        pooled=pooled,
        alone=of_single_class(metrics).get(cheapest.model),
        cheaper_here=other.cost_now if other.model in chosen else None,
        leader_now=None if of_leader is None else of_leader.cost_now,
    )
    return replace(cheapest, text=text)


def advice(
    change: ThresholdChange,
    leader: str,
    trivial: float | None = None,
    chosen: Mapping[str, ModelRecord] = NONE_CHOSEN,
    *,
    pooled: bool = False,
    alone: str | None = None,
    cheaper_here: float | None = None,
    leader_now: float | None = None,
) -> str:
    """What to do with the threshold: what is saved, how sure that is, and which errors are traded.

    Of a model that is level with the leader also what the leader costs. ``trivial`` is
    the cost per row of always predicting the cheaper class: a threshold that
    costs as much is no use of the model. ``pooled``: page one has means over folds,
    these costs are of all rows. ``chosen`` are the models of which these rows chose the threshold,
    ``alone`` what it predicts at the current one, if that is one class for all rows;
    ``cheaper_here`` what the cheaper model costs on these rows, where they chose its threshold;
    ``leader_now`` what the leader costs at the threshold in use.
    """
    of_model = _advice(change, trivial, chosen.get(change.model), alone, pooled=pooled)
    corrected = None
    if {leader, change.model} <= chosen.keys() and not _is_to_change(change):
        corrected = _elsewhere(chosen[leader])
    beside = _beside_leader(change, leader, leader_now, corrected)
    of_all = of_model + beside + _cheaper(change, cheaper_here)
    return of_all + _at_stated(change)


def _is_to_change(change: ThresholdChange) -> bool:
    """Whether the proposed threshold makes other decisions than the one in use."""
    return bool(change.false_negatives or change.false_positives)


def _beside_leader(
    change: ThresholdChange, leader: str, now: float | None, corrected: str | None
) -> str:
    """What the leader costs at its own best threshold, where the advice is for another model.

    At the one in use, where no other is expected to cost less, or ``corrected`` in the same way
    as the other model's, where these rows chose both thresholds.
    """
    if change.model == leader:
        return ""
    level = f" {bounded(leader)} is level with {bounded(change.model)}"
    if change.leader_cost is None:
        return f"{level} and has no threshold to choose."
    if corrected is not None:
        return f"{level}. {corrected} This difference in cost is not tested."
    if now is not None and now <= change.leader_cost:
        cost = _cost(now, decimals.of_effect(change.saving, change.low, change.high))
        return (
            f"{level} and costs {cost} per row at the threshold in use; no other threshold is "
            "expected to cost less. This difference in cost is not tested."
        )
    return f"{level} and costs {_at_best(change, change.leader_cost)}"


def _at_stated(change: ThresholdChange) -> str:
    """Which share of positives these costs are for, where it is not that of the rows."""
    if change.prevalence is None:
        return ""
    share = numbers.prevalence(change.prevalence)
    what = "These costs and counts are" if change.worthwhile else "These costs are"
    return f" {what} for a prevalence of {share}, as the spec states."


def _cheaper(change: ThresholdChange, here: float | None) -> str:
    """That a model which is not level with the leader costs less at its best threshold."""
    if change.cheaper is None or change.cheaper_cost is None:
        return ""
    if here is not None:
        digits = decimals.of_effect(change.saving, change.low, change.high)
        return (
            f" {bounded(change.cheaper)} costs {_cost(here, digits)} per row at the threshold "
            f"chosen on these rows, and is expected to cost {_at_best(change, change.cheaper_cost)}"
        )
    cost = _at_best(change, change.cheaper_cost)
    return f" {bounded(change.cheaper)} would cost less: {cost}"


def _at_best(change: ThresholdChange, value: float) -> str:
    cost = _cost(value, decimals.of_effect(change.saving, change.low, change.high))
    how = "chosen on the validation rows" if change.estimated == VALIDATED else "cross-fitted"
    return f"{cost} per row at its best threshold ({how}). This difference in cost is not tested."


def _advice(
    change: ThresholdChange,
    trivial: float | None,
    chosen: ModelRecord | None,
    alone: str | None,
    *,
    pooled: bool,
) -> str:
    current, proposed = _apart(change.current, change.proposed)
    which = bounded(change.model)
    keep = f"Keep the threshold of {which} at {current}"
    if not _is_to_change(change):
        if alone is not None:
            return (
                f"At these costs no threshold of {which} costs less on these rows than predicting "
                f"{alone}, as it does at {current}."
            )
        if chosen is None:
            return f"{keep}: {_none_cheaper(change)}."
        return (
            f"The threshold of {which} is {current}: it was chosen on these rows, so no other one "
            f"costs less on them. {_elsewhere(chosen)}"
        )
    digits = decimals.of_effect(change.saving, change.low, change.high)
    saving = f"{numbers.aligned(change.saving, digits)} per row"
    limits = ""
    if change.low is not None and change.high is not None:
        ends = f"{form.limit(change.low, digits)} to {form.limit(change.high, digits)}"
        limits = f"{numbers.level(change.confidence)} CI {ends}"
    if not change.worthwhile and change.saving <= 0:
        return f"{keep}: at {proposed} a row is expected to cost {_more(change, digits)}."
    if not change.worthwhile:
        verb = "lowering" if change.proposed < change.current else "raising"
        doubt = "; counts give no limits of this for rows in groups"
        if limits:
            doubt = f"; the saving is not significant ({limits})"
        return (
            f"The data do not settle the threshold of {which}: {verb} it from {current} to "
            f"{proposed} might save {saving}{doubt}.{_no_use(change, trivial, digits)}"
        )
    verb = "Lower" if change.proposed < change.current else "Raise"
    now, then = (_cost(v, digits) for v in (change.cost_now, change.cost_then))
    return (
        f"{verb} the threshold of {which}, from {current} to {proposed}: "
        f"{'pooled' if pooled else 'expected'} cost per row {now} → {then} "
        f"(saving {', '.join(filter(None, (saving, limits)))}; {change.estimated}). "
        f"{_traded(change)}.{_no_use(change, trivial, digits)}"
    )


def _apart(current: float, proposed: float) -> tuple[str, str]:
    """Two thresholds as they are printed, with as many decimals as tell them apart.

    >>> _apart(0.5, 0.1), _apart(10_000.12, 10_000.38)
    (('0.5', '0.1'), ('10,000.12', '10,000.38'))
    """
    written = numbers.threshold(current), numbers.threshold(proposed)
    if written[0] != written[1] or current == proposed:
        return written
    digits = decimals.two_significant(abs(current - proposed))
    return numbers.fixed(current, digits), numbers.fixed(proposed, digits)


def _none_cheaper(change: ThresholdChange) -> str:
    """Why a threshold stays where none is cheaper, on the rows that choose it."""
    if change.estimated != VALIDATED:
        return "no other one costs less on these rows"
    if change.proposed == change.current:
        return "no other one costs less on the validation rows"
    return "that of least cost on the validation rows makes the same decisions on these rows"


def _more(change: ThresholdChange, digits: int) -> str:
    """How much more a row costs at the proposed threshold than at the one in use."""
    if change.saving == 0:
        return "no less"
    more = f"{numbers.aligned(-change.saving, digits)} more"
    if change.low is None or change.high is None:
        return more
    ends = f"{form.limit(-change.high, digits)} to {form.limit(-change.low, digits)}"
    return f"{more} ({numbers.level(change.confidence)} CI {ends})"


def _elsewhere(chosen: ModelRecord) -> str:
    """How optimistic the cost at a threshold is that these rows chose, where that is estimated."""
    choice = chosen.get("threshold_choice")
    if choice is None or choice["metric"] != COST or choice["certainty"] is None:
        return "Evaluate it on other rows."
    here, corrected = choice["value"], choice["certainty"]["corrected"]
    digits = decimals.shared([(here, None, None), (corrected, None, None)])
    cost, elsewhere = (_cost(value, digits) for value in (here, corrected))
    return f"Cost per row {cost}; corrected for the choice by the bootstrap {elsewhere}."


def _no_use(change: ThresholdChange, trivial: float | None, digits: int) -> str:
    """That the cheaper class alone costs no more than the proposed threshold, or than that in use.

    Of the latter most of what is saved may be saved without a model.
    """
    if trivial is None:
        return ""
    alone = _cost(trivial, digits)
    if change.cost_then >= trivial or isclose(change.cost_then, trivial, rel_tol=1e-9):
        return f" Always predicting the cheaper class costs no more: {alone} per row."
    if trivial >= change.cost_now:
        return ""
    more = f"{_cost(trivial - change.cost_then, digits)} more than at the new threshold"
    return f" Always predicting the cheaper class costs {alone} per row, {more}."


def _cost(value: float, digits: int) -> str:
    """A cost per row with the decimals of the saving, or its own where these leave it no digit."""
    return numbers.number(value) if abs(value) < 10.0**-digits else numbers.aligned(value, digits)


def _traded(change: ThresholdChange) -> str:
    """The errors that the rows of this evaluation would trade.

    Counted on the rows that chose the threshold they are optimistic, unlike the
    cross-fitted saving.
    """
    missed, alarms, per = change.false_negatives, change.false_positives, ""
    in_use = change.false_negatives_in_use, change.false_positives_in_use
    if in_use[0] is not None and in_use[1] is not None:
        cases = _cases([abs(count) for count in in_use if count])
        missed, alarms = (round(cases * count, 1) for count in (in_use[0], in_use[1]))
        per = f", per {numbers.count(cases)} cases in use"
    parts = [
        f"{numbers.count(abs(count))} {'fewer' if count < 0 else 'more'} {noun}"
        for count, noun in (
            (missed, "missed"),
            (alarms, "false alarms" if abs(alarms) != 1 else "false alarm"),
        )
    ]
    where = (
        "On the test rows"
        if change.estimated == VALIDATED
        else "On the rows where the threshold was chosen (optimistic)"
    )
    by_weight = ", by weight" if change.by_weight and not per else ""
    return f"{where}{by_weight}{per}: {', '.join(parts)}"


def _cases(shares: Sequence[float]) -> int:
    """Of how many cases the rarer of the changes is one at least: a thousand or more.

    >>> _cases([0.003, 0.11]), _cases([0.00002])
    (1000, 100000)
    """
    cases = 1000
    while cases < MOST_CASES and shares and cases * min(shares) < 1:
        cases *= 10
    return cases
