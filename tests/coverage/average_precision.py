"""Coverage of average precision: of plain rows, of weighted ones, and of rows in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from scipy.special import expit, logit, ndtri

from reportgen.clusters import Effect
from reportgen.intervals import INFLUENCE_LOGIT
from reportgen.measuring.grouped import GroupedRows
from reportgen.measuring.kernels import KERNELS, ScoreSums
from reportgen.measuring.metric_set import SPREAD, MetricSet
from reportgen.metrics import METRICS
from reportgen.sweeping import ranking_of
from tests.coverage.designs import Floats
from tests.coverage.measured import Coverage, of_limits

POPULATION = 1_000_000
NAME = "average_precision"
DEPENDENCE = (0.0, 1.0)
"""Deviation of the log odds of groups, and 0.7 times as much of their scores."""

Draw = Callable[[int], pl.DataFrame]


def of_average_precision(
    rows: int, prevalence: float, area: float, spread: float, samples: int
) -> Iterator[Coverage]:
    """Coverage where the scores of positives have so many times the deviation of the others."""
    shift, random = np.hypot(1, spread) * ndtri(area), np.random.default_rng(6)

    def draw(size: int) -> pl.DataFrame:
        truth = random.random(size) < prevalence
        scale = np.where(truth, spread, 1.0)
        score = shift * truth + scale * random.standard_normal(size)
        return pl.DataFrame({"truth": truth, "score": score})

    held = _held(draw, rows, samples, None)
    design = f"{prevalence:g}" + ("" if spread == 1 else ", positives vary twice as much")
    yield Coverage(NAME, design, rows, rows * prevalence, area, *held)


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

    held = _held(draw, rows, samples, "w", population)
    design = f"{prevalence}, negatives weigh {heavier:g} times as much"
    yield Coverage(f"{NAME}, weighted rows", design, rows, rows * prevalence, area, *held)


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

    held = _held(draw, groups * size, samples, None)
    design = f"{groups} groups of {size}, {prevalence}, effects of groups {dependence:g}"
    fewest = groups * size * prevalence
    yield Coverage(f"{NAME}, rows in groups", design, groups * size, fewest, shift, *held)


def _held(
    draw: Draw, rows: int, samples: int, weight: str | None, population: int = POPULATION
) -> tuple[float, ...]:
    true = _value(draw(population), weight)
    values: dict[str, list[object]] = {NAME: [], SPREAD.format(NAME): []}
    effects: list[dict[str, Effect]] = []
    for _ in range(samples):
        frame = draw(rows)
        sums = _sums(frame, weight)
        if sums.precision_spread is None:
            continue
        values[NAME].append(KERNELS[NAME].value(sums))
        values[SPREAD.format(NAME)].append(sums.precision_spread)
        if "group" in frame.columns:
            effects.append({NAME: GroupedRows.of(frame, "score", weight).precision})
    assert METRICS[NAME].interval is INFLUENCE_LOGIT
    limited = MetricSet([METRICS[NAME]], 0.95).limited(values, len(values[NAME]), effects)
    ends: Floats = np.array([row[NAME] for row in limited], dtype=float)
    return of_limits(ends[:, 1], ends[:, 2], true, np.ones(len(ends)))


def _value(frame: pl.DataFrame, weight: str | None) -> float:
    return KERNELS[NAME].value(_sums(frame, weight)) or 0.0


def _sums(frame: pl.DataFrame, weight: str | None) -> ScoreSums:
    return ScoreSums(ranking_of(frame, weight=weight), np.empty(0, np.intp))
