"""A model whose scores, or labels, seem to run the other way: it has not lost, it is misread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of
from reportgen.text import numbers

DIGITS = 3
"""Of a value that is not one of the deciding measure."""


@dataclass(frozen=True, slots=True)
class ReversedModel:
    """The model, and its AUC; of labels alone its accuracy. Read the other way it is 1 minus it."""

    name: str
    value: float
    of_labels: bool


def reversed_model(results: Results, contest: Contest) -> ReversedModel | None:
    """The model behind the leader that, read the other way round, may be as good as the leader.

    The limits of its AUC are below 0.5, and those of 1 − AUC reach the leader's; likewise those of
    the informedness of labels, around 0. Pooling the scores of separately fitted folds lowers an
    AUC, too. Whatever measure decides: who is misread has lost in none.
    """
    if not results.task.two_classes or evaluation_of(results.data).get("pooled_fits"):
        return None
    named = ("auc", "informedness", "accuracy")
    areas, informed, accuracies = (on_all_rows(results.metrics, name) for name in named)
    for name in reversed(contest.order):
        if contest.standing(name, contest.leader) != "behind":
            continue
        if name in areas:
            if _is_against(areas, name, contest.leader, 0.5):
                return ReversedModel(name, areas[name].value, of_labels=False)
        elif name in accuracies and _is_against(informed, name, contest.leader, 0.0):
            return ReversedModel(name, accuracies[name].value, of_labels=True)
    return None


def _is_against(values: Mapping[str, ModelValue], name: str, leader: str, guessing: float) -> bool:
    """Whether a value lies below that of guessing, and as far as the leader's may lie above it."""
    one, best = values.get(name), values.get(leader)
    if one is None or best is None or one.low is None or one.high is None:
        return False
    return one.high < guessing and 2 * guessing - one.low >= best.value


def reason(results: Results, contest: Contest) -> str | None:
    """Why no model leads, in words; null where no scores seem reversed."""
    if (one := reversed_model(results, contest)) is None:
        return None
    decides = contest.measure == ("accuracy" if one.of_labels else "auc")
    digits = contest.digits_of_values if decides else DIGITS
    now, then = (numbers.aligned(value, digits) for value in (one.value, 1 - one.value))
    if one.of_labels:
        what = f"the accuracy of {bounded(one.name)} is {now}"
        return f"{what}, and {then} if its labels are exchanged"
    return f"the AUC of {bounded(one.name)} is {now}, and {then} if its scores run the other way"


def caveat(results: Results, contest: Contest) -> Caveat | None:
    """What to do about it, if scores seem reversed."""
    if (one := reversed_model(results, contest)) is None:
        return None
    if one.of_labels:
        text = (
            f"The labels of {bounded(one.name)} seem to be exchanged, each class for the other: "
            "put them right, or leave the model out."
        )
        return Caveat("reversed_scores", "severe", text)
    text = (
        f"The scores of {bounded(one.name)} seem to run the other way, from high for negatives to "
        "low for positives: negate them, or leave the model out."
    )
    return Caveat("reversed_scores", "severe", text)
