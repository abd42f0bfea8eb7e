"""Coverage of areas under P-R curves: of plain rows, of weighted ones, and of rows in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from scipy.special import expit, logit, ndtri

from reportgen.clusters import Effect
from reportgen.intervals import INFLUENCE_LOGIT, INFLUENCE_LOGIT_INTERPOLATED
from reportgen.measuring.grouped import GroupedRows
from reportgen.measuring.kernels import KERNELS, ScoreSums
from reportgen.measuring.metric_set import SPREAD, MetricSet
from reportgen.metrics import METRICS
from reportgen.sweeping import ranking_of
from tests.coverage.designs import Floats
from tests.coverage.measured import Coverage, of_limits

POPULATION = 1_000_000
INTERVALS = {"average_precision": INFLUENCE_LOGIT, "pr_auc": INFLUENCE_LOGIT_INTERPOLATED}
NAMES = tuple(INTERVALS)
WIDE = "positives vary twice as much"
LEVELS = {"two labels": 2, "five levels": 5}
SHAPES = ("equal variances", WIDE, *LEVELS)
DEPENDENCE = (0.0, 1.0)
"""Deviation of the log odds of groups, and 0.7 times as much of their scores."""

Draw = Callable[[int], pl.DataFrame]


def of_average_precision(
    rows: int, prevalence: float, area: float, shape: str, samples: int
) -> Iterator[Coverage]:
    """Coverage where scores have a shape of ``SHAPES`` and this AUC before they are labels."""
    spread = 2.0 if shape == WIDE else 1.0
    shift, random = np.hypot(1, spread) * ndtri(area), np.random.default_rng(6)

    def draw(size: int) -> pl.DataFrame:
        truth = random.random(size) < prevalence
        scale = np.where(truth, spread, 1.0)
        score = shift * truth + scale * random.standard_normal(size)
        if shape in LEVELS:
            score = np.floor(score / shift * LEVELS[shape]).clip(0, LEVELS[shape] - 1)
        return pl.DataFrame({"truth": truth, "score": score})

    design = f"{prevalence:g}, {shape}"
    for name, held in _held(draw, rows, samples, None):
        yield Coverage(name, design, rows, rows * prevalence, area, *held)


def of_weighted_precision(  # one argument per thing that is varied
    rows: int,
    prevalence: float,
    area: float,
    heavier: float,
    samples: int,
    population: int = POPULATION,
) -> Iterator[Coverage]:
    """Coverage where negatives weigh so many times as much."""
    shift, random = np.sqrt(2) * ndtri(area), np.random.default_rng(6)

    def draw(size: int) -> pl.DataFrame:
        truth = random.random(size) < prevalence
        weight = random.lognormal(0, 0.8, size) * np.where(truth, 1.0, heavier)
        score = random.standard_normal(size) + shift * truth
        return pl.DataFrame({"truth": truth, "score": score, "w": weight})

    design = f"{prevalence}, negatives weigh {heavier:g} times as much"
    for name, held in _held(draw, rows, samples, "w", population):
        yield Coverage(f"{name}, weighted rows", design, rows, rows * prevalence, area, *held)


def of_grouped_precision(  # one argument per thing that is varied
    groups: int, size: int, prevalence: float, shift: float, dependence: float, samples: int
) -> Iterator[Coverage]:
    """Coverage of rows in groups whose log odds and scores have effects of the group."""
    random = np.random.default_rng(6)

    def draw(rows: int) -> pl.DataFrame:
        group = np.arange(rows) // size
        effects = dependence * random.standard_normal((2, group[-1] + 1))
        truth = random.random(rows) < expit(logit(prevalence) + effects[0][group])
        noise = random.standard_normal(rows) + 0.7 * effects[1][group]
        return pl.DataFrame({"truth": truth, "score": noise + shift * truth, "group": group})

    design = f"{groups} groups of {size}, {prevalence}, effects of groups {dependence:g}"
    fewest = groups * size * prevalence
    for name, held in _held(draw, groups * size, samples, None):
        yield Coverage(f"{name}, rows in groups", design, groups * size, fewest, shift, *held)


def _held(
    draw: Draw, rows: int, samples: int, weight: str | None, population: int = POPULATION
) -> Iterator[tuple[str, tuple[float, ...]]]:
    """By measure how often its limits hold the value of a population."""
    whole = _sums(draw(population), weight)
    values: dict[str, list[object]] = {n: [] for name in NAMES for n in (name, SPREAD.format(name))}
    effects: list[dict[str, Effect]] = []
    for _ in range(samples):
        frame = draw(rows)
        sums = _sums(frame, weight)
        if sums.precision_spread is None:
            continue
        for name in NAMES:
            values[name].append(KERNELS[name].value(sums))
            spread = INTERVALS[name].at(sums.precision_spread, len(sums.ranking))
            values[SPREAD.format(name)].append(spread)
        if "group" in frame.columns:
            effect = GroupedRows.of(frame, "score", weight).precision
            effects.append(dict.fromkeys(NAMES, effect))
    metrics = [METRICS[name] for name in NAMES]
    assert {metric.name: metric.interval for metric in metrics} == INTERVALS
    limited = MetricSet(metrics, 0.95).limited(values, len(values[NAMES[0]]), effects)
    for name in NAMES:
        ends: Floats = np.array([row[name] for row in limited], dtype=float)
        true = KERNELS[name].value(whole) or 0.0
        yield name, of_limits(ends[:, 1], ends[:, 2], true, np.ones(len(ends)))


def _sums(frame: pl.DataFrame, weight: str | None) -> ScoreSums:
    return ScoreSums(ranking_of(frame, weight=weight), np.empty(0, np.intp))
