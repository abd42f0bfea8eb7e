"""How far the estimates are from the truth: size, relative size, fit, prediction intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.metric_names import quantile_in_words
from reportgen.records.model import Results
from reportgen.sections import deduplication, lookup, metric_table
from reportgen.sections.headings import INTERVAL, QUANTILE, of_aspect
from reportgen.sections.registry import section
from reportgen.sections.tables import Table
from reportgen.tasks import MeasureAverage
from reportgen.text import numbers

SHOWN = ("size", "relative", "fit", INTERVAL, QUANTILE)
"""Aspects whose measures are printed; the losses of other shapes are in results.json."""


@section(45)
@dataclass(frozen=True)
class Errors:
    """Errors of regression models."""

    id: ClassVar[str] = "errors"
    title: ClassVar[str] = "Errors"

    introduction: str
    sentences: tuple[str, ...]
    figures: tuple[str, ...]
    tables: tuple[Table, ...]
    elsewhere: bool

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> Errors | None:
        """Fill the section; None where the truth is not a number."""
        if not results.task.of_numbers:
            return None
        measures = shown(results)
        further_measures = deduplication.further(results, measures)
        title = "Further measures of the errors, of the fit and of the prediction intervals"
        tables = metric_table.tables(
            results, further_measures, id=cls.id, caption=title, more=results.task.reading[1:]
        )
        introduction = (
            "An error is the truth minus the estimate. MSE and RMSE weight large errors most, MAE "
            "weights all errors alike, and the median absolute error ignores the larger half."
        )
        placed = lookup.placed(figures, cls.id)
        elsewhere = len(further_measures) < len(measures)
        sentences = (*coverage(results), *_of_quantiles(results), *in_order(results))
        return cls(introduction, sentences, placed, tables, elsewhere)


def shown(results: Results) -> list[MeasureAverage]:
    """The measures of the section that have a value for any model."""
    values = lookup.numbers(results)
    valued = {measure for (measure, _), number in values.items() if number.value is not None}
    needed = set(of_aspect(results, INTERVAL))
    listed = {aspect: of_aspect(results, aspect) for aspect in SHOWN}
    listed[QUANTILE] = lookup.of_quantiles(results)
    return [
        measure
        for aspect in SHOWN
        for measure in listed[aspect]
        if measure in valued or measure not in needed
    ]


def coverage(results: Results) -> Iterator[str]:
    """How often the prediction intervals hold the truth, one sentence per model."""
    values, printed = lookup.numbers(results), lookup.printed(results)
    for name in results.models:
        number = values.get((("interval_coverage", None), name), lookup.NOTHING)
        if number.value is None:
            continue
        yield (
            f"{printed[name]}: {_share(results, number)} lie in its prediction intervals; "
            f"{_stated(results, name)}."
        )


def _of_quantiles(results: Results) -> Iterator[str]:
    """How often the truth is at or below the estimates of a quantile, one sentence per model."""
    values, printed = lookup.numbers(results), lookup.printed(results)
    for model in results.data["models"]:
        number = values.get((("quantile_coverage", None), model["name"]), lookup.NOTHING)
        quantile = model.get("quantile")
        if number.value is None or quantile is None or model["name"] not in printed:
            continue
        yield (
            f"{printed[model['name']]}: {_share(results, number)} are at or below its "
            f"estimates of the {quantile_in_words(quantile)}."
        )


def _share(results: Results, number: lookup.Number) -> str:
    """A share of the true values with its limits, all of them percentages."""
    share = f"{numbers.percent(number.value)} of the true values"
    if number.low is None or number.high is None:
        return share
    ends = f"{numbers.percent(number.low)} to {numbers.percent(number.high)}"
    return f"{share} ({numbers.level(results.confidence)} interval {ends})"


def _stated(results: Results, model: str) -> str:
    levels = {one["name"]: one.get("level") for one in results.data["models"]}
    level = levels.get(model)
    if level is None:
        assumed = numbers.level(results.confidence)
        return f"the spec declares no nominal level, and the Winkler score takes {assumed}"
    return f"{numbers.level(level)} is the nominal level"


def in_order(results: Results) -> Iterator[str]:
    """Whether errors say something of those that follow, one sentence per model."""
    printed = lookup.printed(results)
    for model in results.data["models"]:
        errors = model.get("successive_errors")
        if errors is None or model["name"] not in printed:
            continue
        correlates = abs(errors["value"]) > errors["expected"]
        lag = errors["lag"]
        which = "one time point" if lag == 1 else f"{lag} time points"
        so = (
            "they help to predict later ones" if correlates else "as expected of independent errors"
        )
        yield (
            f"{printed[model['name']]}: errors {which} apart have a correlation of "
            f"{numbers.estimate(errors['value'])} (independent errors: within "
            f"±{numbers.estimate(errors['expected'])}): {so}."
        )
