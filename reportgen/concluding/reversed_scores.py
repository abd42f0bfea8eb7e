"""A model whose scores, or labels, seem to run the other way: it has not lost, it is misread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.misread_outputs import relabelled
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.records.decision import Caveat, Decision
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of
from reportgen.text import numbers

DIGITS = 3
"""Of a value that is not one of the deciding measure."""


REVERSED = "reversed_scores"
"""The code of the caveat that a model is not read as it was meant."""


@dataclass(frozen=True, slots=True)
class ReversedModel:
    """The model, and its AUC; of labels alone, or several classes, its accuracy.

    ``put_right`` is what that is if the model is read the other way.
    """

    name: str
    value: float
    put_right: float
    of_labels: bool = False


def reversed_model(results: Results, contest: Contest) -> ReversedModel | None:
    """The model behind the leader that, read the other way round, may be as good as the leader.

    The limits of its AUC are below 0.5, and those of 1 − AUC reach the leader's; likewise those of
    the informedness of labels, around 0. Pooling the scores of separately fitted folds lowers an
    AUC, too. Whatever measure decides: who is misread has lost in none.
    """
    behind = [n for n in reversed(contest.order) if contest.standing(n, contest.leader) == "behind"]
    if results.task.several_classes:
        return _of_classes(results, contest, behind)
    if not results.task.two_classes or evaluation_of(results.data).pooled_fits:
        return None
    named = ("auc", "informedness", "accuracy")
    areas, informed, accuracies = (on_all_rows(results.metrics, name) for name in named)
    for name in behind:
        if name in areas:
            if _is_against(areas, name, contest.leader, 0.5):
                area = areas[name].value
                return ReversedModel(name, area, 1 - area)
        elif name in accuracies and _is_against(informed, name, contest.leader, 0.0):
            accuracy = accuracies[name].value
            return ReversedModel(name, accuracy, 1 - accuracy, of_labels=True)
    return None


def _of_classes(results: Results, contest: Contest, behind: Sequence[str]) -> ReversedModel | None:
    """The model that exchanges some of several classes, and is as accurate once they are right."""
    misread = relabelled(results)
    accuracies = on_all_rows(results.metrics, "accuracy")
    best = accuracies.get(contest.leader)
    for name in behind:
        if name in misread and best is not None and misread[name].accuracy >= best.value:
            value, put_right = accuracies[name].value, misread[name].accuracy
            return ReversedModel(name, value, put_right, of_labels=True)
    return None


def _is_against(values: Mapping[str, ModelValue], name: str, leader: str, guessing: float) -> bool:
    """Whether a value lies below that of guessing, and as far as the leader's may lie above it."""
    one, best = values.get(name), values.get(leader)
    if one is None or best is None or one.low is None or one.high is None:
        return False
    return one.high < guessing and 2 * guessing - one.low >= best.value


def against_bold(decision: Decision) -> str | None:
    """Why no value is better than all others where a model is not read as it was meant."""
    of_model = next((c for c in decision.caveats if c.code == REVERSED), None)
    if of_model is None or decision.relation != "no conclusion":
        return None
    return f"the outputs of {bounded(of_model.models[0])} seem to run the other way"


def reason(results: Results, contest: Contest) -> str | None:
    """Why no model leads, in words; null where no scores seem reversed."""
    if (one := reversed_model(results, contest)) is None:
        return None
    decides = contest.measure == ("accuracy" if one.of_labels else "auc")
    digits = contest.digits_of_values if decides else DIGITS
    now, then = (numbers.aligned(value, digits) for value in (one.value, one.put_right))
    if one.of_labels:
        what = f"the accuracy of {bounded(one.name)} is {now}"
        return f"{what}, and {then} if its labels are swapped"
    return f"the AUC of {bounded(one.name)} is {now}, and {then} if its scores run the other way"


def caveat(results: Results, contest: Contest) -> Caveat | None:
    """What to do about it, if scores seem reversed."""
    if (one := reversed_model(results, contest)) is None:
        return None
    if one.of_labels:
        text = (
            f"The labels of {bounded(one.name)} seem to be swapped, each class for the other: "
            "correct them, or leave the model out."
        )
        if results.task.several_classes:
            text = (
                f"The classes of {bounded(one.name)} seem to be swapped: correct them, or "
                "leave the model out."
            )
        return Caveat(REVERSED, "severe", text, models=(one.name,))
    text = (
        f"The scores of {bounded(one.name)} seem to run the other way, from high for negatives to "
        "low for positives: negate them, or leave the model out."
    )
    return Caveat(REVERSED, "severe", text, models=(one.name,))
