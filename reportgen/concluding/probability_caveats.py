"""Caveats about predicted probabilities: off on average, or better of another model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reportgen.comparisons.wording import MOST_NAMES, bounded, joined
from reportgen.concluding.calibration_slopes import (
    impossible_outcomes,
    no_better_than_prevalence,
    of_slopes,
    off_slopes,
    worse_than_share,
)
from reportgen.concluding.cost_headline import are_of_rows
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.model_values import RELEVANT_RATIO, on_all_rows
from reportgen.concluding.overconfidence import of_several_classes
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import LIKE_PERCENTAGES
from reportgen.text import numbers
from reportgen.text.words import listed

LOSSES = {"log_loss": "log loss", "brier_score": "Brier score"}


@dataclass(frozen=True, slots=True)
class OffOnAverage:
    """A model whose scores differ significantly from the share of positives, on average."""

    model: str
    mean_score: float
    share: float

    @property
    def is_over(self) -> bool:
        """Whether the scores are too high."""
        return self.mean_score > self.share

    @property
    def matters(self) -> bool:
        """Whether they are so by a quarter and more."""
        ratio = self.mean_score / self.share
        return max(ratio, 1 / ratio) >= RELEVANT_RATIO


def off_on_average(results: Results) -> list[OffOnAverage]:
    """The models with such scores, by the limits of their calibration in the large.

    Where scores of exactly 0 or 1 leave it undefined, the mean score is outside the limits of the
    share of positives, which are wider where the errors vary more than the truth. All limits hold
    for all models at once (Bonferroni). None where the spec states another share of positives.
    """
    if not are_of_rows(results):
        return []
    names = ("calibration_in_the_large", "observed_expected", "prevalence", "brier_score")
    shifts, ratios, shares, losses = (on_all_rows(results.metrics, name) for name in names)
    models = [m["name"] for m in results.data["models"] if m.get("probability")]
    off = []
    for model in models:
        if model not in ratios or model not in shares or not ratios[model].value > 0:
            continue
        share = shares[model].value
        mean = share / ratios[model].value
        limited, expected, spread = shifts.get(model), 0.0, 1.0
        if limited is None:
            limited, expected = shares[model], mean
            spread = (
                _of_errors(losses[model].value, mean - share, share) if model in losses else 1.0
            )
        value, low, high = limited.value, limited.low, limited.high
        if low is None or high is None:
            continue
        low, high = (
            decided_limit(results, value, value + spread * (end - value), len(models))
            for end in (low, high)
        )
        if not low <= expected <= high:
            off.append(OffOnAverage(model, mean, share))
    return off


def _of_errors(brier: float, bias: float, share: float) -> float:
    """How much more the errors of scores spread than the truth, from the Brier score; 1 at least.

    >>> _of_errors(0.02, 0.0, 0.05), round(_of_errors(0.095, 0.0, 0.05), 3)
    (1.0, 1.414)
    """
    truth = share * (1 - share)
    return 1.0 if truth <= 0 else max(1.0, (brier - bias**2) / truth) ** 0.5


def in_words(models: Sequence[OffOnAverage]) -> Iterator[str]:
    """A sentence of those that over-predict, and one of those that under-predict."""
    for is_over, verb in ((True, "over-predict"), (False, "under-predict")):
        alike = [model for model in models if model.is_over == is_over]
        if not alike:
            continue
        scores = [numbers.prevalence(model.mean_score) for model in alike]
        what = f"{joined([m.model for m in alike])} {verb}: their mean scores are {listed(scores)}"
        if len(alike) == 1:
            what = f"{bounded(alike[0].model)} {verb}s: its mean score is {scores[0]}"
        elif len(alike) > MOST_NAMES:
            ends = (end(alike, key=lambda m: m.mean_score).mean_score for end in (min, max))
            between = " to ".join(map(numbers.prevalence, ends))
            what = f"{len(alike)} models {verb}: their mean scores are {between}"
        shares = [numbers.prevalence(model.share) for model in alike]
        if len(set(shares)) == 1:
            yield f"{what}, and {shares[0]} of the rows are positive."
        elif len(alike) <= MOST_NAMES:  # each on its own rows
            yield f"{what}, and {listed(shares)} of their rows are positive."
        else:
            extremes = (min(m.share for m in alike), max(m.share for m in alike))
            of_rows = " to ".join(map(numbers.prevalence, extremes))
            yield f"{what}, and {of_rows} of their rows are positive."


def of_probabilities(results: Results, leader: str | None, measure: str) -> Iterator[Caveat]:
    """What page one says of probabilities; ``leader`` is null where no model leads another.

    Scores like percentages are none. Models whose scores are a quarter too high or too low on
    average, or a quarter too extreme or too mild, are named. Of a leader that these say is worse
    than always stating the share of positives nothing is said of models with better ones.
    Nor is anything said that the share of positives changes where the spec states another one.
    """
    on_average = [model for model in off_on_average(results) if model.matters]
    off = dict.fromkeys([*(one.model for one in on_average), *off_slopes(results)])
    if are_of_rows(results):
        yield from _better_ones(results, leader, measure, off)
    like = [bounded(str(s["model"])) for s in results.skipped if s["reason"] == LIKE_PERCENTAGES]
    if like:
        text = f"The scores of {joined(like)} look like percentages: divided by 100 they would "
        text += "have a Brier score, calibration and expected costs."
        yield Caveat("percentages", "moderate", text)
    for check in results.data.get("checks", ()):
        if check["name"] == "range" and check["warning"] and check.get("model"):
            text = (
                f"{bounded(check['model'])} has no measures of probabilities, as a few of its "
                "scores are not from 0 to 1."
            )
            yield Caveat("scores_outside", "moderate", text)
    yield from impossible_outcomes(results)
    yield from of_several_classes(results)
    for text in in_words(on_average):
        yield Caveat("calibration_in_the_large", "moderate", text)
    yield from of_slopes(results)
    if are_of_rows(results):
        yield from no_better_than_prevalence(results, off)


def _better_ones(
    results: Results, leader: str | None, measure: str, off: Iterable[str]
) -> Iterator[Caveat]:
    if leader is not None and measure not in LOSSES:
        if leader not in worse_than_share(results).intersection(off):
            yield from _better(results, leader)
    elif leader is None and results.task.several_classes:
        for model in list(on_all_rows(results.metrics, "log_loss"))[:MOST_NAMES]:
            yield from _better(results, model)


def _better(results: Results, leader: str) -> Iterator[Caveat]:
    """That another model has far better probabilities than the leader, whose decisions are better.

    In log loss or Brier score: the losses are a quarter larger, and the intervals of the two models
    do not overlap, which is stricter than a test of their difference.
    """
    parts: dict[str, list[str]] = {}
    for name, word in LOSSES.items():
        losses = on_all_rows(results.metrics, name)
        if leader not in losses:
            continue
        best = min(losses, key=lambda model: losses[model].value)
        low, high = losses[leader].low, losses[best].high
        apart = high is not None and low is not None and high < low
        if apart and losses[leader].value >= RELEVANT_RATIO * losses[best].value:
            level = f"{numbers.level(results.confidence)} CI "
            values = [of_value(losses[best], level), of_value(losses[leader])]
            parts.setdefault(best, []).append(f"{word} {' against '.join(values)}")
    for best, of_measures in parts.items():
        text = f"{bounded(best)} has better probabilities than {bounded(leader)}: "
        yield Caveat("better_probabilities", "moderate", f"{text}{', '.join(of_measures)}.")
