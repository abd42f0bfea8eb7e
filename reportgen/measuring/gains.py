"""Limits of how far errors lie below those of the best constant; R² in agreement with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.special import stdtr

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups, degrees_of_freedom, t_quantile, variance_of_sum
from reportgen.comparisons.diebold_mariano import LONG_RUN, in_time
from reportgen.leverage import skewness_of_mean
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.series_limits import FEWEST
from reportgen.measuring.time_blocks import consecutive
from reportgen.metrics import REGISTRY, gains_by_skill
from reportgen.tables.results import MetricRow

GAINS = gains_by_skill()
"""Of a share of the error of a constant the difference that has the same sign."""

OF_GAIN = "a few rows or groups outweigh all others, or the gain drifts over time"
"""Why a gain may have no limits."""

HEAVIEST = 20
"""A kurtosis of what units add to a gain from which Student's t is not to be trusted."""


FAR_ABOVE = 10.0
"""So many standard errors above 0 a gain stays one, although a few errors outweigh all others.

Of errors of which 0.4 or 1 % are 15 or 10 times as large as the others, and as large on average as
those of the mean, it is in at most 0.007 of 150 to 1,800 rows that show it, of 0.2 or 0.5 % that
are 40 or 30 times as large in up to 0.06 of 1,000 (2,000 data sets each).
"""

FAR_BELOW = 1e-4
"""And p of Student's t, of which uneven weights or groups leave few degrees of freedom."""

ERRORS_BEYOND, UNITS = 12.0, 50
"""And one of squared errors so many standard errors of these, from so many rows or groups on.

Perfect predictions of 60 rows are no more than 5 to 6 standard errors above 0: what varies is the
truth, which misleads nobody. Of errors that average those of the mean (t with 3 degrees of freedom,
lognormal, or 0.4 to 3 % of them 15 to 8 times as large) it is in at most 0.024 of 60 to 600 rows
that show their tails, of 0.5 % that are 30 times as large in 0.01 to 0.074 (1,500 data sets or
more each); of such errors that leave an R² of 0.82 in 0.25 to 0.92 of the rows with t. It does not
protect from tails beyond these: of errors with hardly a variance (Pareto with 2.3, t with 2.2
degrees of freedom, lognormal with 1.5) R² was above 0 in 0.19 to 0.27 of 60 rows before, and is in
up to 0.4.
"""

RAISED, RAISED_FROM, CALIBRATED = 15.0, 100, 0.9
"""Skewness of what so many rows, or groups, or more add to a gain, times the root of their number.

And least slope of the truth on the estimates. Where the largest errors are those of estimates, as
of a model that rarely errs by far, a sample that lacks them has too high a gain; the slope of a
model that gains nothing is one half. Where they are those of truths that no model knows, the slope
is 1, and what is far from the mean raises the gain (``tests.simulations.gains_far_above``).
"""

GROUPS_BELOW = 6
"""With fewer groups a model without any gain may have one in each of them by chance."""

PART = 0.5
"""Of the squared errors of the mean, of which groups far from it have most."""

QUARTERS, FEWEST_POINTS = 4, 12
"""Parts of a series, of three time points or more.

Of a model that knows nothing of a truth with a trend (autocorrelation 0 to 0.99, or a random walk)
the gain is above 0 in each of four, and ``PART`` exceeded, in at most 0.01 of series of 12 to 200
time points (``tests.simulations.better_than_constant``).
"""

FEW_ROWS, ENOUGH = 50, 1000
"""With fewer rows errors with heavy tails may lack the largest ones, which a mean rests on.

A model with errors of Student's t with 3 degrees of freedom, no better than the mean of a normal
truth, would be said to be better in 0.16 of 100 rows; where the kurtosis of the errors is looked at
in 0.045, of 20 groups of ten still in 0.15 (``tests.simulations.better_than_constant``).
"""


@dataclass(frozen=True)
class ErrorTails:
    """Of how many rows errors are, and their kurtosis; None where it is not known."""

    rows: int
    kurtosis: float | None


def agreeing(
    number: MetricSubject,
    rows: Sequence[MetricRow],
    pairs: pl.DataFrame,
    groups: Groups | None,
    point: pl.Series | None = None,
    tails: ErrorTails | None = None,
) -> list[MetricRow]:
    """The rows, where the limits of a gain and of the share beside it lie on one side of 0.

    A gain is a mean of paired differences of losses, the constant fitted to the same rows: what
    that fit saves counts against the model, so that a constant is never better. Its limits are
    Student's, by row, by group or, of 30 time points or more, from a long-run variance.
    R² is above 0 where they say so, and only there: its limit that disagrees is moved to 0.

    A gain has no limits, and those of R² decide,

    - where a few units below it outweigh all others (kurtosis above ``HEAVIEST``: truths far from
      the mean raise a gain, and no missing ones lower it), or squared errors may lack the largest
      ones (``ENOUGH``) and what they add does not raise it (``RAISED``), unless it is ``FAR_ABOVE``
      0: one that is ``ERRORS_BEYOND`` 0 has none that hold 0 either, and the lower limit of R² then
      is that of the mean squared error;
    - where it drifts in time and its limits hold 0; those of R² that hold 0 then go as well;
    - where it differs by group or quarter of a series but is above 0 in every one (``PART``).

    Args:
        number: Whose the measures are, and the confidence of their limits.
        rows: The measures of a model.
        pairs: ``truth``, ``estimate`` and ``weight`` of its rows, or of those that stand for them.
        groups: The groups of the rows, where they have some.
        point: Their place in time, where they are in order of it.
        tails: Those of the errors, where ``pairs`` only stand for the rows.
    """
    tails = _tails_of(pairs) if tails is None else tails
    by_name = {str(row["metric"]): row for row in rows}
    for share, gain in GAINS.items():
        if gain not in by_name or share not in by_name:
            continue
        of_gain = _of_gain(number, by_name[gain], pairs, groups, point)
        limited, is_far = of_gain.row, of_gain.is_far
        is_in_doubt = point is None and share == "r2" and _may_lack_errors(tails, groups)
        if is_in_doubt and not (is_far or of_gain.is_raised):
            limited = _without_limits(limited)
        held = limited["low"] is not None and limited["low"] <= 0
        if held and is_far:  # the truth alone varies so much
            limited, held = _without_limits(limited), False
        of_share = by_name[share]
        if held and share == "r2" and is_in_every_part(pairs, groups, point):
            limited = _without_limits(limited)
            if point is not None and of_share["low"] is not None and of_share["low"] <= 0:
                of_share = _without_limits(of_share)
        of_share = _on_one_side(of_share, limited)
        if is_far and share == "r2":
            of_share = _as_errors_say(of_share, limited, by_name.get("mean_squared_error"))
        by_name |= {gain: limited, share: of_share}
    return [by_name[str(row["metric"])] for row in rows]


class _Gain(NamedTuple):
    """A gain with its limits, whether it is far above 0, and whether large errors raise it."""

    row: MetricRow
    is_far: bool = False
    is_raised: bool = False


def _of_gain(
    number: MetricSubject,
    row: MetricRow,
    pairs: pl.DataFrame,
    groups: Groups | None,
    point: pl.Series | None,
) -> _Gain:
    """The gain with its limits, those of a series in order of time; without any of heavy tails."""
    influence = _influence(row["metric"])
    if influence is None or row["value"] is None or row["low"] is None:
        return _Gain(row)
    weight = pairs["weight"].to_numpy()
    added = pairs.select(of=influence).to_series().to_numpy() * (weight / weight.sum())
    if point is not None:
        code, points = consecutive(point)
        return _Gain(_in_time(number, row, added, code) if points >= FEWEST else row)
    units = added if groups is None else groups.sums(added)
    value = float(row["value"])
    of_squares, is_far = row["metric"] == GAINS["r2"], _is_far_above(value, units)
    if not is_far and of_squares:
        is_far = _is_beyond_errors(value, pairs, groups)
    if _kurtosis(units, np.minimum(units, 0.0)) > HEAVIEST and not is_far:
        return _Gain(_without_limits(row))
    return _Gain(row, is_far, of_squares and _is_raised(units, pairs))


@cache
def _influence(metric: str) -> pl.Expr | None:
    """What each row contributes, made once."""
    influence = REGISTRY["regression"][metric].influence
    return None if influence is None else influence()


def _is_raised(units: Floats, pairs: pl.DataFrame) -> bool:
    """Whether large errors raise a gain rather than lower it: those of truths (``RAISED``)."""
    if len(units) < RAISED_FROM or not skewness_of_mean(units) > RAISED / len(units):
        return False
    truth, estimate, weight = (pairs[n].to_numpy() for n in ("truth", "estimate", "weight"))
    share = weight / weight.sum()
    away, of_truth = estimate - share @ estimate, truth - share @ truth
    spread = float(share @ np.square(away))
    return spread > 0 and float(share @ (away * of_truth)) > CALIBRATED * spread


def _is_far_above(value: float, units: Floats) -> bool:
    """Whether a gain is so many standard errors above 0 that missing errors would not undo it.

    ``units`` are what rows or groups add to it, less their share of it.
    """
    error = sqrt(variance_of_sum(units))
    if not value >= FAR_ABOVE * error > 0:
        return False
    return float(stdtr(degrees_of_freedom(units), -value / error)) < FAR_BELOW


def _is_beyond_errors(value: float, pairs: pl.DataFrame, groups: Groups | None) -> bool:
    """Whether a gain is so many standard errors of the mean squared error above 0."""
    truth, estimate, weight = (pairs[n].to_numpy() for n in ("truth", "estimate", "weight"))
    squares = np.square(truth.astype(np.float64) - estimate)
    share = weight / weight.sum()
    units = share * (squares - share @ squares)
    worth = share
    if groups is not None:
        units, worth = groups.sums(units), groups.sums(share)
    if 1 / float(np.square(worth).sum()) < UNITS:
        return False
    return value > ERRORS_BEYOND * sqrt(variance_of_sum(units))


def _tails_of(pairs: pl.DataFrame) -> ErrorTails:
    error = (pairs["truth"] - pairs["estimate"]).to_numpy().astype(np.float64)
    return ErrorTails(len(error), _kurtosis(error - error.mean()))


def _may_lack_errors(tails: ErrorTails, groups: Groups | None) -> bool:
    """Whether errors have heavier tails than normal ones, so that the largest may be unseen.

    By more than two standard errors of the kurtosis of as many normal errors as there are groups,
    or rows. Fewer than ``FEW_ROWS`` do not tell; of ``ENOUGH`` the kurtosis of the gain does.
    """
    if tails.kurtosis is None or not FEW_ROWS <= tails.rows < ENOUGH:
        return False
    grouped = groups is not None and not groups.single
    number = groups.number if groups is not None and grouped else tails.rows
    return tails.kurtosis > 3 + 2 * sqrt(24 / number)


def is_in_every_part(pairs: pl.DataFrame, groups: Groups | None, point: pl.Series | None) -> bool:
    """Whether a gain is above 0 in every group, or in every quarter of a series."""
    if point is None:
        return is_in_every_group(pairs, groups)
    code, points = consecutive(point)
    if points < FEWEST_POINTS:
        return False
    quarters = Groups(code.astype(np.int64) * QUARTERS // points, QUARTERS)
    return is_in_every_group(pairs, quarters, QUARTERS)


def is_in_every_group(
    pairs: pl.DataFrame, groups: Groups | None, fewest: int = GROUPS_BELOW
) -> bool:
    """Whether each group has smaller squared errors than from the mean, all less than ``PART``.

    The gain in groups far from the mean is far larger than in others, so that Student's limits of
    its mean hold 0 where no group is in doubt (``tests.simulations.better_than_constant``).
    """
    if groups is None or groups.single or groups.number < fewest:
        return False
    truth, estimate, weight = (pairs[n].to_numpy() for n in ("truth", "estimate", "weight"))
    mean = float(weight @ truth) / float(weight.sum())
    of_mean = groups.sums(weight * (truth - mean) ** 2)
    of_model = groups.sums(weight * (truth - estimate) ** 2)
    return bool((of_model < of_mean).all() and of_model.sum() < PART * of_mean.sum())


def _in_time(number: MetricSubject, row: MetricRow, added: Floats, code: Integers) -> MetricRow:
    long_run = in_time(added, code)
    if long_run is None or row["value"] is None:
        return row
    error = sqrt(long_run.variance / long_run.points) * long_run.correction
    half_width = t_quantile(number.confidence, long_run.df) * error
    value = float(row["value"])
    low, high = value - half_width, value + half_width
    if long_run.drift and low <= 0 <= high:
        return _without_limits(row)
    return {**row, "low": low, "high": high, "interval": LONG_RUN}


def _without_limits(row: MetricRow) -> MetricRow:
    return {**row, "low": None, "high": None, "interval": None}


def _kurtosis(added: Floats, part: Floats | None = None) -> float:
    """That of what units add to a mean, about which they are centred; 0 where they are alike.

    Of those below the mean, or another ``part``, what they alone give it.

    >>> _kurtosis(np.array([-1.0, 1.0])), _kurtosis(np.zeros(3))
    (1.0, 0.0)
    """
    largest = float(np.abs(added).max(initial=0.0))
    if not largest > 0:
        return 0.0
    squares = np.square(added / largest)
    of_part = squares if part is None else np.square(part / largest)
    return float((of_part**2).mean() / squares.mean() ** 2)


def _as_errors_say(row: MetricRow, gain: MetricRow, errors: MetricRow | None) -> MetricRow:
    """R² with a lower limit no further below it than the upper one of the mean squared error says.

    The variance of the truth is what the gain and that error add up to.
    """
    if errors is None or row["low"] is None or errors["high"] is None or not row["value"]:
        return row
    variance = float(gain["value"] or 0.0) / row["value"]
    return {**row, "low": max(row["low"], 1 - errors["high"] / variance)}


def _on_one_side(row: MetricRow, gain: Mapping[str, object]) -> MetricRow:
    """The share with the limit at 0 that would lie on another side of it than that of the gain."""
    low, high, of_gain = row["low"], row["high"], gain["low"]
    if low is None or high is None or not isinstance(of_gain, float):
        return row
    return {**row, "low": max(low, 0.0) if of_gain > 0 else min(low, 0.0)}
