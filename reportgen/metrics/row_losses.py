"""What a forecast loses on a single row, of the measures that are means over the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.array_types import Floats

Loss = Callable[[Floats, Floats], Floats]
"""From forecasts and what came, 1 for a positive and 0 for a negative."""


def _squared(score: Floats, positive: Floats) -> Floats:
    losses = score - positive
    return np.square(losses, out=losses)


def _logarithmic(score: Floats, positive: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # of the class that a row is not of, and of certain errors
        return -np.where(positive != 0, np.log(score), np.log1p(-score))


LOSSES: dict[str, Loss] = {
    "brier_score": _squared,
    "log_loss": _logarithmic,
}
"""By measure."""
