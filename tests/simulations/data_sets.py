"""Situations of tests over data sets: differences of one size, of many sizes, and with ties."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from reportgen.comparisons import (
    Comparison,
    adjust,
    aligned_ranks,
    bonferroni_dunn,
    conover,
    friedman,
    iman_davenport,
    mean_ranks,
    nemenyi,
    quade,
    sign,
    sign_flip,
    signed_rank,
)
from tests.simulations.situations import Generator, asked, situation

FOUR = ("a", "b", "c", "d")


def _pair(sets: int, step: float = 0.0) -> None:
    ties = ", ties" if step else ""

    @situation(f"two models on {sets} data sets{ties}", power=1.5, share=0.5)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        values = random.standard_normal((sets, 2)) + np.array([effect, 0.0])
        if step:
            values = np.round(values / step) * step
        pairs = pl.DataFrame(values, schema=["first", "second"])
        question = asked("accuracy")
        yield signed_rank(pairs, question)
        yield sign(pairs, question)
        yield sign_flip(pairs, question, draws=199)


for _sets in (3, 4, 5, 6, 8, 10, 15, 30):
    _pair(_sets)
for _sets in (6, 10, 15):
    _pair(_sets, 1.0)


def _areas(sets: int, rows: int, prevalence: float, spread: float = 0.0) -> None:
    """AUCs of two models with one mean; a data set of one class has none, and is left out.

    ``spread``: how unlike from data set to data set the second model separates the classes.
    """
    varies = ", one varies more" if spread else ""
    name = f"two AUCs on {sets} data sets of {rows}, {prevalence:.0%} positive{varies}"

    @situation(name, power=1.0, share=0.5)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        spreads = np.array([0.3, max(spread, 0.3)])
        apart = 1.2 * np.sqrt(1 + spreads**2 / 2) + np.array([effect, 0.0])
        values = []
        for _ in range(sets):
            truth = random.random(rows) < prevalence
            if truth.all() or not truth.any():
                continue
            own = spreads * random.standard_normal(2)
            scores = random.standard_normal((rows, 1)) + random.standard_normal((rows, 2))
            scores = scores / np.sqrt(2) + truth[:, None] * (apart + own)
            above = scores[truth][:, None] > scores[~truth]
            values.append(above.mean(axis=(0, 1)))
        pairs = pl.DataFrame(np.reshape(values, (-1, 2)), schema=["first", "second"])
        question = asked("auc")
        yield signed_rank(pairs, question)
        yield sign_flip(pairs, question, draws=199)


for _sets, _rows in ((8, 20), (12, 12), (30, 12)):
    for _prevalence in (0.1, 0.5):
        _areas(_sets, _rows, _prevalence)
        _areas(_sets, _rows, _prevalence, 1.0)


def _several(sets: int, models: tuple[str, ...], step: float = 0.0) -> None:
    ties = ", ties" if step else ""

    @situation(f"{len(models)} models on {sets} data sets{ties}", power=1.2, share=0.25)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        values = random.standard_normal((sets, len(models)))
        values[:, 0] += effect
        values += random.standard_normal((sets, 1))
        if step:
            values = np.round(values / step) * step
        wide = pl.DataFrame(values, schema=list(models)).with_row_index("block")
        scores = wide.unpivot(index="block", variable_name="model", value_name="value")
        scores = scores.with_columns(pl.col("block").cast(pl.String))
        question = asked("accuracy", models)
        yield friedman(scores, question)
        yield iman_davenport(scores, question)
        yield quade(scores, question)
        yield aligned_ranks(scores, question)
        for pairs in (nemenyi, mean_ranks, conover):
            yield from adjust(list(pairs(scores, question)))
        yield from adjust(list(bonferroni_dunn(scores, question, models[-1])))


for _sets in (3, 4, 5, 6, 8, 10, 15):
    for _models in (FOUR[:3], FOUR):
        _several(_sets, _models)
_several(8, FOUR, 1.0)
