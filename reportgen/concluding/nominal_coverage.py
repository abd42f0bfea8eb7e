"""Prediction intervals and quantiles that do not hold the truth as often as they should."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from reportgen.comparisons.wording import MOST_NAMES, bounded
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.metric_names import quantile_in_words
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers


@dataclass(frozen=True)
class Coverage:
    """The share of the true values within intervals, or at or below quantiles, by model.

    ``levels`` are the nominal ones of the models that have one.
    """

    metric: str
    of_quantiles: bool
    levels: Mapping[str, float]
    shares: Mapping[str, ModelValue]

    @classmethod
    def of_intervals(cls, results: Results) -> Coverage:
        """Those of the prediction intervals."""
        return cls._of(results, "interval_coverage", of_quantiles=False)

    @classmethod
    def below_quantiles(cls, results: Results) -> Coverage:
        """Those of estimates of quantiles."""
        return cls._of(results, "quantile_coverage", of_quantiles=True)

    @classmethod
    def _of(cls, results: Results, metric: str, *, of_quantiles: bool) -> Coverage:
        key = "quantile" if of_quantiles else "level"
        models = {model["name"]: model.get(key) for model in results.data["models"]}
        levels = {name: float(one) for name, one in models.items() if isinstance(one, float)}
        return cls(metric, of_quantiles, levels, on_all_rows(results.metrics, metric))

    def what(self, model: str) -> str:
        """What a model gives, as the subject of a sentence."""
        if self.of_quantiles:
            return f"{quantile_in_words(self.levels[model])}s of {bounded(model)}"
        return f"prediction intervals of {bounded(model)}"

    def off(self, model: str, results: Results) -> str:
        """The sentence of a model whose limits, of all models at once, exclude its level, or none.

        Bonferroni's limits.
        """
        share, level = self.shares.get(model), self.levels[model]
        if share is None or share.low is None or share.high is None:
            return ""
        low, high = (
            decided_limit(results, share.value, end, len(self.levels))
            for end in (share.low, share.high)
        )
        if low <= level <= high:
            return ""
        below = share.value < level
        where = "lie in them"
        word = "narrow" if below else "wide"
        if self.of_quantiles:
            where, word = "are at or below them", "low" if below else "high"
        return (
            f"The {self.what(model)} are too {word}: {numbers.percent(share.value)} of the true "
            f"values {where}, against a nominal level of {numbers.level(level)}."
        )

    def in_slice(self, model: str, value: float, limit: float, slice_: str) -> str:
        """The sentence of a slice in which a model is off."""
        side = "most" if value < limit else "least"
        simultaneous = f"(simultaneously at {side} {numbers.percent(limit)})"
        if self.of_quantiles:
            return (
                f"In {slice_} {numbers.percent(value)} of the true values {simultaneous} are at or "
                f"below the {self.what(model)}"
            )
        return (
            f"The {self.what(model)} contain {numbers.percent(value)} of the true values in "
            f"{slice_} {simultaneous}"
        )


def off_nominal(results: Results) -> Iterator[Caveat]:
    """The models whose nominal level the limits of their coverage exclude.

    And before them those whose estimates are not within their own intervals.
    """
    yield from _outside_own(results)
    for coverage in (Coverage.of_intervals(results), Coverage.below_quantiles(results)):
        sentences = (coverage.off(model, results) for model in coverage.levels)
        texts = [text for text in sentences if text]
        if len(texts) > MOST_NAMES:
            count = f"{len(texts)} of {len(coverage.levels)} models"
            what = "quantiles" if coverage.of_quantiles else "prediction intervals"
            texts = [f"The {what} of {count} miss their nominal level."]
        for text in texts:
            yield Caveat("nominal_coverage", "moderate", text)
        if not coverage.of_quantiles:
            yield from _without_level(coverage)
        yield from _of_slices(results, coverage)


def _outside_own(results: Results) -> Iterator[Caveat]:
    """How often the estimate of a model lies outside its own prediction interval."""
    of_all = numbers.count(results.data["rows_evaluated"])
    outside = {model["name"]: model.get("outside_interval") for model in results.data["models"]}
    rows = {name: count for name, count in outside.items() if count}
    for name, count in list(rows.items())[:MOST_NAMES]:
        text = (
            f"In {numbers.count(count)} of {of_all} rows the estimate of {bounded(name)} lies "
            "outside its own prediction interval."
        )
        yield Caveat("outside_interval", "moderate", text)


def _without_level(coverage: Coverage) -> Iterator[Caveat]:
    """The coverage of intervals that have no declared level to compare it with."""
    shares = coverage.shares.items()
    undeclared = {model: share for model, share in shares if model not in coverage.levels}
    for model, share in list(undeclared.items())[:MOST_NAMES]:
        text = (
            f"{numbers.percent(share.value)} of the true values lie in the prediction intervals of "
            f"{bounded(model)} (no level is declared)."
        )
        yield Caveat("undeclared_level", "moderate", text)


FAR = 0.05
"""Coverage in a slice that is off by so much matters."""


def _of_slices(results: Results, coverage: Coverage) -> Iterator[Caveat]:
    """The slice whose coverage is farthest off the level of a model, else that of all rows.

    Of intervals below it alone. Where limits that hold for all slices that are not small, and all
    models, at once (Bonferroni) exclude it.
    """
    small = results.slices.filter("small")["slice"].to_list()
    shares = results.metrics.filter(
        pl.col("slice").is_not_null(), ~pl.col("slice").is_in(small), metric=coverage.metric
    ).drop_nulls(("value", "low", "high"))
    for model, of_all in coverage.shares.items():
        due = coverage.levels.get(model, of_all.value)
        off = []
        for slice_, value, low, high in (
            shares.filter(model=model).select("slice", "value", "low", "high").iter_rows()
        ):
            distance = due - value if not coverage.of_quantiles else abs(due - value)
            end = high if value < due else low
            limit = decided_limit(results, value, end, shares.height)
            if distance >= FAR and (limit < due if value < due else limit > due):
                off.append((-distance, slice_, value, limit))
        if off:
            _, slice_, value, limit = min(off)
            against = f" and {numbers.percent(due)} in all rows"
            if model in coverage.levels:
                against = f", against a nominal level of {numbers.level(due)}"
            others = numbers.plural(len(off) - 1, "other slice")
            word = "off" if coverage.of_quantiles else "too low"
            more = f" It is {word} in {others} too." if len(off) > 1 else ""
            sentence = coverage.in_slice(model, value, limit, slice_)
            yield Caveat("coverage_in_slice", "moderate", f"{sentence}{against}.{more}")
