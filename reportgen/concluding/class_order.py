"""Ordered classes: which model is closer, and which predicts too high or too low a class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.comparisons import lower_is_better
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding.contest import Contest
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.headline_numbers import against, estimate_and_limits
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers


@dataclass(frozen=True, slots=True)
class Closer:
    """The best model in a measure of how far off errors are, and its value and the leader's."""

    model: str
    measure: str
    value: ModelValue
    of_leader: ModelValue

    def in_words(self, than: str = "") -> str:
        """What stands in the headline; ``than`` which model, where there are more than two."""
        values = against(self.value, self.of_leader)
        who = f" than {bounded(than)}" if than else ""
        what = f"in {measure(self.measure)}: {values}"
        return f"{bounded(self.model)} is closer to the true class{who} {what}"


def closer(results: Results, contest: Contest) -> Closer | None:
    """The model that is clearly closer to ordered classes than the one that accuracy puts first.

    Their intervals of a measure of order do not overlap, which is stricter than a test of the
    difference.
    """
    concluded = results.decision.relation in ("ahead", "level", "mixed", "equivalent")
    decides = contest.measure == "accuracy" and not contest.by_rank
    if not (results.declared.ordered and concluded and decides):
        return None
    for name, _ in results.task.leading_of_order:
        values = on_all_rows(results.metrics, name)
        sign = -1.0 if lower_is_better(name) else 1.0
        best = max(values, key=lambda model: sign * values[model].value, default=None)
        if best is not None and _apart(values[best], values.get(contest.leader)):
            return Closer(best, name, values[best], values[contest.leader])
    return None


LEAST_BIAS = 0.1
"""So many classes too high or too low on average, or more, are named."""


def off_centre(results: Results) -> Iterator[Caveat]:
    """The models that predict too high or too low a class on average, by how many.

    By limits that hold for all models at once (Bonferroni).
    """
    biases = on_all_rows(results.metrics, "class_bias") if results.declared.ordered else {}
    for model, bias in biases.items():
        if bias.low is None or bias.high is None or abs(bias.value) < LEAST_BIAS:
            continue
        near = bias.low if bias.value > 0 else bias.high
        limit = decided_limit(results, bias.value, near, len(biases))
        if limit * bias.value <= 0:
            continue
        least, most = sorted(map(abs, (bias.low, bias.high)))
        size, ends = estimate_and_limits(abs(bias.value), least, most)
        text = (
            f"{bounded(model)} predicts too {'high' if bias.value > 0 else 'low'} a class: by "
            f"{size} classes on average ({numbers.level(results.confidence)} CI {ends})."
        )
        yield Caveat("class_bias", "moderate", text, ("class_bias",))


def beside_closer(results: Results, contest: Contest) -> str:
    """What the headline adds of a model that is closer than the leader; or nothing."""
    one = closer(results, contest)
    if one is None:
        return ""
    return f"; {one.in_words(contest.leader if len(contest.values) > 2 else '')}"


def _apart(one: ModelValue, other: ModelValue | None) -> bool:
    """Whether both have limits that do not overlap."""
    if other is None or one.low is None or one.high is None:
        return False
    if other.low is None or other.high is None:
        return False
    return one.low > other.high or one.high < other.low
