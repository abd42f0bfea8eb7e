"""Intervals of likelihood ratios, the odds ratio and kappa: closed forms over the counts.

The columns ``tp2`` … are sums of squared weights, the counts themselves where
rows are not weighted. Each variance is Σ c2·(influence of a row of the cell)²,
so that it is the textbook's for unit weights and holds for any.
"""

from __future__ import annotations

import polars as pl

from reportgen.intervals.shapes import Log, Wald
from reportgen.metric_names import CELLS

_TP, _FP, _FN, _TN = (pl.col(c).cast(pl.Float64) for c in CELLS)
_TP2, _FP2, _FN2, _TN2 = (pl.col(f"{c}2").cast(pl.Float64) for c in CELLS)
_P, _N = _TP + _FN, _FP + _TN


def _log_share(part: pl.Expr, part2: pl.Expr, rest2: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """Variance of ln(part/whole): 1/part − 1/whole for unit weights."""
    return part2 * (1 / part - 1 / whole) ** 2 + rest2 / whole**2


POSITIVE_LIKELIHOOD_RATIO = Log(
    "log", _log_share(_TP, _TP2, _FN2, _P) + _log_share(_FP, _FP2, _TN2, _N)
)
"""Log method: variance 1/TP − 1/P + 1/FP − 1/N; null without true or false positives.

Simel, Samsa & Matchar (1991), doi:10.1016/0895-4356(91)90128-V.
"""

NEGATIVE_LIKELIHOOD_RATIO = Log(
    "log", _log_share(_FN, _FN2, _TP2, _P) + _log_share(_TN, _TN2, _FP2, _N)
)
"""Log method: variance 1/FN − 1/P + 1/TN − 1/N; null without false or true negatives.

Simel, Samsa & Matchar (1991), doi:10.1016/0895-4356(91)90128-V.
"""

DIAGNOSTIC_ODDS_RATIO = Log("log", _TP2 / _TP**2 + _FP2 / _FP**2 + _FN2 / _FN**2 + _TN2 / _TN**2)
"""Log method (Woolf): variance 1/TP + 1/FP + 1/FN + 1/TN; null where a cell is empty.

Woolf (1955), doi:10.1111/j.1469-1809.1955.tb01348.x.
"""


def kappa_variance() -> pl.Expr:
    """Asymptotic variance of Cohen's kappa when it is not 0; null where kappa is.

    With e the chance agreement: Σ pᵢⱼ(aᵢⱼ − ā)² / (n(1 − e)²), where
    aᵢⱼ = 1(i = j) − (1 − κ)(p.ᵢ + pⱼ.), ā its mean.
    Fleiss, Cohen & Everitt (1969), doi:10.1037/h0028106.
    """
    n = _P + _N
    predicted_positive, rejected, positives, negatives = (
        (x / n) for x in (_TP + _FP, _FN + _TN, _P, _N)
    )
    agreed = (_TP + _TN) / n
    by_chance = positives * predicted_positive + negatives * rejected
    left = (1 - agreed) / (1 - by_chance)
    influence = {
        "tp": 1 - left * (predicted_positive + positives),
        "tn": 1 - left * (rejected + negatives),
        # Truth i and prediction j meet the prediction i and the truth j.
        "fn": -left * (predicted_positive + negatives),
        "fp": -left * (rejected + positives),
    }
    mean = agreed - 2 * left * by_chance
    spread = pl.sum_horizontal(pl.col(f"{c}2") * (a - mean) ** 2 for c, a in influence.items())
    return pl.when(by_chance < 1).then(spread / (n * (1 - by_chance)) ** 2)


COHEN_KAPPA = Wald("fleiss-cohen-everitt", kappa_variance(), (-1, 1))
"""Kappa ± z asymptotic standard errors. Fleiss, Cohen & Everitt (1969), doi:10.1037/h0028106."""
