"""Situations of two models whose probabilities lose the same on average, and are otherwise unlike.

Of one model every probability is as far from the truth as of the others; the second one is nearly
sure, and rarely wrong. Or the second has more signal and is too sure of it, or has five values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm

from reportgen.clusters import Groups
from reportgen.comparisons import Comparison, probability_losses
from reportgen.metrics.row_losses import LOSSES
from reportgen.sample_design import SampleDesign
from tests.simulations.situations import Generator, asked, situation

Floats = np.ndarray
Forecasts = tuple[Floats, Floats, Floats]
Noise = Callable[[], Floats]

SURE = 0.98
"""The probability of a model that is nearly sure."""


def noise_of(random: Generator, rows: int, groups: int) -> Noise:
    """Standard normal numbers, of which groups share a half of the variance."""
    if not groups:
        return lambda: random.standard_normal(rows)
    code = np.arange(rows) * groups // rows

    def shared() -> Floats:
        of_group, of_row = random.standard_normal(groups)[code], random.standard_normal(rows)
        result: Floats = np.sqrt(0.5) * (of_group + of_row)
        return result

    return shared


def rarely_wrong(noise: Noise, positive: float, metric: str, wrong: float) -> Forecasts:
    """Truth, probabilities that all lose the same, and others that are wrong in a small share."""
    loss = LOSSES[metric]
    truth, errs = noise() < norm.ppf(positive), norm.cdf(noise()) < wrong
    at, zero = np.array([SURE]), np.zeros(1)
    mean = float((1 - wrong) * loss(1 - at, zero)[0] + wrong * loss(at, zero)[0])
    off = mean**0.5 if metric == "brier_score" else -np.expm1(-mean)
    sure = np.where(truth ^ errs, SURE, 1 - SURE)
    return truth, np.where(truth, 1 - off, off), sure


def too_sure(noise: Noise, positive: float, signal: float, times: float) -> Forecasts:
    """Truth, calibrated probabilities, and others with that signal and logits so many times."""
    latent, base = noise(), norm.ppf(positive)
    columns = []
    for share in (0.6, signal):
        seen = share * latent + np.sqrt(1 - share**2) * noise()
        columns.append(norm.cdf((base - share * seen) / np.sqrt(1 - share**2)))
    a, b = (np.clip(c, 1e-6, 1 - 1e-6) for c in columns)
    return latent < base, a, expit(times * logit(b))


@cache
def equal_signal(positive: float, metric: str, times: float) -> float:
    """The signal with which the second model loses as much as the first."""

    def gap(signal: float) -> float:
        noise = noise_of(np.random.default_rng(5), 200_000, 0)
        truth, a, b = too_sure(noise, positive, signal, times)
        first, second = (LOSSES[metric](c, truth.astype(float)) for c in (a, b))
        return float((first - second).mean())

    return float(brentq(gap, 0.3, 0.98, xtol=1e-4))


def _situations(rows: int, groups: int, positive: float, metric: str) -> None:
    of = f"{groups} groups of {rows // groups}" if groups else f"{rows} rows"
    of = f"{metric.replace('_', ' ')}, {of}, {positive:.0%} positive"

    def test(forecasts: Forecasts) -> Comparison:
        frame = pl.DataFrame(dict(zip(("truth", "a", "b"), forecasts, strict=True)))
        code = np.arange(rows) * groups // rows
        return probability_losses(
            frame, asked(metric), SampleDesign(groups=Groups(code, groups) if groups else None)
        )

    for wrong in (0.1, 0.03, 0.01):

        @situation(f"rarely wrong ({wrong:g}), {of}", share=0.5)
        def rare(random: Generator, effect: float, wrong: float = wrong) -> Iterator[Comparison]:
            noise = noise_of(random, rows, groups)
            yield test(rarely_wrong(noise, positive, metric, wrong))

    @situation(f"more signal and too sure, {of}", share=0.5)
    def sure(random: Generator, effect: float) -> Iterator[Comparison]:
        signal = equal_signal(positive, metric, 2.5)
        yield test(too_sure(noise_of(random, rows, groups), positive, signal, 2.5))

    @situation(f"calibrated, {of}", power=0.25, share=0.5)
    def calibrated(random: Generator, effect: float) -> Iterator[Comparison]:
        yield test(too_sure(noise_of(random, rows, groups), positive, 0.6 + effect, 1.0))


for _rows, _groups in ((40, 0), (100, 0), (600, 0), (600, 40)):
    for _metric in LOSSES:
        _situations(_rows, _groups, 0.4, _metric)
_situations(100, 0, 0.1, "brier_score")
_situations(600, 0, 0.1, "brier_score")
