"""What a model that estimates the mean would gain in absolute errors by estimating the median.

Of two models the one with the higher mean absolute error (MAE) may have it for that reason alone.
How much that explains its skewed errors show: among like rows the mean size of errors is smaller
about their median than about their mean. Like rows have like estimates, or estimates that differ
alike from those of the other model, so that spreads which both models know are seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.measuring.context import EvaluationContext
from reportgen.records.row_facts import MedianGain

LEAST_ROWS, MOST_ROWS, ROWS_OF_PAIRS = 1_000, 10_000, 500_000
"""Rows, at even distances, of which a pair is looked at; and those of all pairs together."""

SMALLEST, LARGEST, PARTS = 12, 50, 5
"""Rows that are alike: a fifth of all, but not fewer or more than this."""

FEWEST = 20
"""Of fewer rows nothing is said."""

FLIPS = 9
"""How often errors are given signs at random."""

PRACTICALLY = 0.05
"""Who gains less than this part of it by the median of like estimates has the median already."""


def median_gains(
    context: EvaluationContext, estimates: Mapping[str, str | None]
) -> list[MedianGain]:
    """Of each pair of models that estimate the mean what the one with the higher MAE would gain.

    Args:
        context: Its ``rows`` have ``truth`` and the columns of the estimates.
        estimates: The column of each model; null where one estimates another thing.

    Returns:
        A row per pair: ``models``, that with the lower MAE first, and the ``share`` of its MAE that
        the other would gain, 0 where it estimates the median already. Rows that lack an estimate
        are left out; nothing of fewer than 20 rows.
    """
    columns = {name: column for name, column in estimates.items() if column is not None}
    pairs = list(combinations(columns, 2))
    most = max(LEAST_ROWS, min(MOST_ROWS, ROWS_OF_PAIRS // max(len(pairs), 1)))
    rows = context.rows.select("truth", *columns.values())
    return [
        one
        for pair in pairs
        if (one := _of_pair(rows, pair, [columns[name] for name in pair], most)) is not None
    ]


def _of_pair(
    rows: pl.DataFrame, models: Sequence[str], columns: Sequence[str], most: int
) -> MedianGain | None:
    given = rows.select("truth", *columns).drop_nulls()
    given = given.gather_every(max(1, given.height // most))
    if given.height < FEWEST:
        return None
    truth, first, second = (column.cast(pl.Float64).to_numpy() for column in given)
    sizes = [float(np.abs(truth - estimate).mean()) for estimate in (first, second)]
    names, other, better = list(models), second, first
    if sizes[0] > sizes[1]:
        names, other, better = names[::-1], first, second
    share = gain_of_median(truth, other, better) / max(sizes) if max(sizes) > 0 else 0.0
    return MedianGain(models=names, share=share)


def gain_of_median(truth: Floats, estimate: Floats, other: Floats) -> float:
    """What estimates of the mean would gain in MAE by the median; 0 of those of the median.

    ``other`` are the estimates that they are compared with.

    >>> truth, one = np.array([1.0, 2, 3, 18] * 10), np.ones(40)
    >>> gain_of_median(truth, 6 * one, 2.5 * one) > 1, gain_of_median(truth, 2.5 * one, 6 * one)
    (True, 0.0)
    """
    error = truth - estimate
    size = min(LARGEST, max(SMALLEST, len(error) // PARTS))
    by_estimate, by_difference = (_alike(error, by, size) for by in (estimate, estimate - other))
    gain = max(map(_gain, (error[np.newaxis], by_estimate, by_difference)))
    return gain if _recentred(by_estimate) > PRACTICALLY * gain else 0.0


def _alike(error: Floats, by: Floats, size: int) -> Floats:
    """The errors in parts of so many rows by ``by``, part × row; the last rows may be left out."""
    parts = max(1, len(error) // size)
    size = len(error) // parts
    return error[np.argsort(by, kind="stable")][: parts * size].reshape(parts, size)


def _gain(error: Floats) -> float:
    """By how much more sizes of errors about the means of parts exceed those about their medians.

    More than where they are symmetric about the medians; 0 where one in ten of such errors of the
    same sizes has as much.
    """
    centred = error - np.median(error, axis=-1, keepdims=True)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (FLIPS, *error.shape))
    of_symmetric = _skewness(signs * centred)
    gain = float(_skewness(centred))
    return gain - float(of_symmetric.mean()) if gain > of_symmetric.max() else 0.0


def _recentred(error: Floats) -> float:
    """By how much errors of like estimates are smaller about their medians than about 0.

    Less what errors that are symmetric about 0 give.
    """
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (FLIPS, *error.shape))
    both = np.concatenate([error[np.newaxis], signs * error])
    about = np.abs(both - np.median(both, axis=-1, keepdims=True)).mean(axis=(-2, -1))
    return float(about[1:].mean() - about[0])


def _skewness(error: Floats) -> Floats:
    """By how much the sizes of errors about their means exceed those about their medians."""
    mean, median = error.mean(axis=-1, keepdims=True), np.median(error, axis=-1, keepdims=True)
    exceeding: Floats = (np.abs(error - mean) - np.abs(error - median)).mean(axis=(-2, -1))
    return exceeding
