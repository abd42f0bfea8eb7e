"""Correlation and concordance of truth and estimate."""

from __future__ import annotations

import math
from collections.abc import Callable

import polars as pl

from reportgen.array_types import Floats
from reportgen.metrics.aggregates import WEIGHT, greatest, least, mean, products, total, weight_sum
from reportgen.metrics.pairs import ESTIMATE, TRUTH, error_metric, squares, varies
from reportgen.metrics.registry import ratio
from reportgen.rank_influences import of_kendall, of_spearman
from reportgen.rank_orders import Ranks, agreement, mean_ranks

_Y, _F, _W = TRUTH, ESTIMATE, WEIGHT


def _of_correlation() -> pl.Expr:
    """Contribution to Pearson's r: z_y·z_f − r·(z_y² + z_f²)/2 with standardised z."""
    y, f = ((v - mean(v)) / mean((v - mean(v)) ** 2).sqrt() for v in (_Y, _F))
    return y * f - mean(y * f) * (y**2 + f**2) / 2


@error_metric(
    "Pearson's r",
    bounds=(-1, 1),
    better="higher",
    undefined="truth or estimate is constant",
    core=True,
    influence=_of_correlation,
    aspect="fit",
    one_row_decides=True,
)
def pearson_r() -> pl.Expr:
    """Linear correlation of truth and estimate.

    Formula: Σ (y − ȳ)(f − f̄) / √(Σ (y − ȳ)² Σ (f − f̄)²).
    Reference: Pearson (1895), doi:10.1098/rspl.1895.0041.
    """
    # The product of both sums of squares would leave the range of floats sooner.
    slope = ratio(products(_Y, _F), squares(_Y))
    return (slope * ratio(squares(_Y), squares(_F)).sqrt()).clip(-1, 1)


def _of_ranks(influence: Callable[[Floats, Floats], Floats]) -> Callable[[], pl.Expr]:
    """What each row contributes to a correlation of ranks."""

    def of_rows(pairs: pl.Series) -> pl.Series:
        y, f = (column.to_numpy() for column in pairs.struct.unnest())
        return pl.Series(influence(y, f))

    def expression() -> pl.Expr:
        return pl.struct(_Y.alias("y"), _F.alias("f")).map_batches(of_rows, return_dtype=pl.Float64)

    return expression


@error_metric(
    "Spearman's ρ",
    bounds=(-1, 1),
    better="higher",
    undefined="truth or estimate is constant, or rows are weighted",
    influence=_of_ranks(of_spearman),
    aspect="fit",
)
def spearman_rho() -> pl.Expr:
    """Linear correlation of the ranks of truth and estimate, ties at their mean rank.

    Formula: Pearson's r of the ranks.
    Reference: Spearman (1904), doi:10.2307/1412159.
    """
    return _of_equal_weights(_spearman)


@error_metric(
    "Kendall's τ-b",
    bounds=(-1, 1),
    better="higher",
    undefined="truth or estimate is constant, or rows are weighted",
    influence=_of_ranks(of_kendall),
    aspect="fit",
)
def kendall_tau() -> pl.Expr:
    """Agreement of the order of all pairs of rows, adjusted for ties.

    Formula: (concordant − discordant) / √((pairs − ties in y)(pairs − ties in f)).
    Reference: Kendall (1945), doi:10.1093/biomet/33.3.239.
    """
    return _of_equal_weights(_kendall)


def _of_concordance() -> pl.Expr:
    """Contribution to the concordance: that of its ratio of a covariance to squared distances."""
    y, f = (v - mean(v) for v in (_Y, _F))
    shift = mean(_Y) - mean(_F)
    together, apart = 2 * y * f, y**2 + f**2 + 2 * shift * (y - f) + shift**2
    value = mean(2 * y * f) / (mean(y**2) + mean(f**2) + shift**2)
    return (together - value * apart) / (mean(y**2) + mean(f**2) + shift**2)


@error_metric(
    "Concordance correlation",
    bounds=(-1, 1),
    better="higher",
    undefined="there are fewer than two rows, or truth and estimate are the same constant",
    influence=_of_concordance,
    tails_of="mean_squared_error",
    aspect="fit",
    one_row_decides=True,
)
def concordance_correlation() -> pl.Expr:
    """Agreement with the line of identity: correlation, reduced for shift and scale.

    Formula: 2·s_yf / (s²_y + s²_f + (ȳ − f̄)²), with n − 1 in the variances, n the effective
    number of rows (Σw)²/Σw² where they are weighted.
    Reference: Lin (1989), doi:10.2307/2532051.
    """
    rows = weight_sum() - total(_W) / weight_sum()
    shift = mean(_Y - _F) ** 2
    together = pl.when(varies(_Y) & varies(_F)).then(products(_Y, _F)).otherwise(0.0)
    return ratio(2 * together, squares(_Y) + squares(_F) + rows * shift)


def _of_equal_weights(correlation: Callable[[pl.Series, pl.Series], float | None]) -> pl.Expr:
    """Null where weights differ: there it is not computed either."""

    def of_rows(rows: pl.Series) -> float | None:
        y, f, weight = rows.struct.unnest()
        alike = len(rows) and weight.min() == weight.max()
        return correlation(y, f) if alike else None

    rows = pl.struct(_Y.alias("y"), _F.alias("f"), _W.alias("w"))
    value = rows.map_batches(of_rows, return_dtype=pl.Float64, returns_scalar=True)
    return pl.when((greatest(_W) - least(_W)) <= 0).then(value)


def _spearman(truth: pl.Series, estimate: pl.Series) -> float | None:
    a, b = (ranks - ranks.mean() for ranks in map(mean_ranks, (truth, estimate)))
    products, *squares = (float(column.sum()) for column in (a * b, a**2, b**2))
    whole = math.sqrt(math.prod(squares))
    return min(1.0, max(-1.0, products / whole)) if whole else None


def _kendall(truth: pl.Series, estimate: pl.Series) -> float | None:
    y, f = truth.to_numpy(), estimate.to_numpy()
    agreeing, *untied = agreement(Ranks.of(y), Ranks.of(f))
    if not all(untied):
        return None
    tau = agreeing / math.sqrt(untied[0]) / math.sqrt(untied[1])
    return min(1.0, max(-1.0, tau))
