"""Means over data sets and their limits: ``python -m tests.simulations.means_over_data_sets 4000``.

Of values by data set: AUCs of 40 and 200 rows whose separation varies, shares, and losses whose
size varies from set to set. In what share of the samples the 95 % limits leave the true mean out
below and above, plain t and ``bounded_t``, and how often a true claim that the mean is so large is
refuted by the t-test over data sets, and by one that is recommended (0.05 at its level).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from scipy import stats

from reportgen.array_types import Floats
from reportgen.comparing.skewed_values import against_skewed
from reportgen.comparisons import Question, one_sample_t
from reportgen.intervals.bounded_means import bounded_t
from reportgen.metrics import find
from tests.simulations.situations import ALPHA, Generator

Draw = Callable[[Generator, int], Floats]

NUMBERS = (3, 5, 8, 12, 20)
POPULATION = 40_000

SEPARATIONS = ((0.4, 0.5), (1.2, 0.3), (1.2, 0.7), (1.8, 0.5), (2.6, 1.0), (3.3, 0.7))
"""By how many standard deviations classes are apart on average, and how much that varies."""


def areas(rows: int, separation: float, spread: float) -> Draw:
    """AUCs of rows of which two in five are positive."""
    positives = 2 * rows // 5

    def draw(random: Generator, sets: int) -> Floats:
        apart = random.normal(separation, spread, sets)
        scores = random.standard_normal((sets, rows))
        scores[:, :positives] += apart[:, None]
        ranks = scores.argsort(axis=1).argsort(axis=1)[:, :positives] + 1
        above = ranks.sum(axis=1) - positives * (positives + 1) / 2
        values: Floats = above / (positives * (rows - positives))
        return values

    return draw


def losses(spread: float) -> Draw:
    """Losses that are lognormal over data sets."""
    return lambda random, sets: np.exp(random.normal(0, spread, sets))


def shares(a: float, b: float) -> Draw:
    """Shares from a beta distribution."""
    return lambda random, sets: random.beta(a, b, sets)


DESIGNS: dict[str, tuple[str, Draw]] = {
    **{
        f"AUC of {rows} rows, separation {separation:g} ± {spread:g}": (
            "auc",
            areas(rows, separation, spread),
        )
        for rows in (40, 200)
        for separation, spread in (
            (0.4, 0.5),
            (1.2, 0.3),
            (1.2, 0.7),
            (1.8, 0.5),
            (2.6, 1),
            (3.3, 0.7),
        )
    },
    **{f"accuracy, beta({a:g}, {b:g})": ("accuracy", shares(a, b)) for a, b in ((8, 2), (5, 5))},
    "Brier score, beta(2, 18)": ("brier_score", shares(2, 18)),
    **{f"MSE, lognormal σ {s:g}": ("mean_squared_error", losses(s)) for s in (0.3, 0.6, 1, 1.5)},
}


def rates(design: str, sets: int, runs: int) -> Iterator[float]:
    """Shares below and above by t, below and above by ``bounded_t``; refuted, and recommended."""
    metric, draw = DESIGNS[design]
    true = float(draw(np.random.default_rng(9), POPULATION).mean())
    definition, question = find(metric), Question(("a",), metric, unit="data sets")
    assert definition is not None
    samples = draw(np.random.default_rng([sets, 1]), sets * runs).reshape(runs, sets)
    seen = []
    for values in samples:
        mean, half_width = values.mean(), stats.t.isf(0.025, sets - 1) * stats.sem(values)
        low, high = bounded_t(float(mean), float(half_width), definition.bounds)
        test = one_sample_t(pl.Series(values), true, question)
        rejected = test.p_value is not None and test.p_value < ALPHA
        both = rejected and not list(against_skewed(test))
        plain = (mean - half_width > true, mean + half_width < true)
        seen.append((*plain, low > true, high < true, rejected, both))
    yield from np.mean(seen, axis=0)


def main(runs: str = "4000") -> None:
    """Print a line per design and number of data sets."""
    for design in DESIGNS:
        for sets in NUMBERS:
            written = ", ".join(f"{rate:.3f}" for rate in rates(design, sets, int(runs)))
            print(f"{design}, {sets} data sets: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
