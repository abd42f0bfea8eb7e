"""Coverage of measures of estimates of a number: errors, R², quantile losses, their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.results import evaluate
from tests.coverage.measured import Coverage, of_limits

MEASURES = (
    "mean_squared_error",
    "mean_absolute_error",
    "r2",
    "pinball_low",
    "pinball_high",
    "interval_coverage",
    "winkler_score",
)
HUGE = "2 % of errors 15 times as large"
KINDS = ("normal", "lognormal", HUGE)
LEVEL = 0.9
POPULATION = 200_000
HALF = 1.645
"""Half the width of a prediction interval that holds 0.9 of normal errors."""

_E = np.exp(1.0)
EXACT = {
    ("lognormal", "mean_squared_error"): _E**2 * (_E**2 - 2 * _E**0.5 + 1),
    ("lognormal", "r2"): 1 - (_E**2 - 2 * _E**0.5 + 1) / (_E**2 - 1),
}
"""Of means that a few of the rows carry no population is large enough."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """Rows with normal errors, of lognormal numbers, or of which 2 % have huge errors."""

    rows: int
    kind: str

    def draw(self, random: np.random.Generator, rows: int | None = None) -> pl.DataFrame:
        """Truth, estimate and prediction interval of as many rows."""
        size = rows or self.rows
        known, error = random.normal(size=(2, size))
        if self.kind == HUGE:
            error = np.where(random.random(size) < 0.02, 15 * error, error)
        columns = {"y": known + error, "p": known, "a": known - HALF, "b": known + HALF}
        if self.kind == "lognormal":
            columns = {name: np.exp(column) for name, column in columns.items()}
        return pl.DataFrame(columns)


def of_estimates(design: Estimates, samples: int, seed: int) -> Iterator[Coverage]:
    """Coverage of each measure."""
    random = np.random.default_rng(seed)
    true = _limits(design.draw(np.random.default_rng(7), POPULATION))
    limits = [_limits(design.draw(random)) for _ in range(samples)]
    for name in MEASURES:
        low, high = np.array([sample[name][1:] for sample in limits], dtype=float).T
        value = EXACT.get((design.kind, name), true[name][0])
        held = of_limits(low, high, float(value or 0.0), np.ones(samples))
        yield Coverage(name, design.kind, design.rows, design.rows, 0, *held)


def _limits(frame: pl.DataFrame) -> dict[str, tuple[float | None, ...]]:
    """Value, lower and upper limit of each measure."""
    model = {"estimate": "p", "low": "a", "high": "b", "level": LEVEL}
    spec = {"truth": "y", "models": {"m": model}, "measures": list(MEASURES)}
    metrics = evaluate({**spec, "bootstrap": {"replicates": 0}}, frame).metrics
    rows = metrics.filter(pl.col("metric").is_in(MEASURES))
    return {name: ends for name, *ends in rows.select("metric", "value", "low", "high").iter_rows()}
