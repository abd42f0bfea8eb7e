"""Situations of a rare class: scores that spread alike or unlike in two models, and labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.special import ndtri

from reportgen.comparisons import Comparison, delong, delong_rare_class
from reportgen.comparisons.balanced_decisions import balanced_decisions
from tests.simulations.situations import Generator, asked, normals, scored, situation

SPREADS = ((1.0, 1.0), (0.7, 1.4), (0.5, 2.0))
"""How widely scores of positives spread in the two models, those of negatives being 1."""

EFFECT = 0.06


def _situation(positives: int, rows: int, area: float, spreads: tuple[float, float]) -> None:
    """Two AUCs of one value, or that differ by ``EFFECT``."""
    truth = np.arange(rows) < positives
    of_each = " and ".join(f"{spread:g}" for spread in spreads)

    @situation(f"AUC {area:g}, {positives} positives of {rows}, spreads {of_each}", power=EFFECT)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        scores = normals(random, rows).T
        for spread, noise, value in zip(spreads, scores, (area, area - effect), strict=True):
            noise[truth] = np.sqrt(1 + spread**2) * ndtri(value) + spread * noise[truth]
        of_rows = scored(truth, *scores)
        yield delong(of_rows, asked("auc"))
        yield delong_rare_class(of_rows, asked("auc"))


for _positives, _rows in ((10, 160), (20, 400), (50, 800), (100, 2100)):
    for _area in (0.8, 0.9, 0.95, 0.98):
        for _spreads in SPREADS:
            _situation(_positives, _rows, _area, _spreads)


DECISIONS = (
    ((0.9, 0.95), (0.9, 0.95)),
    ((0.9, 0.68), (0.6, 0.98)),
    ((0.95, 0.9), (0.9, 0.95)),
    ((0.98, 0.97), (0.96, 0.99)),
)
"""Recall and specificity of two models with one balanced accuracy."""


def _decisions(
    positives: int, rows: int, rates: tuple[tuple[float, float], tuple[float, float]]
) -> None:
    """Labels of two models; with an effect the recall of the second is lower."""
    truth = np.arange(rows) < positives
    of_each = " and ".join(f"{recall:g}/{specificity:g}" for recall, specificity in rates)

    @situation(
        f"{positives} positives of {rows}, recall and specificity {of_each}", power=4 * EFFECT
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        labels = {}
        noise = normals(random, rows).T
        for name, values, (recall, specificity) in zip("ab", noise, rates, strict=True):
            lower = effect if name == "b" else 0.0
            hits, alarms = values < ndtri(recall - lower), values > ndtri(specificity)
            labels[name] = np.where(truth, hits, alarms)
        frame = pl.DataFrame({"truth": truth, **labels})
        yield balanced_decisions(frame, asked("balanced_accuracy", ("a", "b")))


for _positives, _rows in ((10, 310), (20, 1020), (50, 2050)):
    for _rates in DECISIONS:
        _decisions(_positives, _rows, _rates)
