"""What a forecast loses on a single row, of the measures that are means over the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.array_types import Floats

Loss = Callable[[Floats, Floats | float], Floats]
"""From forecasts and what came, 1 for a positive and 0 for a negative; 1.0 or 0.0 for all."""


def _squared(score: Floats, positive: Floats | float) -> Floats:
    losses = score - positive
    return np.square(losses, out=losses)


def _logarithmic(score: Floats, positive: Floats | float) -> Floats:
    with np.errstate(divide="ignore"):  # of the class that a row is not of, and of certain errors
        if isinstance(positive, float):
            return -(np.log(score) if positive else np.log1p(-score))
        return -np.where(positive != 0, np.log(score), np.log1p(-score))


LOSSES: dict[str, Loss] = {
    "brier_score": _squared,
    "log_loss": _logarithmic,
}
"""By measure."""


def foreseen(loss: Loss, score: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of what each row loses if its forecast is the chance of a positive.

    Spiegelhalter (1986), doi:10.1002/sim.4780050506.

    >>> foreseen(LOSSES["brier_score"], np.array([0.5, 0.9, 1.0]))[0].round(2).tolist()
    [0.25, 0.09, 0.0]
    """
    if_positive, if_negative = loss(score, 1.0), loss(score, 0.0)
    certain = (score <= 0) | (score >= 1)
    with np.errstate(invalid="ignore"):
        mean = score * if_positive + (1 - score) * if_negative
        variance = score * (1 - score) * np.square(if_positive - if_negative)
    return np.where(certain, 0.0, mean), np.where(certain, 0.0, variance)
