"""Test of two cost curves: do two score models on the same rows differ in expected total cost?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons.delong import AreaCovariance, pair_of_areas, spread
from reportgen.comparisons.kinds import comparison
from reportgen.comparisons.records import Comparison
from reportgen.curves import hull
from reportgen.metrics.costs import envelope_vertices
from reportgen.sweeping import sweep as sweep_of
from reportgen.tables import Sweep

Floats = npt.NDArray[np.float64]

_NULL = "the two models have the same expected total cost in the population"


def cost_covariance(
    frame: pl.DataFrame,
    scores: Sequence[str],
    *,
    truth: str = "truth",
    weight: str | None = None,
    hulls: Sequence[DataFrame[Sweep]] | None = None,
) -> AreaCovariance:
    """Expected total costs of correlated score columns and their covariance matrix.

    A row's part is its own cost over all P(+)cost x at the best threshold of
    each: ∫ x dx = x²/2 for a positive that is missed below the x at which it
    begins to be called, (1 − x)²/2 for a negative called above it. The means
    over the positives and over the negatives sum to the area under the lower
    envelope. By the envelope theorem the choice of the thresholds adds nothing
    to the variance in large samples, so that it is that of the two means. With
    weights as in ``area_covariance``. NaN when a class has fewer than two
    (effective) rows. ``hulls`` are those of the sweeps, where they are known.
    Milgrom & Segal (2002), doi:10.1111/1468-0262.00296; van der Vaart (1998),
    *Asymptotic Statistics*, 20.1, doi:10.1017/CBO9780511802256.
    """
    outlines = hulls or [hull(sweep_of(frame, truth=truth, score=s, weight=weight)) for s in scores]
    positive = frame[truth].to_numpy()
    weights = frame[weight].cast(pl.Float64).to_numpy() if weight else np.ones(frame.height)
    columns = [frame[score].cast(pl.Float64).to_numpy() for score in scores]
    cost = np.column_stack(
        [row_costs(h, column, positive) for h, column in zip(outlines, columns, strict=True)]
    )
    areas, covariance = np.zeros(len(scores)), np.zeros((len(scores),) * 2)
    for side in (positive, ~positive):
        w = weights[side]
        mean = (w[:, None] * cost[side]).sum(axis=0) / (w.sum() or np.nan)
        areas += mean
        covariance += spread(cost[side] - mean, w)
    return AreaCovariance(areas, covariance)


@comparison({"expected_cost": "The test of cost curves"}, "pair", "rows", symbol="z")
def expected_cost(
    frame: pl.DataFrame,
    a: str,
    b: str,
    models: tuple[str, str] | None = None,
    *,
    truth: str = "truth",
    weight: str | None = None,
    alpha: float = 0.05,
    confidence: float = 0.95,
) -> Comparison:
    """Two-sided test that two score columns of the same rows have the same expected total cost.

    Null hypothesis: the areas under the lower envelopes are the same. Assumes
    independent rows and some dozens of each class. z = (A_a − A_b) / se; each
    area is optimistic, as its thresholds are the best of the same rows, and
    the optimism of two models with like curves cancels in the difference.
    Undefined when the difference has no variance or a class has fewer than two rows.
    Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5, with the variance of
    ``cost_covariance``.
    """
    found = cost_covariance(frame, (a, b), truth=truth, weight=weight)
    return expected_cost_pair(found, (0, 1), models or (a, b), alpha=alpha, confidence=confidence)


def expected_cost_pair(
    found: AreaCovariance,
    at: tuple[int, int],
    models: tuple[str, str],
    *,
    alpha: float = 0.05,
    confidence: float = 0.95,
    caveats: tuple[str, ...] = (),
) -> Comparison:
    """The test for two of the models of ``found``, at positions ``at``."""
    base = undefined_expected_cost(models, None, alpha)
    return pair_of_areas(found, at, base, confidence, widest=0.25, caveats=caveats)


def undefined_expected_cost(
    models: tuple[str, str], reason: str | None, alpha: float
) -> Comparison:
    """The test without a value."""
    return Comparison(
        "expected_cost",
        "expected_total_cost",
        models,
        _NULL,
        alpha,
        standing="avoid",
        undefined=reason,
        less_is_better=True,
    )


def row_costs(outline: DataFrame[Sweep], scores: Floats, positive: npt.NDArray[np.bool_]) -> Floats:
    """Cost of each row over all P(+)cost, each at its best threshold; NaN with a single class."""
    begins = outline.select(envelope_vertices()[0])
    if begins.null_count().item() or begins.is_empty():
        return np.full(len(scores), np.nan)
    ascending = outline["threshold"].to_numpy()[:0:-1]
    at = len(ascending) - np.searchsorted(ascending, scores, side="right")
    # A score under every threshold of the outline is called with the last one.
    x = begins.to_series().to_numpy()[np.minimum(at, len(ascending) - 1)]
    found: Floats = np.where(positive, x, 1 - x) ** 2 / 2
    return found
