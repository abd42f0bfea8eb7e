"""Caveats about predicted probabilities: off on average, or better of another model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.comparisons.wording import bounded, joined
from reportgen.concluding.headline_numbers import with_limits
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers
from reportgen.text.words import listed

MATTERS = 1.25
"""Mean scores so many times the share of positives, or losses those of another model, matter."""

MOST_NAMES = 4
"""More models than this are counted."""

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
        return max(ratio, 1 / ratio) >= MATTERS


def off_on_average(results: Results) -> list[OffOnAverage]:
    """The models with such scores, by the limits of their calibration in the large.

    Where scores of exactly 0 or 1 leave it undefined, the mean score is outside the limits of the
    share of positives: these are wider, as positives vary less where scores say which they are.
    """
    shifts = _values(results, "calibration_in_the_large")
    ratios, shares = (_values(results, name) for name in ("observed_expected", "prevalence"))
    off = []
    for model in (m["name"] for m in results.data["models"] if m.get("probability")):
        ratio = ratios.get(model, (0.0, None, None))[0]
        if model not in shares or not ratio > 0:
            continue
        share, low, high = shares[model]
        mean = share / ratio
        expected, low, high = (0.0, *shifts[model][1:]) if model in shifts else (mean, low, high)
        if low is not None and high is not None and not low <= expected <= high:
            off.append(OffOnAverage(model, mean, share))
    return off


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
        share = numbers.prevalence(alike[0].share)
        yield f"{what}, and {share} of the rows are positive."


def of_probabilities(results: Results, leader: str | None, measure: str) -> Iterator[Caveat]:
    """What page one says of probabilities; ``leader`` is null where no model leads another.

    Models whose scores are a quarter too high or too low on average are named.
    """
    if leader is not None and measure not in LOSSES:
        yield from _better(results, leader)
    for text in in_words([model for model in off_on_average(results) if model.matters]):
        yield Caveat("calibration_in_the_large", "moderate", text)


def _better(results: Results, leader: str) -> Iterator[Caveat]:
    """That another model has far better probabilities than the leader, whose decisions are better.

    In log loss or Brier score: the losses are a quarter larger, and the intervals of the two models
    do not overlap, which is stricter than a test of their difference.
    """
    parts: dict[str, list[str]] = {}
    for name, word in LOSSES.items():
        losses = _values(results, name)
        if leader not in losses:
            continue
        best = min(losses, key=lambda model: losses[model][0])
        (loss, _, high), (of_leader, low, _) = losses[best], losses[leader]
        apart = high is not None and low is not None and high < low
        if apart and of_leader >= MATTERS * loss:
            level = f"{numbers.level(results.spec.get('confidence', 0.95))} CI "
            values = [with_limits(*losses[best], level), with_limits(*losses[leader])]
            parts.setdefault(best, []).append(f"{word} {' against '.join(values)}")
    for best, of_measures in parts.items():
        text = f"{bounded(best)} has better probabilities than {bounded(leader)}: "
        yield Caveat("better_probabilities", "moderate", f"{text}{', '.join(of_measures)}.")


Limited = tuple[float, float | None, float | None]


def _values(results: Results, metric: str) -> dict[str, Limited]:
    """By model a measure of all rows with its limits."""
    rows = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()),
        pl.col("value").is_not_null(),
        metric=metric,
    )
    table = rows.select("model", "value", "low", "high").iter_rows()
    return {model: (value, low, high) for model, value, low, high in table}
