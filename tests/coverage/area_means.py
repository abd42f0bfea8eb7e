"""Coverage of mean AUCs over classes, and over pairs of them, by the limits that a report has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from reportgen.measuring.class_areas import of_sweeps
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.multiclass_metrics import areas_of_classes
from reportgen.measuring.multiclass_model import MulticlassModel
from reportgen.predictions import ModelColumns
from tests.coverage.designs import Floats
from tests.coverage.measured import Coverage, of_limits

OF_AREAS = (
    (100, (0.6, 0.3, 0.1), 0.5),
    (100, (0.6, 0.3, 0.1), 1.5),
    (100, (0.6, 0.3, 0.1), 3.0),
    (60, (0.34, 0.33, 0.33), 1.5),
    (300, (0.4, 0.3, 0.2, 0.07, 0.03), 2.0),
    (300, (0.2,) * 5, 3.0),
    (300, (0.1,) * 10, 1.5),
    (1000, (0.6, 0.39, 0.01), 1.0),
)
"""Rows, shares of the classes, and how far the score of a row's class is above the others."""

MEANS = ("macro", "weighted", "macro of pairs", "weighted of pairs")
MANY = 50_000


def of_area_means(
    rows: int, shares: Sequence[float], signal: float, samples: int
) -> Iterator[Coverage]:
    """Coverage of each mean; scores of a row are probabilities, and so depend on each other."""
    true = {kind: value for kind, (value, *_) in _means(MANY, shares, signal, 9).items()}
    ends: dict[str, list[tuple[float, float]]] = {kind: [] for kind in MEANS}
    for seed in range(samples):
        for kind, (_, low, high) in _means(rows, shares, signal, 100 + seed).items():
            ends[kind].append((low, high))
    for kind, limits in ends.items():
        low, high = np.array(limits).T
        held = of_limits(low, high, true[kind], np.ones(len(low)))
        design, fewest = f"{len(shares)} classes", rows * min(shares)
        yield Coverage(f"{kind} auc", design, rows, fewest, signal, *held)


def _means(
    rows: int, shares: Sequence[float], signal: float, seed: int
) -> dict[str, tuple[float, float, float]]:
    truth, scores = _sample(rows, np.array(shares), signal, np.random.default_rng(seed))
    names = [f"c{k}" for k in range(len(shares))]
    frame = pl.DataFrame(scores, schema=names).with_columns(
        truth=pl.Series(truth, dtype=pl.UInt16),
        highest=pl.Series(scores.argmax(axis=1), dtype=pl.UInt16),
    )
    columns = ModelColumns("m", scores=tuple(names), highest="highest")
    model, number = MulticlassModel(columns, frame, names), MetricSubject("m")
    by_class = of_sweeps(model.sweeps(), number, model.methods)
    areas = areas_of_classes(model, number, by_class)
    return {
        str(row["average"]): (row["value"] or 0.0, _or_nan(row["low"]), _or_nan(row["high"]))
        for row in areas
        if row["metric"] == "auc" and row["average"] in MEANS
    }


def _or_nan(limit: float | None) -> float:
    return np.nan if limit is None else limit


def _sample(
    rows: int, shares: Floats, signal: float, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Classes of which each has two rows at least, and a probability of each class."""
    shares = shares / shares.sum()
    truth = random.choice(len(shares), rows, p=shares)
    while np.bincount(truth, minlength=len(shares)).min() < 2:
        truth = random.choice(len(shares), rows, p=shares)
    scores = random.normal(size=(rows, len(shares)))
    scores[np.arange(rows), truth] += signal
    odds = np.exp(scores)
    return truth, odds / odds.sum(axis=1, keepdims=True)
