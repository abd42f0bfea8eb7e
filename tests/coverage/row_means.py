"""Coverage of means of rows of several classes and of several labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import softmax

from reportgen.measuring.independent_means import has_limits, independent_rows
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.multiclass_model import foreseen_losses
from reportgen.metrics import REGISTRY
from reportgen.multiclass import score_rows
from reportgen.multilabel import label_sets
from tests.coverage.designs import Floats
from tests.coverage.measured import Coverage, of_limits

Limits = dict[str, tuple[float, float, float]]
"""Value, lower and upper limit of each measure."""


@dataclass(frozen=True, slots=True)
class ClassRows:
    """Probabilities of classes, the surer the larger ``signal``; above 1 ``steepness`` is too sure.

    Rows weigh from 1 to ``heaviest``.
    """

    rows: int
    classes: int
    signal: float
    steepness: float = 1.0
    heaviest: float = 1.0

    def draw(self, random: np.random.Generator, rows: int) -> Limits:
        """The measures of so many rows."""
        odds = self.signal * random.normal(size=(rows, self.classes))
        chances = softmax(odds, axis=1)
        truth = (chances.cumsum(axis=1) < random.random((rows, 1))).sum(axis=1)
        given = softmax(self.steepness * odds, axis=1)
        names = [f"p{k}" for k in range(self.classes)]
        columns = [pl.Series(n, of) for n, of in zip(names, given.T, strict=True)]
        frame = pl.DataFrame(columns).with_columns(
            truth=pl.Series(truth.clip(0, self.classes - 1)),
            weight=random.uniform(1, self.heaviest, rows),
        )
        scored = score_rows(frame, names, truth="truth", weight="weight")
        return _limits("multiclass", scored, columns)

    def __str__(self) -> str:
        weights = f", weights of 1 to {self.heaviest:g}" if self.heaviest > 1 else ""
        of_classes = f"{self.classes} classes, signal {self.signal:g}"
        return f"{of_classes}, steepness {self.steepness:g}{weights}"


@dataclass(frozen=True, slots=True)
class LabelRows:
    """Scores of labels that ``apart`` standard deviations separate, in harder rows by less."""

    rows: int
    labels: int
    share: float
    apart: float
    harder: float = 0.0

    def draw(self, random: np.random.Generator, rows: int) -> Limits:
        """The measures of so many rows."""
        truth = random.random((rows, self.labels)) < self.share
        shift = self.apart * np.exp(-np.abs(self.harder * random.normal(size=(rows, 1))))
        score = shift * (truth - 0.5) + random.normal(size=truth.shape)
        names = [[f"{letter}{k}" for k in range(self.labels)] for letter in "ts"]
        columns = {
            name: column
            for of, table in zip(names, (truth, score), strict=True)
            for name, column in zip(of, table.T, strict=True)
        }
        predicted = [pl.col(name) >= 0 for name in names[1]]
        sets = label_sets(pl.DataFrame(columns), names[0], predicted, names[1], None)
        return _limits("multilabel", sets, ())

    def __str__(self) -> str:
        harder = ", unlike rows" if self.harder else ""
        return f"{self.labels} labels, {self.apart:g} apart{harder}"


CLASS_ROWS = tuple(
    ClassRows(rows, classes, signal, steepness)
    for rows in (10, 30, 100, 1000)
    for classes in (3, 10)
    for signal, steepness in ((1, 1), (3, 0.7), (3, 1.5), (10, 1.3), (30, 1))
)
LABEL_ROWS = tuple(
    LabelRows(rows, labels, share, apart, harder)
    for rows in (10, 30, 100)
    for labels, share in ((4, 0.3), (20, 0.1))
    for apart, harder in ((1.5, 0), (3, 0), (6, 1), (6, 0))
)


def of_row_means(
    design: ClassRows | LabelRows, samples: int, seed: int, population: int = 200_000
) -> Iterator[Coverage]:
    """Coverage of each mean, whose true value is that of a ``population``."""
    random = np.random.default_rng(seed)
    true = design.draw(np.random.default_rng(7), population)
    samples_of_rows = [design.draw(random, design.rows) for _ in range(samples)]
    task = "classes" if isinstance(design, ClassRows) else "labels"
    for name, (value, *_) in true.items():
        ends: Floats = np.array([sample[name] for sample in samples_of_rows], dtype=float)
        valued = np.isfinite(ends[:, 0])
        held = of_limits(ends[valued, 1], ends[valued, 2], value, np.ones(valued.sum()))
        yield Coverage(f"{name}, several {task}", str(design), design.rows, design.rows, 0, *held)


def _limits(task: str, frame: pl.DataFrame, scores: list[pl.Series] | tuple[()]) -> Limits:
    metrics = [m for m in REGISTRY[task].values() if m.on == "rows" and has_limits(m)]

    def foreseen(loss: str) -> tuple[Floats, Floats]:
        return foreseen_losses(loss, scores)

    rows = independent_rows(MetricSubject("m"), frame, metrics, foreseen)
    return {
        row["metric"]: tuple(np.nan if row[k] is None else row[k] for k in ("value", "low", "high"))
        for row in rows
    }
