"""Graded items: where two models often have the same value, their means are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from reportgen.comparisons import TESTS, Comparison
from reportgen.comparisons.paired import paired_differences
from reportgen.comparisons.sign_equivalence import equivalence_by_signs

MANY = 0.1
"""From this share of equal values on a test of ranks leaves out too much of the difference."""

LEAST = 30
"""Of so many data sets or more the t interval of a mean holds it, whatever the grades are."""

MOST = 0.5
"""Above this share the median of all differences is 0: limits of those that differ are none of it.

They may have no width, whatever the number of data sets, where few sizes of differences occur.
"""


def most_equal(wide: pl.DataFrame, pairs: Iterable[tuple[str, str]]) -> float:
    """The largest share of equal values of a pair of models, columns of ``wide``.

    >>> wide = pl.DataFrame({"a": [0.5, 1.0], "b": [0.5, 0.0], "c": [1.0, 0.5]})
    >>> most_equal(wide, [("a", "b"), ("b", "c")])
    0.5
    """
    shares = [0.0]
    for first, second in pairs:
        both = with_both(wide, first, second)
        if both.height:
            shares.append(float(np.mean(paired_differences(both).steps == 0)))
    return max(shares)


def with_both(wide: pl.DataFrame, first: str, second: str) -> pl.DataFrame:
    """The values of two models on the data sets that have both; no query where all have."""
    both = pl.DataFrame({"first": wide[first], "second": wide[second]})
    complete = not (both["first"].null_count() or both["second"].null_count())
    return both if complete else both.drop_nulls()


def against_ranks(record: Comparison, equal: float, datasets: int | None) -> Iterator[str | None]:
    """Why a test of values does not decide; None without a reason to print."""
    comparison = record.comparison
    many = equal > MOST or (equal >= MANY and (datasets or 0) >= LEAST)
    if comparison == "wilcoxon" and many:
        yield (
            f"two models have the same value in up to {100 * equal:.0f} % of the pairs, which "
            "the test and its median difference leave out"
        )
    if comparison == "sign_flip" and not many:
        yield None
    if TESTS[comparison].compute is not equivalence_by_signs:
        return
    if many:
        yield (
            f"two models have the same value in up to {100 * equal:.0f} % of the pairs, so "
            "their means are compared, but the test is about the median"
        )
    elif record.mean_beyond:
        yield (
            "the test is about the median, and limits of the mean difference reach beyond the "
            "margin"
        )
