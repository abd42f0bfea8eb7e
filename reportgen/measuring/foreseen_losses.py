"""What forecasts of several classes say that their rows lose."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from reportgen.array_types import Floats


def foreseen_losses(loss: str, scores: Iterable[pl.Series]) -> tuple[Floats, Floats]:
    """Mean and variance of what each row loses if its scores are the chances of the classes.

    Args:
        loss: ``log_loss``, whose rows lose −ln p of their class, or ``brier_score``, whose rows
            lose 1 − 2p + Σ p².
        scores: the probabilities of each class, one or more columns of as many rows.

    Returns:
        The mean and the variance of each row. Classes of probability 0 add nothing.

    Spiegelhalter (1986), doi:10.1002/sim.4780050506.

    >>> chances = [pl.Series([0.5, 1.0]), pl.Series([0.5, 0.0])]
    >>> foreseen_losses("brier_score", chances)[0].tolist()
    [0.5, 0.0]
    """
    mean = squares = np.zeros(1)
    for column in scores:
        chance = column.cast(pl.Float64).to_numpy()
        lost = -np.log(chance, where=chance > 0, out=np.zeros_like(chance))
        if loss == "brier_score":
            lost = -chance
        mean, squares = mean + chance * lost, squares + chance * lost * lost
    variance = np.maximum(squares - np.square(mean), 0.0)
    return (1 + mean, 4 * variance) if loss == "brier_score" else (mean, variance)
