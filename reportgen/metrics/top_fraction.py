"""Measures of the rows with the highest scores."""

from __future__ import annotations

import polars as pl

from reportgen.metrics.ranking import true_positives_among_first
from reportgen.metrics.registry import NO_ROWS, ranking_metric, ratio
from reportgen.metrics.sweep_terms import ALL, P
from reportgen.text.reasons import NO_POSITIVES


def true_positives_in_top(share: float = 0.1) -> pl.Expr:
    """Positives among the ``share`` of the rows that score highest, ties at the end in part."""
    return true_positives_among_first(share * ALL)


@ranking_metric("Precision, top 10 %", undefined=NO_ROWS, of_highest=True)
def precision_at_10_percent() -> pl.Expr:
    """Precision among the tenth of the rows with the highest scores.

    Formula: TP / (n/10) where n/10 rows are predicted positive, ties at the end taken in part.
    Reference: Manning, Raghavan & Schütze (2008), doi:10.1017/CBO9780511809071, 8.4.
    """
    return ratio(true_positives_in_top(0.1), 0.1 * ALL).clip(0, 1)


@ranking_metric("Recall, top 10 %", undefined=NO_POSITIVES, of_highest=True)
def recall_at_10_percent() -> pl.Expr:
    """Recall within the tenth of the rows with the highest scores (gain).

    Formula: TP / P where n/10 rows are predicted positive, ties at the end taken in part.
    Reference: Manning, Raghavan & Schütze (2008), doi:10.1017/CBO9780511809071, 8.4.
    """
    return ratio(true_positives_in_top(0.1), P).clip(0, 1)


@ranking_metric("Lift, top 10 %", bounds=(0, 10), undefined=NO_POSITIVES, of_highest=True)
def lift_at_10_percent() -> pl.Expr:
    """Prevalence in the tenth of the rows with the highest scores relative to overall.

    Formula: (TP / (n/10)) / (P / n) where n/10 rows are predicted positive; 10 at the most.
    Reference: Ling & Li (1998), KDD-98, 73-79.
    """
    return 10 * recall_at_10_percent()
