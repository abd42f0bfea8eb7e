"""Limits of measures of independent rows in closed form, from the moments of what each adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Effect, correction, degrees_of_freedom_of_powers
from reportgen.intervals import (
    Interval,
    LossVariance,
    MeanLoss,
    MeanOfRows,
    ModifiedWilson,
    is_outweighed,
    skewed_spread,
)
from reportgen.intervals.means import grown
from reportgen.measuring.bootstrap_intervals import is_resampled
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import SPREAD, MetricValues, few_at_once, finite
from reportgen.measuring.row_shares import OF_ROWS, row_share
from reportgen.metrics import Metric
from reportgen.metrics.aggregates import loss_of
from reportgen.tables.results import MetricRow

LEAST_ROWS = 10
"""Of fewer rows a mean has no limits: those that carry it are missing from most samples."""

LEAST_OF_ABSOLUTE_ERRORS = 3
"""Of so many rows the limits of their mean hold it, whatever the tails of the errors."""

INFLUENCE_OF_ROWS = "influence of rows"
"""The interval of means without an upper bound, and of what is made of such means."""

MEAN_OF_SHARES = "mean of shares"
"""The interval of means of values from 0 to 1."""

Foreseen = Callable[[str], tuple[Floats, Floats]]
"""From the name of a loss, mean and variance of it in each row if its forecast is right."""

_ALIKE = 1e-20
"""Variances of means of values up to 1 that are rounding."""

_ROUNDING = 1e-9


@dataclass(frozen=True)
class RowMoments:
    """Of what rows give to their weighted mean: the rows that they are worth, mean and powers.

    ``second`` to ``fourth`` are Σ (w(l − mean))^k / (Σ w)^k; ``squares`` are Σ w², ``mass`` Σ w.
    """

    rows: float
    mass: float
    squares: float
    mean: float
    second: float
    third: float
    fourth: float

    @classmethod
    def of(cls, given: Floats, weights: Floats) -> RowMoments:
        """From what each row gives, NaN where it has none, and its weight."""
        defined = ~np.isnan(given)
        if not defined.all():
            given, weights = given[defined], weights[defined]
        mass, squares = float(weights.sum()), float(np.square(weights).sum())
        mean = float((weights * given).sum()) / mass if mass > 0 else float("nan")
        away = (given - mean) * weights / mass
        powers = np.square(away)
        return cls(
            mass**2 / squares if squares > 0 else 0.0,
            mass,
            squares,
            mean,
            float(powers.sum()),
            float((powers * away).sum()),
            float(np.square(powers).sum()),
        )

    @property
    def variance(self) -> float:
        """Of the mean."""
        return self.second * correction(self.rows)

    @property
    def effect(self) -> Effect:
        """That of Student's t, with the degrees of freedom that the fourth powers leave."""
        df = degrees_of_freedom_of_powers(self.second, self.fourth, round(self.rows))
        return Effect(1.0, df)

    @property
    def skewness(self) -> float:
        """That of what the rows give, over the root of their number."""
        return self.third / (self.second * sqrt(self.second)) if self.second > 0 else 0.0


def least_rows(metric: Metric) -> int:
    """Of how many rows a mean has limits at least.

    >>> from reportgen.metrics import REGISTRY
    >>> [least_rows(REGISTRY["regression"][n]) for n in ("mean_absolute_error", "mean_error")]
    [3, 10]
    """
    of_absolute = metric.name == "mean_absolute_error"
    return LEAST_OF_ABSOLUTE_ERRORS if of_absolute else LEAST_ROWS


def independent_rows(
    number: MetricSubject,
    frame: pl.DataFrame,
    metrics: Sequence[Metric],
    foreseen: Foreseen | None = None,
    values: MetricValues | None = None,
) -> list[MetricRow]:
    """One row per metric of a frame with a ``weight`` column, means with limits in closed form.

    Formulas: of proportions modified Wilson limits of as many rows as they are worth; of other
    values from 0 to 1 modified Wilson limits of as many rows as give the variance v,
    m(1 − m)/(v·(t/z)²), or of all rows where none differs; of forecasts ``MeanLoss`` with what
    they foresee; of others ``MeanOfRows``. t has Pan and Wall's degrees of freedom.
    Undefined: fewer than ``LEAST_ROWS`` rows with a value, by Kish's size; rows whose losses
    are all alike. What is no mean has its own limits, or none. ``values`` are those of the
    metrics and their spreads, where they are known.
    Reference: Rao & Scott (1992), doi:10.2307/2532311; Pan & Wall (2002), doi:10.1002/sim.1142;
    Spiegelhalter (1986), doi:10.1002/sim.4780050506.
    """
    if values is None:
        values = few_at_once(frame, number.limits_of(metrics).expressions())
    values = dict(values)
    of_means = {m.name for m in metrics if has_limits(m) and finite(values[m.name]) is not None}
    shares = {m.name: share for m in metrics if (share := row_share(frame, m)) is not None}
    metric_list = [
        replace(m, interval=interval_of_mean(m, of_ties=m.name not in shares))
        if m.name in of_means
        else m
        for m in metrics
    ]
    weights = frame["weight"].cast(pl.Float64).to_numpy()
    values |= {SPREAD.format(name): share.trials for name, share in shares.items()}
    means = [m for m in metric_list if m.name in of_means - shares.keys()]
    for metric in means:
        given = frame.select(loss_of(metric).cast(pl.Float64))
        moments = RowMoments.of(given.to_series().to_numpy(), weights)
        implied = partial(_foreseen_variance, foreseen, metric.name, moments, weights)
        outweighed = metric.by_truth and _is_outweighed(frame, moments, weights)
        spread = None if outweighed else _spread(number, metric, moments, implied)
        values[SPREAD.format(metric.name)] = spread
    columns = {name: [value] for name, value in values.items()}
    return number.from_values(metric_list, number.limits_of(metric_list).limited(columns)[0])


def has_limits(metric: Metric) -> bool:
    """Whether a measure is a mean whose limits hold it, be the rows few and nearly perfect.

    Those of a score of forecasts without a form of its own, as the spherical one, do not.
    """
    return metric.mean and (metric.interval is not None or not metric.probability)


def interval_of_mean(metric: Metric, *, of_ties: bool = False) -> Interval:
    """The interval of a mean that suits its range; a proportion ``of_ties`` is no share of rows."""
    if metric.interval is not None:
        return metric.interval
    if metric.proportion and not of_ties:
        return OF_ROWS
    lowest, highest = metric.bounds
    if lowest == 0 and highest == 1:
        return ModifiedWilson((), (), MEAN_OF_SHARES)
    return MeanOfRows(metric.bounds, name=INFLUENCE_OF_ROWS)


def _spread(
    number: MetricSubject, metric: Metric, moments: RowMoments, implied: Callable[[], float]
) -> float | dict[str, float] | None:
    """What the interval of a mean needs beside it; null without limits."""
    if moments.rows < LEAST_ROWS - _ROUNDING:
        return None
    variance, effect, confidence = moments.variance, moments.effect, number.confidence
    if isinstance(metric.interval, MeanLoss):
        of_both = LossVariance.of(variance, implied, effect).spread
        return grown(of_both, effect.inflation(confidence))
    if isinstance(metric.interval, ModifiedWilson):
        if not variance > _ALIKE:
            return moments.rows
        share = min(max(abs(moments.mean), 0.0), 1.0)
        return share * (1 - share) / (variance * effect.inflation(confidence))
    spread = skewed_spread(variance, effect, moments.skewness, moments.rows, confidence)
    return grown(spread, effect.inflation(confidence))


def _is_outweighed(frame: pl.DataFrame, moments: RowMoments, weights: Floats) -> bool:
    """Whether a few errors, of truths near 0, have too much of a mean of relative ones."""
    inverse = RowMoments.of(inverse_truths(frame), weights)
    return is_outweighed(moments.skewness, inverse.skewness, moments.rows)


def inverse_truths(frame: pl.DataFrame) -> Floats:
    """1 over the size of each truth; NaN where that is 0 or unknown."""
    truth = pl.col("truth").cast(pl.Float64).abs()
    return frame.select(pl.when(truth > 0).then(1 / truth)).to_series().to_numpy()


def _foreseen_variance(
    foreseen: Foreseen | None, name: str, moments: RowMoments, weights: Floats
) -> float:
    """Variance of a mean loss as the forecasts foresee it; 0 where they are not known."""
    if foreseen is None:
        return 0.0
    mean, variance = foreseen(name)
    squares = np.square(weights)
    centre = float((squares * mean).sum()) / moments.squares
    total = float((squares * (variance + np.square(mean - centre))).sum())
    return total * correction(moments.rows) / moments.mass**2


OF_SHARE = "wilson_modified"
"""The interval of measures that are shares of rows."""

SQUARED_ERRORS = ("mean_squared_error", "root_mean_squared_error")
MEAN_OF_SQUARES = "mean of squares"
"""The interval of these."""


def has_closed_form(metric: Metric, measures: str | Sequence[str] = "core") -> bool:
    """Whether a measure of independent rows that a report would resample has another interval."""
    smooth = metric.mean or metric.influence is not None
    plain = metric.on == "pairs" and metric.name != "interval_width"  # most have one width
    return plain and smooth and is_resampled(metric, measures)


def closed_form(metric: Metric) -> str:
    """The name of that interval."""
    if metric.proportion:
        return OF_SHARE
    return MEAN_OF_SQUARES if metric.name in SQUARED_ERRORS else INFLUENCE_OF_ROWS
