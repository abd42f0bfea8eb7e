"""Coverage of predictive values at a stated prevalence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.curves import predictive_values
from reportgen.curves.predictive_values import RATIOS
from reportgen.measuring.metric_set import MetricSet
from reportgen.metrics import METRICS
from reportgen.tables import Metrics
from tests.coverage.measured import Coverage, of_limits, tables

STATED = 0.02
"""The prevalence; limits at another one follow from these by a monotone function."""

LEAST_PROBABLE = 1e-6
"""Tables of less probability are left out."""

OF_RATES = ("recall", "specificity", *RATIOS)


def of_predictive_values(
    rows: int, prevalence: float, rates: tuple[float, float], samples: int
) -> Iterator[Coverage]:
    """Coverage of either value, of all tables of few rows and of samples of more."""
    counts = tables(rows, prevalence, rates, samples).filter(pl.col("weight") > LEAST_PROBABLE)
    weight = counts["weight"].to_numpy()
    values = predictive_values(_metrics(counts), STATED)
    recall, specificity = rates
    odds = STATED / (1 - STATED)
    true = {
        "positive": recall * odds / (recall * odds + 1 - specificity),
        "negative": specificity / (specificity + (1 - recall) * odds),
    }
    for name, true_value in true.items():
        value, low, high = (
            values[f"{name}{end}"].fill_null(float("nan")).to_numpy()
            for end in ("", "_low", "_high")
        )
        valued = np.isfinite(value)
        held = of_limits(low[valued], high[valued], true_value, weight[valued])
        fewest = rows * min(prevalence, 1 - prevalence)
        what = f"{name} predictive value, stated prevalence"
        yield Coverage(what, str(prevalence), rows, fewest, min(rates), *held)


def _metrics(counts: pl.DataFrame) -> DataFrame[Metrics]:
    """What predictive values read of the metrics of many models, which the tables are."""
    of_rates = MetricSet([METRICS[n] for n in OF_RATES], 0.95)
    rows: list[dict[str, Any]] = [
        {"metric": name, "model": str(model)}
        | dict(zip(("value", "low", "high"), of[name][:3], strict=True))
        for model, of in enumerate(of_rates.of_counts(counts))
        for name in OF_RATES
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.lit(None, pl.String).alias(name) for name in ("slice", "class", "average")
    )
    return cast("DataFrame[Metrics]", frame)
