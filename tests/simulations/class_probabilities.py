"""Tests of what probabilities of several classes lose, where both models lose the same.

``python -m tests.simulations.class_probabilities 2000``: the test of probability losses, and beside
it the paired permutation test, of fewer data sets. Of one model every probability is as far from
the truth as of the others, the second one is nearly sure and rarely wrong; or the second has more
signal and is too sure of it; or both are calibrated. Classes are alike, or one has 70 % of rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import softmax

from reportgen.clusters import Groups
from reportgen.comparisons import Comparison, Draws, RowwisePair, paired_permutation
from reportgen.comparisons.probability_losses import losses_of_classes, of_row_losses
from reportgen.metrics import REGISTRY
from reportgen.multiclass import score_rows
from reportgen.sample_design import SampleDesign
from tests.coverage.designs import Floats
from tests.simulations.situations import Generator, asked

METRICS = ("brier_score", "log_loss")
LONG = 200_000
SURE = 0.98

Forecasts = tuple[Floats, Floats, Floats]
"""True classes, and two tables of probabilities."""

Draw = Callable[[Generator, int], Forecasts]


def shares(classes: int, *, one_frequent: bool) -> Floats:
    """Those of the classes."""
    if not one_frequent:
        return np.full(classes, 1 / classes)
    return np.array([0.7, *[0.3 / (classes - 1)] * (classes - 1)])


def forecasts(
    random: Generator, truth: Floats, prior: Floats, signal: float, times: float, size: int = 1
) -> Floats:
    """Probabilities with a signal, calibrated at ``times`` 1 and too sure above it.

    Groups of ``size`` rows share half of what varies.
    """
    seen = random.normal(size=(len(truth), len(prior)))
    if size > 1:
        shared = random.normal(size=(len(truth) // size, len(prior)))
        seen = np.sqrt(0.5) * (seen + np.repeat(shared, size, axis=0))
    seen[np.arange(len(truth)), truth.astype(int)] += signal
    result: Floats = softmax(times * (signal * seen + np.log(prior)), axis=1)
    return result


def loss(metric: str, truth: Floats, probabilities: Floats) -> float:
    """What they lose on average."""
    of_truth = probabilities[np.arange(len(truth)), truth.astype(int)]
    if metric == "log_loss":
        return float(-np.log(of_truth).mean())
    return float(1 - 2 * of_truth.mean() + np.square(probabilities).sum(axis=1).mean())


@cache
def equal_signal(metric: str, classes: int, one_frequent: bool, times: float) -> float:
    """The signal with which a model that is too sure loses as much as one with a signal of 1."""
    prior = shares(classes, one_frequent=one_frequent)

    def gap(signal: float) -> float:
        random = np.random.default_rng(5)
        truth = random.choice(classes, LONG, p=prior).astype(float)
        first, second = (
            forecasts(random, truth, prior, *of) for of in ((1.0, 1.0), (signal, times))
        )
        return loss(metric, truth, first) - loss(metric, truth, second)

    return float(brentq(gap, 0.5, 3.0, xtol=1e-3))


def too_sure(  # one argument per part of a design
    random: Generator,
    rows: int,
    *,
    metric: str,
    classes: int,
    one_frequent: bool,
    times: float,
    size: int = 1,
) -> Forecasts:
    """Two models that lose the same, the second with more signal and too sure, at 1 the same."""
    prior = shares(classes, one_frequent=one_frequent)
    signal = 1.0 if times == 1 else equal_signal(metric, classes, one_frequent, times)
    truth = random.choice(classes, rows, p=prior).astype(float)
    return (
        truth,
        forecasts(random, truth, prior, 1.0, 1.0, size),
        forecasts(random, truth, prior, signal, times, size),
    )


def better(
    random: Generator, rows: int, *, metric: str, classes: int, one_frequent: bool
) -> Forecasts:
    """Two calibrated models, the second of which loses less."""
    prior = shares(classes, one_frequent=one_frequent)
    truth = random.choice(classes, rows, p=prior).astype(float)
    return truth, *(forecasts(random, truth, prior, signal, 1.0) for signal in (1.0, 1.3))


def rarely_wrong(
    random: Generator, rows: int, *, metric: str, classes: int, one_frequent: bool, wrong: float
) -> Forecasts:
    """Probabilities that all lose the same, and others that are sure, and rarely wrong."""
    prior = shares(classes, one_frequent=one_frequent)
    truth = random.choice(classes, rows, p=prior)
    others = (1 - SURE) / (classes - 1)
    if metric == "log_loss":
        mean = -(1 - wrong) * np.log(SURE) - wrong * np.log(others)
        own = float(np.exp(-mean))
    else:
        squares = SURE**2 + (classes - 1) * others**2
        mean = (1 - wrong) * (1 - 2 * SURE + squares) + wrong * (1 - 2 * others + squares)
        own = 1 - float(np.sqrt(mean * (classes - 1) / classes))
    first = np.full((rows, classes), (1 - own) / (classes - 1))
    first[np.arange(rows), truth] = own
    moved = truth + random.integers(1, classes, rows) * (random.random(rows) < wrong)
    second = np.full((rows, classes), others)
    second[np.arange(rows), moved % classes] = SURE
    return truth.astype(float), first, second


def scored(truth: Floats, probabilities: Floats) -> pl.DataFrame:
    """How each row's probabilities met its truth."""
    names = [f"p{k}" for k in range(probabilities.shape[1])]
    frame = pl.DataFrame(probabilities, schema=names).with_columns(
        truth=pl.Series(truth).cast(pl.UInt32)
    )
    return score_rows(frame, names, truth="truth")


def met(truth: Floats, probabilities: Floats) -> pl.DataFrame:
    """The part of it that the test reads, in less time."""
    return pl.DataFrame(
        {
            "of_truth": probabilities[np.arange(len(truth)), truth.astype(int)],
            "lowest": probabilities.min(axis=1),
            "squares": np.square(probabilities).sum(axis=1),
        }
    )


def of_losses(metric: str, drawn: Forecasts, groups: Groups | None = None) -> Comparison:
    """The test of probability losses."""
    truth, *both = drawn
    first, second = (losses_of_classes(met(truth, table), metric) for table in both)
    return of_row_losses(first, second, asked(metric), SampleDesign(groups=groups))


def exchanged(metric: str, drawn: Forecasts) -> Comparison:
    """The paired permutation test."""
    truth, *both = drawn
    definition = REGISTRY["multiclass"][metric]
    frames = [scored(truth, table) for table in both]
    pair = RowwisePair(*frames, definition.expression(), definition.bounds)
    return paired_permutation(pair, asked(metric), draws=Draws(199, 1, goes_on=False))


def level(draw: Draw, metric: str, rows: int, sets: int, of_other: int) -> tuple[float, float]:
    """The shares of data sets in which both tests reject."""
    random = np.random.default_rng(rows)
    rejected = np.zeros(2)
    for run in range(sets):
        drawn = draw(random, rows)
        rejected[0] += (of_losses(metric, drawn).p_value or 1.0) < 0.05
        if run < of_other:
            rejected[1] += (exchanged(metric, drawn).p_value or 1.0) < 0.05
    return rejected[0] / sets, rejected[1] / max(of_other, 1)


def level_in_groups(metric: str, classes: int, times: float, sets: int) -> float:
    """The share of data sets of 40 groups of 15 rows in which the test rejects."""
    random, groups = np.random.default_rng(40), Groups(np.arange(600) // 15, 40)
    common = {"metric": metric, "classes": classes, "one_frequent": False}
    rejected = 0
    for _ in range(sets):
        drawn = too_sure(random, 600, times=times, size=15, **common)
        rejected += (of_losses(metric, drawn, groups).p_value or 1.0) < 0.05
    return rejected / sets


def designs(metric: str, classes: int, *, one_frequent: bool) -> dict[str, Draw]:
    """Pairs of models that lose the same."""
    common = {"metric": metric, "classes": classes, "one_frequent": one_frequent}
    return {
        "calibrated": partial(too_sure, times=1.0, **common),
        "calibrated, the second with a signal of 1.3 (power)": partial(better, **common),
        "more signal and too sure": partial(too_sure, times=2.0, **common),
        "rarely wrong, 0.1": partial(rarely_wrong, wrong=0.1, **common),
        "rarely wrong, 0.03": partial(rarely_wrong, wrong=0.03, **common),
        "rarely wrong, 0.01": partial(rarely_wrong, wrong=0.01, **common),
    }


def main(sets: str = "2000", of_other: str = "100") -> None:
    """Print a line per design: the test of probability losses, and the permutation test."""
    for classes, metric, times in ((k, m, t) for k in (3, 10) for m in METRICS for t in (1.0, 2.0)):
        share = level_in_groups(metric, classes, times, int(sets))
        print(f"40 groups of 15, {classes} classes, {metric}, {times:g}: {share:.3f}", flush=True)
    for classes, frequent, metric in (
        (k, f, m) for k in (3, 10) for f in (False, True) for m in METRICS
    ):
        for name, draw in designs(metric, classes, one_frequent=frequent).items():
            for rows in (60, 200, 1000):
                ours, other = level(draw, metric, rows, int(sets), int(of_other))
                of = f"{classes} classes, {'one frequent' if frequent else 'alike'}, {metric}"
                print(f"{of}, {name}, {rows} rows: {ours:.3f} ({other:.3f})", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
