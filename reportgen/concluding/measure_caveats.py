"""What page one says of the measure that decides: of tables, errors, means and counts."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from statistics import median

from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding.contest import Contest
from reportgen.concluding.headline_numbers import in_like_digits
from reportgen.concluding.model_values import on_all_rows
from reportgen.metric_names import canonical, parted, snake_case
from reportgen.metrics import find
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, rows_of
from reportgen.spec.scores import STATED_DIRECTION
from reportgen.tables.comparisons import ComparisonRow
from reportgen.tasks import TASKS
from reportgen.text import numbers
from reportgen.text.words import without_article


def of_stated_values(data: DataRecord) -> Iterator[Caveat]:
    """A direction against that of a known measure, and values that this cannot have."""
    if not TASKS[data["task"]].of_values:
        return
    for check in data["checks"]:
        if check["name"] == STATED_DIRECTION:
            yield Caveat("stated_direction", "moderate", f"{check['detail']}.")
    yield from _out_of_range(data)


def _out_of_range(data: DataRecord) -> Iterator[Caveat]:
    """Values outside the range of a measure, most of which are inside: others are percentages."""
    name = canonical(snake_case(data["measure"]))
    metric = find(parted(name)[0])
    if metric is None or not all(map(isfinite, metric.bounds)):
        return
    models = [model["name"] for model in data["models"]]
    values = [float(row[model]) for row in data["values"] for model in models]
    low, high = metric.bounds
    outside = [value for value in values if not low <= value <= high]
    if not outside or not low <= median(values) <= high:
        return
    lies = "lies" if len(outside) == 1 else "lie"
    worst = max(outside, key=lambda value: max(value - high, low - value))
    end = "largest" if worst > high else "smallest"
    yield Caveat(
        "out_of_range",
        "moderate",
        f"{numbers.count(len(outside))} of {numbers.plural(len(values), 'value')} {lies} outside "
        f"{low:g} to {high:g}, the range of {measure(name)}: the {end} is "
        f"{numbers.threshold(worst)}.",
    )


SIDES = (("recall", "a recall"), ("specificity", "a specificity"))
"""The share of right decisions in each class, and how it stands in a sentence."""


def unlike_errors(results: Results, contest: Contest) -> Iterator[Caveat]:
    """That another model than the leader has the clearly higher recall, or specificity.

    Their intervals lie apart. Where scores have an AUC, or costs are declared, these speak.
    """
    if not results.task.two_classes or contest.measure != "accuracy":
        return
    if results.declared.costs or on_all_rows(results.metrics, "auc"):
        return
    leader = contest.leader
    for name, has in SIDES:
        values = on_all_rows(results.metrics, name)
        if leader not in values:
            continue
        best = max(values, key=lambda model: values[model].value)
        of_best, of_leader = values[best], values[leader]
        if best == leader or not of_best.lies_apart(of_leader):
            continue
        higher, lower = in_like_digits(of_best, of_leader)
        text = (
            "Accuracy decides, for which a missed positive and a false alarm count alike: "
            f"{bounded(best)} has {has} of {higher}, {bounded(leader)} of {lower}. Declare costs, "
            "which then decide, if one is worse than the other."
        )
        yield Caveat("unlike_errors", "moderate", text)
        return


def opposed_means(results: Results, contest: Contest) -> Iterator[Caveat]:
    """The models that the leader ranks before, and is significantly behind by the mean."""
    if not contest.by_rank:
        return
    behind = contest.others("behind", "level", "equivalent")
    for row in rows_of(results.comparisons, ComparisonRow):
        leader, other = contest.leader, row.better
        if row.effect != "difference" or other not in behind:
            continue
        if row.slice is not None or {*row.models} != {leader, other}:
            continue
        if row.metric != contest.measure or row.estimate is None:
            continue
        size = numbers.number(abs(row.estimate))
        far = "lower" if contest.less_is_better else "higher"
        text = (
            f"On average {bounded(str(other))} is better: {contest.what} {size} {far} "
            f"({without_article(row.label)}, {numbers.p_value(row.p_adjusted, row.alpha)}"
            f"). {bounded(leader)} ranks ahead in more data sets, and loses more in the others."
        )
        yield Caveat("opposed_means", "moderate", text)
        return


DEVIANCE = "poisson_deviance"
OPEN = ("no conclusion", "at chance", "level")
"""Relations in which a loss that suits counts may say more."""


def of_counts(results: Results) -> Iterator[Caveat]:
    """That Poisson deviances suit counts, where squared errors leave open which model is better."""
    declared = results.declared.comparisons.primary is not None
    if declared or results.decision.relation not in OPEN or not results.data.get("counts"):
        return
    defined = on_all_rows(results.metrics, DEVIANCE)
    if len(defined) > 1 and len(defined) == len(results.data["models"]):
        text = (
            "The true values are whole numbers from 0 on. If they are counts, "
            f"comparisons.primary: {DEVIANCE} compares the models by a loss that suits them."
        )
        yield Caveat("counts", "moderate", text)
