"""Where positives are rare: that one model ranks all rows better, another the top of the list."""

from __future__ import annotations

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.model_values import on_all_rows
from reportgen.concluding.rare_class import is_rare
from reportgen.concluding.result_caveats import clear_difference
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers

OPPOSED = Caveat(
    "opposed_list",
    "severe",
    "Which ranking is better depends on how many rows will be acted on: declare costs, or the "
    "measure that counts under comparisons: primary.",
)
"""What to do where the two disagree."""


def top_of_the_list(results: Results, leader: str) -> tuple[str, str] | None:
    """Where positives are rare, the model that ranks the top of the list better, and by how much.

    Null where it is the leader, or where the limits of the difference hold 0, those that hold for
    all other models at once (Bonferroni): the best of models that are alike has a higher average
    precision than the leader in more than half of the data sets.
    """
    if not is_rare(results.data):
        return None
    values = on_all_rows(results.metrics, "average_precision")
    if leader not in values:
        return None
    best = max(values, key=lambda name: values[name].value)
    others = max(len(values) - 1, 1)
    difference = clear_difference(results, "average_precision", best, leader, others)
    if difference is None:
        return None
    high, low = (numbers.estimate(values[name].value) for name in (best, leader))
    text = (
        f"{bounded(best)} has a higher average precision than {bounded(leader)}, {high} "
        f"against {low}: {difference}."
    )
    return best, text


def is_opposed(results: Results, contest: Contest) -> bool:
    """Whether the model ahead in AUC has a clearly lower average precision than one behind it.

    Where the spec names the AUC as the measure that counts, it does.
    """
    if contest.measure != "auc" or results.declared.comparisons.primary is not None:
        return False
    top = top_of_the_list(results, contest.leader)
    return top is not None and contest.standing(top[0], contest.leader) == "behind"


def headline(results: Results, contest: Contest) -> str:
    """That no model leads; empty where the two do not disagree."""
    top = top_of_the_list(results, contest.leader) if is_opposed(results, contest) else None
    if top is None:
        return ""
    leader, best = contest.leader, top[0]
    precisions = on_all_rows(results.metrics, "average_precision")
    of_area = [numbers.estimate(contest.values[name].value) for name in (leader, best)]
    of_list = [numbers.estimate(precisions[name].value) for name in (best, leader)]
    return (
        f"No model leads: {bounded(leader)} ranks all rows better (AUC {' against '.join(of_area)})"
        f", {bounded(best)} the top of the list (average precision {' against '.join(of_list)})"
    )
