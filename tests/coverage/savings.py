"""Coverage of what another threshold saves, with the threshold chosen on the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.measuring.threshold_change import CostRows, threshold_change
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from tests.coverage.designs import Floats, Forecasts
from tests.coverage.measured import Coverage, of_limits
from tests.report_data import Rows

IN_USE = 0.5
POPULATION = 300_000
"""Rows of which the true costs are known."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a row costs in the population at a threshold, by one sorting."""

    score: Floats
    missed: Floats
    false_positive_costs: Floats

    @classmethod
    def of(cls, rows: CostRows) -> Costs:
        """Costs of positives below each score, and of negatives above it."""
        order = np.argsort(rows.score)
        missed = np.append(0.0, (rows.costs * rows.positive)[order].cumsum())
        false_positive_costs = np.append(0.0, (rows.costs * ~rows.positive)[order].cumsum())
        return cls(rows.score[order], missed, false_positive_costs[-1] - false_positive_costs)

    def at(self, threshold: float) -> float:
        """The mean cost of a row."""
        below = int(np.searchsorted(self.score, threshold))
        return float(self.missed[below] + self.false_positive_costs[below]) / len(self.score)


def of_savings(design: Forecasts, ratio: float, samples: int, seed: int) -> Iterator[Coverage]:
    """Coverage of the saving, of rows where a false negative costs ``ratio`` false positives."""
    whole = Forecasts(POPULATION, design.prevalence, design.area, design.steepness)
    [truth], [score] = whole.draw(1, np.random.default_rng(7))
    samples_of_scores = zip(*design.draw(samples, np.random.default_rng(seed)), strict=True)
    held = _held(
        _costed(truth, score, ratio), (_costed(t, s, ratio) for t, s in samples_of_scores), seed
    )
    fewest = design.rows * min(design.prevalence, 1 - design.prevalence)
    name = f"{design.prevalence}, a false negative costs {ratio:g}"
    yield Coverage("saving of another threshold", name, design.rows, fewest, design.area, *held)


def of_savings_in_groups(rows: Rows, ratio: float, samples: int, seed: int) -> Iterator[Coverage]:
    """The same of rows in groups."""
    random, size = np.random.default_rng(seed), rows.units * rows.rows
    population = rows(np.random.default_rng(7), POPULATION // size)
    frames = (rows(random, 1) for _ in range(samples))
    each = (_grouped(f, ratio) for f in frames if f["truth"].n_unique() > 1)
    held = _held(_grouped(population, ratio), each, seed)
    name = f"{rows.units} groups, a false negative costs {ratio:g}"
    fewest = size * min(rows.prevalence, 1 - rows.prevalence)
    yield Coverage("saving of another threshold", name, size, fewest, rows.separation, *held)


def _held(population: CostRows, samples: Iterator[CostRows], seed: int) -> tuple[float, ...]:
    """How often limits hold what the threshold of the sample saves in the population.

    Samples of which it changes no decision are left out: nothing is proposed.
    """
    costs, ends = Costs.of(population), []
    for sample in samples:
        change = threshold_change("m", sample, IN_USE, options=BootstrapSettings(seed=seed))
        if change is None or not (change.false_negatives or change.false_positives):
            continue
        low, high = (np.nan if end is None else end for end in (change.low, change.high))
        ends.append((low, high, costs.at(IN_USE) - costs.at(change.proposed)))
    low, high, true = np.array(ends, dtype=float).reshape(-1, 3).T
    return of_limits(low, high, true, np.ones(len(low)))


def _costed(
    truth: Floats, score: Floats, ratio: float, group: np.ndarray | None = None
) -> CostRows:
    positive = truth > 0
    return CostRows(score, positive, np.where(positive, ratio, 1.0), np.ones(len(score)), group)


def _grouped(frame: pl.DataFrame, ratio: float) -> CostRows:
    truth, score, group = (frame[name].to_numpy() for name in ("truth", "a", "group"))
    return _costed(truth, score, ratio, group.astype(np.intp))
