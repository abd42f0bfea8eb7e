"""Robust variances of mean losses of forecasts, in one pass over the scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from reportgen.array_types import BLOCK, Floats, chunks
from reportgen.clusters import Effect, degrees_of_freedom_of_powers
from reportgen.intervals import LossVariance
from reportgen.measuring.kernels.totals import dot, summed
from reportgen.metrics.row_losses import LOSSES, foreseen
from reportgen.sweeping import Chunk, DistinctScores, Ranking

_ONE = np.ones(BLOCK)
"""Weights of rows that have none."""


class RowsOfClass(NamedTuple):
    """Scores of rows of one class, 1 for positives and 0 for negatives, and powers of weights."""

    score: Floats
    positive: float
    squared: Floats
    fourth: Floats


def loss_variances(
    ranked: Ranking, means: Mapping[str, float | None], repeats: float = 1
) -> dict[str, LossVariance]:
    """Variances of each mean loss that has a value, with the degrees of freedom of t.

    n/(n − 1)·Σ w²(l − m)² / (Σ w)², and of the degrees of freedom as many as the
    fourth powers say (Pan & Wall): few where the loss hangs on a few rows. Rows count
    1/``repeats`` each. n is Kish's effective size; rows with one score and class
    are taken to have one weight.
    Liang & Zeger (1986), doi:10.1093/biomet/73.1.13; Pan & Wall (2002), doi:10.1002/sim.1142.
    """
    defined = {name: mean for name in LOSSES if (mean := means.get(name)) is not None}
    weight = ranked.positives + ranked.negatives
    if not weight > 0:
        return {}
    squares = _squared_weights(ranked)
    rows = weight**2 / squares / repeats
    if rows < 2:
        return {}
    powers = summed(_powers(rows, defined) for rows in _losing(ranked))
    variances = {}
    scale = rows / (rows - 1) * repeats / weight**2
    for name, second, fourth in zip(defined, powers[::2], powers[1::2], strict=True):
        df = degrees_of_freedom_of_powers(repeats * second, repeats**3 * fourth, round(rows))
        of_forecasts = partial(foreseen_variance, ranked, name, scale)
        variances[name] = LossVariance.of(scale * second, of_forecasts, Effect(1.0, df))
    return variances


def foreseen_variance(ranked: Ranking, name: str, scale: float) -> float:
    """Variance of a mean loss as the forecasts foresee it: ``scale`` times the sum of squares."""
    whole, first, second = 0.0, 0.0, 0.0
    for piece in ranked.chunks():
        mean, variance = foreseen(LOSSES[name], piece.score)
        squares = piece.positives2 + piece.negatives2
        whole += float(squares.sum())
        first += dot(squares, mean)
        second += dot(squares, variance + np.square(mean))
    return scale * max(second - first**2 / whole, 0.0)


def _squared_weights(ranked: Ranking) -> float:
    if not ranked.weighted:
        return ranked.positives + ranked.negatives
    return summed((float(p.positives2.sum() + p.negatives2.sum()),) for p in ranked.chunks())[0]


def _losing(ranked: Ranking) -> Iterator[list[RowsOfClass]]:
    """Block by block the positives and the negatives."""
    if isinstance(ranked, DistinctScores):
        for rows in chunks(len(ranked)):
            of_classes = zip(ranked.by_class(rows), (1.0, 0.0), strict=True)
            yield [
                RowsOfClass(score, positive, _ONE[: len(score)], _ONE[: len(score)])
                for score, positive in of_classes
            ]
    else:
        yield from map(_of_classes, ranked.chunks())


def _of_classes(piece: Chunk) -> list[RowsOfClass]:
    classes = []
    for count, square, positive in (
        (piece.positives, piece.positives2, 1.0),
        (piece.negatives, piece.negatives2, 0.0),
    ):
        at = np.flatnonzero(count > 0)
        squared = square[at]
        fourth = squared
        if square is not count:
            ratio = squared / count[at]  # of a row's weight
            fourth = squared * ratio * ratio
        classes.append(RowsOfClass(piece.score[at], positive, squared, fourth))
    return classes


def _powers(classes: Sequence[RowsOfClass], means: Mapping[str, float]) -> list[float]:
    """Sums of the squares and of the fourth powers of what the rows add to each mean, in turn."""
    sums = [0.0] * (2 * len(means))
    for rows in classes:
        for k, (name, mean) in enumerate(means.items()):
            away = LOSSES[name](rows.score, rows.positive)
            away -= mean
            np.square(away, out=away)
            sums[2 * k] += dot(rows.squared, away)
            sums[2 * k + 1] += dot(rows.fourth, np.square(away, out=away))
    return sums
