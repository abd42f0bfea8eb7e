"""Robust variances of mean losses of forecasts, in one pass over the scores."""

from __future__ import annotations

import numpy as np

from reportgen.clusters import Effect, degrees_of_freedom_of_powers
from reportgen.metrics.row_losses import LOSSES
from reportgen.results.sums.totals import Values, dot, summed
from reportgen.sweeping import Piece, Ranked


def loss_variances(
    ranked: Ranked, means: Values, repeats: float = 1
) -> dict[str, tuple[float, Effect]]:
    """Variance of each mean loss that has a value, with the degrees of freedom of t.

    n/(n − 1)·Σ w²(l − m)² / (Σ w)², and of the degrees of freedom as many as the
    fourth powers say (Pan & Wall): few where the loss hangs on a few rows. Rows count
    1/``repeats`` each. n is Kish's effective size; rows with one score and class
    are taken to have one weight.
    Liang & Zeger (1986), doi:10.1093/biomet/73.1.13; Pan & Wall (2002), doi:10.1002/sim.1142.
    """
    known = {name: mean for name in LOSSES if (mean := means.get(name)) is not None}
    weight = ranked.positives + ranked.negatives
    if not weight > 0:
        return {}
    (squares,) = summed((float(p.hits2.sum() + p.alarms2.sum()),) for p in ranked.pieces())
    rows = weight**2 / squares / repeats
    if rows < 2:
        return {}
    found = {}
    for name, mean in known.items():
        second, fourth = summed(_powers(piece, name, mean) for piece in ranked.pieces())
        variance = rows / (rows - 1) * repeats * second / weight**2
        df = degrees_of_freedom_of_powers(repeats * second, repeats**3 * fourth, round(rows))
        found[name] = variance, Effect(1.0, df)
    return found


def _powers(piece: Piece, name: str, mean: float) -> tuple[float, float]:
    """Sums of the squares and of the fourth powers of what the rows add to the mean."""
    second = fourth = 0.0
    sides = ((piece.hits, piece.hits2, 1.0), (piece.alarms, piece.alarms2, 0.0))
    for count, square, positive in sides:
        at = np.flatnonzero(count)
        with np.errstate(divide="ignore"):  # a sure forecast of the other class, which has no row
            loss = LOSSES[name](piece.score[at], np.full(len(at), positive))
        away = np.square(loss - mean)
        weight, squared = count[at], square[at]
        second += dot(squared, away)
        fourth += dot(squared**3 / weight**2, away * away)
    return second, fourth
