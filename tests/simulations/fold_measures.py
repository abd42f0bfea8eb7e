"""Situations of the corrected t-tests over folds in measures other than accuracy.

Over repeats that of the repeats is recommended, which the other one counts as further folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from scipy.stats import rankdata

from reportgen.comparisons import Comparison, corrected_resampled_t, corrected_t_of_repeats
from tests.simulations.folds import SCHEMES, Floats, Tested, centroids, ridge, tested
from tests.simulations.situations import Generator, asked, situation

Measure = Callable[[Floats, Floats], float | None]


def auc(truth: Floats, score: Floats) -> float | None:
    """Area under the ROC curve, from mid-ranks."""
    positives, negatives = truth.sum(), (~truth).sum()
    if not positives or not negatives:
        return None
    return float(
        (rankdata(score)[truth].sum() - positives * (positives + 1) / 2) / (positives * negatives)
    )


def accuracy_at_0(truth: Floats, score: Floats) -> float:
    """Share of the rows that are predicted correctly at a score of 0."""
    return float(((score > 0) == truth).mean())


def f1(truth: Floats, score: Floats) -> float | None:
    """Harmonic mean of precision and recall at a score of 0."""
    predicted = score > 0
    whole = truth.sum() + predicted.sum()
    return float(2 * (truth & predicted).sum() / whole) if whole else None


def mcc(truth: Floats, score: Floats) -> float | None:
    """Correlation of the class and of the decision at a score of 0."""
    predicted = score > 0
    if not (0 < predicted.sum() < len(score) and 0 < truth.sum() < len(truth)):
        return None
    return float(np.corrcoef(truth, predicted)[0, 1])


def kappa(truth: Floats, score: Floats) -> float | None:
    """Cohen's kappa of the class and of the decision at a score of 0."""
    predicted = score > 0
    by_chance = truth.mean() * predicted.mean() + (1 - truth.mean()) * (1 - predicted.mean())
    if by_chance == 1:
        return None
    return float(((truth == predicted).mean() - by_chance) / (1 - by_chance))


def log_loss(truth: Floats, score: Floats) -> float:
    """Mean log loss of scores that are log-odds."""
    return float(np.logaddexp(0, np.where(truth, -score, score)).mean())


def rmse(truth: Floats, estimate: Floats) -> float:
    """Root mean squared error."""
    return float(np.sqrt(((truth - estimate) ** 2).mean()))


OF_SCORES: dict[str, Measure] = {
    "auc": auc,
    "f1": f1,
    "log_loss": log_loss,
}


def measured_by_fold(result: Tested, measure: Measure) -> pl.DataFrame:
    """A measure of both models in each part."""

    def of(part: pl.DataFrame, model: str) -> float | None:
        return measure(part["truth"].to_numpy(), part[model].to_numpy())

    return result.pairs(of)


def _corrected(result: Tested, measure: Measure, metric: str) -> Iterator[Comparison]:
    pairs, question = measured_by_fold(result, measure), asked(metric)
    yield corrected_resampled_t(pairs, question)
    if len(set(result.repeats)) > 1:
        yield corrected_t_of_repeats(pairs, question)


def _scores(scheme: str, rows: int, signal: float, share: float) -> None:
    """Two learners of two classes, in each measure a situation of its own."""
    what = "centroids" if signal else "no signal"
    for metric, measure in OF_SCORES.items():

        @situation(
            f"{scheme}, {rows} rows, {what}, {metric.replace('_', ' ')}",
            power=0.5 if signal else None,
            share=share,
        )
        def draw(
            random: Generator, effect: float, metric: str = metric, measure: Measure = measure
        ) -> Iterator[Comparison]:
            splits = SCHEMES[scheme](random, rows)
            result = tested(random, rows, splits, signal, effect, centroids, None)
            yield from _corrected(result, measure, metric)


def _numbers(scheme: str, rows: int, share: float) -> None:
    @situation(f"{scheme}, {rows} rows, linear fits, rmse", power=0.3, share=share)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        data = random.standard_normal((rows, 6))
        truth = data @ np.repeat([0.5, 0.5 * (1 - effect)], 3) + random.standard_normal(rows)
        learn, parts, splits = ridge(1.0), [], SCHEMES[scheme](random, rows)
        for _, train, test in splits:
            fits = [
                learn(data[train][:, s], truth[train], data[test][:, s]) + 0.5
                for s in (slice(0, 3), slice(3, 6))
            ]
            parts.append(pl.DataFrame({"truth": truth[test], "a": fits[0], "b": fits[1]}))
        result = Tested([r for r, _, _ in splits], [len(t) for _, t, _ in splits], parts)
        yield from _corrected(result, rmse, "root_mean_squared_error")


for _scheme in SCHEMES:
    _share = 0.5 if "10 × 10" in _scheme else 1.0
    for _rows in (60, 200):
        for _signal in (0.0, 0.5):
            _scores(_scheme, _rows, _signal, _share)
        _numbers(_scheme, _rows, _share)
