"""Where models are level in the measure that decides, and far apart in another key measure."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.leading import Contest
from reportgen.concluding.model_values import on_all_rows
from reportgen.records.decision import Caveat
from reportgen.records.model import Results


def disagreeing(results: Results, contest: Contest, baseline: str | None) -> Iterator[Caveat]:
    """That the intervals of macro F1 of two models do not overlap which are level otherwise.

    It has no test. Intervals that do not overlap are stricter than a test of the difference at the
    same level, the more so as the rows are the same.
    """
    of_several = results.task.several_classes or results.task.several_labels
    if not of_several or results.decision.relation not in ("level", "equivalent"):
        return
    level = [contest.leader, *contest.rivals(contest.leader, baseline)]
    values = {
        name: value
        for name, value in on_all_rows(results.metrics, "f1", "macro").items()
        if name in level and value.low is not None and value.high is not None
    }
    if len(values) < 2:
        return
    best, *_, worst = sorted(values, key=lambda name: -values[name].value)
    high, low = values[best], values[worst]
    if (high.low or 0.0) <= (low.high or 0.0):
        return
    of_both = " against ".join(map(of_value, (high, low)))
    text = (
        f"{bounded(best)} has a higher macro F1 than {bounded(worst)}, {of_both}: their intervals "
        "do not overlap, and no test of the difference was made."
    )
    yield Caveat("other_measure", "moderate", text)
