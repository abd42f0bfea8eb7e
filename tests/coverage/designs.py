"""Where rows come from: sizes, prevalence, quality and shape of the scores, and true values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm, rankdata

Floats = npt.NDArray[np.float64]

SIZES = (30, 100, 1000)
PREVALENCES = (0.1, 0.3, 0.5)
AREAS = (0.5, 0.7, 0.9, 0.95, 0.99)
SHAPES = ("equal variances", "positives vary twice as much", "exponential", "five levels")
RATES = ((0.5, 0.6), (0.7, 0.7), (0.6, 0.9), (0.8, 0.8), (0.9, 0.9), (0.95, 0.95), (0.99, 0.99))
"""Recall and specificity."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Rows whose classes have fixed sizes; ``shape`` is that of the scores."""

    shape: str
    area: float
    positives: int
    negatives: int

    def draw(self, number: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Scores of positives and of negatives, sample × row."""
        sizes = ((number, self.positives), (number, self.negatives))
        if self.shape == "exponential":
            odds = self.area / (1 - self.area)
            return odds * random.exponential(size=sizes[0]), random.exponential(size=sizes[1])
        if self.shape == "two labels":
            rates = (self.area, 1 - self.area)
            labels = [random.random(s) < rate for s, rate in zip(sizes, rates, strict=True)]
            return labels[0].astype(float), labels[1].astype(float)
        spread = 2.0 if self.shape == "positives vary twice as much" else 1.0
        shift = np.sqrt(1 + spread**2) * norm.ppf(self.area)
        if self.shape == "five levels":
            shift = _shift_of_levels(self.area)
        above = random.normal(shift, spread, sizes[0])
        below = random.normal(0, 1, sizes[1])
        if self.shape != "five levels":
            return above, below
        edges = _edges(self.area)
        return np.digitize(above, edges).astype(float), np.digitize(below, edges).astype(float)

    def population(self) -> tuple[Floats, Floats]:
        """Shares of the positives and of the negatives at each level, or in narrow cells."""
        if self.shape == "two labels":
            return np.array([1 - self.area, self.area]), np.array([self.area, 1 - self.area])
        if self.shape == "exponential":
            edges = np.append(np.linspace(0, 30, 60001), np.geomspace(31, 30000, 2000))
            odds = self.area / (1 - self.area)
            return np.diff(-np.exp(-edges / odds)), np.diff(-np.exp(-edges))
        if self.shape == "five levels":
            edges = np.array([-np.inf, *_edges(self.area), np.inf])
            spread, shift = 1.0, _shift_of_levels(self.area)
        else:
            edges = np.array([-np.inf, *np.linspace(-15, 25, 80001), np.inf])
            spread = 2.0 if self.shape == "positives vary twice as much" else 1.0
            shift = np.sqrt(1 + spread**2) * norm.ppf(self.area)
        return np.diff(norm.cdf((edges - shift) / spread)), np.diff(norm.cdf(edges))


def _edges(area: float) -> Floats:
    """Where scores change level: between the classes, as far as these lie apart."""
    apart = max(np.sqrt(2) * norm.ppf(area), 0.8)
    return np.array([-0.5, 0.3, 1.0, 1.8]) * apart / 1.5


def _shift_of_levels(area: float) -> float:
    """The shift of normal scores whose levels have this area."""
    below = np.diff(norm.cdf([-np.inf, *_edges(area), np.inf]))
    before = np.append(0, below.cumsum()[:-1])

    def off(shift: float) -> float:
        above = np.diff(norm.cdf(np.array([-np.inf, *_edges(area), np.inf]) - shift))
        return float((above * (before + below / 2)).sum()) - area

    return float(brentq(off, -1, 20))


def placed(above: Floats, below: Floats) -> tuple[Floats, Floats]:
    """Share of the other class below each positive, and above each negative; ties half."""
    ranks = rankdata(np.hstack([above, below]), axis=1)
    hits = above.shape[1]
    of_positives = (ranks[:, :hits] - rankdata(above, axis=1)) / below.shape[1]
    of_negatives = 1 - (ranks[:, hits:] - rankdata(below, axis=1)) / hits
    return of_positives, of_negatives


def class_sizes() -> Iterator[tuple[int, int]]:
    """Sizes of the classes by number of rows and prevalence, then of very few rows."""
    for rows, prevalence in product(SIZES, PREVALENCES):
        positives = round(rows * prevalence)
        yield positives, rows - positives
    yield from ((1, 29), (2, 28), (5, 95), (5, 5), (10, 10))


@dataclass(frozen=True, slots=True)
class Forecasts:
    """Rows with a random class and a probability; above 1 ``steepness`` is overconfidence."""

    rows: int
    prevalence: float
    area: float
    steepness: float = 1.0

    def draw(self, number: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Truth and forecast, sample × row, of samples with both classes."""
        shift = np.sqrt(2) * norm.ppf(self.area)
        truth = random.random((number, self.rows)) < self.prevalence
        truth = truth[truth.any(axis=1) & ~truth.all(axis=1)]
        scores = random.normal(shift * truth, 1)
        odds = logit(self.prevalence) + shift * scores - shift**2 / 2
        return truth.astype(float), expit(self.steepness * odds)
