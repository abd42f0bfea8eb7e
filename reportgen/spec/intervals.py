"""Which method each kind of confidence interval takes."""

from __future__ import annotations

from typing import Literal

from reportgen.spec.base import SpecPart

ShareMethod = Literal[
    "wilson_modified",
    "wilson",
    "wilson_cc",
    "clopper_pearson",
    "jeffreys",
    "agresti_coull",
    "midp",
    "wald",
]
DifferenceMethod = Literal[
    "midp_paired", "exact_paired", "corrected_paired", "newcombe_paired", "tango", "wald_paired"
]


class Intervals(SpecPart):
    """Methods of the confidence intervals, by what they are of."""

    proportions: ShareMethod = "wilson_modified"
    """Shares of counted rows, such as accuracy and recall."""
    differences: DifferenceMethod = "midp_paired"
    """Differences of two shares of the same rows; the default agrees with McNemar's mid-p test."""
    auc: Literal[
        "delong_score", "newcombe", "delong", "delong_logit", "hanley_mcneil", "bootstrap"
    ] = "delong_score"
    """Areas under ROC curves."""
    average_precision: Literal["few_logit", "logit", "bootstrap"] = "few_logit"
    """Areas under P-R curves; few_logit is logit below 100 positives, else bootstrap."""
    ratios: Literal["square_and_add", "delta", "bootstrap"] = "square_and_add"
    """Other functions of the counts, such as F1 and MCC, of two classes."""
    bootstrap: Literal["bca", "percentile", "basic"] = "bca"
    """What is made of the replicates; BCa gives way to percentile where it is not defined."""
