"""Coverage of measures of the first part of a ranking: partial areas, the top of the list."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from reportgen.measuring.metric_set import MetricSet
from reportgen.measuring.ranking_limits import LIMITS, limits_of_ranking
from reportgen.metrics import METRICS
from reportgen.sweeping import Ranking, ranking_of
from tests.coverage.designs import Floats, Forecasts
from tests.coverage.measured import Coverage, of_limits

LEVELS = 5
"""Levels between 0 and 1 that scores are rounded to where they have few."""


def of_first_ranks(
    design: Forecasts, samples: int, seed: int, *, tied: bool = False
) -> Iterator[Coverage]:
    """Coverage of each, of scores that all differ or of few levels."""
    whole = Forecasts(10**6, design.prevalence, design.area, design.steepness)
    [truth], [score] = whole.draw(1, np.random.default_rng(7))
    true = _ranked(truth, score, tied).table().select(**{n: METRICS[n].build() for n in LIMITS})
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in LIMITS}
    for truth, score in zip(*design.draw(samples, np.random.default_rng(seed)), strict=True):
        ranked = _ranked(truth, score, tied)
        table = limits_of_ranking(ranked, MetricSet([METRICS[name] for name in LIMITS], 0.95))
        for name, low, high, _ in table.iter_rows():
            ends[name].append((low, high))
    fewest = design.rows * min(design.prevalence, 1 - design.prevalence)
    what = f"{design.prevalence}, {'few levels' if tied else 'no ties'}"
    for name, limits in ends.items():
        low, high = np.array(limits).T
        held = of_limits(low, high, true[name].item(), np.ones(len(low)))
        yield Coverage(name, what, design.rows, fewest, design.area, *held)


def _ranked(truth: Floats, score: Floats, tied: bool) -> Ranking:
    score = np.round(score * LEVELS) / LEVELS if tied else score
    return ranking_of(pl.DataFrame({"truth": truth > 0, "score": score}))
