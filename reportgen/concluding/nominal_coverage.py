"""Prediction intervals that do not hold the truth as often as their nominal level says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reportgen.comparisons.wording import MOST_NAMES, bounded
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.intervals import simultaneous_limit
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers


def off_nominal(results: Results) -> Iterator[Caveat]:
    """The models whose declared level the limits of their coverage exclude.

    All limits hold for all models at once (Bonferroni).
    """
    levels = _levels(results)
    shares = on_all_rows(results.metrics, "interval_coverage")
    texts = []
    for model, level in levels.items():
        share = shares.get(model)
        if share is None or share.low is None or share.high is None:
            continue
        low, high = (
            simultaneous_limit(share.value, end, len(levels), results.confidence)
            for end in (share.low, share.high)
        )
        if not low <= level <= high:
            off = "narrow" if share.value < level else "wide"
            texts.append(
                f"The prediction intervals of {bounded(model)} are too {off}: "
                f"{numbers.percent(share.value)} of the true values lie in them, and "
                f"{numbers.level(level)} is the nominal level."
            )
    if len(texts) > MOST_NAMES:
        count = f"{len(texts)} of {len(levels)} models"
        texts = [f"The prediction intervals of {count} miss their nominal level."]
    for text in texts:
        yield Caveat("nominal_coverage", "moderate", text)
    yield from _without_level(shares, levels)
    yield from _of_slices(results, levels)


def _without_level(
    shares: Mapping[str, ModelValue], levels: Mapping[str, float]
) -> Iterator[Caveat]:
    """The coverage of intervals that have no declared level to compare it with."""
    undeclared = {model: share for model, share in shares.items() if model not in levels}
    for model, share in list(undeclared.items())[:MOST_NAMES]:
        text = (
            f"{numbers.percent(share.value)} of the true values lie in the prediction intervals of "
            f"{bounded(model)} (no level is declared)."
        )
        yield Caveat("undeclared_level", "moderate", text)


FAR = 0.05
"""Coverage in a slice that is off by so much matters."""


def _of_slices(results: Results, levels: Mapping[str, float]) -> Iterator[Caveat]:
    """The slice whose coverage is farthest below the level of a model, else below that of all rows.

    Where limits that hold for all slices that are not small, and all models, at once (Bonferroni)
    exclude it.
    """
    small = results.slices.filter("small")["slice"].to_list()
    shares = results.metrics.filter(
        pl.col("slice").is_not_null(), ~pl.col("slice").is_in(small), metric="interval_coverage"
    ).drop_nulls(("value", "low", "high"))
    whole = on_all_rows(results.metrics, "interval_coverage")
    for model, of_all in whole.items():
        due = levels.get(model, of_all.value)
        low = [
            (value, slice_, limit)
            for slice_, value, high in shares.filter(model=model)
            .select("slice", "value", "high")
            .iter_rows()
            if due - value >= FAR
            and (limit := simultaneous_limit(value, high, shares.height, results.confidence)) < due
        ]
        if low:
            value, slice_, limit = min(low)
            against = f" and {numbers.percent(due)} in all rows"
            if model in levels:
                against = f"; the nominal level is {numbers.level(due)}"
            others = len(low) - 1
            more = f" It is too low in {numbers.plural(others, 'other slice')} too."
            yield Caveat(
                "coverage_in_slice",
                "moderate",
                f"The prediction intervals of {bounded(model)} hold {numbers.percent(value)} of "
                f"the true values in {slice_} (simultaneously at most {numbers.percent(limit)})"
                f"{against}.{more if others else ''}",
            )


def _levels(results: Results) -> dict[str, float]:
    """The declared level of each model's prediction intervals."""
    models = results.declared.models
    if not isinstance(models, dict):
        return {}
    options = {name: one for name, one in models.items() if isinstance(one, dict)}
    return {name: float(one["level"]) for name, one in options.items() if one.get("level")}
