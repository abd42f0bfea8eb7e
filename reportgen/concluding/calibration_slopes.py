"""Probabilities that are too extreme or too mild, and no better than the share of positives."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from reportgen.comparisons.wording import MOST_NAMES, bounded, counted
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.headline_numbers import of_value, signed_limit
from reportgen.concluding.model_values import RELEVANT_RATIO, ModelValue, on_all_rows
from reportgen.concluding.overconfidence import INFINITE
from reportgen.records.decision import Caveat
from reportgen.records.limit_widths import LimitedDifference
from reportgen.records.model import Results
from reportgen.records.rows import has_narrow_limits
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
        if model not in guessing and is_off(results, one, len(slopes))
    }


def is_off(results: Results, slope: ModelValue, models: int) -> bool:
    """Whether a slope is a quarter off, and its limit that holds for all models excludes 1."""
    if slope.low is None or slope.high is None or 1 / RELEVANT_RATIO < slope.value < RELEVANT_RATIO:
        return False
    near = slope.high if slope.value < 1 else slope.low
    limit = decided_limit(results, slope.value, near, models)
    return (limit - 1) * (slope.value - 1) > 0


def of_slopes(results: Results) -> Iterator[Caveat]:
    """A sentence of the models that are too extreme, one of those that are too mild, or go down."""
    off = off_slopes(results)
    kinds = {name: -1 if one.value <= 0 else int(one.value > 1) for name, one in off.items()}
    for kind, what in (
        (0, "are too extreme"),
        (1, "are too mild"),
        (-1, "do not rise with the share of positives"),
    ):
        alike = {model: one for model, one in off.items() if kinds[model] == kind}
        if alike:
            text = f"The scores of {_who(alike)} {what}: {_slopes(results, alike)}"
            text = f"{text}; calibrated scores have a slope of 1.{_left_out(results, alike)}"
            yield Caveat("calibration_slope", "moderate", text)


def impossible_outcomes(results: Results) -> Iterator[Caveat]:
    """The models that gave what came a probability of 0; how often, where that is published."""
    wrong = {
        model["name"]: (certain["positives_at_0"], certain["negatives_at_1"])
        for model in results.data["models"]
        if (certain := model.get("certain_scores")) is not None
    }
    wrong = {name: counts for name, counts in wrong.items() if any(counts)}
    if len(wrong) > 1:
        least, most = (end(map(sum, wrong.values())) for end in (min, max))
        rows = numbers.plural(most, "row")
        rows = rows if least == most else f"{numbers.count(least)} to {rows}"
        text = f"{_who(wrong)} gave probability 0 to the observed class of {rows}: "
        yield Caveat("infinite_log_loss", "moderate", f"{text}{INFINITE}.")
        return
    for name, (low, high) in wrong.items():
        if low or high:
            rows = numbers.plural(low + high, "row")
            verb = "is" if low + high == 1 else "are"
            what = f"probability 0 to {rows} that {verb} positive"
            if high:
                what = f"probability 1 to {rows} that {verb} negative"
            if low and high:
                what = f"probability 0 to the observed class of {rows}"
            text = f"{bounded(name)} gave {what}: its log loss is infinite."
            yield Caveat("infinite_log_loss", "moderate", text)


def _left_out(results: Results, models: Collection[str]) -> str:
    """What the slopes are not of: scores of exactly 0 and 1, which have no log odds."""
    of_models = [m for m in results.data["models"] if m["name"] in models]
    counts = [one["rows"] for m in of_models if (one := m.get("certain_scores")) is not None]
    if not counts:
        return ""
    most = numbers.plural(max(counts), "row")
    up_to = "up to " if len(counts) > 1 else ""
    return f" This leaves out {up_to}{most} whose score is exactly 0 or 1."


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
    """Of the ``named`` models those whose Brier score is no less than that of a constant share.

    Always stating the share of positives has a Brier score of π(1 − π). The paired difference
    from it decides; where there is none a model is worse if its whole interval is above that.
    Others, whose probabilities are not said to be off, may just have few rows.
    """
    losses = on_all_rows(results.metrics, "brier_score")
    shares = on_all_rows(results.metrics, "prevalence")
    trivial = {model: share.value * (1 - share.value) for model, share in shares.items()}
    differences = _above_share(results)
    apart = {name: one for name, one in differences.items() if name in named and one["high"] >= 0}
    worse = {name: one for name, one in apart.items() if one["low"] > 0}
    level = {name: one for name, one in apart.items() if name not in worse}
    alone = {
        name: losses[name]
        for name in named
        if name in losses.keys() & trivial.keys() and name not in differences
        if (losses[name].low or 0.0) > trivial[name]
    }
    limited: list[decimals.WithLimits] = [(d["value"], d["low"], d["high"]) for d in apart.values()]
    limited += [(one.value, one.low, one.high) for one in alone.values()]
    reached = [*apart, *alone]
    digits = decimals.shared([*((trivial[name], None, None) for name in reached), *limited])
    written = {numbers.aligned(trivial[name], digits) for name in reached}
    if not reached or len(written) > 1:  # on rows of their own
        return
    parts = [f"Always predicting the share of positives has a Brier score of {written.pop()}."]
    for models, single, plural in (
        (worse, "is significantly worse", "are significantly worse"),
        (level, "does not differ significantly from it", "do not differ significantly from it"),
    ):
        if models:
            text = f"{_who(models)} {single if len(models) == 1 else plural}"
            parts.append(f"{text}{_differences(results, models, digits)}.")
    if alone:
        that, is_higher = ("That", "is") if len(alone) == 1 else ("Those", "are")
        text = f"{that} of {_who(alone)} {is_higher} higher"
        if len(alone) <= MOST_NAMES:
            text += f": {listed(_with_level(results, list(alone.values()), digits))}"
        parts.append(f"{text}.")
    yield Caveat("brier_skill", "moderate", " ".join(parts))


def worse_than_share(results: Results) -> set[str]:
    """The models whose Brier score is significantly above that of the share of positives."""
    return {name for name, one in _above_share(results).items() if one["low"] > 0}


def _above_share(results: Results) -> dict[str, LimitedDifference]:
    """By model its Brier score less that of the share of positives, where the limits hold."""
    if has_narrow_limits(results.data):
        return {}
    records = {m["name"]: m.get("brier_above_share") for m in results.data["models"]}
    return {name: one for name, one in records.items() if one is not None}


def _differences(results: Results, models: Mapping[str, LimitedDifference], digits: int) -> str:
    """The differences of few models with their limits, after a colon."""
    if len(models) > MOST_NAMES:
        return ""
    texts, level = [], f"{numbers.level(results.confidence)} CI "
    for place, one in enumerate(models.values()):
        limits = f"{signed_limit(one['low'], digits)} to {signed_limit(one['high'], digits)}"
        written = numbers.signed(one["value"], digits)
        texts.append(f"{written} ({'' if place else level}{limits})")
    return f": {listed(texts)}"


def _who(models: Collection[str]) -> str:
    return counted([bounded(model) for model in models], "models")


def _with_level(results: Results, values: list[ModelValue], digits: int | None = None) -> list[str]:
    """The values with their intervals, the first of which says its level."""
    level = f"{numbers.level(results.confidence)} CI "
    return [of_value(one, "" if place else level, digits) for place, one in enumerate(values)]
