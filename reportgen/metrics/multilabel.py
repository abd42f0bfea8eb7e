"""Measures of several labels at once: expressions over the rows.

Each row says how its set of labels was met: ``correct`` labels both true and
given, ``predicted`` labels given, ``true`` labels that hold, ``labels`` labels in
all; from scores, ``coverage`` (how far down the ranking the last true label
stands), ``precision_of_ranking``, ``wrong_pairs`` (share of pairs of a true
and another label that are not ordered correctly) and ``wrong_first`` (share of
the labels that score highest that are not true), null for rows where
they have no value; ``weight`` is the row's weight.
"""

from __future__ import annotations

import polars as pl

from reportgen.intervals import ModifiedWilson
from reportgen.metrics import aggregates
from reportgen.metrics.registry import INFINITY, NO_ROWS, multilabel_metric, ratio
from reportgen.small_queries import total
from reportgen.text.reasons import NO_SCORES

_CORRECT, _PREDICTED, _TRUE, _LABELS = (
    pl.col(name).cast(pl.Float64) for name in ("correct", "predicted", "true", "labels")
)
_UNION = _PREDICTED + _TRUE - _CORRECT
_NO_SCORES = f"{NO_ROWS}, or {NO_SCORES}"


def _mean(value: pl.Expr) -> pl.Expr:
    defined = value.is_not_null()
    return ratio(
        aggregates.total_of_defined(value, total),
        aggregates.total(defined.cast(pl.Float64), total),
    )


@multilabel_metric(
    "Subset accuracy",
    group="decision",
    undefined=NO_ROWS,
    interval=ModifiedWilson(("correct_rows", "error_rows"), ("correct_rows",)),
    core=True,
)
def subset_accuracy() -> pl.Expr:
    """Proportion of rows with exactly the true set of labels.

    Formula: Σ 1(given = true) / n.
    Reference: Zhang & Zhou (2014), doi:10.1109/TKDE.2013.39.
    """
    exact = (_CORRECT == _PREDICTED) & (_CORRECT == _TRUE)
    return _mean(exact.cast(pl.Float64))


@multilabel_metric(
    "Hamming loss", group="decision", better="lower", undefined=NO_ROWS, core=True, mean=True
)
def hamming_loss() -> pl.Expr:
    """Proportion of label decisions that are wrong.

    Formula: Σ |given △ true| / (n·L).
    Reference: Zhang & Zhou (2014), doi:10.1109/TKDE.2013.39.
    """
    return _mean((_UNION - _CORRECT) / _LABELS)


@multilabel_metric(
    "Jaccard index, mean over rows",
    group="decision",
    undefined="no row has, or is predicted to have, a label",
    core=True,
    mean=True,
)
def sample_jaccard() -> pl.Expr:
    """Mean over rows of correct labels among true or predicted ones; rows with neither left out.

    Formula: mean of |given ∩ true| / |given ∪ true|.
    Reference: Godbole & Sarawagi (2004), doi:10.1007/978-3-540-24775-3_5.
    """
    return _mean(ratio(_CORRECT, _UNION))


@multilabel_metric(
    "Precision, mean over rows",
    group="decision",
    undefined="no row is predicted to have a label",
    mean=True,
)
def sample_precision() -> pl.Expr:
    """Mean over rows of the share of predicted labels that are true; rows with none are left out.

    Formula: mean of |given ∩ true| / |given|.
    Reference: Godbole & Sarawagi (2004), doi:10.1007/978-3-540-24775-3_5.
    """
    return _mean(ratio(_CORRECT, _PREDICTED))


@multilabel_metric(
    "Recall, mean over rows", group="decision", undefined="no row has a label", mean=True
)
def sample_recall() -> pl.Expr:
    """Mean over rows of the share of true labels that are predicted; rows with none are left out.

    Formula: mean of |given ∩ true| / |true|.
    Reference: Godbole & Sarawagi (2004), doi:10.1007/978-3-540-24775-3_5.
    """
    return _mean(ratio(_CORRECT, _TRUE))


@multilabel_metric(
    "F1, mean over rows",
    group="decision",
    undefined="no row has, or is predicted to have, a label",
    core=True,
    mean=True,
)
def sample_f1() -> pl.Expr:
    """Mean F1 of the rows' sets of labels; rows with neither are left out.

    Formula: mean of 2|given ∩ true| / (|given| + |true|).
    Reference: Godbole & Sarawagi (2004), doi:10.1007/978-3-540-24775-3_5.
    """
    return _mean(ratio(2 * _CORRECT, _PREDICTED + _TRUE))


@multilabel_metric(
    "Coverage error",
    group="ranking",
    bounds=(0, INFINITY),
    better="lower",
    undefined=_NO_SCORES,
    core=True,
    mean=True,
)
def coverage_error() -> pl.Expr:
    """Mean number of top-ranked labels needed to include all true ones.

    Formula: mean of the number of labels that score at least as high as the lowest true one.
    Reference: Tsoumakas et al. (2010), doi:10.1007/978-0-387-09823-4_34.
    """
    return _mean(pl.col("coverage"))


@multilabel_metric(
    "Label ranking average precision", group="ranking", undefined=_NO_SCORES, core=True, mean=True
)
def label_ranking_average_precision() -> pl.Expr:
    """Mean over true labels of the share of true ones among labels ranked as high.

    Formula: mean of 1/|true| · Σ |true at or above| / |labels at or above|; 1 for rows where all
    or no labels are true.
    Reference: Schapire & Singer (2000), doi:10.1023/A:1007649029923.
    """
    return _mean(pl.col("precision_of_ranking"))


@multilabel_metric(
    "Label ranking loss",
    group="ranking",
    better="lower",
    undefined=_NO_SCORES,
    core=True,
    mean=True,
)
def label_ranking_loss() -> pl.Expr:
    """Mean share of wrongly ordered pairs of a true and another label.

    Formula: mean of pairs with score(true) ≤ score(other) / |true||other|; 0 for rows where all or
    no labels are true.
    Reference: Tsoumakas et al. (2010), doi:10.1007/978-0-387-09823-4_34.
    """
    return _mean(pl.col("wrong_pairs"))


@multilabel_metric(
    "One-error",
    group="ranking",
    better="lower",
    undefined=f"no row has a label, or {NO_SCORES}",
    proportion=True,
)
def one_error() -> pl.Expr:
    """Proportion of rows with a true label whose top-ranked label is not true.

    Formula: mean of 1(the label that scores highest is not true), of ties their share.
    Reference: Schapire & Singer (2000), doi:10.1023/A:1007649029923.
    """
    return _mean(pl.col("wrong_first"))
