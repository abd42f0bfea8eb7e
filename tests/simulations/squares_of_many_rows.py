"""Paired t-tests of squared errors with heavy tails: ``… tests.simulations.squares_of_many_rows``.

Both models have the same mean squared error; those of ``a`` are normal, those of ``b`` not. How
often the test rejects, alone and where the kurtosis of the differences lets it be recommended.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy import stats

from reportgen.comparing.heavy_errors import HEAVY, most_kurtosis
from tests.simulations.report_data_alike import Floats, Generator

LEVEL = 0.05


def of_t(random: Generator, rows: int, df: float) -> Floats:
    """Errors of Student's t, of variance 1."""
    return random.standard_t(df, rows) / np.sqrt(df / (df - 2))


def rare(random: Generator, rows: int, share: float, times: float) -> Floats:
    """Normal errors, a share of them so many times as large; of variance 1."""
    size = np.where(random.random(rows) < share, times, 1.0)
    return size * random.normal(size=rows) / np.sqrt(1 - share + share * times**2)


def lognormal(random: Generator, rows: int, sigma: float) -> Floats:
    """Errors of lognormal size, of variance 1."""
    return np.exp(sigma * random.normal(size=rows) - sigma**2) * random.choice([-1, 1], rows)


DESIGNS: dict[str, Callable[[Generator, int], Floats]] = {
    "t, 2.5 df": lambda random, rows: of_t(random, rows, 2.5),
    "t, 3 df": lambda random, rows: of_t(random, rows, 3),
    "t, 4 df": lambda random, rows: of_t(random, rows, 4),
    "t, 6 df": lambda random, rows: of_t(random, rows, 6),
    "1 in 100, 10 times": lambda random, rows: rare(random, rows, 0.01, 10),
    "1 in 1,000, 10 times": lambda random, rows: rare(random, rows, 0.001, 10),
    "1 in 1,000, 30 times": lambda random, rows: rare(random, rows, 0.001, 30),
    "lognormal, σ 0.8": lambda random, rows: lognormal(random, rows, 0.8),
    "lognormal, σ 1.2": lambda random, rows: lognormal(random, rows, 1.2),
}


def rejections(design: str, rows: int, runs: int, seed: int = 1) -> tuple[float, float, float]:
    """Of all tests, of recommended ones, and with a kurtosis of ``HEAVY`` as the limit."""
    random, counts = np.random.default_rng([rows, seed]), np.zeros(3)
    for _ in range(runs):
        lost = random.normal(size=rows) ** 2 - DESIGNS[design](random, rows) ** 2
        if stats.ttest_1samp(lost, 0).pvalue >= LEVEL:
            continue
        kurtosis = stats.kurtosis(lost, fisher=False)
        counts += 1, kurtosis <= most_kurtosis(rows), kurtosis <= HEAVY
    of_all, recommended, strict = counts / runs
    return of_all, recommended, strict


def main(runs: str = "1000") -> None:
    """Print a line per design."""
    for rows in (1_000, 3_000, 10_000, 60_000):
        for design in DESIGNS:
            shares = rejections(design, rows, int(runs))
            written = ", ".join(f"{share:.3f}" for share in shares)
            print(f"{rows:,} rows, {design}: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
