"""Curves of a regression: rows, residual quantiles, error characteristic."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import ndtri

from reportgen.curves.ranking import named
from reportgen.tables import ErrorCharacteristic, Estimates, ResidualQuantiles

MOST_ROWS = 1500
"""More rows than this are sampled for drawing."""


def estimates(
    pairs: pl.DataFrame,
    model: str = "model",
    slice: str | None = None,
) -> DataFrame[Estimates]:
    """Truth and estimate of the rows in the order of the truth, an even sample of many."""
    ordered = pairs.select("truth", "estimate").sort("truth", "estimate")
    indices = np.unique(np.linspace(0, max(ordered.height - 1, 0), MOST_ROWS).astype(np.intp))
    sample = ordered.select(pl.all().gather(indices)) if ordered.height > MOST_ROWS else ordered
    return Estimates.validate(sample.select(*named(model, slice), "truth", "estimate"))


def residual_quantiles(
    pairs: pl.DataFrame,
    model: str = "model",
    slice: str | None = None,
    *,
    points: int = 200,
) -> DataFrame[ResidualQuantiles]:
    """Residuals (truth minus estimate) at even ranks, against normal quantiles.

    ``expected`` is the normal quantile scaled to the residuals' mean and standard
    deviation.
    Wilk & Gnanadesikan (1968), doi:10.1093/biomet/55.1.1.
    """
    residuals = np.sort((pairs["truth"] - pairs["estimate"]).to_numpy())
    n = len(residuals)
    ranks = np.unique(np.linspace(0, max(n - 1, 0), min(points, n)).astype(np.intp))
    normal = ndtri((ranks + 0.5) / max(n, 1))
    spread = residuals.std(ddof=1) if n > 1 else 0.0
    centre = residuals.mean() if n else 0.0
    frame = pl.DataFrame({"expected": centre + spread * normal, "residual": residuals[ranks]})
    return ResidualQuantiles.validate(frame.select(*named(model, slice), pl.all().cast(pl.Float64)))


def error_characteristic(
    pairs: pl.DataFrame,
    model: str = "model",
    slice: str | None = None,
    *,
    points: int = 400,
) -> DataFrame[ErrorCharacteristic]:
    """Share of the rows whose absolute error is at most the tolerance, from tolerance 0.

    Bi & Bennett (2003), ICML, 43-50.
    """
    errors = np.sort((pairs["truth"] - pairs["estimate"]).abs().to_numpy())
    n = len(errors)
    ranks = np.unique(np.linspace(0, max(n - 1, 0), min(points, n)).astype(np.intp))
    share = np.searchsorted(errors, errors[ranks], side="right") / max(n, 1)
    frame = pl.DataFrame(
        {
            "tolerance": np.concatenate([[0.0], errors[ranks]]),
            "share": np.concatenate([[float((errors <= 0).mean()) if n else 0.0], share]),
        }
    )
    return ErrorCharacteristic.validate(frame.select(*named(model, slice), pl.all()))
