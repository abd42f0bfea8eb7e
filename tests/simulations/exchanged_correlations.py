"""Permutation tests of correlations, of models on other scales.

``… tests.simulations.exchanged_correlations 500``: the share of data sets in which exchanging
the estimates of two models rejects, as they are and on one scale; where both correlate with the
truth alike (level), and where the second does less (power).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import polars as pl

from reportgen.comparing.permutation_tests import on_one_scale
from reportgen.comparisons import Draws, RowwisePair, paired_permutation
from reportgen.metrics import REGISTRY
from tests.coverage.designs import Floats
from tests.simulations.situations import Generator, asked

NAMES = ("pearson_r", "spearman_rho", "kendall_tau")
SHAPES = ("alike", "10 times the scale", "another offset", "10 times, heavy tails", "squares")


def models(random: Generator, rows: int, shape: str, noise: float) -> tuple[Floats, Floats, Floats]:
    """A truth and two estimates, the second with so many times the noise."""
    y, shared, *own = random.normal(size=(4, rows))
    errors = [np.sqrt(0.5) * (shared + error) for error in own]
    first, second = y + errors[0], y + noise * errors[1]
    if shape == "10 times, heavy tails":
        t = random.standard_t(3, rows) / np.sqrt(3)
        second = y + noise * t
    if shape == "squares":  # of truths that are squared, too: one map for all three
        return np.exp(y), np.exp(first / 2), 10 * np.exp(second / 2)
    times = 10.0 if shape.startswith("10 times") else 1.0
    return y, first, times * second + (20.0 if shape == "another offset" else 0.0)


def rejects(metric: str, drawn: tuple[Floats, Floats, Floats]) -> Iterator[bool]:
    """With estimates as they are, and on one scale."""
    definition, (y, *both) = REGISTRY["regression"][metric], drawn
    frames = [pl.DataFrame({"truth": y, "estimate": f}).with_columns(weight=1.0) for f in both]
    for of_both in (frames, [on_one_scale(frame, metric) for frame in frames]):
        pair = RowwisePair(*of_both, definition.expression(), definition.bounds)
        test = paired_permutation(pair, asked(metric), draws=Draws(199, 1))
        yield test.p_value is not None and test.p_value < 0.05


def shares(metric: str, shape: str, rows: int, noise: float, sets: int) -> Floats:
    """Of data sets in which either test rejects."""
    random = np.random.default_rng(rows)
    of_sets = [list(rejects(metric, models(random, rows, shape, noise))) for _ in range(sets)]
    result: Floats = np.mean(of_sets, axis=0)
    return result


def main(sets: str = "500") -> None:
    """Print a line per design."""
    for metric in NAMES:
        for shape in SHAPES:
            for rows in (30, 100, 300):
                for kind, noise in (("level", 1.0), ("power", 1.5)):
                    before, now = shares(metric, shape, rows, noise, int(sets))
                    print(f"{metric}, {shape}, {rows}, {kind}: {before:.3f} {now:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
