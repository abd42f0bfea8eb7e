"""A model whose scores, or labels, seem to run the other way: it has not lost, it is misread."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of
from reportgen.text import numbers

OF_LABELS = ("accuracy", "balanced_accuracy")
"""Measures of labels that are 1 minus their value if each class is taken for the other."""


def reversed_model(results: Results, contest: Contest) -> str | None:
    """The model behind the leader whose AUC, the other way round, may be as high as the leader's.

    Its limits exclude 0.5, and those of 1 − AUC reach the leader's value. Pooling the scores of
    separately fitted folds lowers an AUC, too. Likewise of accuracies of labels that say
    significantly less than none: their informedness is below 0.
    """
    if not results.task.two_classes or contest.measure not in ("auc", *OF_LABELS):
        return None
    if evaluation_of(results.data).get("pooled_fits"):
        return None
    labelled = {m["name"] for m in results.data["models"] if "label" in m["outputs"]}
    informed = on_all_rows(results.metrics, "informedness")
    best = contest.values[contest.leader].value
    for name in reversed(contest.order):
        area = contest.values[name]
        if (
            area.low is None
            or area.high is None
            or (contest.measure in OF_LABELS and not _is_against(name, labelled, informed))
            or contest.standing(name, contest.leader) != "behind"
        ):
            continue
        if area.high < 0.5 and 1 - area.low >= best:
            return name
    return None


def _is_against(name: str, labelled: Collection[str], informed: Mapping[str, ModelValue]) -> bool:
    """Whether the labels of a model say the opposite of the truth."""
    high = informed[name].high if name in labelled and name in informed else None
    return high is not None and high < 0


def reason(results: Results, contest: Contest) -> str | None:
    """Why no model leads, in words; null where no scores seem reversed."""
    if (name := reversed_model(results, contest)) is None:
        return None
    area = contest.values[name].value
    digits = contest.digits_of_values
    one, other = (numbers.aligned(value, digits) for value in (area, 1 - area))
    if contest.measure in OF_LABELS:
        what = f"the {contest.what} of {bounded(name)} is {one}"
        return f"{what}, and {other} if its labels are exchanged"
    return f"the AUC of {bounded(name)} is {one}, and {other} if its scores run the other way"


def caveat(results: Results, contest: Contest) -> Caveat | None:
    """What to do about it, if scores seem reversed."""
    if (name := reversed_model(results, contest)) is None:
        return None
    if contest.measure in OF_LABELS:
        text = (
            f"The labels of {bounded(name)} seem to be exchanged, each class for the other: put "
            "them right, or leave the model out."
        )
        return Caveat("reversed_scores", "severe", text)
    text = (
        f"The scores of {bounded(name)} seem to run the other way, from high for negatives to low "
        "for positives: negate them, or leave the model out."
    )
    return Caveat("reversed_scores", "severe", text)
