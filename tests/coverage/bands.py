"""Coverage of the recall at a false-positive rate: the pointwise bands of a ROC curve."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from reportgen.curves import roc_band
from reportgen.sweeping import sweep
from tests.coverage.designs import Scores
from tests.coverage.measured import Coverage, of_limits

RATES = (0.05, 0.1, 0.2, 0.5)


def of_bands(design: Scores, samples: int, random: np.random.Generator) -> Iterator[Coverage]:
    """Coverage at each of the rates."""
    above, below = (cells[::-1].cumsum() for cells in design.population())
    true = np.interp(RATES, np.append(0, below), np.append(0, above))
    ends = np.empty((samples, len(RATES), 2))
    truth = np.repeat([True, False], [design.positives, design.negatives])
    for sample, scores in enumerate(zip(*design.draw(samples, random), strict=True)):
        band = roc_band(sweep(pl.DataFrame({"truth": truth, "score": np.concatenate(scores)})))
        rows = [round(100 * rate) for rate in RATES]
        ends[sample] = band.select("low", "high").to_numpy()[rows]
    size, fewest = design.positives + design.negatives, min(design.positives, design.negatives)
    for k, rate in enumerate(RATES):
        held = of_limits(ends[:, k, 0], ends[:, k, 1], float(true[k]), np.ones(samples))
        what = "recall at a false-positive rate"
        yield Coverage(what, f"{rate:g}, {design.shape}", size, fewest, design.area, *held)
