"""Situations of folds in order of time, each trained on all rows before it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.stats import norm

from reportgen.comparisons import (
    Comparison,
    corrected_resampled_t,
    corrected_t_of_repeats,
    diebold_mariano,
    paired_t_folds,
)
from tests.simulations.folds import (
    FEATURES,
    Learner,
    Splits,
    Tested,
    accuracy,
    auc,
    centroids,
    neighbours,
    tree,
)
from tests.simulations.situations import Generator, asked, situation

START = 200
"""Points of time that are left out, so that the first one that counts depends on as many."""


def growing(rows: int, folds: int) -> Splits:
    """Parts of one size, each tested after training on all rows before it."""
    parts = np.array_split(np.arange(rows), folds + 1)
    return [(0, np.arange(part[0]), part) for part in parts[1:]]


def _series(random: Generator, points: int, number: int, depends: float) -> np.ndarray:
    noise = random.standard_normal((points + START, number)) * np.sqrt(1 - depends**2)
    return lfilter([1.0], [1.0, -depends], noise, axis=0)[START:]


def _experiment(
    random: Generator,
    rows: int,
    folds: int,
    depends: float,
    learn: Learner,
    signal: float,
    gap: float,
) -> Tested:
    """Two learners with features of their own; the class and the features follow the past."""
    strength = np.repeat([signal, signal * (1 - gap)], FEATURES)
    truth = _series(random, rows, 1, depends)[:, 0] > norm.ppf(0.5)
    data = truth[:, None] * strength + _series(random, rows, 2 * FEATURES, depends)
    splits, parts = growing(rows, folds), []
    for _, train, test in splits:
        seen = truth[train]
        scores = [
            learn(data[train][:, s], seen, data[test][:, s])
            if 0 < seen.sum() < len(seen)
            else np.zeros(len(test))
            for s in (slice(0, FEATURES), slice(FEATURES, None))
        ]
        parts.append(pl.DataFrame({"truth": truth[test], "a": scores[0], "b": scores[1]}))
    return Tested([0] * folds, [len(train) for _, train, _ in splits], parts)


def _folds(rows: int, folds: int, depends: float, learn: Learner, signal: float) -> None:
    of = f"{learn.__name__}s" if learn is tree else learn.__name__
    what = of if signal else f"{of}, no signal"

    @situation(
        f"{folds} growing folds, {rows} rows, autocorrelation {depends:g}, {what}",
        power=0.5 if signal else None,
        share=0.5,
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        experiment = _experiment(random, rows, folds, depends, learn, signal, effect)
        for metric, measure in (("accuracy", accuracy), ("auc", auc)):
            pairs = experiment.pairs(measure)
            if not pairs["first"].null_count():
                question = asked(metric)
                yield corrected_resampled_t(pairs, question)
                yield corrected_t_of_repeats(pairs, question)
                yield paired_t_folds(pairs, question)
        right = [((pl.col(m) > 0) == pl.col("truth")).cast(pl.Float64) for m in ("a", "b")]
        losses = pl.concat(experiment.parts).select(first=right[0], second=right[1])
        yield diebold_mariano(losses, asked("accuracy"))[0]


for _learn, _signal in ((centroids, 0.5), (centroids, 0.0), (tree, 0.8), (neighbours, 0.5)):
    for _rows, _number in ((200, 5), (600, 5), (600, 10), (600, 20)):
        for _depends in (0.0, 0.5, 0.8, 0.9):
            _folds(_rows, _number, _depends, _learn, _signal)
