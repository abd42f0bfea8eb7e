"""Where models are level in the measure that decides, and far apart in another key measure."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.leading import Contest
from reportgen.concluding.model_values import on_all_rows
from reportgen.concluding.result_caveats import clear_difference
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers

MACRO_F1 = "macro_f1"


def disagreeing(results: Results, contest: Contest, baseline: str | None) -> Iterator[Caveat]:
    """That two models differ in macro F1 which are level otherwise: the best and the worst of them.

    By limits of the difference that hold for all pairs at once. Where it has none, by intervals of
    the two that do not overlap: stricter, the more so as the rows are the same.
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
    if _has_limits(results, best, worst):
        pairs = len(values) * (len(values) - 1) // 2
        difference = clear_difference(results, MACRO_F1, best, worst, pairs)
        if difference:
            of_both = " against ".join(numbers.estimate(one.value) for one in (high, low))
            text = f"{bounded(best)} has a higher macro F1 than {bounded(worst)}, {of_both}"
            yield Caveat("other_measure", "moderate", f"{text}: {difference}.")
        return
    if (high.low or 0.0) <= (low.high or 0.0):
        return
    of_both = " against ".join(map(of_value, (high, low)))
    text = (
        f"{bounded(best)} has a higher macro F1 than {bounded(worst)}, {of_both}: their intervals "
        "do not overlap, and no test of the difference was made."
    )
    yield Caveat("other_measure", "moderate", text)


def _has_limits(results: Results, first: str, second: str) -> bool:
    """Whether the difference of two models in macro F1 has limits."""
    rows = results.differences.filter(metric=MACRO_F1).drop_nulls("low")
    return any(set(models) == {first, second} for models in rows["models"].to_list())
