"""How far the decisions are off where classes are ordered, such as grades; see also weighted kappa.

They read the complete ``matrix``: one row per truth and prediction, zeros included, as positions in
the order of the classes.
"""

from __future__ import annotations

import polars as pl

from reportgen.metrics.registry import INFINITY, NO_ROWS, matrix_metric, ratio
from reportgen.metrics.table_terms import COUNT

_ABOVE = pl.col("predicted").cast(pl.Float64) - pl.col("truth").cast(pl.Float64)
_APART = _ABOVE.abs()


@matrix_metric("Accuracy within one class", group="decision", undefined=NO_ROWS)
def accuracy_within_one() -> pl.Expr:
    """Proportion of predictions that are correct or of a neighbouring class, in class order.

    Formula: Σ [|i − j| ≤ 1]·nᵢⱼ / n.
    Reference: Gaudette & Japkowicz (2009), doi:10.1007/978-3-642-01818-3_25.
    """
    return ratio(COUNT.filter(_APART <= 1).sum(), COUNT.sum())


@matrix_metric(
    "Mean absolute class error",
    group="decision",
    bounds=(0, INFINITY),
    better="lower",
    undefined=NO_ROWS,
)
def mean_class_error() -> pl.Expr:
    """Mean number of classes between truth and prediction, in class order.

    Formula: Σ |i − j|·nᵢⱼ / n.
    Reference: Gaudette & Japkowicz (2009), doi:10.1007/978-3-642-01818-3_25.
    """
    return ratio((_APART * COUNT).sum(), COUNT.sum())


@matrix_metric(
    "Mean signed class error",
    group="decision",
    bounds=(-INFINITY, INFINITY),
    better=None,
    undefined=NO_ROWS,
)
def class_bias() -> pl.Expr:
    """Mean number of classes by which predictions are above the truth, below 0 if lower.

    Formula: Σ (j − i)·nᵢⱼ / n.
    Reference: Walther & Moore (2005), doi:10.1111/j.2005.0906-7590.04112.x.
    """
    return ratio((_ABOVE * COUNT).sum(), COUNT.sum())
