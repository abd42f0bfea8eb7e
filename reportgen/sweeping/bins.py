"""Neighbouring forecasts together: the bins of calibration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import BLOCK, Floats, Indices
from reportgen.sweeping.ranking import Ranking, Swept
from reportgen.sweeping.sorting import as_ranking
from reportgen.tables import Bins


def bins(sweep: Swept, number: int = 10) -> DataFrame[Bins]:
    """Group the forecasts of a sweep into ``number`` bins of equal width.

    A bin holds [k/number, (k+1)/number), the last one its upper end too; edges
    are compared, not multiplied out, so 0.29 is in bin 29 of 100. Empty bins are left out; no
    bins at all when a score lies outside the unit interval.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them, or a ranking. The
            scores are probabilities.
        number: how many bins the unit interval has.

    Returns:
        One row per bin that has any row: its edges ``low`` and ``high``, its ``count`` in rows or
        in weight (``count2`` is the sum of squared weights), ``positives``, ``mean_score`` and the
        share ``observed``.

    Bröcker & Smith (2007), doi:10.1175/WAF993.1.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame({"truth": [True, False, True], "score": [0.9, 0.4, 0.3]})
    >>> bins(sweep(frame), 2).select("low", "high", "count", "positives").rows()
    [(0.0, 0.5, 2.0, 1.0), (0.5, 1.0, 1.0, 1.0)]
    """
    ranked, edges = as_ranking(sweep), np.arange(number + 1) / number
    starts = ranked.count_at_or_above(edges[:0:-1])
    starts[:1] = 0  # the last bin has its upper end too
    return grouped(ranked, starts, edges[-2::-1], edges[:0:-1])


def grouped(
    ranked: Ranking, starts: Indices, low: Floats | None = None, high: Floats | None = None
) -> DataFrame[Bins]:
    """The bins that begin at each of ``starts``, lowest first; their own ends where none are given.

    ``starts`` are positions in the ranking, highest score first. Bins without
    rows, or without weight, are left out; none are made of scores that are no forecasts.
    """
    stops = np.append(starts[1:], len(ranked))
    names = ("tp", "fp", *(("tp2", "fp2") if ranked.weighted else ()))
    added = [np.diff(run, axis=0)[0] for run in ranked.counts([starts, stops], *names)]
    positives, count, squares = added[0], added[0] + added[1], added[-2] + added[-1]
    forecast, filled = np.zeros(len(starts)), stops > starts
    if ranked.probabilities:  # sums of other scores may leave the range of floats
        forecast[filled] = forecast_sums(ranked, starts[filled])
    indices = np.flatnonzero(count > 0)[::-1] if ranked.probabilities else np.empty(0, np.intp)
    low = ranked.score[stops[indices] - 1] if low is None else low[indices]
    high = ranked.score[starts[indices]] if high is None else high[indices]
    count, positives, squares = count[indices], positives[indices], squares[indices]
    return Bins.validate(
        pl.DataFrame(
            {
                "low": low,
                "high": high,
                "count": count,
                "count2": squares,
                "positives": positives,
                "mean_score": np.clip(forecast[indices] / count, 0, 1),
                "observed": np.clip(positives / count, 0, 1),
            }
        )
    )


def forecast_sums(ranked: Ranking, starts: Indices) -> Floats:
    """Sum of the forecasts of the rows from each of ``starts`` to the next, the last to the end.

    ``starts`` are places in the ranking, ascending from 0 and all different.
    """
    sums = np.zeros(len(starts))
    for rows, at, inside in stretches(len(ranked), starts):
        if len(inside) == 1:
            sums[at] += ranked.forecasts[rows.start // BLOCK]
        else:
            sums[at] += np.add.reduceat(ranked.score[rows] * ranked.rows(rows), inside)
    return sums


def stretches(
    number: int, starts: Indices, size: int = BLOCK
) -> Iterator[tuple[slice, slice, Indices]]:
    """Block by block of ``number``, which of the stretches that begin at ``starts`` lie in it.

    And where in the block, which has ``size`` places. ``starts`` ascend from 0, all different.
    """
    begins = np.arange(0, number if len(starts) else 0, size)
    firsts = np.searchsorted(starts, begins, "right") - 1
    stops = np.searchsorted(starts, begins + size)
    for begin, first, stop in zip(begins.tolist(), firsts.tolist(), stops.tolist(), strict=True):
        inside = np.maximum(starts[first:stop] - begin, 0)
        yield slice(begin, min(begin + size, number)), slice(first, stop), inside
