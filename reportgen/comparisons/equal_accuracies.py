"""Are several models correct on equally many of the same independent rows?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from reportgen.comparisons.hotelling import hotelling
from reportgen.comparisons.records import Comparison, Question
from reportgen.text.numbers import plural


def cochran_rows(
    rows: pl.DataFrame,
    correct: Mapping[str, pl.Expr],
    question: Question,
    count: str | None = None,
) -> Comparison:
    """``cochran_groups`` of independent rows, each a group of its own, from sums over the rows.

    Unlike Cochran's Q it allows for models of which some are more alike than others. What it
    has as ``observations`` are the rows in which the models differ.

    Args:
        rows: the rows that all models predict.
        correct: whether each model predicts a row correctly, as expressions.
        question: the models, their measure, and the levels of the test and of its interval.
        count: the column of how many rows a row stands for; None: one.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    >>> rows = pl.DataFrame({"a": [1, 1, 1, 0, 1], "b": [1, 0, 1, 0, 0], "c": [0, 0, 1, 0, 1]})
    >>> correct = {name: pl.col(name) == 1 for name in "abc"}
    >>> test = cochran_rows(rows, correct, Question(("a", "b", "c"), "accuracy"))
    >>> round(test.statistic, 4), test.observations
    (1.7143, 3)
    """
    flags = [expr.cast(pl.Boolean).alias(f"m{i}") for i, expr in enumerate(correct.values())]
    times = (pl.lit(1) if count is None else pl.col(count)).cast(pl.Float64).alias("times")
    models = len(flags)
    pairs = [(i, j) for i in range(models) for j in range(i, models)]
    unlike = pl.any_horizontal(f"m{i}" for i in range(models)) & ~pl.all_horizontal(
        f"m{i}" for i in range(models)
    )
    n, differ, *products = (
        rows.lazy()
        .select(*flags, times)
        .select(
            pl.col("times").sum().alias("n"),
            pl.col("times").filter(unlike).sum().alias("differ"),
            *(
                pl.col("times").filter(pl.col(f"m{i}") & pl.col(f"m{j}")).sum().alias(f"{i} {j}")
                for i, j in pairs
            ),
        )
        .collect()
        .row(0)
    )
    if not differ:
        reason = "all models are correct on the same rows"
        return question.undefined(reason, "cochran_groups")[0]
    reason = "the models differ alike in all rows, or there are too few"
    if n <= models:
        return question.undefined(reason, "cochran_groups")[0]
    both = np.zeros((models, models))
    for (i, j), value in zip(pairs, products, strict=True):
        both[i, j] = both[j, i] = value
    contrast = np.column_stack([np.eye(models - 1), -np.ones(models - 1)])
    effect = contrast @ both.diagonal() / n
    covariance = (contrast @ both @ contrast.T - n * np.outer(effect, effect)) / (n * (n - 1))
    test = hotelling(effect, covariance, n - 1)
    if test is None:
        return question.undefined(reason, "cochran_groups")[0]
    return question.record(
        "cochran_groups",
        observations=round(differ),
        assumptions=(f"{models} models on the same {plural(round(n), 'row')}",),
        **test.test(),
    )
