"""What the headline says of two classes beside the cost that decides, or of costs that do not."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.comparing.stated_share import shares_of_rows
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding import headline_numbers as form
from reportgen.concluding.class_costs import cheaper_constant
from reportgen.concluding.contest import Contest
from reportgen.concluding.leading import deciding_tests
from reportgen.concluding.model_values import on_all_rows
from reportgen.metric_names import COST
from reportgen.records.model import Results
from reportgen.text import decimals, numbers

CLEARLY_LESS = 0.9
"""Of costs that no test compares, one is clearly lower that is at most so much of the other."""

AREA = "auc"


def are_of_rows(results: Results) -> bool:
    """Whether costs are asked for at the prevalence of the rows: the spec states no other one."""
    return shares_of(results) is None


def shares_of(results: Results) -> tuple[float, float] | None:
    """The share of positives in the rows and the one that the spec states, where these differ."""
    return shares_of_rows(results.data, results.metrics, results.declared.prevalence)


def beside_costs(results: Results, contest: Contest) -> str:
    """What a reader who stops at the headline would miss: costs and ranks that do not agree.

    Where the cost at the thresholds in use decides, which other model would cost less at its best
    threshold, else which one ranks better. Where another measure decides, which model costs clearly
    less than the leader. Of several classes, the one that costs less to predict always.
    """
    decision, action = results.decision, results.decision.action
    compared = decision.relation in ("ahead", "level", "equivalent")
    if not (compared and results.declared.costs):
        return ""
    if results.task.several_classes and contest.measure == COST:
        return _below_constant(results, contest.leader)
    if not (results.task.two_classes and are_of_rows(results)):
        return ""
    if contest.measure != COST:
        return _costs_less(results, contest)
    if action is not None and action.cheaper is not None and decision.relation == "ahead":
        return f"; at its best threshold {bounded(action.cheaper)} would cost less"
    return _ranks_better(results, contest)


def _below_constant(results: Results, leader: str) -> str:
    """The class that costs significantly less to predict always than the cheapest model costs."""
    cheaper = cheaper_constant(results, leader)
    if cheaper is None:
        return ""
    label, cost = cheaper
    return (
        f"; always predicting {bounded(label)} costs significantly less, {numbers.estimate(cost)}"
    )


def says_who_ranks_better(results: Results, contest: Contest) -> bool:
    """Whether the headline has the test of the AUC, which then no caveat repeats."""
    return "ranks better" in beside_costs(results, contest)


def _costs_less(results: Results, contest: Contest) -> str:
    """The model that costs least, where it is not the leader and costs clearly less."""
    if results.decision.relation != "ahead":
        return ""
    values = {name: one.value for name, one in on_all_rows(results.metrics, COST).items()}
    leader = contest.leader
    if leader not in values:
        return ""
    least = min(values, key=lambda name: values[name])
    if values[least] > CLEARLY_LESS * values[leader] or values[leader] <= 0:
        return ""
    if frozenset((least, leader)) in deciding_tests(results.comparisons, COST, results.data):
        return ""  # a caveat has what the test says
    digits = decimals.shared((values[name], None, None) for name in (least, leader))
    of_both = " against ".join(numbers.aligned(values[name], digits) for name in (least, leader))
    return f"; {bounded(least)} costs less per row, {of_both} (not tested)"


def _ranks_better(results: Results, contest: Contest) -> str:
    """Which of the two models that the headline sets side by side has the higher AUC.

    Nothing where the cheaper one has it too.
    """
    leader, other = contest.leader, str(results.decision.compared_with)
    tests = deciding_tests(results.comparisons, AREA, results.data)
    row = tests.get(frozenset((leader, other)))
    if row is None or row.better is None:
        return ""
    if row.better == leader and results.decision.relation == "ahead":
        return ""
    (worse,) = (name for name in (leader, other) if name != row.better)
    of_areas = Contest(AREA, contest.basis, {}, tests, {}, {}, less_is_better=False)
    difference = of_areas.difference(row.better, worse)
    size = "" if difference is None else "{} higher{}".format(*form.size(difference))
    return f"; {bounded(row.better)} ranks better: {measure(AREA)} {size}".rstrip()


def not_ranked_below(results: Results, models: Sequence[str]) -> tuple[str, ...]:
    """Those that no other one of them ranks significantly better than; the first, else.

    Which of two models that cost the same is cheaper at a threshold chosen on few rows is chance;
    that one of them ranks better is not.
    """
    tests = deciding_tests(results.comparisons, AREA, results.data)
    below = {
        name
        for pair, row in tests.items()
        if pair <= set(models) and row.better is not None
        for name in pair - {row.better}
    }
    return tuple(name for name in models if name not in below) or tuple(models[:1])
