"""The cells of the confusion table."""

from __future__ import annotations

import polars as pl

from reportgen.metrics.registry import FN, FP, INFINITY, NO_ROWS, ROWS, TN, TP, metric


@metric(
    "Rows",
    group="count",
    bounds=(0, INFINITY),
    better=None,
    undefined=NO_ROWS,
    discloses="class sizes",
)
def n() -> pl.Expr:
    """Number of rows, or their weight.

    Formula: TP + FP + FN + TN.
    Reference: Zhou (2016), *Machine Learning*, table 2.1.
    """
    return ROWS


@metric("TP", group="count", bounds=(0, INFINITY), better=None, undefined=NO_ROWS)
def tp() -> pl.Expr:
    """True positives: positives predicted positive.

    Formula: TP.
    Book: table 2.1.
    Reference: Zhou (2016), *Machine Learning*, table 2.1.
    """
    return TP


@metric("FP", group="count", bounds=(0, INFINITY), better=None, undefined=NO_ROWS)
def fp() -> pl.Expr:
    """False positives: negatives predicted positive.

    Formula: FP.
    Book: table 2.1.
    Reference: Zhou (2016), *Machine Learning*, table 2.1.
    """
    return FP


@metric("FN", group="count", bounds=(0, INFINITY), better=None, undefined=NO_ROWS)
def fn() -> pl.Expr:
    """False negatives: positives predicted negative.

    Formula: FN.
    Book: table 2.1.
    Reference: Zhou (2016), *Machine Learning*, table 2.1.
    """
    return FN


@metric("TN", group="count", bounds=(0, INFINITY), better=None, undefined=NO_ROWS)
def tn() -> pl.Expr:
    """True negatives: negatives predicted negative.

    Formula: TN.
    Book: table 2.1.
    Reference: Zhou (2016), *Machine Learning*, table 2.1.
    """
    return TN
