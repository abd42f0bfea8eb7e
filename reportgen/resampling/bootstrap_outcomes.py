"""What a bootstrap returns: one row per metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict, cast

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from reportgen.resampling.limits import Method, biased_by, deviation, limits

NAMES: dict[Method, str] = {
    "percentile": "bootstrap percentile",
    "basic": "bootstrap basic",
    "bca": "bootstrap BCa",
    "optimum": "bootstrap corrected for optimism",
    "biased": "bootstrap corrected for bias",
    "smoothed": "bootstrap of a smoothed table",
}
"""The method of an interval, as the results name it."""

MOST_CELL_ERROR = 5.0
"""Where cells move a value by more standard errors than this there are no limits."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One metric: value from all rows, value on the cells, and the replicates of the latter.

    ``shrink`` turns the spread of replicates of m rows into that of n: √(m/n).
    ``cell_error`` is what the cells change in the value, ``scale`` the size of
    what is computed: smaller differences than 1e-12 of it are rounding noise.
    Of a difference both are summed over the two models. An ``optimum`` over
    thresholds has limits of its own, whatever the methods, and so has what is ``biased``
    or of a ``smoothed`` table.
    With a bias of more than ``most_bias`` standard deviations there are none.
    """

    name: str
    bounds: tuple[float, float]
    value: float
    on_cells: float
    replicates: Floats
    acceleration: float = 0.0
    shrink: float = 1.0
    cell_error: float = 0.0
    scale: float = 0.0
    optimum: bool = False
    biased: bool = False
    smoothed: bool = False
    most_bias: float = float("inf")

    def by(self, methods: Sequence[Method]) -> Sequence[Method]:
        """The methods of its limits: its own, or those that are asked for."""
        if self.optimum:
            return ("optimum",)
        if self.smoothed:
            return ("smoothed",)
        return ("biased",) if self.biased else methods

    @property
    def spread(self) -> Floats:
        """The replicates that have a value, at the spread of all rows."""
        seen = self.replicates[~np.isnan(self.replicates)]
        return self.on_cells + (seen - self.on_cells) * self.shrink


def bounds_of(bounds: tuple[float, float], *, difference: bool) -> tuple[float, float]:
    """Range of a metric, or of the difference of two values of it."""
    return (bounds[0] - bounds[1], bounds[1] - bounds[0]) if difference else bounds


class OutcomeRow(TypedDict):
    """A number with its limits, NaN where undefined; a difference has a ``p_value`` too."""

    metric: str
    value: float
    low: float
    high: float
    standard_error: float
    replicates: int
    defined: int
    cell_error: float
    interval: str | None
    p_value: NotRequired[float]


class DifferenceOutcome(TypedDict):
    """A row of ``table`` of a difference: null where undefined."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    replicates: int
    defined: int
    cell_error: float | None
    interval: str | None
    p_value: float | None


def first_difference(table: pl.DataFrame) -> DifferenceOutcome:
    """The first row of ``table`` of differences."""
    return cast("DifferenceOutcome", table.row(0, named=True))


def record(outcome: Outcome, options: BootstrapSettings) -> OutcomeRow:
    """Value, limits by the first of the methods that has any, standard error and counts."""
    error = outcome.value - outcome.on_cells
    seen = outcome.spread
    spread = deviation(seen) if len(seen) > 1 else np.nan
    interval, name = None, None
    shown = len(seen) < 2 or biased_by(seen, outcome.on_cells) <= outcome.most_bias
    if shown and outcome.cell_error <= MOST_CELL_ERROR * spread:
        for method in outcome.by(options.methods):
            interval = limits(
                seen,
                outcome.on_cells,
                options.confidence,
                method,
                acceleration=outcome.acceleration,
                drawn=len(outcome.replicates),
                scale=outcome.scale,
            )
            if interval is not None:
                name = NAMES[method]
                break
    low, high = (
        float(np.clip(limit + error, *outcome.bounds)) for limit in interval or (np.nan,) * 2
    )
    return {
        "metric": outcome.name,
        "value": outcome.value,
        "low": low,
        "high": high,
        "standard_error": spread if interval else np.nan,
        "replicates": len(outcome.replicates),
        "defined": len(seen),
        "cell_error": outcome.cell_error,
        "interval": name,
    }


def p_value(outcome: Outcome) -> float:
    """Two-sided p of a difference: replicates at least as far from it as it is from 0.

    (b + 1) / (B + 1). Davison & Hinkley (1997), *Bootstrap Methods*, 4.4,
    doi:10.1017/CBO9780511802843.
    """
    seen = outcome.spread
    away = np.abs(seen - outcome.on_cells) >= abs(outcome.value) - 1e-12
    return float((away.sum() + 1) / (len(seen) + 1))


def table(
    outcomes: Sequence[Outcome], options: BootstrapSettings, *, difference: bool = False
) -> pl.DataFrame:
    """One row per outcome, undefined numbers null; with p-values for differences."""
    records = [record(outcome, options) for outcome in outcomes]
    if difference:
        for one, outcome in zip(records, outcomes, strict=True):
            one["p_value"] = np.nan if one["interval"] is None else p_value(outcome)
    floats = ("value", "low", "high", "standard_error", "cell_error")
    types: dict[str, type[pl.DataType]] = {
        "metric": pl.String,
        **dict.fromkeys(floats[:4], pl.Float64),
        **({"p_value": pl.Float64} if difference else {}),
        **dict.fromkeys(("replicates", "defined"), pl.Int64),
        "cell_error": pl.Float64,
        "interval": pl.String,
    }
    return pl.DataFrame(records, schema=types).with_columns(pl.col(pl.Float64).fill_nan(None))
