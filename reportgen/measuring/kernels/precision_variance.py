"""The variance of an average precision by its influence function, in two passes over the scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from reportgen.array_types import Floats
from reportgen.measuring.kernels.totals import LEAST, dot, summed
from reportgen.sweeping import Ranking


class GainedSteps(NamedTuple):
    """A stretch of a ranking, highest score first: what is gained at each step.

    ``tp`` and ``fp`` are the counts at or above it. The others are, at the step, the positives and
    the sums of the squares and the fourth powers of the weights of the positives and of the
    negatives since the step before.
    """

    tp: Floats
    fp: Floats
    gained: Floats
    positives2: Floats
    positives4: Floats
    negatives2: Floats
    negatives4: Floats


def influence_powers(ranked: Ranking, area: float) -> tuple[float, float]:
    """Σu² and Σu⁴ of what the rows add to the average precision ``area``.

    See ``intervals.average_precision.InfluenceLogit``.
    """
    rising, falling = summed(tuple(map(np.sum, _shares(step))) for step in _steps(ranked))
    powers = []
    for step in _steps(ranked):
        shares = _shares(step)
        before = [share.cumsum() - share for share in shares]
        of_positives = np.square(_precision(step) - area + (rising - before[0]))
        of_negatives = np.square(falling - before[1])
        powers.append(
            (
                dot(step.positives2, of_positives) + dot(step.negatives2, of_negatives),
                dot(step.positives4, np.square(of_positives))
                + dot(step.negatives4, np.square(of_negatives)),
            )
        )
        rising, falling = (
            left - float(share.sum()) for left, share in zip((rising, falling), shares, strict=True)
        )
    second, fourth = summed(powers)
    return second / ranked.positives**2, fourth / ranked.positives**4


def _precision(step: GainedSteps) -> Floats:
    return step.tp / np.maximum(step.tp + step.fp, LEAST)


def _shares(step: GainedSteps) -> tuple[Floats, Floats]:
    """What the positives gained add to the influence of the rows above: positives and negatives."""
    predicted = np.maximum(step.tp + step.fp, LEAST)
    of_one = step.gained / predicted
    return of_one * (step.fp / predicted), of_one * (step.tp / predicted)


def _steps(ranked: Ranking) -> Iterator[GainedSteps]:
    if ranked.weighted:
        yield from _weighted_steps(ranked)
        return
    for rise in ranked.rises():
        gained, negatives = rise.gained, rise.between + rise.tied
        yield GainedSteps(rise.tp, rise.fp, gained, gained, gained, negatives, negatives)


def _weighted_steps(ranked: Ranking) -> Iterator[GainedSteps]:
    for piece in ranked.chunks():
        tp, fp = ranked.through(piece.rows)
        fourth = [
            square * (square / np.maximum(count, LEAST)) ** 2
            for count, square in (
                (piece.positives, piece.positives2),
                (piece.negatives, piece.negatives2),
            )
        ]
        yield GainedSteps(
            tp, fp, piece.positives, piece.positives2, fourth[0], piece.negatives2, fourth[1]
        )
