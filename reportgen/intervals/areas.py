"""Intervals of areas under curves: expressions over a sweep, and plain numbers.

A sweep ends with the numbers of positives (tp) and negatives (fp). Rows with
weights count by Kish's effective size, for which the sweep needs ``tp2`` and
``fp2``, the running sums of squared weights.
"""

from __future__ import annotations

import polars as pl

from reportgen.intervals.shapes import Logit, Wald


def hanley_mcneil(area: float, positives: float, negatives: float) -> float:
    """Standard error of an AUC from its value and the sizes of the two classes.

    √((A(1 − A) + (P − 1)(Q₁ − A²) + (N − 1)(Q₂ − A²)) / (P·N)) with
    Q₁ = A/(2 − A) and Q₂ = 2A²/(1 + A), as if the scores were exponential.
    DeLong's variance reads the scores and is the default; this one is for
    areas of which only the value is known. Raises ValueError without a class.
    Hanley & McNeil (1982), doi:10.1148/radiology.143.1.7063747.

    >>> round(hanley_mcneil(0.893, 51, 58), 4)
    0.0325
    """
    if not (positives > 0 and negatives > 0):
        raise ValueError("an AUC needs both classes")
    variance = hanley_mcneil_variance(pl.lit(area), pl.lit(positives), pl.lit(negatives))
    return float(pl.select(variance.sqrt()).item())


def hanley_mcneil_variance(area: pl.Expr, positives: pl.Expr, negatives: pl.Expr) -> pl.Expr:
    """Squared standard error of :func:`hanley_mcneil` as an expression."""
    two_positives, two_negatives = area / (2 - area), 2 * area**2 / (1 + area)
    spread = (
        area * (1 - area)
        + (positives - 1) * (two_positives - area**2)
        + (negatives - 1) * (two_negatives - area**2)
    )
    # A perfect ranking leaves rounding noise below zero.
    return pl.when(positives * negatives > 0).then((spread / (positives * negatives)).clip(0))


def effective_size(total: str, squares: str) -> pl.Expr:
    """Kish's size of a class of weighted rows, from the last row of a sweep."""
    weight, square = (pl.col(c).cast(pl.Float64).last() for c in (total, squares))
    return pl.when(square > 0).then(weight**2 / square)


def delong_logit(variance: pl.Expr) -> Logit:
    """DeLong's interval on the logit scale: for areas near 0 and 1.

    ``variance`` is DeLong's. Null for an area of 0 or 1.
    Qin & Hotilovac (2008), doi:10.1177/0962280207087173.
    """
    return Logit("delong logit", lambda _: variance)


def hanley_mcneil_interval(area: pl.Expr) -> Wald:
    """Interval of an AUC by Hanley & McNeil's standard error; ``area`` is the AUC's expression."""
    sizes = effective_size("tp", "tp2"), effective_size("fp", "fp2")
    return Wald("hanley-mcneil", hanley_mcneil_variance(area, *sizes))


AVERAGE_PRECISION = Logit("logit", lambda value: value * (1 - value) / effective_size("tp", "tp2"))
"""Interval of an area under a P-R curve, as a share of the positives on the logit scale.

ln(A/(1 − A)) ± z / √(P·A(1 − A)) with P positives. Null for an area of 0 or 1.
Boyd, Eng & Page (2013), doi:10.1007/978-3-642-40994-3_29.
"""
