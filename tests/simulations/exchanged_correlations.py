"""Permutation tests of correlations, of models on other scales.

``… tests.simulations.exchanged_correlations 500``: the share of data sets in which exchanging
the estimates of two models rejects, as they are and on one scale; where both correlate with the
truth alike (level), and where the second does less (power).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import polars as pl
from scipy.stats import kendalltau, spearmanr

from reportgen.comparing.permutation_tests import on_one_scale
from reportgen.comparisons import Draws, RowwisePair, paired_permutation
from reportgen.metrics import REGISTRY
from tests.coverage.designs import Floats
from tests.simulations.situations import Generator, asked

NAMES = ("pearson_r", "spearman_rho", "kendall_tau")
SHAPES = ("alike", "10 times the scale", "another offset", "10 times, heavy tails", "squares")


UNLIKE = ("t with 2 df", "skewed", "one in ten far off", "growing with the truth", "five grades")
"""Errors of a second model that correlates as well with the truth, by the measure itself."""


def second_model(random: Generator, truth: Floats, shape: str, scale: float) -> Floats:
    """Estimates of the truth with errors of such a shape and scale; grades have many ties."""
    estimates: Floats = truth + scale * errors_of(random, truth, shape)
    if shape == "five grades":
        return np.searchsorted((-1.2, -0.4, 0.4, 1.2), estimates / np.sqrt(1 + scale**2)) + 1.0
    return estimates


def errors_of(random: Generator, truth: Floats, shape: str) -> Floats:
    """Errors of such a shape, of any scale."""
    rows = len(truth)
    if shape == "growing with the truth":
        return np.exp(truth) * random.normal(size=rows)
    if shape == "five grades":
        return random.normal(size=rows)
    if shape == "t with 2 df":
        return random.standard_t(2, rows)
    if shape == "skewed":
        return random.exponential(size=rows)
    far: Floats = random.normal(size=rows) * np.where(random.random(rows) < 0.1, 6.0, 1.0)
    return far


LONG = 100_000
"""Rows of the sample that says which scale is as good."""


@cache
def equal_scale(metric: str, shape: str, first: float) -> float:
    """The scale of these errors with the correlation that normal ones of scale ``first`` have."""
    random = np.random.default_rng(9)
    truth, normal = random.normal(size=(2, LONG))
    correlation = spearmanr if metric == "spearman_rho" else kendalltau
    wanted = correlation(truth, truth + first * normal)[0]
    low, high = 0.01, 20.0
    for _ in range(20):
        middle = (low * high) ** 0.5
        second = second_model(np.random.default_rng(10), truth, shape, middle)
        less = correlation(truth, second)[0] < wanted
        low, high = (low, middle) if less else (middle, high)
    return low


def unlike(metric: str, shape: str, rows: int, first: float, sets: int) -> float:
    """How often exchange on one scale rejects where two models correlate alike."""
    random, rejected = np.random.default_rng([rows, int(100 * first)]), 0
    definition, scale = REGISTRY["regression"][metric], equal_scale(metric, shape, first)
    for _ in range(sets):
        y = random.normal(size=rows)
        both = y + first * random.normal(size=rows), second_model(random, y, shape, scale)
        frames = [pl.DataFrame({"truth": y, "estimate": f}).with_columns(weight=1.0) for f in both]
        scaled = [on_one_scale(frame, metric) for frame in frames]
        pair = RowwisePair(*scaled, definition.expression(), definition.bounds)
        test = paired_permutation(pair, asked(metric), draws=Draws(199, 1))
        rejected += test.p_value is not None and test.p_value < 0.05
    return rejected / sets


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


def main(sets: str = "500", *shapes: str) -> None:
    """Print a line per design; of named shapes alone those of unlike models and Kendall's τ."""
    if shapes:
        return of_unlike(sets, NAMES[2:], shapes)
    for metric in NAMES:
        for shape in SHAPES:
            for rows in (30, 100, 300):
                for kind, noise in (("level", 1.0), ("power", 1.5)):
                    before, now = shares(metric, shape, rows, noise, int(sets))
                    print(f"{metric}, {shape}, {rows}, {kind}: {before:.3f} {now:.3f}", flush=True)
    return of_unlike(sets)


def of_unlike(
    sets: str, metrics: Sequence[str] = NAMES[1:], shapes: Sequence[str] = UNLIKE
) -> None:
    """Print a line per design of models that are as good and unlike."""
    for metric in metrics:
        for shape in shapes:
            for rows in (40, 150):
                for first in (0.6, 1.7):
                    share = unlike(metric, shape, rows, first, int(sets))
                    print(f"{metric}, {shape}, {rows}, {first}: {share:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
