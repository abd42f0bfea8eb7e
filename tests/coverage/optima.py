"""Coverage of what is best over thresholds: the KS statistic and the area under the cost curve."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.optimize import isotonic_regression

from reportgen.measuring.metric_set import MetricSet
from reportgen.measuring.optima import COST, optimum_limits
from reportgen.metrics import METRICS
from reportgen.sweeping import ranking_of
from tests.coverage.designs import Scores
from tests.coverage.measured import Coverage, of_limits

Floats = npt.NDArray[np.float64]

OPTIMA = ("ks_statistic", COST)


def true_optima(design: Scores) -> dict[str, float]:
    """Both measures in the population: the cost by the isotonic probability of each cell."""
    above, below = design.population()
    whole = above + below
    held = whole > 0
    probability = isotonic_regression(above[held] / whole[held], weights=whole[held]).x
    costs = above[held] * (1 - probability) ** 2 + below[held] * probability**2
    distance = float(np.abs(above.cumsum() - below.cumsum()).max())
    return {"ks_statistic": distance, COST: float(costs.sum()) / 2}


def of_optima(design: Scores, samples: int, random: np.random.Generator) -> Iterator[Coverage]:
    """Coverage of either, by the limits of a report before they are stretched to the value."""
    true = true_optima(design)
    ends = {name: np.full((samples, 2), np.nan) for name in OPTIMA}
    truth = np.repeat([True, False], [design.positives, design.negatives])
    for sample, (above, below) in enumerate(zip(*design.draw(samples, random), strict=True)):
        order = ranking_of(pl.DataFrame({"truth": truth, "score": np.append(above, below)}))
        limits, _ = optimum_limits(order, MetricSet([METRICS[name] for name in OPTIMA], 0.95))
        for name, interval in limits.items():
            ends[name][sample] = interval
    rows, fewest = design.positives + design.negatives, min(design.positives, design.negatives)
    for name, each in ends.items():
        held = of_limits(each[:, 0], each[:, 1], true[name], np.ones(samples))
        yield Coverage(name, design.shape, rows, fewest, design.area, *held)
