"""The measures of forecasts."""

from __future__ import annotations

import math

import numpy as np

from reportgen.curves.recalibration import isotonic_blocks
from reportgen.results.kernels import distinct_scores, tied_scores
from reportgen.results.kernels.totals import Values, clipped, dot
from reportgen.sweeping import DistinctScores, Ranking
from reportgen.sweeping.bins import forecast_sums
from reportgen.sweeping.ranking import Indices

FORECASTS = (
    "brier_score",
    "brier_skill",
    "brier_uncertainty",
    "brier_reliability_distinct",
    "brier_resolution_distinct",
    "log_loss",
    "d2_log_loss",
    "spherical_score",
    "observed_expected",
    "spiegelhalter_z",
    "corp_miscalibration",
    "corp_discrimination",
    "integrated_calibration_index",
)


def of_forecasts(ranked: Ranking, vertices: Indices, repeats: float = 1) -> Values:
    """The measures of probabilities, null where undefined; ``vertices`` are rows of the hull.

    Rows count 1/``repeats`` each in variances.
    """
    rows, values = ranked.positives + ranked.negatives, Values.fromkeys(FORECASTS)
    if not (ranked.probabilities and rows > 0):
        return values
    base = ranked.positives / rows
    uncertainty = base * (1 - base)
    brier, log, spherical, excess, spread, within, between = (
        distinct_scores.losses(ranked, base)
        if isinstance(ranked, DistinctScores)
        else tied_scores.losses(ranked, base)
    )
    values |= {
        "brier_score": brier / rows,
        "brier_uncertainty": uncertainty,
        "brier_reliability_distinct": within / rows,
        "brier_resolution_distinct": between / rows,
        "spherical_score": clipped(spherical / rows),
    }
    expected = math.fsum(ranked.forecasts)
    if expected > 0:
        values["observed_expected"] = ranked.positives / expected
    if spread > 0:
        values["spiegelhalter_z"] = excess / math.sqrt(repeats * spread)
    if math.isfinite(log):
        values["log_loss"] = max(log / rows, 0.0)
    if uncertainty > 0:
        values["brier_skill"] = 1 - brier / rows / uncertainty
        entropy = -(base * math.log(base) + (1 - base) * math.log(1 - base))
        if math.isfinite(log):
            values["d2_log_loss"] = 1 - max(log / rows, 0.0) / entropy
    return values | _isotonic(ranked, vertices, base, brier)


def _isotonic(ranked: Ranking, vertices: Indices, base: float, brier: float) -> Values:
    """What isotonic regression, which the hull gives, makes of the forecasts.

    ``brier`` is the sum of the forecasts' squared errors.
    """
    edges, rates = isotonic_blocks(ranked, vertices)
    rows = ranked.positives + ranked.negatives
    counted = np.diff(ranked.predicted_positives(edges))
    # Within a stretch all forecasts are at least the block's rate, or all are below it.
    crossing = np.clip(ranked.count_at_or_above(rates), edges[:-1], edges[1:])
    starts = np.union1d(edges[:-1], crossing[crossing < len(ranked)])
    block_rates = rates[np.searchsorted(edges, starts, "right") - 1]
    row_counts = np.diff(ranked.predicted_positives(np.append(starts, len(ranked))))
    distances = np.abs(forecast_sums(ranked, starts) - row_counts * block_rates)
    return {
        "corp_miscalibration": clipped((brier - dot(counted, rates * (1 - rates))) / rows),
        "corp_discrimination": clipped(dot(counted, (rates - base) ** 2) / rows, 0.25),
        "integrated_calibration_index": clipped(distances.sum() / rows),
    }
