"""The kernels of the metrics of probabilities."""

from __future__ import annotations

import math

from reportgen.measuring.kernels.registry import kernel
from reportgen.measuring.kernels.score_sums import ScoreSums
from reportgen.measuring.kernels.totals import clipped, dot


def _probabilities(sums: ScoreSums) -> bool:
    return sums.ranking.probabilities and sums.rows > 0


def _finite_loss(sums: ScoreSums) -> bool:
    return _probabilities(sums) and math.isfinite(sums.losses.log)


def _both_outcomes(sums: ScoreSums) -> bool:
    return _probabilities(sums) and sums.uncertainty > 0


@kernel(_probabilities)
def brier_score(sums: ScoreSums) -> float:
    """Mean squared error."""
    return sums.losses.brier / sums.rows


@kernel(_both_outcomes)
def brier_skill(sums: ScoreSums) -> float:
    """Against the base rate as forecast."""
    return 1 - sums.losses.brier / sums.rows / sums.uncertainty


@kernel(_probabilities)
def brier_uncertainty(sums: ScoreSums) -> float:
    """Variance of the outcome."""
    return sums.uncertainty


@kernel(_probabilities)
def brier_reliability_distinct(sums: ScoreSums) -> float:
    """Mean squared distance of each forecast from the rate at it."""
    return sums.losses.within / sums.rows


@kernel(_probabilities)
def brier_resolution_distinct(sums: ScoreSums) -> float:
    """Mean squared distance of the rate at each forecast from the base rate."""
    return sums.losses.between / sums.rows


@kernel(_finite_loss)
def log_loss(sums: ScoreSums) -> float:
    """Mean logarithm of what is given to the true class, less than 0."""
    return max(sums.losses.log / sums.rows, 0.0)


@kernel(lambda sums: _finite_loss(sums) and sums.uncertainty > 0)
def d2_log_loss(sums: ScoreSums) -> float:
    """Against the base rate as forecast."""
    base = sums.base_rate
    entropy = -(base * math.log(base) + (1 - base) * math.log(1 - base))
    return 1 - log_loss(sums) / entropy


@kernel(_probabilities)
def spherical_score(sums: ScoreSums) -> float:
    """Mean of what is given to the true class, over the length of the forecast."""
    return clipped(sums.losses.spherical / sums.rows)


@kernel(lambda sums: _probabilities(sums) and sums.expected > 0)
def observed_expected(sums: ScoreSums) -> float:
    """Positives over the sum of the forecasts."""
    return sums.positives / sums.expected


@kernel(lambda sums: _probabilities(sums) and sums.losses.spread > 0)
def spiegelhalter_z(sums: ScoreSums) -> float:
    """Excess of the Brier score over what the forecasts expect, in standard errors."""
    return sums.losses.excess / math.sqrt(sums.repeats * sums.losses.spread)


@kernel(_probabilities)
def corp_miscalibration(sums: ScoreSums) -> float:
    """What isotonic regression takes from the Brier score."""
    blocks = sums.blocks
    return clipped(
        (sums.losses.brier - dot(blocks.rows, blocks.rates * (1 - blocks.rates))) / sums.rows
    )


@kernel(_probabilities)
def corp_discrimination(sums: ScoreSums) -> float:
    """Variance of the rates of isotonic regression."""
    rows, rates, _ = sums.blocks
    return clipped(dot(rows, (rates - sums.base_rate) ** 2) / sums.rows, 0.25)


@kernel(_probabilities)
def integrated_calibration_index(sums: ScoreSums) -> float:
    """Mean distance of the forecasts from isotonic regression."""
    return clipped(sums.blocks.distances.sum() / sums.rows)
