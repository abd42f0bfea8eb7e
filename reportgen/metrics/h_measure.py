"""Hand's H: the loss over a stated distribution of costs, the same for every model."""

from __future__ import annotations

import polars as pl

from reportgen.metrics.registry import FP, TP, metric, ratio
from reportgen.metrics.sweep_terms import N, P
from reportgen.text.reasons import ONE_CLASS


def h(severity: float | None = None) -> pl.Expr:
    """Share of the least loss of a trivial classifier that the ranking saves, over all costs.

    The cost of a false positive is c, that of a false negative 1 − c, and c
    follows the Beta(2, 1 + 1/severity) distribution: its mode is where a false
    positive is ``severity`` times as bad as a false negative. None takes the
    ratio of positives to negatives. Reads the convex hull.
    Hand & Anagnostopoulos (2014), doi:10.1016/j.patrec.2013.12.004.
    """
    b = 1 + (N / P if severity is None else 1 / severity)
    gained_positives, gained_negatives = TP.diff(), FP.diff()
    ends = (
        ratio(gained_positives, gained_positives + gained_negatives)
        .fill_null(1.0)
        .append(pl.lit(0.0))
    )
    rows = P + N
    of_false_positives = FP / rows * _falls(_false_positive(ends, b))
    of_false_negatives = (P - TP) / rows * _falls(_false_negative(ends, b))
    share = P / rows
    nothing, everything = pl.lit(0.0), pl.lit(1.0)
    trivial = (1 - share) * (_false_positive(share, b) - _false_positive(nothing, b)) + share * (
        _false_negative(everything, b) - _false_negative(share, b)
    )
    saved = 1 - ratio((of_false_positives + of_false_negatives).sum(), trivial)
    return pl.when((P > 0) & (N > 0)).then(saved.clip(0, 1))


def _falls(values: pl.Expr) -> pl.Expr:
    """By how much each value is above the next."""
    return values.diff(-1, null_behavior="drop")


def _false_positive(c: pl.Expr, b: pl.Expr | float) -> pl.Expr:
    """Antiderivative of c·c(1 − c)^(b−1), every term negative so that none cancels.

    ``b`` only multiplies: many rows divided by one number lose a digit that one row keeps.
    """
    power = ((-c).log1p() * b).exp()
    complement, first, second, third = 1 - c, 1 / b, 1 / (b + 1), 1 / (b + 2)
    return -power * first * (c**2 + 2 * complement * second * (c + complement * third))


def _false_negative(c: pl.Expr, b: pl.Expr | float) -> pl.Expr:
    """Antiderivative of (1 − c)·c(1 − c)^(b−1)."""
    power = ((-c).log1p() * (b + 1)).exp()
    return -power * (1 / (b + 1)) * (c + (1 - c) * (1 / (b + 2)))


@metric("H measure", group="ranking", on="hull", undefined=ONE_CLASS, optimised=True)
def h_measure() -> pl.Expr:
    """Loss saved over all costs, those near the class ratio weighted most.

    Formula: 1 − ∫ L(c)w(c)dc / ∫ L₀(c)w(c)dc, w = Beta(2, 1 + N/P), L the least loss at cost c
    and L₀ that of the better trivial classifier.
    Reference: Hand & Anagnostopoulos (2014), doi:10.1016/j.patrec.2013.12.004.
    """
    return h()


@metric(
    "H measure, equal costs likeliest",
    group="ranking",
    on="hull",
    undefined=ONE_CLASS,
    optimised=True,
)
def h_measure_symmetric() -> pl.Expr:
    """Loss saved over all costs, equal costs weighted most.

    Formula: 1 − ∫ L(c)w(c)dc / ∫ L₀(c)w(c)dc, w = Beta(2, 2), L the least loss at cost c and L₀
    that of the better trivial classifier.
    Reference: Hand & Anagnostopoulos (2014), doi:10.1016/j.patrec.2013.12.004.
    """
    return h(1.0)
