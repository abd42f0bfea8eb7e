"""What a report resamples when nobody asks: the measures that have no closed form."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.metrics import METRICS
from reportgen.metrics.settings import MetricSettings
from reportgen.resampling.bootstrap import Call, bootstrap
from reportgen.resampling.limits import Method
from reportgen.sweeping import Swept

METHODS: Sequence[Method] = ("bca", "percentile")
"""BCa where it is defined, else percentile."""

UNFIT = (
    "brier_reliability_distinct",
    "brier_resolution_distinct",
    "spiegelhalter_z",
    "operating_range_low",
    "operating_range_high",
    "maximum_error",
    "maximum_calibration_error",
    "root_mean_squared_calibration_error",
)
"""Measures whose bootstrap is wrong: drawing a forecast twice makes it look certain; that
already count standard errors; that hang on the few most extreme rows; or that noise
raises in the rows and again in each replicate: limits of both calibration errors held the
true one of calibrated models in at most 0.2 of the samples (docs/coverage.md).
For the first reason nothing on isotonic estimates or bins of equal mass is resampled: there is no
frame of replicates for them."""


def intervals_for(  # noqa: PLR0913  # one keyword per option
    rows: pl.DataFrame,
    *,
    score: str | None = None,
    predicted: Call | None = None,
    weight: str | None = None,
    group: str | None = None,
    confidence: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    settings: MetricSettings | None = None,
    sweep: Swept | None = None,
) -> pl.DataFrame:
    """Limits of the binary measures of one model that have no closed form.

    ``rows`` are those that the model is evaluated on, with a Boolean ``truth``;
    the other names are those of :func:`reportgen.resampling.bootstrap`. Where
    rows come in groups, no closed form holds, and every measure is resampled
    by group. BCa where it is defined, else percentile.
    """
    names = [
        m.name
        for m in METRICS.values()
        if m.group != "count" and (m.interval is None or group is not None) and m.name not in UNFIT
    ]
    return bootstrap(
        rows,
        names,
        score=score,
        predicted=predicted,
        weight=weight,
        group=group,
        replicates=replicates,
        seed=seed,
        confidence=confidence,
        method=METHODS,
        settings=settings,
        sweep=sweep,
    )
