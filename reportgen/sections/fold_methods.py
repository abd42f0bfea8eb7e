"""Intervals that the tests over folds and of ranks come with."""

from __future__ import annotations

_CORRECTED = "Nadeau & Bengio (2003), doi:10.1023/A:1024068626366"

INTERVALS: dict[str, tuple[str, str, str]] = {
    "corrected t": (
        "Corrected t",
        "Mean over folds, or difference of all rows with its deviations by fold, "
        "± t(n − 1)·√(s²(1/n + test rows/training rows)).",
        _CORRECTED,
    ),
    "posterior": (
        "Posterior",
        "Quantiles of the posterior of the mean difference over folds.",
        "Corani & Benavoli (2015), doi:10.1007/s10994-015-5486-z",
    ),
    "signed_rank": (
        "Signed ranks",
        "Mean differences that Wilcoxon's test would not reject.",
        "Hodges & Lehmann (1963), doi:10.1214/aoms/1177704172",
    ),
}
"""Intervals that these tests come with: name, how, source."""
