"""A model whose scores seem to run the other way: it has not lost, it is misread."""

from __future__ import annotations

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of
from reportgen.text import numbers


def reversed_model(results: Results, contest: Contest) -> str | None:
    """The model behind the leader whose AUC, the other way round, may be as high as the leader's.

    Its limits exclude 0.5, and those of 1 − AUC reach the leader's value. Pooling the scores of
    separately fitted folds lowers an AUC, too.
    """
    if contest.measure != "auc" or evaluation_of(results.data).get("pooled_fits"):
        return None
    best = contest.values[contest.leader].value
    for name in reversed(contest.order):
        area = contest.values[name]
        if (
            area.low is None
            or area.high is None
            or contest.standing(name, contest.leader) != "behind"
        ):
            continue
        if area.high < 0.5 and 1 - area.low >= best:
            return name
    return None


def reason(results: Results, contest: Contest) -> str | None:
    """Why no model leads, in words; null where no scores seem reversed."""
    if (name := reversed_model(results, contest)) is None:
        return None
    area = contest.values[name].value
    digits = contest.digits_of_values
    one, other = (numbers.aligned(value, digits) for value in (area, 1 - area))
    return f"the AUC of {bounded(name)} is {one}, and {other} if its scores run the other way"


def caveat(results: Results, contest: Contest) -> Caveat | None:
    """What to do about it, if scores seem reversed."""
    if (name := reversed_model(results, contest)) is None:
        return None
    text = (
        f"The scores of {bounded(name)} seem to run the other way, from high for negatives to low "
        "for positives: negate them, or leave the model out."
    )
    return Caveat("reversed_scores", "severe", text)
