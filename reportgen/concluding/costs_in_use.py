"""Costs and precision where positives are as frequent as the spec states, not as in the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import hypot

from reportgen.comparisons.wording import bounded
from reportgen.concluding.cost_headline import are_of_rows
from reportgen.concluding.headline_numbers import with_limits
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.measuring.costed_rows import is_other
from reportgen.metric_names import COST
from reportgen.metrics import follows_prevalence
from reportgen.records.decision import MEASURES_OF_ROWS, Caveat
from reportgen.records.model import Results
from reportgen.text import numbers


def costs_per_row(results: Results, average: str | None = None) -> Mapping[str, ModelValue]:
    """What a row costs on average under each model, at the stated prevalence where there is one.

    That is π·FNR·cost of a miss + (1 − π)·FPR·cost of a false alarm, with limits by square-and-add
    from those of both rates, of independent rows. Empty where rows have their own costs, as these
    are of the rows' own mix, or none are declared.
    """
    if are_of_rows(results):
        return on_all_rows(results.metrics, COST, average)
    declared, share = results.declared.costs or {}, results.declared.prevalence or 0.0
    costs = [declared.get(name) for name in ("false_negative", "false_positive")]
    if not all(isinstance(cost, int | float) for cost in costs):
        return {}
    of_miss, of_alarm = (float(cost) for cost in costs if isinstance(cost, int | float))
    recall, specificity = (
        on_all_rows(results.metrics, name, average) for name in ("recall", "specificity")
    )
    independent = average is None and results.data.get("groups") is None
    return {
        name: cost_of_rates(
            (share * of_miss, recall[name]),
            ((1 - share) * of_alarm, specificity[name]),
            limited=independent,
        )
        for name in recall
        if name in specificity
    }


def cost_of_rates(
    missed: tuple[float, ModelValue], alarms: tuple[float, ModelValue], *, limited: bool
) -> ModelValue:
    """The sum of what the errors of either class cost, of the rate of its correct decisions.

    >>> recall, specificity = ModelValue(0.8, 0.7, 0.9), ModelValue(0.9, 0.85, 0.95)
    >>> cost = cost_of_rates((2.0, recall), (1.0, specificity), limited=True)
    >>> round(cost.value, 3), round(cost.low, 3), round(cost.high, 3)
    (0.5, 0.294, 0.706)
    """
    parts = (missed, alarms)
    value = sum(cost * (1 - rate.value) for cost, rate in parts)
    ends = [
        (cost * (rate.high - rate.value), cost * (rate.value - rate.low))
        for cost, rate in parts
        if limited and rate.low is not None and rate.high is not None
    ]
    if len(ends) < len(parts):
        return ModelValue(value)
    below, above = (hypot(*sides) for sides in zip(*ends, strict=True))
    return ModelValue(value, max(value - below, 0.0), value + above)


def stated_prevalence(results: Results, leader: str) -> Iterator[Caveat]:
    """The precision to expect where the models will work, if the rows have other shares of classes.

    Precision, accuracy and average precision depend on the prevalence; recall, specificity and the
    AUC do not. No test compares costs at another prevalence than that of the rows, so that they do
    not decide: page one has them, and what another threshold saves, at the stated one.
    """
    values = results.curves.get("predictive_values")
    if values is None:
        return
    of_rows = on_all_rows(results.metrics, "prevalence").get(leader)
    row = values.filter(model=leader).row(0, named=True)
    if of_rows is None or row["positive"] is None:
        return
    here, there = of_rows.value, row["prevalence"]
    if not is_other(here, there):
        return
    precision = with_limits(row["positive"], row["positive_low"], row["positive_high"])
    at_work = f"against {numbers.prevalence(there)} in the population that the spec states"
    text = (
        f"{numbers.prevalence(here)} of these rows are positive, {at_work}: there the precision of "
        f"{bounded(leader)} is {precision}."
    )
    if results.declared.costs:
        text += " No test compares costs at that prevalence, so costs do not decide."
    beside = f"Values are at the share of positives of these rows, {numbers.prevalence(here)}."
    measures = results.metrics["metric"].unique(maintain_order=True)
    yield Caveat(MEASURES_OF_ROWS, "slight", beside, tuple(filter(follows_prevalence, measures)))
    yield Caveat("stated_prevalence", "moderate", text)


def free_error(results: Results) -> Iterator[Caveat]:
    """That an error costs nothing, and so neither does predicting always what avoids the other."""
    costs, data = results.declared.costs, results.data
    if not results.task.two_classes or not costs:
        return
    always = {"false_positive": data["positive"], "false_negative": data["negative"]}
    for error, label in always.items():
        if costs.get(error) == 0:
            text = (
                f"A {error.replace('_', ' ')} costs nothing here, so that always predicting "
                f"{bounded(str(label))} costs nothing: no model can cost less. Declare what it "
                "costs."
            )
            yield Caveat("free_error", "moderate", text)
