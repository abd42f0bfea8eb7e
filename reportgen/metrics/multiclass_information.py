"""Information that the prediction gives about the truth among several classes, in bits.

The forms for several classes of the binary measures of the same names; they
read the complete ``matrix``: one row per truth and prediction, zeros included.
"""

from __future__ import annotations

import math

import polars as pl

from reportgen.metrics.multiclass import several
from reportgen.metrics.registry import NO_ROWS, matrix_metric, ratio
from reportgen.metrics.table_terms import CORRECT, COUNT, OF_PREDICTION, OF_TRUTH, N
from reportgen.text.reasons import ONE_CLASS_OF_EITHER

_TRUTH, _PREDICTION = "the truth is a single class", "all rows are predicted to be of one class"

_BITS = (0, math.inf)


def _bits(odds: pl.Expr) -> pl.Expr:
    """Mean logarithm of ``odds`` over the rows."""
    part = pl.when(COUNT > 0).then(COUNT / N * odds.log(2)).otherwise(0.0)
    return part.sum().clip(0)


def _entropy(margin: pl.Expr) -> pl.Expr:
    """Bits of the shares ``margin / n``, each cell having its own part of its margin.

    Exactly 0 for a single share: of rounded sums of weights it is not quite 1.
    """
    bits = pl.when(several(margin)).then(_bits(N / margin)).otherwise(0.0)
    return pl.when(N > 0).then(bits)


def _mutual() -> pl.Expr:
    both = several(OF_TRUTH) & several(OF_PREDICTION)
    bits = pl.when(both).then(_bits((COUNT / OF_TRUTH) * (N / OF_PREDICTION))).otherwise(0.0)
    return pl.when(N > 0).then(bits)


@matrix_metric(
    "Entropy of the truth", bounds=_BITS, better=None, undefined=NO_ROWS, biased_by="shares"
)
def reference_entropy() -> pl.Expr:
    """Entropy of the truth, in bits.

    Formula: −Σ tᵢ/n · log₂(tᵢ/n).
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    return _entropy(OF_TRUTH)


@matrix_metric(
    "Entropy of the prediction", bounds=_BITS, better=None, undefined=NO_ROWS, biased_by="shares"
)
def response_entropy() -> pl.Expr:
    """Entropy of the predictions, in bits.

    Formula: −Σ pⱼ/n · log₂(pⱼ/n).
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    return _entropy(OF_PREDICTION)


@matrix_metric("Joint entropy", bounds=_BITS, better=None, undefined=NO_ROWS, biased_by="cells")
def joint_entropy() -> pl.Expr:
    """Joint entropy of truth and prediction, in bits.

    Formula: −Σ nᵢⱼ/n · log₂(nᵢⱼ/n).
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    return _entropy(OF_TRUTH) + conditional_entropy()


@matrix_metric(
    "Conditional entropy of the prediction",
    bounds=_BITS,
    better="lower",
    undefined=NO_ROWS,
    biased_by="cells",
)
def conditional_entropy() -> pl.Expr:
    """Entropy of the prediction given the truth, in bits.

    Formula: −Σ nᵢⱼ/n · log₂(nᵢⱼ/tᵢ).
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    return pl.when(N > 0).then(_bits(OF_TRUTH / COUNT))


def _divergence() -> pl.Expr:
    """Bits per row of the truth's class, one cell on the diagonal standing for each class."""
    lost = pl.when(OF_TRUTH > 0).then(ratio(OF_TRUTH, OF_PREDICTION).log(2) * OF_TRUTH / N)
    gone = (CORRECT & (OF_TRUTH > 0) & (OF_PREDICTION == 0)).any()
    return pl.when((N > 0) & ~gone).then(lost.filter(CORRECT).sum().clip(0))


@matrix_metric(
    "Cross entropy of the classes' shares",
    bounds=_BITS,
    better=None,
    undefined="a class that is present is never predicted",
    biased_by="shares",
)
def cross_entropy() -> pl.Expr:
    """Cross-entropy of class frequencies: truth coded by those of the predictions, in bits.

    Formula: −Σ tᵢ/n · log₂(pᵢ/n); of the shares alone, not of the log loss.
    Reference: Cover & Thomas (2006), doi:10.1002/047174882X, 2.3.
    """
    return _entropy(OF_TRUTH) + _divergence()


@matrix_metric(
    "Kullback–Leibler divergence of the classes' shares",
    bounds=_BITS,
    better="lower",
    undefined="a class that is present is never predicted",
    biased_by="shares",
)
def kl_divergence() -> pl.Expr:
    """Divergence of predicted from true class frequencies, in bits.

    Formula: Σ tᵢ/n · log₂(tᵢ/pᵢ).
    Reference: Kullback & Leibler (1951), doi:10.1214/aoms/1177729694.
    """
    return _divergence()


@matrix_metric("Relative classifier information", undefined=_TRUTH, biased_by="cells")
def relative_classifier_information() -> pl.Expr:
    """Share of the entropy of the truth that the prediction removes (homogeneity).

    Formula: mutual information / entropy of the truth.
    Reference: Sindhwani, Bhattacharya & Rakshit (2001), SIAM Conference on Data Mining.
    """
    return ratio(_mutual(), _entropy(OF_TRUTH)).clip(0, 1)


@matrix_metric("Completeness", undefined=_PREDICTION, biased_by="cells")
def completeness() -> pl.Expr:
    """Share of the entropy of the prediction that the truth explains.

    Formula: mutual information / entropy of the prediction.
    Reference: Rosenberg & Hirschberg (2007), ACL D07-1043, 410-420.
    """
    return ratio(_mutual(), _entropy(OF_PREDICTION)).clip(0, 1)


@matrix_metric(
    "Normalised mutual information",
    undefined="truth and predictions each have a single class",
    biased_by="cells",
)
def normalised_mutual_information() -> pl.Expr:
    """Mutual information relative to the mean of the two entropies (V-measure).

    Formula: 2·mutual information / (entropy of the truth + entropy of the prediction).
    Reference: Rosenberg & Hirschberg (2007), ACL D07-1043, 410-420.
    """
    return ratio(2 * _mutual(), _entropy(OF_TRUTH) + _entropy(OF_PREDICTION)).clip(0, 1)


@matrix_metric(
    "Normalised mutual information, geometric", undefined=ONE_CLASS_OF_EITHER, biased_by="cells"
)
def normalised_mutual_information_geometric() -> pl.Expr:
    """Mutual information relative to the geometric mean of the two entropies.

    Formula: mutual information / √(entropy of the truth · entropy of the prediction).
    Reference: Strehl & Ghosh (2002), JMLR 3, 583-617.
    """
    return ratio(_mutual(), (_entropy(OF_TRUTH) * _entropy(OF_PREDICTION)).sqrt()).clip(0, 1)
