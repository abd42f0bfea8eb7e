"""Situations of tests over independent rows, and over rows in order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.stats import norm

from reportgen.comparisons import (
    BinaryPair,
    Comparison,
    Draws,
    Pairs,
    area_covariance,
    delong,
    delong_pair,
    diebold_mariano,
    equivalence_of_areas,
    equivalence_of_shares,
    expected_cost,
    mcnemar,
    paired_costs,
    paired_errors,
    paired_permutation,
    two_aucs,
    two_proportions,
    two_sample_t,
    venkatraman,
)
from tests.simulations.situations import (
    Generator,
    asked,
    classes,
    normals,
    scored,
    several_models,
    situation,
)


def _decisions(rows: int, difference: float, share: float = 0.8) -> None:
    """Two models that predict a share of the rows correctly, the second ``effect`` more."""

    @situation(f"decisions, {rows} rows", power=difference)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        noise = norm.cdf(normals(random, rows))
        a, b = noise[:, 0] < share, noise[:, 1] < share + effect
        pairs = Pairs(*(int(x.sum()) for x in (a & b, a & ~b, ~a & b, ~a & ~b)))
        yield from mcnemar(pairs, asked("accuracy"))


for _rows, _difference in ((20, 0.19), (60, 0.17), (200, 0.1), (1000, 0.045)):
    _decisions(_rows, _difference)


def _costs(positives: int, negatives: int, dear: float) -> None:
    """Costs of rows of which a false negative costs ``dear`` times as much as a false positive."""

    @situation(
        f"costs {dear:g} : 1 of {positives} positives of {positives + negatives}", power=0.17
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        truth = classes(positives, negatives)
        noise = norm.cdf(normals(random, len(truth)))
        wrong = noise > np.array([0.8, 0.8 + effect])
        price = np.where(truth, dear, 1.0)[:, None] * wrong
        losses = pl.DataFrame(price, schema=["first", "second"])
        yield paired_costs(losses, asked("mean_cost"))


for _counts in ((30, 30, 1.0), (10, 50, 5.0), (10, 50, 20.0), (10, 190, 5.0), (40, 160, 5.0)):
    _costs(*_counts)


def _areas(positives: int, negatives: int, gap: float, step: float = 0.0) -> None:
    """Normal scores whose means are ``gap`` apart, perhaps in steps, so that many are tied."""
    auc = norm.cdf(gap / np.sqrt(2))
    ties = f", in steps of {step:g}" if step else ""
    name = f"scores with AUC {auc:.2f}, {positives} positives of {positives + negatives}{ties}"

    power = 1.5 * np.sqrt(10 / min(positives, negatives))
    truth = classes(positives, negatives)

    def sample(random: Generator, effect: float) -> pl.DataFrame:
        scores = normals(random, len(truth)) + truth[:, None] * np.array([gap + effect, gap])
        return scored(truth, *(np.round(scores / step) * step if step else scores).T)

    @situation(name, power=power)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        frame = sample(random, effect)
        yield delong(frame, asked("auc"))
        yield expected_cost(frame, asked("expected_total_cost"))

    @situation(f"{name}, permuted", power=power, share=0.25)
    def permute(random: Generator, effect: float) -> Iterator[Comparison]:
        frame, seed = sample(random, effect), int(random.integers(2**31))
        yield paired_permutation(
            BinaryPair(frame, "auc", scores=("a", "b")), asked("auc"), draws=Draws(199, seed)
        )


for _size in ((10, 10), (10, 50), (30, 30), (100, 100)):
    for _gap in (0.0, 1.2, 2.33):
        _areas(*_size, _gap)
_areas(10, 50, 1.2, 1.0)
_areas(30, 30, 1.2, 1.0)
_areas(100, 100, 3.29)


def _area_of_labels(share: float) -> float:
    """Area under the cost curve of a model that predicts this share of each class correctly."""
    right, wrong = share, 1 - share
    return right * wrong / 2 + wrong * right / 2


def _unlike(positives: int, negatives: int) -> None:
    """Cost curves with one area: scores, labels, labels with noise in the last digits."""
    whole = positives + negatives
    truth = classes(positives, negatives)

    @situation(f"scores made of the other model's labels, {positives} positives of {whole}")
    def noisy(random: Generator, effect: float) -> Iterator[Comparison]:
        labels = np.where(random.random(whole) < 0.8, truth, ~truth)
        frame = scored(truth, labels + random.random(whole) / 2, labels)
        yield expected_cost(frame, asked("expected_total_cost"))

    @situation(f"scores and labels with like cost curves, {positives} positives of {whole}")
    def apart(random: Generator, effect: float) -> Iterator[Comparison]:
        one, other = (np.where(random.random(whole) < 0.8, truth, ~truth) for _ in range(2))
        frame = scored(truth, one + random.random(whole) / 2, other)
        yield expected_cost(frame, asked("expected_total_cost"))

    @situation(f"normal scores and labels with one area, {positives} positives of {whole}")
    def smooth(random: Generator, effect: float) -> Iterator[Comparison]:
        noise = normals(random, whole, 0.6)
        # Labels that cost as much as two normals 1.5 apart: see ``test_the_areas_are_one``.
        labels = np.where(norm.cdf(noise[:, 1]) < SHARE_OF_LABELS, truth, ~truth)
        scores = noise[:, 0] * np.where(truth, -1, 1) + 1.5 * truth
        yield expected_cost(scored(truth, scores, labels), asked("expected_total_cost"))

    @situation(f"normal scores against a perfect model, {positives} positives of {whole}")
    def perfect(random: Generator, effect: float) -> Iterator[Comparison]:
        """A test of the true difference: a miss of the interval counts as a rejection."""
        scores = random.standard_normal(whole) + 1.5 * truth
        frame = scored(truth, scores, truth + random.random(whole) / 10)
        yield _of_true(expected_cost(frame, asked("expected_total_cost")), normal_cost(1.5))

    @situation(f"labels against a perfect model, {positives} positives of {whole}")
    def labelled(random: Generator, effect: float) -> Iterator[Comparison]:
        labels = np.where(random.random(whole) < 0.8, truth, ~truth)
        record = expected_cost(scored(truth, labels, truth), asked("expected_total_cost"))
        yield _of_true(record, _area_of_labels(0.8))


def _of_true(record: Comparison, true: float) -> Comparison:
    """The record with a p below the level exactly where its interval leaves out the truth."""
    if record.low is None or record.high is None:
        return record
    return replace(record, p_value=1.0 if record.low <= true <= record.high else 0.0)


def normal_cost(gap: float) -> float:
    """Area under the lower envelope of two unit normals that are ``gap`` apart."""
    x = np.linspace(0, 1, 20_001)[1:-1]
    at = (np.log((1 - x) / x) + gap**2 / 2) / gap
    cost = norm.sf(at) * (1 - x) + norm.cdf(at - gap) * x
    return float(np.trapezoid(np.r_[0, cost, 0], np.r_[0, x, 1]))


SHARE_OF_LABELS = 0.5 + np.sqrt(0.25 - normal_cost(1.5))
"""q with q(1 − q) the cost of two normals 1.5 apart."""

for _size in ((30, 30), (10, 50), (100, 100), (300, 300), (1000, 1000)):
    _unlike(*_size)


def _errors(rows: int, tails: str) -> None:
    """Errors of two estimates, correlated 0.7; of the second they are larger."""

    @situation(f"errors with {tails} tails, {rows} rows", power=2 / np.sqrt(rows))
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        errors = normals(random, rows, 0.7)
        if tails == "heavy":
            errors = errors / np.sqrt(random.chisquare(3, (rows, 1)) / 3)
        errors[:, 1] *= 1 + effect
        frame = pl.DataFrame({"truth": np.zeros(rows), "a": errors[:, 0], "b": errors[:, 1]})
        squared, _, ranks = paired_errors(frame, asked("mean_squared_error"))
        yield from (squared, ranks)


for _rows in (10, 30, 100):
    for _tails in ("normal", "heavy"):
        _errors(_rows, _tails)


def _forecasts(rows: int, share: float) -> None:
    """Probabilities of two forecasters that are equally good, the second in part at random."""

    @situation(f"forecasts of {rows} rows, {share:.0%} positive", power=0.6, share=0.5)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        logits = 1.2 * normals(random, rows, 0.6)
        base = norm.ppf(share)
        truth = random.random(rows) < norm.cdf(base + logits.sum(axis=1) / 2)
        forecasts = norm.cdf(base + logits * np.array([1.0, 1 - effect]) / 1.5)
        frame = scored(truth, *forecasts.T)
        first, second = (((frame["truth"] - frame[m]) ** 2) for m in ("a", "b"))
        losses = pl.DataFrame({"first": first, "second": second})
        yield paired_costs(losses, asked("brier_score"))
        question, seed = asked("brier_score"), int(random.integers(2**31))
        yield paired_permutation(
            BinaryPair(frame, question.metric, scores=("a", "b")), question, draws=Draws(199, seed)
        )


_forecasts(60, 0.5)
_forecasts(60, 0.17)
_forecasts(300, 0.17)


def _in_time(points: int, depends: tuple[float, ...], power: float | None = None) -> None:
    """Differences of losses that follow an autoregression."""
    of = " and ".join(f"{x:g}" for x in depends) or "0"

    @situation(f"{points} points of time, autoregression {of}", power=power)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        noise = random.standard_normal(points + 300)
        gaps = lfilter([1.0], [1.0, *(-x for x in depends)], noise)[300:] + effect
        frame = pl.DataFrame({"first": gaps, "second": np.zeros(points)})
        yield from diebold_mariano(frame, asked("mean_squared_error"))


for _points in (10, 20, 30, 50, 100, 300, 1000):
    _in_time(_points, (), 2.8 / np.sqrt(_points))
    for _depends in ((0.5,), (0.8,), (0.9,), (0.6, 0.3)):
        _in_time(_points, _depends)


def _several(rows: int) -> None:
    @situation(f"decisions of three models, {rows} rows", power=3.2 / np.sqrt(rows * 6))
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        noise = random.standard_normal((rows, 3)) + random.standard_normal((rows, 1))
        correct = norm.cdf(noise / np.sqrt(2)) < 0.75 + effect * np.arange(3) / 2
        frame = pl.DataFrame(correct, schema=["a", "b", "c"])
        models = ("a", "b", "c")
        yield from several_models(frame, asked("accuracy", models))


for _rows in (10, 20, 60, 200):
    _several(_rows)


def _equivalent(rows: int) -> None:
    """The first model is worse by the margin: a rejection is false."""

    @situation(f"a difference of the margin, {rows} rows")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        noise = norm.cdf(normals(random, rows))
        a, b = noise[:, 0] < 0.7, noise[:, 1] < 0.8
        pairs = Pairs(*(int(x.sum()) for x in (a & b, a & ~b, ~a & b, ~a & ~b)))
        yield from equivalence_of_shares(pairs, asked("accuracy"), 0.1)

    @situation(f"a difference in AUC of the margin, {rows} rows")
    def of_areas(random: Generator, effect: float) -> Iterator[Comparison]:
        truth = classes(rows // 2, rows // 2)
        scores = normals(random, len(truth)) + truth[:, None] * np.array([AUC_LOWER, 1.2])
        yield from _of_areas(scored(truth, *scores.T), 0.1)


def _of_areas(frame: pl.DataFrame, margin: float) -> list[Comparison]:
    areas, question = area_covariance(frame, ("a", "b")), asked("auc")
    return equivalence_of_areas(delong_pair(areas, (0, 1), question), areas, question, margin)


def _near_1(positives: int, negatives: int) -> None:
    """AUCs of 0.93 and 0.98, where the observed standard error is too small."""

    @situation(f"AUCs of 0.93 and 0.98, {positives} positives and {negatives} negatives")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        truth = classes(positives, negatives)
        scores = normals(random, len(truth)) + truth[:, None] * GAPS_NEAR_1
        yield from _of_areas(scored(truth, *scores.T), 0.05)


GAPS_NEAR_1 = np.sqrt(2) * norm.ppf([0.93, 0.98])

for _counts in ((10, 90), (30, 30), (50, 450)):
    _near_1(*_counts)


AUC_LOWER = float(norm.ppf(norm.cdf(1.2 / np.sqrt(2)) - 0.1) * np.sqrt(2))
"""The gap of two normals whose AUC is 0.1 below that of a gap of 1.2."""

for _rows in (20, 60, 200):
    _equivalent(_rows)


def _apart(rows: int) -> None:
    """Two models on examples of their own."""

    @situation(f"two samples of {rows} rows", power=2.6 / np.sqrt(rows))
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        hits = (
            int(random.binomial(rows, 0.7)),
            int(random.binomial(rows, max(0.7 - effect / 2, 0))),
        )
        yield from two_proportions(hits, (rows, rows), asked("accuracy"))
        errors = random.standard_normal((2, rows)) * np.array([[1.0], [1 + effect]])
        samples = [pl.Series(e**2) for e in errors]
        yield from two_sample_t(samples[0], samples[1], asked("mean_squared_error"))
        truth = classes(rows // 2, rows // 2)
        frames = [
            pl.DataFrame({"truth": truth, "score": random.standard_normal(rows) + g * truth})
            for g in (1.2, 1.2 + effect)
        ]
        areas = [area_covariance(frame, ("score",)) for frame in frames]
        values = float(areas[0].areas[0]), float(areas[1].areas[0])
        variances = float(areas[0].covariance[0, 0]), float(areas[1].covariance[0, 0])
        yield two_aucs(values, variances, asked("auc"))


for _rows in (20, 60, 200):
    _apart(_rows)


@situation("crossed ROC curves, 40 positives of 80, scores with ties", power=1.0, share=0.25)
def _curves(random: Generator, effect: float) -> Iterator[Comparison]:
    truth = classes(40, 40)
    scores = normals(random, 80) + truth[:, None] * np.array([1.2 + effect, 1.2])
    rounded = scored(truth, *np.round(scores.T * 2))
    question = asked("ROC curve")
    models = ("a", "b")
    yield venkatraman(
        rounded, question, scores=models, draws=Draws(199, int(random.integers(2**31)))
    )
