"""The intervals of measures of estimates that independent rows have in closed form."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.measuring.bootstrap_intervals import is_resampled
from reportgen.measuring.independent_means import INFLUENCE_OF_ROWS
from reportgen.metrics import Metric

SHARE, OF_SHARE = "interval_coverage", "wilson_modified"
"""The measure that is a share of rows, and its interval."""

SQUARED_ERRORS = ("mean_squared_error", "root_mean_squared_error")
MEAN_OF_SQUARES = "mean of squares"
"""The interval of these."""


def in_closed_form(metric: Metric, measures: str | Sequence[str] = "core") -> bool:
    """Whether a measure of independent rows that a report would resample has another interval."""
    smooth = metric.mean or metric.influence is not None
    plain = metric.on == "pairs" and metric.name != "interval_width"  # most have one width
    return plain and smooth and is_resampled(metric, measures)


def closed_form(metric: Metric) -> str:
    """The name of that interval."""
    if metric.name == SHARE:
        return OF_SHARE
    return MEAN_OF_SQUARES if metric.name in SQUARED_ERRORS else INFLUENCE_OF_ROWS
