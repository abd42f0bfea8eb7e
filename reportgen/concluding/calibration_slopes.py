"""Probabilities that are too extreme or too mild, and no better than the share of positives."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from reportgen.comparisons.wording import MOST_NAMES, bounded, counted
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.model_values import RELEVANT_RATIO, ModelValue, on_all_rows
from reportgen.intervals import simultaneous_limit
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import decimals, numbers
from reportgen.text.words import listed


def off_slopes(results: Results) -> dict[str, ModelValue]:
    """The models whose calibration slope differs from 1 significantly, and by a quarter.

    By limits that hold for all models at once (Bonferroni). A model at chance, whose slope is that
    of scores without any use, is left out.
    """
    guessing = {row.model for row in results.decision.at_chance if row.measure == "auc"}
    slopes = on_all_rows(results.metrics, "calibration_slope")
    return {
        model: one
        for model, one in slopes.items()
        if model not in guessing and is_off(one, len(slopes), results.confidence)
    }


def is_off(slope: ModelValue, models: int, confidence: float) -> bool:
    """Whether a slope is a quarter off, and its limit that holds for all models excludes 1."""
    if slope.low is None or slope.high is None or 1 / RELEVANT_RATIO < slope.value < RELEVANT_RATIO:
        return False
    near = slope.high if slope.value < 1 else slope.low
    limit = simultaneous_limit(slope.value, near, models, confidence)
    return (limit - 1) * (slope.value - 1) > 0


def of_slopes(results: Results) -> Iterator[Caveat]:
    """A sentence of the models that are too extreme, and one of those that are too mild."""
    off = off_slopes(results)
    for is_extreme, word in ((True, "extreme"), (False, "mild")):
        alike = {model: one for model, one in off.items() if (one.value < 1) == is_extreme}
        if alike:
            text = f"The scores of {_who(alike)} are too {word}: {_slopes(results, alike)}"
            yield Caveat(
                "calibration_slope", "moderate", f"{text}, where calibrated scores have 1."
            )


def _slopes(results: Results, alike: Mapping[str, ModelValue]) -> str:
    if len(alike) > MOST_NAMES:
        values = sorted(one.value for one in alike.values())
        least, most = (numbers.estimate(values[place]) for place in (0, -1))
        return f"calibration slopes of {least} to {most}"
    values_of = _with_level(results, list(alike.values()))
    if len(alike) == 1:
        return f"a calibration slope of {values_of[0]}"
    return f"calibration slopes of {listed(values_of)}"


def no_better_than_prevalence(results: Results, named: Collection[str]) -> Iterator[Caveat]:
    """Of the ``named`` models those whose Brier score reaches that of the share of positives.

    Always stating that share has a Brier score of π(1 − π). A model is worse where its whole
    interval is above that; an interval that includes it decides nothing, as the difference has
    limits of its own. Others, whose probabilities are not said to be off, may just have few rows.
    """
    losses = on_all_rows(results.metrics, "brier_score")
    shares = on_all_rows(results.metrics, "prevalence")
    trivial = {model: share.value * (1 - share.value) for model, share in shares.items()}
    reached = {
        model: losses[model]
        for model in named
        if model in losses and model in trivial and _highest(losses[model]) >= trivial[model]
    }
    limited = [(one.value, one.low, one.high) for one in reached.values()]
    digits = decimals.shared([*((trivial[model], None, None) for model in reached), *limited])
    written = {numbers.aligned(trivial[model], digits) for model in reached}
    if not reached or len(written) > 1:  # on rows of their own
        return
    worse = {model: one for model, one in reached.items() if _lowest(one) > trivial[model]}
    level = {model: one for model, one in reached.items() if model not in worse}
    text = f"Always stating the share of positives has a Brier score of {written.pop()}"
    parts = []
    if worse:
        verb = "is" if len(worse) == 1 else "are"
        parts.append(f"{_who(worse)} {verb} worse{_values(results, worse, digits).rstrip(',')}")
    if level:
        whose = "the interval of" if len(level) == 1 else "the intervals of"
        verb = "includes" if len(level) == 1 else "include"
        parts.append(f"{whose} {_who(level)}{_values(results, level, digits)} {verb} it")
    yield Caveat("brier_skill", "moderate", f"{text}: {'; '.join(parts)}.")


def _highest(value: ModelValue) -> float:
    return value.value if value.high is None else value.high


def _lowest(value: ModelValue) -> float:
    return value.value if value.low is None else value.low


def _values(results: Results, of_models: Mapping[str, ModelValue], digits: int) -> str:
    """The values of few models, between commas."""
    if len(of_models) > MOST_NAMES:
        return ""
    return f", {listed(_with_level(results, list(of_models.values()), digits))},"


def _who(models: Collection[str]) -> str:
    return counted([bounded(model) for model in models], "models")


def _with_level(results: Results, values: list[ModelValue], digits: int | None = None) -> list[str]:
    """The values with their intervals, the first of which says its level."""
    level = f"{numbers.level(results.confidence)} CI "
    return [of_value(one, "" if place else level, digits) for place, one in enumerate(values)]
