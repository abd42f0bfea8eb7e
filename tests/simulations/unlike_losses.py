"""How often the test rejects between quantiles, or intervals, that are as good but unlike.

    python -m tests.simulations.unlike_losses 500

The pinball loss of the 0.9 quantile of one model that is too low and one too high, and the Winkler
score of intervals of 80 % that are too narrow and too wide, of the same expected loss: the share of
data sets in which exchanging the outputs rejects. In order of time that in which the
Diebold–Mariano test rejects, and that in which it does and is recommended; in groups of 8 rows that
in which exchanging the outputs of groups rejects.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.signal import lfilter

from reportgen.array_types import Floats
from reportgen.comparing.exchanged_outputs import FEW_OUTSIDE
from reportgen.comparisons import Draws, RowwisePair, paired_permutation
from reportgen.comparisons.diebold_mariano import diebold_mariano
from reportgen.metrics import REGISTRY
from tests.simulations.situations import ALPHA, Generator, asked

SHAPES: dict[str, Callable[[Generator, int], Floats]] = {
    "normal": lambda random, rows: random.normal(size=rows),
    "t with 3 df": lambda random, rows: random.standard_t(3, rows),
    "skewed": lambda random, rows: random.exponential(size=rows),
}
LEVEL, TAIL = 0.9, 0.2
"""The quantile, and what intervals should leave out."""

BELOW, NARROW = 0.75, 0.6
"""What the first model is: the quantile of this level; an interval that holds this share."""


def pinball(y: Floats, at: float) -> Floats:
    """The loss of a constant estimate."""
    return np.maximum(LEVEL * (y - at), (LEVEL - 1) * (y - at))


def winkler(y: Floats, low: float, high: float) -> Floats:
    """The score of a constant interval."""
    return high - low + 2 / TAIL * (np.maximum(low - y, 0) + np.maximum(y - high, 0))


@cache
def as_good(shape: str) -> tuple[tuple[float, float], tuple[Floats, Floats]]:
    """Two quantiles, and two intervals, with the same expected loss."""
    y = SHAPES[shape](np.random.default_rng(1), 2_000_000)
    low = float(np.quantile(y, BELOW))
    loss, right = pinball(y, low).mean(), float(np.quantile(y, LEVEL))
    high = brentq(lambda q: pinball(y, q).mean() - loss, right, right + 20)
    ends = np.quantile(y, [(1 - NARROW) / 2, (1 + NARROW) / 2])
    best = np.quantile(y, [TAIL / 2, 1 - TAIL / 2])
    score = winkler(y, *ends).mean()
    wider = brentq(lambda k: winkler(y, *(best + k * np.array([-1, 1]))).mean() - score, 0, 20)
    return (low, float(high)), (ends, best + wider * np.array([-1, 1]))


def rejections(shape: str, rows: int, sets: int) -> tuple[float, float]:
    """The shares of data sets in which pinball losses, and Winkler scores, differ."""
    random, rejected = np.random.default_rng(rows), [0, 0]
    quantiles, intervals = as_good(shape)
    for _ in range(sets):
        base = pl.DataFrame({"truth": SHAPES[shape](random, rows)}).with_columns(weight=1.0)
        models = (
            [base.with_columns(estimate=pl.lit(q)) for q in quantiles],
            [base.with_columns(estimate=0.0, low=pl.lit(a), high=pl.lit(b)) for a, b in intervals],
        )
        for place, (name, settings) in enumerate(
            (("pinball_high", {}), ("winkler_score", {"level": 1 - TAIL}))
        ):
            metric = REGISTRY["regression"][name]
            pair = RowwisePair(*models[place], metric.expression(**settings), metric.bounds)
            test = paired_permutation(pair, asked(name), draws=Draws(199, 1))
            rejected[place] += test.p_value is not None and test.p_value < ALPHA
    return rejected[0] / sets, rejected[1] / sets


OF_OUTPUTS = (("pinball_high", 1 - LEVEL), ("winkler_score", TAIL))
"""The loss of quantiles and that of intervals, and what share of the rows is beyond or outside."""


def in_time(points: int, memory: float, sets: int) -> list[float]:
    """The shares of series in which each loss differs, and does where its test is recommended."""
    random = np.random.default_rng([points, int(100 * memory)])
    (low, high), intervals = as_good("normal")
    rates = np.zeros(4)
    for _ in range(sets):
        noise = random.normal(size=points + 200) * (1 - memory**2) ** 0.5
        y = lfilter([1.0], [1.0, -memory], noise)[200:]
        pairs = ((pinball(y, low), pinball(y, high)), [winkler(y, *ends) for ends in intervals])
        for place, (name, share) in enumerate(OF_OUTPUTS):
            losses = pl.DataFrame(dict(zip(("first", "second"), pairs[place], strict=True)))
            test = diebold_mariano(losses, asked(name))[0]
            rejects = (test.p_value or 1.0) < ALPHA and not test.drift
            rates[2 * place : 2 * place + 2] += (
                rejects,
                (rejects and (test.worth or 0.0) * share >= FEW_OUTSIDE),
            )
    return [*(rates / sets)]


def in_groups(groups: int, share: float, sets: int) -> list[float]:
    """The shares of data sets in groups of 8 rows in which each loss differs."""
    random = np.random.default_rng([groups, int(100 * share)])
    quantiles, intervals = as_good("normal")
    rates = np.zeros(2)
    for seed in range(sets):
        group = np.repeat(np.arange(groups), 8)
        of_group, of_row = random.normal(size=groups)[group], random.normal(size=len(group))
        y = share**0.5 * of_group + (1 - share) ** 0.5 * of_row
        base = pl.DataFrame({"truth": y, "weight": 1.0})
        models = (
            [base.with_columns(estimate=pl.lit(q)) for q in quantiles],
            [base.with_columns(estimate=0.0, low=pl.lit(a), high=pl.lit(b)) for a, b in intervals],
        )
        for place, (name, _) in enumerate(OF_OUTPUTS):
            metric = REGISTRY["regression"][name]
            first = models[place][0].with_columns(group=pl.Series(group))
            expression = metric.expression(level=1 - TAIL)
            pair = RowwisePair(first, models[place][1], expression, metric.bounds, "group")
            test = paired_permutation(pair, asked(name), draws=Draws(499, seed))
            rates[place] += test.p_value is not None and test.p_value < ALPHA
    return [*(rates / sets)]


def main(sets: str = "500") -> None:
    """Print a line per shape of the truth and number of rows, then of series, and of groups."""
    for points in (50, 100, 200, 500, 1000):
        for memory in (0.0, 0.3, 0.6, 0.8):
            rates = " ".join(f"{rate:.3f}" for rate in in_time(points, memory, int(sets)))
            print(f"{points} points, autocorrelation {memory}: {rates}", flush=True)
    for groups in (40, 80, 150):
        for share in (0.2, 0.5):
            rates = " ".join(f"{rate:.3f}" for rate in in_groups(groups, share, int(sets)))
            print(f"{groups} groups, {share} of the variance between: {rates}", flush=True)
    for shape in SHAPES:
        for rows in (30, 100, 300, 1000):
            of_quantiles, of_intervals = rejections(shape, rows, int(sets))
            print(
                f"{shape}, {rows}: pinball {of_quantiles:.3f}, Winkler {of_intervals:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
