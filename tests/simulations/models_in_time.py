"""Situations of several models, and of declared costs, on rows in order of time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.special import ndtri

from reportgen.clusters import Groups
from reportgen.comparisons import (
    Comparison,
    cochran_q,
    declared_costs,
    declared_costs_in_time,
    diebold_mariano_several,
)
from reportgen.sample_design import SampleDesign
from tests.simulations.situations import Generator, asked, situation

COST = "cost_sensitive_error_rate"

START = 200
"""Points of time that are left out, so that the first one that counts depends on as many."""

MISSED = ((0.03, 0.0), (0.1, 0.0), (0.3, 0.1))
"""What part of the positives the two models miss."""


def _together(random: Generator, points: int, models: int, depends: float) -> np.ndarray:
    """Autoregressive series of variance 1, a column per model."""
    noise = random.standard_normal((points + START, models)) * np.sqrt(1 - depends**2)
    return lfilter([1.0], [1.0, -depends], noise, axis=0)[START:]


def _several(points: int, models: int, depends: float, kind: str) -> None:
    names = tuple("abcdefghijkl"[:models])

    @situation(
        f"{models} models, {points} points of time, {kind}: autocorrelation {depends:g}",
        power=6 / np.sqrt(points * (1 - depends) / (1 + depends)),
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        shared = _together(random, points, 1, depends)
        latent = _together(random, points, models, depends)
        latent[:, 0] -= effect
        if kind == "errors":
            losses = np.abs(shared + latent)
            measure = "mean_absolute_error"
        elif kind == "squared errors of unlike models":
            # Half of the models follow the last value, so that their errors depend more.
            slow = _together(random, points, models, min(depends + 0.1, 0.9))
            latent[:, ::2] = slow[:, ::2] - (np.arange(models) == 0)[::2] * effect
            losses = np.square(latent)
            measure = "mean_squared_error"
        else:
            losses = (shared + latent > -1.2).astype(float)
            measure = "accuracy"
        frame = pl.DataFrame(dict(zip(names, losses.T, strict=True)))
        yield diebold_mariano_several(frame, asked(measure, names))
        if measure == "accuracy":
            correct = {name: pl.col(name) > 0 for name in names}
            yield from cochran_q(frame, correct, asked(measure, names))[:1]


Shape = tuple[int, int, int]
"""Rows, points of time and groups (0: none)."""


def costs(
    random: Generator,
    shape: Shape,
    dear: float,
    missed: tuple[float, float],
    depends: float,
    effect: float = 0.0,
) -> tuple[pl.DataFrame, Groups | None]:
    """What rows cost under two models that cost the same; a fifth of the rows is positive."""
    rows, points, groups = shape
    share = 0.2
    point = np.arange(rows) if points == rows else np.sort(random.integers(0, points, rows))
    group = random.integers(0, groups, rows) if groups else None
    parts = 0.4 if depends else 0.0

    def chance() -> np.ndarray:
        value = np.sqrt(parts) * _together(random, points, 1, depends)[point, 0]
        left = 1 - parts
        if group is not None:
            value += np.sqrt(0.2) * random.standard_normal(groups)[group]
            left -= 0.2
        return value + np.sqrt(left) * random.standard_normal(rows)

    truth = chance() < ndtri(share)
    alarms = (missed[0] - missed[1]) * share / (1 - share) * dear
    first, second, false = (chance() < ndtri(rate) for rate in (*missed, alarms))
    cost = np.where(truth, dear, 1.0)
    losses = pl.DataFrame(
        {
            "point": point,
            "first": cost * (truth & first),
            "second": cost * np.where(truth, second, false) * (1 - effect),
            "costliest": cost,
        }
    )
    return losses, None if group is None else Groups.of(pl.Series(group))


def cost_situations() -> Iterator[tuple[Shape, float, tuple[float, float]]]:
    """The shapes, what a missed positive costs, and what part of them the two models miss."""
    for shape in ((400, 400, 0), (1200, 400, 0), (1200, 1200, 0), (2400, 400, 24)):
        for dear in (1.0, 5.0, 20.0):
            for missed in MISSED:
                if (missed[0] - missed[1]) * 0.25 * dear < 1:
                    yield shape, dear, missed


def named(shape: Shape, dear: float, missed: tuple[float, float], depends: float) -> str:
    """What a situation of costs is."""
    rows, points, groups = shape
    of_costs = f"costs {dear:g} : 1, {missed[0]:.0%} and {missed[1]:.0%} of the positives missed"
    of_groups = f", {groups} groups" if groups else ""
    return f"{rows} rows, {points} points of time{of_groups}: {of_costs}, {depends:g}"


def _costs(shape: Shape, dear: float, missed: tuple[float, float], depends: float) -> None:
    @situation(named(shape, dear, missed, depends), power=0.6)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        losses, together = costs(random, shape, dear, missed, depends, effect)
        yield declared_costs_in_time(losses, asked(COST), together)
        yield declared_costs(losses, asked(COST), SampleDesign(groups=together))


for _depends in (0.0, 0.5, 0.8, 0.9):
    for _points in (200, 1000):
        for _models in (3, 5, 8):
            for _kind in ("decisions", "errors", "squared errors of unlike models"):
                _several(_points, _models, _depends, _kind)
    for _of_costs in cost_situations():
        _costs(*_of_costs, _depends)
