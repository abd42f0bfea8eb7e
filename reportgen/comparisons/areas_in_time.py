"""AUCs of two models on rows in order of time, whose scores depend on those before them."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats
from reportgen.comparisons.area_covariances import RANKED_ALIKE, placement_shares
from reportgen.comparisons.diebold_mariano import TOO_SHORT, in_time, long_run_test
from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison


@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "delong_long_run",
            "DeLong's test with a long-run variance",
            "DeLong (long-run variance)",
            "t",
        ),
    ),
    tasks=("binary",),
    allows=("time",),
    measures=("auc",),
    needs=Needs(least=400, least_of_class=100),
)
def delong_long_run(scores: pl.DataFrame, question: Question) -> Comparison:
    """Test that two models have the same AUC, of rows in order of time.

    ``scores`` has ``point``, the place of each row in time, the Boolean ``truth``, and the scores
    ``first`` and ``second``. An AUC is, but for terms of lower order, a mean of what
    each row adds, DeLong's components; the long-run variance of their differences, summed by time
    point, is that of Diebold and Mariano's test. With 400 time points or more, 100 or more rows of
    the rarer class and an autocorrelation of up to 0.9 it rejects 4 to 7 % of true nulls, where
    DeLong's test rejects up to 47 %; with fewer of the rarer class up to 11 %.

    Args:
        scores: one line per row, with its place in time, its truth and both scores.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} over time
    Formula: t = (AUC₁ − AUC₂) / √(long-run variance / T) of T·Σ over the rows of a time point of
    (V₁ − V₂ − AUC₁ + AUC₂) / (rows of its class), V the share of the other class that a row is
    ranked correctly against. The variance is from B cosine transforms over the spectrum of the
    estimated autocorrelation, B df
    Assumes: scores and truth that are stationary
    Undefined: fewer than three time points or two rows of a class, or rows ranked alike
    Reference: DeLong et al. (1988), doi:10.2307/2531595; Lazarus, Lewis, Stock
        & Watson (2018), doi:10.1080/07350015.2018.1506926

    >>> rows = pl.DataFrame({"point": range(60), "truth": [True, False, False] * 20})
    >>> of_row = pl.col("point")
    >>> rows = rows.with_columns(first=of_row * 7 % 11, second=of_row * 5 % 13)
    >>> test = delong_long_run(rows, Question(("a", "b"), "auc"))
    >>> round(test.estimate, 4), round(test.p_value, 4)
    (0.0469, 0.848)
    """
    rows = scores.drop_nulls()
    positive = rows["truth"].to_numpy()
    placed = [
        placement_shares(rows[name].cast(pl.Float64).to_numpy(), positive)
        for name in ("first", "second")
    ]
    first, second = placed
    if first is None or second is None or min(positive.sum(), (~positive).sum()) < 2:
        why = "a class has fewer than two rows"
        return question.record("delong_long_run", undefined=why)
    apart = first - second
    estimate = float(apart[positive].mean())
    added = added_by_rows(apart, positive)
    if len(rows) * np.abs(added).max() <= NOISE:
        return question.record("delong_long_run", undefined=RANKED_ALIKE)
    long_run = in_time(added, rows["point"].to_numpy())
    if long_run is None:
        return question.record("delong_long_run", undefined=TOO_SHORT)
    return long_run_test("delong_long_run", question, estimate, long_run, bounds=(-1, 1))


def added_by_rows(apart: Floats, positive: Flags) -> Floats:
    """What each row adds to the difference of the AUCs: they add up to 0."""
    added = np.empty(len(apart))
    for side in (positive, ~positive):
        here = apart[side]
        added[side] = (here - here.mean()) / len(here)
    return added
