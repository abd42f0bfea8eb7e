"""What the test of log losses detects: ``python -m tests.simulations.power_of_log_losses 500``.

Two calibrated models, one with more signal than the other. The share of data sets in which the test
of probability losses rejects the log loss, and the Brier score, each beside a paired t-test, which
does not allow for sure and wrong predictions that the rows may lack.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
from scipy.special import expit, logit
from scipy.stats import ttest_rel

from reportgen.array_types import Floats
from reportgen.comparisons import probability_losses
from reportgen.metrics.row_losses import LOSSES
from tests.simulations.situations import ALPHA, Generator, asked

DESIGNS = ((100, 0.3), (300, 0.3), (300, 0.1), (1_000, 0.05), (1_000, 0.3), (5_000, 0.1))
"""Rows, and the share of positives."""

SIGNALS = ((1.47, 0.95), (2.66, 2.09))
"""Distances of the classes in standard deviations: AUC 0.85 and 0.75, 0.97 and 0.93."""


def calibrated(random: Generator, truth: Floats, signal: float, prevalence: float) -> Floats:
    """The probabilities that scores of unit variance, ``signal`` apart, give."""
    score = signal * truth + random.normal(size=len(truth))
    result: Floats = expit(logit(prevalence) + signal * score - signal**2 / 2)
    return result


def rejected(
    rows: int, prevalence: float, signals: tuple[float, float], sets: int
) -> dict[str, tuple[float, float]]:
    """By measure the shares of data sets in which the test, and the t-test, reject."""
    random, counts = np.random.default_rng(rows), {name: np.zeros(2) for name in LOSSES}
    for _ in range(sets):
        truth = (random.random(rows) < prevalence).astype(float)
        first, second = (calibrated(random, truth, signal, prevalence) for signal in signals)
        frame = pl.DataFrame({"truth": truth > 0, "a": first, "b": second})
        for name, loss in LOSSES.items():
            test = probability_losses(frame, asked(name))
            plain = float(ttest_rel(loss(first.copy(), truth), loss(second.copy(), truth)).pvalue)
            counts[name] += (test.p_value or 1.0) < ALPHA, plain < ALPHA
    return {name: tuple((of / sets).tolist()) for name, of in counts.items()}


def main(sets: str = "500") -> None:
    """Print a line per design."""
    for signals in SIGNALS:
        for rows, prevalence in DESIGNS:
            shares = rejected(rows, prevalence, signals, int(sets))
            text = "; ".join(f"{name} {a:.3f}, by t {b:.3f}" for name, (a, b) in shares.items())
            print(f"{rows} rows, {prevalence:.0%} positive, signals {signals}: {text}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
