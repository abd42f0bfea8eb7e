"""Situations of rows in groups and in order of time: both may vary together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.stats import norm

from reportgen.clusters import Groups
from reportgen.comparisons import (
    Comparison,
    delong_groups_long_run,
    delong_long_run,
    diebold_mariano,
    diebold_mariano_groups,
    mcnemar_groups,
    obuchowski,
)
from tests.simulations.situations import Generator, asked, situation

START = 200
"""Points of time that are left out, so that the first one that counts depends on as many."""

SHAPES = ((1200, 24, 200), (1200, 40, 1200), (1200, 100, 100), (2400, 24, 100), (600, 10, 600))
"""Rows, groups and points of time."""

DEPEND = (
    ("nothing depends", 0.0, 0.0, 0.0),
    ("groups alone", 0.4, 0.0, 0.0),
    ("points alone, autocorrelation 0.5", 0.0, 0.4, 0.5),
    ("points alone, autocorrelation 0.8", 0.0, 0.4, 0.8),
    ("groups and points, autocorrelation 0.5", 0.3, 0.3, 0.5),
    ("groups and points, autocorrelation 0.8", 0.4, 0.4, 0.8),
)
"""What varies together: spread of groups, of points of time, and their autocorrelation."""


def _series(random: Generator, points: int, depends: float) -> np.ndarray:
    noise = random.standard_normal(points + START) * np.sqrt(1 - depends**2)
    return lfilter([1.0], [1.0, -depends], noise)[START:]


def _places(random: Generator, rows: int, groups: int, points: int) -> tuple[np.ndarray, ...]:
    """The group and the point of time of each row."""
    point = np.arange(rows) if points == rows else np.sort(random.integers(0, points, rows))
    return random.integers(0, groups, rows), point


def _decisions(shape: tuple[int, int, int], depend: tuple[str, float, float, float]) -> None:
    rows, groups, points = shape
    named, of_groups, of_points, depends = depend

    @situation(
        f"{rows} rows, {groups} groups, {points} points of time: {named}",
        power=4 / np.sqrt(rows) + 2 * of_groups / np.sqrt(groups),
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        group, point = _places(random, rows, groups, points)
        gap = random.standard_normal(rows) + effect
        gap += of_groups * random.standard_normal(groups)[group]
        gap += of_points * _series(random, points, depends)[point]
        first, second = gap > -1, gap < 1
        losses = pl.DataFrame({"point": point, "first": first, "second": second})
        together, question = Groups.of(pl.Series(group)), asked("accuracy")
        yield diebold_mariano_groups(losses, together, question)
        yield mcnemar_groups((first, second), together, question)
        by_point = losses.cast({"first": pl.Float64, "second": pl.Float64})
        by_point = by_point.group_by("point", maintain_order=True).mean()
        yield diebold_mariano(by_point, question)[0]


def _areas(
    shape: tuple[int, int, int], depend: tuple[str, float, float, float], prevalence: float
) -> None:
    rows, groups, points = shape
    named, of_groups, of_points, depends = depend

    @situation(
        f"{rows} rows, {groups} groups, {points} points of time, AUCs with {prevalence:g} "
        f"positive: {named}",
        power=2.5 / np.sqrt(rows * prevalence) + 2 * of_groups / np.sqrt(groups),
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        group, point = _places(random, rows, groups, points)

        def latent(own: float = 1.0) -> np.ndarray:
            together = of_groups * random.standard_normal(groups)[group]
            return (
                own * random.standard_normal(rows)
                + together
                + of_points * _series(random, points, depends)[point]
            )

        truth = latent() / np.sqrt(1 + of_groups**2 + of_points**2) < norm.ppf(prevalence)
        if not 2 <= truth.sum() <= rows - 2:
            return
        shared, shift = latent(), 1.7 * truth
        scores = pl.DataFrame({"point": point, "truth": truth}).with_columns(
            first=pl.Series(shared + latent() + shift),
            second=pl.Series(shared + latent() + (1 - effect) * shift),
        )
        together, question = Groups.of(pl.Series(group)), asked("auc")
        yield delong_groups_long_run(scores, together, question)
        yield delong_long_run(scores, question)
        yield obuchowski(scores, question, together, scores=("first", "second"))


for _shape in SHAPES:
    for _depend in DEPEND:
        _decisions(_shape, _depend)
        for _prevalence in (0.1, 0.3):
            _areas(_shape, _depend, _prevalence)
