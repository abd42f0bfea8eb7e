"""Measures of cost: of one decision, and over the whole cost curve."""

from __future__ import annotations

import polars as pl

from reportgen.intervals import Delta, SquareAndAdd
from reportgen.intervals.optima import EXPECTED_COST
from reportgen.metrics.registry import (
    FN,
    FP,
    INFINITY,
    NEGATIVES,
    POSITIVES,
    ROWS,
    TP,
    metric,
    ratio,
)
from reportgen.text.reasons import OF_EXTREME_ROWS, ONE_CLASS

_NOWHERE = (
    "no threshold costs less than predicting one class for all rows, or only one class is present"
)


@metric(
    "Cost-sensitive error rate",
    group="cost",
    bounds=(0, INFINITY),
    better="lower",
    undefined="there are no rows",
    core=True,
    interval=SquareAndAdd("truth", Delta((0, INFINITY)), (0, INFINITY)),
    unit="cost per row",
)
def cost_sensitive_error_rate(false_negative: float = 1.0, false_positive: float = 1.0) -> pl.Expr:
    """Mean cost per row of the errors.

    Parameters: ``false_negative``, cost of a false negative; ``false_positive``, cost of a false
        positive.
    Formula: (FN·cost of a false negative + FP·cost of a false positive) / n.
    Book: 2.23.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.23.
    """
    return ratio(FN * false_negative + FP * false_positive, ROWS)


@metric(
    "Total cost", group="cost", bounds=(0, INFINITY), better="lower", undefined="there are no rows"
)
def total_cost(false_negative: float = 1.0, false_positive: float = 1.0) -> pl.Expr:
    """Sum of the costs of all errors.

    Parameters: ``false_negative``, cost of a false negative; ``false_positive``, cost of a false
        positive.
    Formula: FN·cost of a false negative + FP·cost of a false positive.
    Book: 2.23.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.23.
    """
    return FN * false_negative + FP * false_positive


@metric(
    "Savings",
    group="cost",
    bounds=(-INFINITY, 1),
    undefined="predicting one class for all rows costs nothing",
    interval=SquareAndAdd("truth", Delta((-INFINITY, 1)), (-INFINITY, 1)),
)
def savings(false_negative: float = 1.0, false_positive: float = 1.0) -> pl.Expr:
    """Cost saved relative to the cheaper trivial classifier.

    Parameters: ``false_negative``, cost of a false negative; ``false_positive``, cost of a false
        positive.
    Formula: 1 − total cost / min(P·c(FN), N·c(FP)).
    Reference: Bahnsen et al. (2014), doi:10.1137/1.9781611973440.78.
    """
    trivial = pl.min_horizontal(POSITIVES * false_negative, NEGATIVES * false_positive)
    return 1 - ratio(total_cost(false_negative, false_positive), trivial)


def gains_in_cost(
    false_negative: float = 1.0, false_positive: float = 1.0
) -> tuple[pl.Expr, pl.Expr]:
    """Savings relative to always predicting the negative, and the positive class."""
    cost = total_cost(false_negative, false_positive)
    trivial = POSITIVES * false_negative, NEGATIVES * false_positive
    return 1 - ratio(cost, trivial[0]), 1 - ratio(cost, trivial[1])


@metric(
    "P(+)cost",
    group="cost",
    better=None,
    undefined="there are no rows, or no class present has a cost",
)
def probability_cost(false_negative: float = 1.0, false_positive: float = 1.0) -> pl.Expr:
    """Share of positives in the possible cost: the position of the data on a cost curve.

    Parameters: ``false_negative``, cost of a false negative; ``false_positive``, cost of a false
        positive.
    Formula: p·c(FN) / (p·c(FN) + (1 − p)·c(FP)), p the prevalence.
    Book: 2.24.
    Reference: Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
    """
    positive, negative = POSITIVES * false_negative, NEGATIVES * false_positive
    return ratio(positive, positive + negative)


@metric(
    "Normalised cost",
    group="cost",
    better="lower",
    undefined=ONE_CLASS,
    core=True,
    interval=SquareAndAdd("truth", Delta((0, 1))),
)
def normalised_cost(false_negative: float = 1.0, false_positive: float = 1.0) -> pl.Expr:
    """Cost of the decisions relative to getting every row wrong.

    Parameters: ``false_negative``, cost of a false negative; ``false_positive``, cost of a false
        positive.
    Formula: FNR·P(+)cost + FPR·(1 − P(+)cost).
    Book: 2.25.
    Reference: Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
    """
    x = probability_cost(false_negative, false_positive)
    return ratio(FN, POSITIVES) * x + ratio(FP, NEGATIVES) * (1 - x)


@metric(
    "Area under the cost curve",
    group="cost",
    on="hull",
    bounds=(0, 0.25),
    better="lower",
    undefined=ONE_CLASS,
    interval=EXPECTED_COST,
    core=True,
    within_classes=True,
)
def expected_total_cost() -> pl.Expr:
    """Mean normalised cost over all values of P(+)cost, each at its best threshold.

    Formula: area under the lower envelope of the cost lines, ½ Σ ΔTPR·ΔFPR / (ΔTPR + ΔFPR) over
    the edges of the convex hull; 0.25 is that of the trivial classifiers.
    Book: figure 2.5.
    Reference: Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
    """
    # Each edge bends the envelope by ΔTPR + ΔFPR, where P(+)cost is ΔFPR / (ΔTPR + ΔFPR).
    gained, lost = ratio(TP.diff(), POSITIVES), ratio(FP.diff(), NEGATIVES)
    area = ratio(gained * lost, gained + lost).sum() / 2
    both = (POSITIVES.last() > 0) & (NEGATIVES.last() > 0)
    return pl.when(both).then(area.clip(0, 0.25))


@metric(
    "Operating range, from",
    group="cost",
    on="hull",
    better="lower",
    undefined=_NOWHERE,
    within_classes=True,
    no_limits=OF_EXTREME_ROWS,
)
def operating_range_low() -> pl.Expr:
    """P(+)cost above which some threshold costs less than predicting one class for all rows.

    Formula: ΔFPR / (ΔFPR + ΔTPR) of the first edge of the ROC hull.
    Reference: Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
    """
    return _range(envelope_vertices()[0].first())


@metric(
    "Operating range, to",
    group="cost",
    on="hull",
    undefined=_NOWHERE,
    within_classes=True,
    no_limits=OF_EXTREME_ROWS,
)
def operating_range_high() -> pl.Expr:
    """P(+)cost below which some threshold costs less than predicting one class for all rows.

    Formula: ΔFPR / (ΔFPR + ΔTPR) of the last edge of the ROC hull.
    Reference: Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
    """
    return _range(envelope_vertices()[0].last())


def _range(end: pl.Expr) -> pl.Expr:
    both = (POSITIVES.last() > 0) & (NEGATIVES.last() > 0)
    return pl.when(both & (pl.len() > 2)).then(end)


@metric(
    "Least normalised cost",
    group="cost",
    on="hull",
    bounds=(0, 0.5),
    better="lower",
    undefined=ONE_CLASS,
    optimised=True,
)
def least_normalised_cost(false_negative: float = 1.0, false_positive: float = 1.0) -> pl.Expr:
    """Normalised cost at the best threshold for these costs and this prevalence.

    Parameters: ``false_negative``, cost of a false negative; ``false_positive``, cost of a false
        positive.
    Formula: min over thresholds of FNR·P(+)cost + FPR·(1 − P(+)cost).
    Reference: Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
    """
    return normalised_cost(false_negative, false_positive).min()


def envelope_vertices() -> tuple[pl.Expr, pl.Expr]:
    """Where the cost lines of consecutive hull rows cross: P(+)cost and normalised cost.

    The line of a row runs from (0, FPR) to (1, FNR). One crossing per row but
    the first, which is left out.
    """
    recall, false_positive_rate = ratio(TP, POSITIVES), ratio(FP, NEGATIVES)
    recall_step, false_positive_step = recall.diff(), false_positive_rate.diff()
    x = ratio(false_positive_step, false_positive_step + recall_step)
    y = false_positive_rate * (1 - x) + (1 - recall) * x
    return x.slice(1), y.slice(1)
