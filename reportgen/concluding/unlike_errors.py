"""Of models that give labels: that accuracy, which decides, counts both kinds of error alike."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.headline_numbers import in_like_digits
from reportgen.concluding.model_values import on_all_rows
from reportgen.records.decision import Caveat
from reportgen.records.model import Results

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
