"""How the tests over folds, of several models and against a margin are made, with their sources."""

from __future__ import annotations

_TOST = "Schuirmann (1987), doi:10.1007/BF01068419"
_SCORE = "Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B"
_CORRECTED = "Nadeau & Bengio (2003), doi:10.1023/A:1024068626366"

TESTS: dict[str, tuple[str, str]] = {
    "corrected_resampled_t": (
        "t = mean / √(s²(1/n + test rows/training rows)) of the differences in n folds, n − 1 df.",
        _CORRECTED,
    ),
    "paired_t_folds": (
        "t = √k·mean / s of the differences in k folds, k − 1 df.",
        "Zhou (2016), 2.4.2; Dietterich (1998), doi:10.1162/089976698300017197",
    ),
    "wilcoxon_folds": (
        "Sums of the ranks of the absolute differences in the folds, by their sign.",
        "Wilcoxon (1945), doi:10.2307/3001968",
    ),
    "five_by_two_f": (
        "F = Σd² / (2Σs²) over five repeats of two folds, 10 and 5 df.",
        "Alpaydin (1999), doi:10.1162/089976699300016007",
    ),
    "five_by_two_t": (
        "t = first difference / √(Σs²/5), 5 df.",
        "Dietterich (1998), doi:10.1162/089976698300017197",
    ),
    "five_by_two_t_averaged": (
        "The same with the mean of the first repeat's two differences: conservative.",
        "Zhou (2016), 2.4.2",
    ),
    "bayesian_correlated_t": (
        "Posterior of the mean difference over folds: t with the corrected error, n − 1 df.",
        "Corani & Benavoli (2015), doi:10.1007/s10994-015-5486-z",
    ),
    "equivalence": (
        "Two one-sided t-tests of a difference of ± the margin; p is the larger one.",
        _TOST,
    ),
    "equivalence_score": ("The same with score tests of two paired shares.", _SCORE),
    "non_inferiority": ("One-sided t-test of a difference of − the margin.", _TOST),
    "non_inferiority_score": ("The same with the score test of two paired shares.", _SCORE),
    "cochran_q": (
        "χ² = L(L − 1)Σ(G − Ḡ)² / (LΣG − ΣS²), L − 1 df; G: rows that each of L models gets "
        "right, S: models that get each row right.",
        "Cochran (1950), doi:10.1093/biomet/37.3-4.256",
    ),
    "looney_f": (
        "F = Q(N − 1) / (N(L − 1) − Q), L − 1 and (L − 1)(N − 1) df.",
        "Looney (1988), doi:10.1016/0167-8655(88)90016-5",
    ),
}
"""How each of these tests is made, and its source."""

INTERVALS: dict[str, tuple[str, str, str]] = {
    "corrected t": (
        "Corrected t",
        "Mean over folds ± t(n − 1)·√(s²(1/n + test rows/training rows)).",
        _CORRECTED,
    ),
    "posterior": (
        "Posterior",
        "Quantiles of the posterior of the mean difference over folds.",
        "Corani & Benavoli (2015), doi:10.1007/s10994-015-5486-z",
    ),
    "signed_rank": (
        "Signed ranks",
        "Means of two differences that Wilcoxon's test would not reject.",
        "Hodges & Lehmann (1963), doi:10.1214/aoms/1177704172",
    ),
}
"""Intervals that these tests come with: name, how, source."""
