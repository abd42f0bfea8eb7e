"""Twelve models of which none is better: how often page one names one that is ahead.

``python -m tests.simulations.families RUNS`` prints a line per situation: the share of data sets in
which a recommended test of any pair rejects after Holm's correction, the share in which any does,
recommended or not, and the share in which some pair has a p below 0.05 of its own.
Holm rejects something just where the smallest p does after Bonferroni, so that the tests are made
of the pairs alone whose approximate p comes near that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl
from scipy.special import ndtri
from scipy.stats import norm, t

from reportgen.clusters import Groups
from reportgen.comparing.near_guessing import Classes
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparisons import (
    Comparison,
    Question,
    area_covariance,
    corrected_resampled_t,
    delong_pair,
    mcnemar,
    paired_counts,
    paired_errors,
)
from reportgen.comparisons.delong import delong_rare_class_pair, has_rare_class
from reportgen.comparisons.grouped import mcnemar_groups
from reportgen.predictions.evaluation_scheme import Evaluation
from tests.simulations.fold_measures import accuracy_at_0, auc
from tests.simulations.folds import centroids, k_fold
from tests.simulations.situations import ALPHA, Generator

MODELS = 12
PAIRS = tuple(combinations(range(MODELS), 2))
NEAR = 10
"""The tests are made where an approximate p is below so many times what Bonferroni allows."""

Floats = np.ndarray
Pair = tuple[int, int]
Test = Callable[[Pair], Comparison]
Drawn = tuple[Floats, Test, Situation]
"""The approximate p of every pair, the test of one of them, and what is known of the data."""


@dataclass(frozen=True)
class Family:
    """Data of a measure in which twelve models do as well."""

    name: str
    draw: Callable[[Generator], Drawn]

    def claimed(self, seed: int) -> tuple[bool, bool, bool]:
        """Whether page one says that a model is ahead, any test does, any does uncorrected."""
        approximate, test, situation = self.draw(np.random.default_rng([71, seed]))
        near = np.flatnonzero(approximate < NEAR * ALPHA / len(PAIRS))
        records = [test(PAIRS[k]) for k in near]
        rejected = [r for r in records if len(PAIRS) * _p(r) < ALPHA]
        advised = [with_recommendation([r], situation)[0] for r in rejected]
        recommended = any(r.recommendation == "recommended" for r in advised)
        return recommended, bool(rejected), bool((approximate < ALPHA).any())


def _p(record: Comparison) -> float:
    return 1.0 if record.p_value is None else record.p_value


def _question(pair: Pair, metric: str) -> Question:
    return Question((str(pair[0]), str(pair[1])), metric, alpha=ALPHA)


def _hold_out(rows: int, groups: int | None = None) -> Evaluation:
    known = {"groups": groups, "test_rows": rows, "test_examples": rows}
    return Evaluation("hold_out", 1, 1, 1, rows, float(rows), **known)


def _errors(random: Generator, rows: int, groups: Groups | None = None) -> Floats:
    """Normal noise of each model, half of its variance shared; in groups most of it by group."""
    shared, own = random.standard_normal(rows), random.standard_normal((MODELS, rows))
    noise = np.sqrt(0.5) * (shared + own)
    if groups is None:
        return noise
    of_group = random.standard_normal((MODELS, groups.number))[:, groups.code]
    return np.sqrt(0.4) * noise + np.sqrt(0.6) * of_group


def _normal_p(difference: Floats, variance: Floats) -> Floats:
    distance = np.abs(difference) / np.sqrt(np.where(variance > 0, variance, np.inf))
    return 2 * norm.sf(distance)


def _groups(number: int, size: int) -> Groups | None:
    return Groups(np.repeat(np.arange(number), size), number) if size > 1 else None


def areas(rows: int, positives: int, area: float, *, unlike: bool, steps: float = 0) -> Family:
    """Scores with one AUC; unlike models have scores of positives that vary more or less."""
    width = np.linspace(0.5, 2, MODELS) if unlike else np.ones(MODELS)
    means = np.sqrt(1 + width**2) * ndtri(area)
    first, second = np.array(PAIRS).T

    def draw(random: Generator) -> Drawn:
        positive = np.arange(rows) < positives
        noise = _errors(random, rows)
        scores = np.where(positive, means[:, None] + width[:, None] * noise, noise)
        if steps:
            scores = np.round(scores / steps)
        columns = {str(m): scores[m] for m in range(MODELS)}
        frame = pl.DataFrame({"truth": positive, **columns})
        estimates = area_covariance(frame, list(columns))
        of_pair = delong_rare_class_pair if has_rare_class(estimates) else delong_pair
        v = estimates.covariance
        variance = v[first, first] + v[second, second] - 2 * v[first, second]
        value = np.asarray(estimates.areas)
        approximate = _normal_p(value[first] - value[second], variance)
        rarer = min(positives, rows - positives)
        return (
            approximate,
            lambda pair: of_pair(estimates, pair, _question(pair, "auc")),
            Situation(_hold_out(rows), rarer_class=rarer),
        )

    what = "unlike" if unlike else "alike"
    stepped = f", in steps of {steps:g}" if steps else ""
    return Family(f"AUC {area:g}, {positives} positives of {rows}, {what}{stepped}", draw)


def decisions(number: int, size: int, accuracy: float) -> Family:
    """Decisions with one accuracy, of rows or of groups of rows."""
    rows, groups = number * size, _groups(number, size)

    def draw(random: Generator) -> Drawn:
        correct = _errors(random, rows, groups) < ndtri(accuracy)
        frame = pl.DataFrame({str(m): correct[m] for m in range(MODELS)})
        frame = frame.with_columns(truth=pl.lit(True))
        units = correct.reshape(MODELS, number, size).sum(axis=2).astype(float)
        inner = units @ units.T
        squares = np.array([inner[a, a] + inner[b, b] - 2 * inner[a, b] for a, b in PAIRS])
        sums = np.array([units[a].sum() - units[b].sum() for a, b in PAIRS])

        def test(pair: Pair) -> Comparison:
            question = _question(pair, "accuracy")
            if groups is not None:
                return mcnemar_groups((correct[pair[0]], correct[pair[1]]), groups, question)
            return mcnemar(paired_counts(frame, str(pair[0]), str(pair[1])), question)[0]

        evaluation = _hold_out(rows, None if groups is None else number)
        return _normal_p(sums, squares), test, Situation(evaluation)

    of = f"{rows} rows" if groups is None else f"{number} groups of {size}"
    return Family(f"accuracy {accuracy:g}, {of}", draw)


def numbers(rows: int, measure: str, *, unlike: bool) -> Family:
    """Errors with one mean square, or one mean size; unlike models have tails of their own."""
    place = 0 if measure == "mean_squared_error" else 1
    power = 2 - place

    def draw(random: Generator) -> Drawn:
        errors = _errors(random, rows)
        if unlike:
            for model, degrees in enumerate((5.0, 8.0, 15.0, np.inf) * 3):
                if np.isfinite(degrees):
                    errors[model] *= np.sqrt(degrees / random.chisquare(degrees, rows))
                    size = t(degrees).expect(np.abs) / np.sqrt(2 / np.pi)
                    errors[model] /= size if place else np.sqrt(degrees / (degrees - 2))
        frame = pl.DataFrame({"truth": np.zeros(rows), **{str(m): e for m, e in enumerate(errors)}})
        losses = np.abs(errors) ** power
        differences = np.array([losses[a] - losses[b] for a, b in PAIRS])
        distance = differences.mean(axis=1) / differences.std(axis=1, ddof=1) * np.sqrt(rows)
        return (
            2 * t.sf(np.abs(distance), rows - 1),
            lambda pair: paired_errors(frame, _question(pair, measure))[place],
            Situation(_hold_out(rows)),
        )

    what = "tails of their own" if unlike else "normal errors"
    return Family(f"{measure.replace('_', ' ')}, {rows} rows, {what}", draw)


def over_folds(rows: int, metric: str, signal: float) -> Family:
    """Centroids of features of their own over ten folds."""
    measure = {"auc": auc, "accuracy": accuracy_at_0}[metric]

    def draw(random: Generator) -> Drawn:
        truth = np.arange(rows) % 2 == 0
        data = signal * truth[:, None, None] + random.standard_normal((rows, MODELS, 3))
        splits = k_fold(random, rows, 10)
        values = np.array(
            [
                [
                    measure(truth[test], centroids(data[train, m], truth[train], data[test, m]))
                    for m in range(MODELS)
                ]
                for _, train, test in splits
            ],
            dtype=float,
        )
        sizes = {
            "train_rows": [float(len(train)) for _, train, _ in splits],
            "test_rows": [float(len(test)) for _, _, test in splits],
        }
        differences = np.array([values[:, a] - values[:, b] for a, b in PAIRS])
        ratio = sum(sizes["test_rows"]) / sum(sizes["train_rows"])
        variance = differences.var(axis=1, ddof=1) * (1 / len(splits) + ratio)
        distance = np.abs(differences.mean(axis=1)) / np.sqrt(np.where(variance > 0, variance, 1))

        def test(pair: Pair) -> Comparison:
            names = {"repeat": ["0"] * len(splits), "fold": [str(k) for k in range(len(splits))]}
            sides = {"first": values[:, pair[0]], "second": values[:, pair[1]]}
            pairs = pl.DataFrame({**names, **sides, **sizes})
            return replace(corrected_resampled_t(pairs, _question(pair, metric)), unit="folds")

        known = {"test_rows": rows, "test_examples": rows}
        evaluation = Evaluation("k_fold", 10, 1, 10, rows, rows / 10, **known)
        approximate = np.where(variance > 0, 2 * t.sf(distance, len(splits) - 1), 1.0)
        return approximate, test, Situation(evaluation, classes=Classes(0.5, 0.5))

    return Family(f"{metric}, {rows} rows over 10 folds, signal {signal:g}", draw)


FAMILIES: Sequence[Family] = (
    *(
        areas(rows, positives, area, unlike=unlike)
        for rows, positives in ((60, 20), (100, 50), (400, 20), (400, 200))
        for area in (0.8, 0.95)
        for unlike in (False, True)
    ),
    areas(100, 50, 0.8, unlike=False, steps=0.5),
    *(decisions(rows, 1, accuracy) for rows in (50, 100, 400) for accuracy in (0.8, 0.95)),
    decisions(20, 10, 0.8),
    decisions(60, 5, 0.8),
    *(
        numbers(rows, "mean_squared_error", unlike=unlike)
        for rows in (300, 1000)
        for unlike in (False, True)
    ),
    *(
        numbers(rows, "mean_absolute_error", unlike=unlike)
        for rows in (30, 100, 300)
        for unlike in (False, True)
    ),
    *(
        over_folds(rows, metric, signal)
        for rows in (100, 300)
        for metric in ("auc", "accuracy")
        for signal in (0.2, 0.7)
    ),
)


def shares(runs: int) -> Iterator[tuple[str, float, float, float]]:
    """Name of each family and its shares of data sets."""
    for family in FAMILIES:
        claims = np.array([family.claimed(seed) for seed in range(runs)])
        yield (family.name, *map(float, claims.mean(axis=0)))


def main(runs: int) -> None:
    """Print the shares of data sets."""
    for name, recommended, corrected, alone in shares(runs):
        print(
            f"{name}: ahead {recommended:.4f}, any test {corrected:.4f}, not corrected {alone:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
