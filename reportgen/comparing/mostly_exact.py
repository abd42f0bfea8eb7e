"""Models that are exact on most rows: few other rows decide their mean absolute error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reportgen.comparing.approximation import FAR_APART, is_of_margin
from reportgen.comparisons import Comparison
from reportgen.comparisons.paired_losses import ABSOLUTE

MEDIAN = "median_absolute_error"

LEAST = 4
"""From so many rows of equal errors on the mean of the errors says enough of rare ones."""

ENOUGH = 60
"""From so many rows on errors that none of them shows are of 5 % of all rows at most.

By the rule of three: 3/n of the rows.
"""

_ROUNDING = 1e-9


def mostly_exact(metrics: pl.DataFrame, errors: Mapping[str, float]) -> frozenset[str]:
    """The models without an error on more than half of the rows; ``errors`` are mean absolute ones.

    Beside the largest of these, rounding alone is no error.
    """
    rows = metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()),
        pl.col("metric") == MEDIAN,
        pl.col("value") <= _ROUNDING * max(errors.values(), default=0.0),
    )
    return frozenset(rows["model"])


def against_few_inexact(
    record: Comparison, exact: frozenset[str], errors: Mapping[str, float]
) -> Iterator[str]:
    """Against a leader in absolute errors whose mean fewer than ``LEAST`` rows decide.

    Other ones may be missing by chance (``tests.simulations.mostly_exact_models``). Rows over the
    kurtosis of errors about 0 is at most the number of rows with an error, and as large where
    these are of one size. A difference of ``FAR_APART`` standard errors stays one from ``ENOUGH``
    rows on.
    """
    if record.comparison != "paired_t" or record.metric != ABSOLUTE or is_of_margin(record):
        return
    rows, leads = (record.df or 0.0) + 1, int((record.estimate or 0.0) > 0)
    far_apart = rows >= ENOUGH and abs(record.statistic or 0.0) >= FAR_APART
    if not record.group_variation or far_apart:
        return
    variation = record.group_variation[leads]
    inexact = rows / (1 + variation**2) if errors.get(record.models[leads]) else 0.0
    if record.models[leads] in exact and inexact < LEAST - _ROUNDING:
        yield (
            "the model with the smaller mean has no error on more than half of the rows, and fewer "
            f"than {LEAST} others decide its mean. More of them may be missing by chance, and the "
            "test rejects too often (in simulations up to 46 % of true null hypotheses)"
        )
