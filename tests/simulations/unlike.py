"""Situations of models that are equally good and otherwise unlike, and of unkind data.

Scores against labels, a model that never changes its mind, rare classes, weights of any
size, few distinct scores, errors with tails so heavy that their squares have no variance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
from scipy.stats import norm

from reportgen.comparing.permutation_tests import metric_of, of_cells, of_labels
from reportgen.comparisons import (
    BinaryPair,
    Comparison,
    Draws,
    Pairs,
    delong,
    expected_cost,
    mcnemar,
    paired_errors,
    paired_permutation,
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

SIZES = ((10, 50), (30, 30), (100, 100), (300, 300))
DRAWS = 199
SKILL = 1.2
"""The distance between the means of the scores of both classes."""


def _named(positives: int, negatives: int) -> str:
    return f"{positives} positives of {positives + negatives}"


def _decided(truth: np.ndarray, a: np.ndarray, b: np.ndarray) -> Pairs:
    """The rows that both models predict correctly, one of them, or none."""
    a, b = a == truth, b == truth
    return Pairs(*(int(x.sum()) for x in (a & b, a & ~b, ~a & b, ~a & ~b)))


def _shapes(positives: int, negatives: int) -> None:
    """Normal scores against others with the same AUC."""
    truth, of = classes(positives, negatives), _named(positives, negatives)
    whole = len(truth)

    def against(random: Generator, other: str) -> pl.DataFrame:
        first, second = normals(random, whole).T
        first = first + SKILL * truth
        if other == "labels":
            # An AUC of labels that are correct on a share of each class is that share.
            second = np.where(norm.cdf(second) < norm.cdf(SKILL / np.sqrt(2)), truth, ~truth)
        elif other == "few distinct scores":
            # Three steps; the first model has the same ones of its own noise.
            first, second = (np.clip(np.round(x), 0, 2) for x in (first, second + SKILL * truth))
        elif other == "spread":
            # Positives vary nine times as much, with the AUC of the first.
            gap = SKILL / np.sqrt(2) * np.sqrt(1 + 9)
            second = np.where(truth, 3 * second + gap, second)
        return scored(truth, first, second)

    for other in ("labels", "few distinct scores", "spread"):

        @situation(f"normal scores and {other} with one AUC, {of}")
        def draw(random: Generator, effect: float, other: str = other) -> Iterator[Comparison]:
            yield delong(against(random, other), asked("auc"))

    @situation(f"scores without signal and a constant, {of}")
    def constant(random: Generator, effect: float) -> Iterator[Comparison]:
        frame = scored(truth, random.standard_normal(whole), np.zeros(whole))
        yield delong(frame, asked("auc"))

    @situation(f"normal scores against a perfect model, AUC, {of}")
    def perfect(random: Generator, effect: float) -> Iterator[Comparison]:
        """A miss of the limits of the difference counts as a rejection."""
        scores = random.standard_normal(whole) + SKILL * truth
        record = delong(scored(truth, scores, truth), asked("auc"))
        true = float(norm.cdf(SKILL / np.sqrt(2))) - 1
        missed = record.low is None or not record.low <= true <= (record.high or 0.0)
        yield replace(record, p_value=0.0 if missed else 1.0)

    @situation(f"log-normal weights, {of}", power=1.5 * np.sqrt(20 / min(positives, negatives)))
    def weighted(random: Generator, effect: float) -> Iterator[Comparison]:
        scores = normals(random, whole) + truth[:, None] * np.array([SKILL + effect, SKILL])
        frame = scored(truth, *scores.T).with_columns(weight=random.lognormal(0, 1, whole))
        yield delong(frame, asked("auc"), weight="weight")
        yield expected_cost(frame, asked("expected_total_cost"), weight="weight")


def _majority(rows: int, share: float) -> None:
    """A model that always predicts the majority against one that is as often correct."""

    @situation(f"decisions and a constant, {rows} rows, {share:.0%} of the majority")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        truth = random.random(rows) >= share
        other = np.where(random.random(rows) < share, truth, ~truth)
        yield from mcnemar(_decided(truth, np.zeros(rows, bool), other), asked("accuracy"))
        frame = pl.DataFrame({"truth": truth, "a": np.zeros(rows, bool), "b": other})
        question, seed = asked("accuracy"), int(random.integers(2**31))
        yield paired_permutation(
            BinaryPair(frame, question.metric, predicted=("a", "b")),
            question,
            draws=Draws(DRAWS, seed),
        )


def _careful(positives: int, negatives: int) -> None:
    """Two ways to one F1: nearly all positives with false alarms, or few of either."""
    truth, of = classes(positives, negatives), _named(positives, negatives)
    odds = negatives / positives

    @situation(f"one F1 by recall and by precision, {of}", share=0.5)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        # F1 = 2r / (1 + r + f·N/P): with r = 0.9 and 0.6 both 0.72.
        noise = norm.cdf(normals(random, len(truth)))
        chances = [np.where(truth, r, (2 * r / 0.72 - 1 - r) / odds) for r in (0.9, 0.6)]
        first, second = (noise[:, k] < chance for k, chance in enumerate(chances))
        frame = pl.DataFrame({"truth": truth, "a": first, "b": second})
        question, seed = asked("f1"), int(random.integers(2**31))
        yield paired_permutation(
            BinaryPair(frame, question.metric, predicted=("a", "b")),
            question,
            draws=Draws(DRAWS, seed),
        )


def _brier(rows: int) -> None:
    """A forecast of one half for all against labels that are wrong in a quarter of the rows."""

    @situation(f"a constant forecast and labels with one Brier score, {rows} rows", share=0.5)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        truth = random.random(rows) < 0.5
        labels = np.where(random.random(rows) < 0.75, truth, ~truth)
        frame = scored(truth, np.full(rows, 0.5), labels)
        question, seed = asked("brier_score"), int(random.integers(2**31))
        yield paired_permutation(
            BinaryPair(frame, question.metric, scores=("a", "b")),
            question,
            draws=Draws(DRAWS, seed),
        )


def _average_precision(positives: int, negatives: int) -> None:
    truth, of = classes(positives, negatives), _named(positives, negatives)

    @situation(
        f"average precision of two models, {of}", power=1.5 * np.sqrt(20 / positives), share=0.5
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        scores = normals(random, len(truth)) + truth[:, None] * np.array([SKILL + effect, SKILL])
        question, seed = asked("average_precision"), int(random.integers(2**31))
        yield paired_permutation(
            BinaryPair(scored(truth, *scores.T), question.metric, scores=("a", "b")),
            question,
            draws=Draws(DRAWS, seed),
        )


def _errors(rows: int, unlike: bool) -> None:
    """Errors of t with 2.5 degrees of freedom; unlike: of the second model only."""
    what = (
        "normal errors and heavy tails with one mean square" if unlike else "tails of t with 2.5 df"
    )

    @situation(f"{what}, {rows} rows", power=None if unlike else 3 / np.sqrt(rows))
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        first, second = normals(random, rows, 0.7).T
        heavy = np.sqrt(random.chisquare(2.5, rows) / 2.5)
        if unlike:
            first, second = first * np.sqrt(2.5 / 0.5), second / heavy
        else:
            first, second = first / heavy, second * (1 + effect) / heavy
        frame = pl.DataFrame({"truth": np.zeros(rows), "a": first, "b": second})
        squared, _, ranks = paired_errors(frame, asked("mean_squared_error"))
        yield from (squared, ranks)


def _rare_class(rows: int) -> None:
    """Three classes, the third a twentieth of the rows; of two measures any rejection counts."""
    shares = np.array([0.6, 0.35, 0.05])

    @situation(f"three classes, one of them 5 %, {rows} rows", share=0.5)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        truth = random.choice(3, rows, p=shares)
        predicted = [
            (
                np.eye(3)[truth] * SKILL + random.standard_normal((rows, 3)) + np.log(shares) / 2
            ).argmax(axis=1)
            for _ in range(2)
        ]
        yield from mcnemar(_decided(truth, *predicted), asked("accuracy"))
        frame = pl.DataFrame({"truth": truth, "a": predicted[0], "b": predicted[1]})
        seed = int(random.integers(2**31))
        for metric in ("f1", "balanced_accuracy"):
            reference = metric_of("multiclass", metric)
            assert reference is not None
            pair = of_cells(frame, 3, [pl.col("a"), pl.col("b")], reference, None)
            yield paired_permutation(pair, asked(reference.name), draws=Draws(DRAWS, seed))


def _labels(rows: int) -> None:
    """Four labels, of which the last is rare."""
    shares = np.array([0.5, 0.3, 0.2, 0.05])

    @situation(f"four labels, one of them 5 %, {rows} rows", share=0.5)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        shared = random.standard_normal((rows, 1))
        truth = (shared + random.standard_normal((rows, 4))) / np.sqrt(2) < norm.ppf(shares)
        predicted = [
            SKILL * (truth - 0.5) + random.standard_normal((rows, 4)) > 0 for _ in range(2)
        ]
        a, b = ((x == truth).all(axis=1) for x in predicted)
        pairs = Pairs(*(int(x.sum()) for x in (a & b, a & ~b, ~a & b, ~a & ~b)))
        yield from mcnemar(pairs, asked("subset_accuracy"))
        columns = {f"truth:{k}": truth[:, k] for k in range(4)}
        columns |= {
            f"{m}{k}": x[:, k] for m, x in zip("ab", predicted, strict=True) for k in range(4)
        }
        reference = metric_of("multilabel", "f1")
        assert reference is not None
        predictions = [[pl.col(f"{m}{k}") for k in range(4)] for m in "ab"]
        pair = of_labels(pl.DataFrame(columns), 4, predictions, reference)
        yield paired_permutation(
            pair, asked(reference.name), draws=Draws(DRAWS, int(random.integers(2**31)))
        )


def _omnibus(rows: int) -> None:
    """Five models on the same rows, one of which always predicts the majority."""

    @situation(f"four models and a constant, {rows} rows")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        shared, own = random.standard_normal((rows, 1)), random.standard_normal((rows, 5))
        noise = (shared + own) / np.sqrt(2)
        noise[:, 4] = own[:, 4]
        correct = norm.cdf(noise) < 0.75
        models = ("a", "b", "c", "d", "e")
        frame = pl.DataFrame(correct, schema=list(models))
        yield from several_models(frame, asked("accuracy", models))


def _copies(count: int) -> None:
    """Near copies of one model, as of other seeds, beside a model of its own."""

    @situation(f"{count - 1} near copies of a model and an unlike one, 400 rows")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        first, other = random.random((2, 400)) < 0.8
        anew = random.random((400, count - 1)) < 0.02
        copies = np.where(anew, random.random(anew.shape) < 0.8, first[:, None])
        models = [f"m{index}" for index in range(count)]
        frame = pl.DataFrame(np.column_stack([copies, other]), schema=models)
        names = tuple(models)
        yield from several_models(frame, asked("accuracy", names))


for _size in SIZES:
    _shapes(*_size)
    _careful(*_size)
    _average_precision(*_size)
for _count in (3, 6, 10):
    _copies(_count)
for _rows in (60, 200, 1000):
    _brier(_rows)
    _rare_class(_rows)
    _labels(_rows)
    _omnibus(_rows)
    for _share in (0.6, 0.9):
        _majority(_rows, _share)
    for _unlike in (False, True):
        _errors(_rows, _unlike)
