"""A year of nightly builds: how often nothing raises an alarm, and how soon a drop is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.history.monitoring import alpha_of, monitor
from reportgen.history.scale import ScaledEstimate, estimate

NIGHTS = 365


@dataclass(frozen=True)
class Year:
    """Accuracy on new rows each night; ``tau`` is the standard deviation of its true value.

    From ``since`` on it is lower by ``drop``; ``drift`` is what it loses in a whole year.
    """

    rows: int = 1000
    accuracy: float = 0.9
    tau: float = 0.0
    drop: float = 0.0
    since: int = 200
    drift: float = 0.0

    def nights(self, random: np.random.Generator, gates: int = 1) -> np.ndarray:
        """The observed accuracies, a row for each night and a column for each gate."""
        night = np.arange(NIGHTS)
        truth = self.accuracy + self.tau * random.normal(size=(gates, NIGHTS))
        truth -= self.drop * (night >= self.since) + self.drift * night / NIGHTS
        return (random.binomial(self.rows, np.clip(truth, 0, 1)) / self.rows).T


def wilson(share: float, rows: int) -> ScaledEstimate:
    """What a build says of a share: Wilson's interval, on the logit scale."""
    z = 1.959963984540054
    middle = (share + z**2 / (2 * rows)) / (1 + z**2 / rows)
    half = z / (1 + z**2 / rows) * (share * (1 - share) / rows + z**2 / (4 * rows**2)) ** 0.5
    logit = estimate(share, middle - half, middle + half, 0.95, logit=True)
    assert logit is not None
    return logit


def alarms(
    values: np.ndarray, rows: int, *, gates: int = 1, window: int = 120, least: int = 14
) -> np.ndarray:
    """Whether each night raises an alarm; builds that do are no part of what later ones follow."""
    alpha = alpha_of(1, NIGHTS, gates)
    accepted: list[ScaledEstimate] = []
    total, result = 0.0, np.zeros(len(values), bool)
    for night, value in enumerate(values):
        new = wilson(float(value), rows)
        if len(accepted) >= least:
            seen = monitor(accepted, new, alpha=alpha, window=window, previous_sum=total)
            total, result[night] = seen.cusum, bool(seen.alarms)
        if not result[night]:
            accepted.append(new)
    return result


def episodes(alarm: np.ndarray) -> int:
    """Alarms that begin: five nights of one alarm are one."""
    return int((alarm & ~np.concatenate([[False], alarm[:-1]])).sum())
