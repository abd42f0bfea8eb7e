"""Curves of a regression: rows, residual quantiles, error characteristic."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import ndtri

from reportgen.array_types import Floats, Integers
from reportgen.curves.ranking import line
from reportgen.integer_sort import in_order_of_rows
from reportgen.tables import ErrorCharacteristic, Estimates, ResidualQuantiles

MOST_ROWS = 1500
"""More rows than this are sampled for drawing."""


def estimates(
    pairs: pl.DataFrame,
    model: str = "model",
) -> DataFrame[Estimates]:
    """Truth and estimate of the rows in the order of the truth, an even sample of many.

    Args:
        pairs: one row per example: ``truth`` and ``estimate``, numbers of one unit.
        model: name of the model, for the column of that name.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``truth`` and ``estimate``. Both have the
        unit of the truth. Defined for every frame.

    >>> pairs = pl.DataFrame({"truth": [1.0, 2.0, 3.0, 4.0], "estimate": [1.5, 2.0, 2.0, 4.0]})
    >>> estimates(pairs).select("truth", "estimate").rows()
    [(1.0, 1.5), (2.0, 2.0), (3.0, 2.0), (4.0, 4.0)]
    """
    ordered = in_order_of_rows(pairs.select("truth", "estimate"))
    indices = np.unique(np.linspace(0, max(ordered.height - 1, 0), MOST_ROWS).astype(np.intp))
    sample = ordered.select(pl.all().gather(indices)) if ordered.height > MOST_ROWS else ordered
    return Estimates.validate(line(model, sample.select("truth", "estimate")))


def residual_quantiles(
    pairs: pl.DataFrame,
    model: str = "model",
    *,
    points: int = 200,
) -> DataFrame[ResidualQuantiles]:
    """Residuals (truth minus estimate) at even ranks, against normal quantiles.

    ``expected`` is the normal quantile scaled to the residuals' mean and standard
    deviation. A line stands for ``rows`` rows where there is such a column.

    Args:
        pairs: one row per example: ``truth`` and ``estimate``, numbers of one unit.
        model: name of the model, for the column of that name.
        points: how many ranks at most.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``expected`` and ``residual``. Both have the
        unit of the truth. Defined for every frame.

    Wilk & Gnanadesikan (1968), doi:10.1093/biomet/55.1.1.

    >>> pairs = pl.DataFrame({"truth": [1.0, 2.0, 3.0, 4.0], "estimate": [1.5, 2.0, 2.0, 4.0]})
    >>> residual_quantiles(pairs)["residual"].to_list()
    [-0.5, 0.0, 0.0, 1.0]
    """
    residuals, rows = _ordered(pairs, (pairs["truth"] - pairs["estimate"]).to_numpy())
    n = len(residuals) if rows is None else int(rows[-1])
    ranks = np.unique(np.linspace(0, max(n - 1, 0), min(points, n)).astype(np.intp))
    normal = ndtri((ranks + 0.5) / max(n, 1))
    centre, spread = _moments(residuals, rows)
    at = ranks if rows is None else np.searchsorted(rows, ranks, side="right")
    frame = pl.DataFrame({"expected": centre + spread * normal, "residual": residuals[at]})
    return ResidualQuantiles.validate(line(model, frame.cast(pl.Float64)))


def error_characteristic(
    pairs: pl.DataFrame,
    model: str = "model",
    *,
    points: int = 400,
) -> DataFrame[ErrorCharacteristic]:
    """Share of the rows whose absolute error is at most the tolerance, from tolerance 0.

    A line stands for ``rows`` rows where there is such a column.

    Args:
        pairs: one row per example: ``truth`` and ``estimate``, numbers of one unit.
        model: name of the model, for the column of that name.
        points: how many points at most.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``tolerance`` and ``share``. ``tolerance``
        has the unit of the truth. Without rows the share is 0: defined for every frame.

    Bi & Bennett (2003), ICML, 43-50.

    >>> pairs = pl.DataFrame({"truth": [1.0, 2.0, 3.0, 4.0], "estimate": [1.5, 2.0, 2.0, 4.0]})
    >>> error_characteristic(pairs).select("tolerance", "share").rows()
    [(0.0, 0.5), (0.0, 0.5), (0.0, 0.5), (0.5, 0.75), (1.0, 1.0)]
    """
    errors, rows = _ordered(pairs, (pairs["truth"] - pairs["estimate"]).abs().to_numpy())
    n = len(errors) if rows is None else int(rows[-1])
    ranks = np.unique(np.linspace(0, max(n - 1, 0), min(points, n)).astype(np.intp))
    at = ranks if rows is None else np.searchsorted(rows, ranks, side="right")
    tolerance = np.concatenate([[0.0], errors[at]])
    within = np.searchsorted(errors, tolerance, side="right")
    if rows is not None:
        within = np.concatenate([[0], rows])[within]
    frame = pl.DataFrame({"tolerance": tolerance, "share": within / max(n, 1)})
    return ErrorCharacteristic.validate(line(model, frame))


def _ordered(pairs: pl.DataFrame, values: Floats) -> tuple[Floats, Integers | None]:
    """The values in order, and how many rows there are up to each; None where each is one row."""
    if "rows" not in pairs.columns:
        return np.sort(values), None
    order = np.argsort(values, kind="stable")
    return values[order], np.cumsum(pairs["rows"].to_numpy()[order])


def _moments(values: Floats, rows: Integers | None) -> tuple[float, float]:
    """Mean and standard deviation; 0 where they are undefined."""
    if rows is None:
        spread = values.std(ddof=1) if len(values) > 1 else 0.0
        return (float(values.mean()) if len(values) else 0.0), float(spread)
    n, weights = int(rows[-1]), np.diff(rows, prepend=0)
    centre = float(np.average(values, weights=weights))
    away = float((weights * np.square(values - centre)).sum())
    return centre, float(np.sqrt(away / (n - 1))) if n > 1 else 0.0
