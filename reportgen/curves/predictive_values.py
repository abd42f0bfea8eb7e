"""Predictive values of decisions where positives are as frequent as stated."""

from __future__ import annotations

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.tables import Metrics, PredictiveValues

RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio")


def predictive_values(
    metrics: DataFrame[Metrics], prevalence: float
) -> DataFrame[PredictiveValues]:
    """Positive and negative predictive value of each model at ``prevalence``.

    By Bayes' rule the odds after a decision are those before it times its likelihood ratio, a
    monotone function: limits of the ratio become limits of the predictive value. Null where no
    row is predicted so, or the ratio is undefined for another reason than dividing by 0.
    Altman & Bland (1994), doi:10.1136/bmj.309.6947.102.
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
        lines.append(
            {
                "model": model,
                "slice": None,
                "class": None,
                "prevalence": prevalence,
                "positive": _share(recall, specificity, odds),
                "positive_low": _after(positive.get("low"), odds),
                "positive_high": _after(positive.get("high"), odds),
                "negative": _share(specificity, recall, 1 / odds),
                "negative_low": _before(negative.get("high"), odds),
                "negative_high": _before(negative.get("low"), odds),
            }
        )
    texts = ("model", "slice", "class")
    columns = PredictiveValues.to_schema().columns
    schema = {name: pl.String if name in texts else pl.Float64 for name in columns}
    return PredictiveValues.validate(pl.DataFrame(lines, schema=schema))


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
