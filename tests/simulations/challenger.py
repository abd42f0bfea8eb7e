"""A challenger beside a champion for a year, on fresh rows each night, with a look every night."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.builds.accumulated_gates import FEWEST, Fresh, accumulate


@dataclass(frozen=True)
class Challenge:
    """Accuracy of two models on ``rows`` fresh rows a night, of which they decide ``apart`` apart.

    ``better`` is by how much the challenger's true accuracy is higher; ``tau`` the standard
    deviation of that from night to night.
    """

    rows: int = 300
    apart: float = 0.1
    better: float = 0.0
    tau: float = 0.0
    nights: int = 365

    def year(self, random: np.random.Generator) -> list[Fresh]:
        """What each night's build says: mean and standard error of 1, 0 and −1."""
        result = []
        for _ in range(self.nights):
            true = self.better + self.tau * random.normal()
            share = np.clip((self.apart + true) / 2, 0, self.apart)
            wins, losses, _ = random.multinomial(
                self.rows, [share, self.apart - share, 1 - self.apart]
            )
            mean = (wins - losses) / self.rows
            variance = ((wins + losses) / self.rows - mean**2) / (self.rows - 1)
            result.append(Fresh(mean, max(variance, 1 / self.rows**3) ** 0.5, self.rows))
        return result


def excluded(builds: list[Fresh], value: float, alpha: float = 0.05) -> int | None:
    """The first night whose limits exclude a value; null where none does."""
    for night in range(FEWEST, len(builds) + 1):
        limits = accumulate(builds[:night], alpha)
        if not limits.low <= value <= limits.high:
            return night
    return None


def fixed_limits_exclude(builds: list[Fresh], value: float) -> bool:
    """Whether limits of all rows so far, computed as if there were one look, ever exclude it."""
    rows, values = np.array([b.rows for b in builds]), np.array([b.value for b in builds])
    variance = np.array([b.error for b in builds]) ** 2
    total = np.cumsum(rows)
    mean = np.cumsum(rows * values) / total
    error = np.sqrt(np.cumsum(rows**2 * variance)) / total
    return bool((np.abs(mean - value) > 1.96 * error).any())
