"""Predictive values of decisions where positives are as frequent as stated."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, sqrt
from typing import NamedTuple

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.tables import Metrics, PredictiveValues
from reportgen.tables.checked import column_types

RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio")


def predictive_values(
    metrics: DataFrame[Metrics], prevalence: float
) -> DataFrame[PredictiveValues]:
    """Positive and negative predictive value of each model at ``prevalence``.

    By Bayes' rule the odds after a decision are those before it times its likelihood ratio, a
    monotone function: limits of the ratio become limits of the predictive value. Where the ratio
    divides by a rate of 0, its inverse is 0 and has an upper limit from those of both rates. Null
    where no row is predicted so.

    Args:
        metrics: the metrics of all models, as ``Results.metrics`` has them.
        prevalence: share of the positives, between 0 and 1.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``prevalence``, ``positive``,
        ``positive_low``, ``positive_high``, ``negative``, ``negative_low`` and ``negative_high``.
        All numbers are shares.

    Altman & Bland (1994), doi:10.1136/bmj.309.6947.102; the inverse: Donner & Zou (2012),
    doi:10.1177/0962280210383485.

    >>> from reportgen.results import evaluate
    >>> frame = {"truth": [0, 1, 0, 1, 1], "score": [0.1, 0.9, 0.6, 0.3, 0.8]}
    >>> spec = {"name": "x", "data": [], "truth": "truth", "models": {"a": {"score": "score"}}}
    >>> results = evaluate({**spec, "bootstrap": {"replicates": 0}}, frame)
    >>> table = predictive_values(results.metrics, 0.5)
    >>> table.select(pl.col("positive", "negative").round(3)).row(0)
    (0.571, 0.6)
    """
    pooled = metrics.filter(
        pl.col("slice").is_null() & pl.col("class").is_null() & pl.col("average").is_null()
    )
    rates, ratios = (
        {(row["metric"], row["model"]): row for row in pooled.filter(chosen).iter_rows(named=True)}
        for chosen in (
            pl.col("metric").is_in(["recall", "specificity"]),
            pl.col("metric").is_in(RATIOS),
        )
    )
    lines = []
    for model in dict.fromkeys(model for _, model in rates):
        recall, specificity = (rates[name, model]["value"] for name in ("recall", "specificity"))
        positive, negative = (ratios.get((name, model), {}) for name in RATIOS)
        odds = prevalence / (1 - prevalence)
        both = (_Rate.of(rates["recall", model]), _Rate.of(rates["specificity", model]))
        least, most = _least_positive(*both, odds), _most_negative(*both, odds)
        lines.append(
            {
                "model": model,
                "slice": None,
                "class": None,
                "prevalence": prevalence,
                "positive": _share(recall, specificity, odds),
                "positive_low": _after(positive.get("low"), odds) if least is None else least,
                "positive_high": _after(positive.get("high"), odds) if least is None else 1.0,
                "negative": _share(specificity, recall, 1 / odds),
                "negative_low": _before(negative.get("high"), odds) if most is None else 0.0,
                "negative_high": _before(negative.get("low"), odds) if most is None else most,
            }
        )
    return PredictiveValues.validate(pl.DataFrame(lines, schema=column_types(PredictiveValues)))


def _share(rate: float | None, other: float | None, odds: float) -> float | None:
    """The share of correct ones among the decisions for a class, by the rates of both classes."""
    if rate is None or other is None:
        return None
    correct, errors = rate * odds, 1 - other
    return correct / (correct + errors) if correct + errors else None


def _after(ratio: float | None, odds: float) -> float | None:
    """The positive predictive value that a likelihood ratio gives."""
    return None if ratio is None else ratio * odds / (1 + ratio * odds)


def _before(ratio: float | None, odds: float) -> float | None:
    """The negative predictive value that a likelihood ratio gives."""
    return None if ratio is None else 1 / (1 + ratio * odds)


class _Rate(NamedTuple):
    value: float
    low: float
    high: float

    @classmethod
    def of(cls, row: Mapping[str, float | None]) -> _Rate | None:
        """The rate of a row of ``Metrics``; none where it has no limits."""
        value, low, high = row["value"], row["low"], row["high"]
        return None if value is None or low is None or high is None else cls(value, low, high)

    @property
    def complement(self) -> _Rate:
        return _Rate(1 - self.value, 1 - self.high, 1 - self.low)


def _least_positive(recall: _Rate | None, specificity: _Rate | None, odds: float) -> float | None:
    """The lower limit of a positive predictive value of 1, which no false positive gives."""
    if recall is None or specificity is None:
        return None
    ratio = _above_zero(specificity.complement, recall)
    return None if ratio is None else odds / (odds + ratio)


def _most_negative(recall: _Rate | None, specificity: _Rate | None, odds: float) -> float | None:
    """The upper limit of a negative predictive value of 0, which no true negative gives."""
    if recall is None or specificity is None:
        return None
    ratio = _above_zero(specificity, recall.complement)
    if ratio is None or ratio == inf:
        return None if ratio is None else 1.0
    return ratio / (ratio + odds)


def _above_zero(first: _Rate, second: _Rate) -> float | None:
    """The upper limit of the ratio of a rate of 0 to another one; none of other ratios."""
    if first.value > 0 or second.value == 0:
        return None
    if second.low == 0:
        return inf
    return first.high / sqrt(second.low * (2 * second.value - second.low))
