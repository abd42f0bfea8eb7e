"""How many rows several models predict correctly, two together, and whether it is equally many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparisons.hotelling import hotelling
from reportgen.comparisons.records import Comparison, Question
from reportgen.text.numbers import plural


@dataclass(frozen=True, slots=True)
class CorrectTogether:
    """What the tests of several models' accuracies are made of.

    ``both`` counts the rows that two models predict correctly, models × models, on its diagonal
    those of each; ``rows`` are all, and in ``unlike`` of them the models differ.
    """

    rows: float
    unlike: float
    both: Floats

    @classmethod
    def of(
        cls, rows: pl.DataFrame, correct: Mapping[str, pl.Expr], count: str | None = None
    ) -> CorrectTogether:
        """From whether each model predicts a row correctly; ``count``: for how many rows it stands.

        >>> rows = pl.DataFrame({"a": [True, True, False], "b": [True, False, False]})
        >>> together = CorrectTogether.of(rows, {name: pl.col(name) for name in "ab"})
        >>> together.rows, together.unlike, together.both.tolist()
        (3.0, 1.0, [[2.0, 1.0], [1.0, 1.0]])
        """
        flags = [expr.cast(pl.Boolean).alias(f"m{i}") for i, expr in enumerate(correct.values())]
        times = (pl.lit(1) if count is None else pl.col(count)).cast(pl.Float64).alias("times")
        names = [f"m{i}" for i in range(len(flags))]
        pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
        unlike = pl.any_horizontal(names) & ~pl.all_horizontal(names)
        number, differ, *products = (
            rows.lazy()
            .select(*flags, times)
            .select(
                pl.col("times").sum().alias("number"),
                pl.col("times").filter(unlike).sum().alias("differ"),
                *(
                    pl.col("times")
                    .filter(pl.col(names[i]) & pl.col(names[j]))
                    .sum()
                    .alias(f"{i} {j}")
                    for i, j in pairs
                ),
            )
            .collect()
            .row(0)
        )
        both = np.zeros((len(names), len(names)))
        for (i, j), value in zip(pairs, products, strict=True):
            both[i, j] = both[j, i] = value
        return cls(number, differ, both)


def accuracies_differ(together: CorrectTogether, question: Question) -> Comparison:
    """``cochran_groups`` of independent rows, each a group of its own, from counts of the rows.

    Unlike Cochran's Q it allows for models of which some are more alike than others. What it
    has as ``observations`` are the rows in which the models differ.

    Args:
        together: how many rows each model predicts correctly, and each two.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    >>> import polars as pl
    >>> rows = pl.DataFrame({"a": [1, 1, 1, 0, 1], "b": [1, 0, 1, 0, 0], "c": [0, 0, 1, 0, 1]})
    >>> correct = {name: pl.col(name) == 1 for name in "abc"}
    >>> question = Question(("a", "b", "c"), "accuracy")
    >>> test = accuracies_differ(CorrectTogether.of(rows, correct), question)
    >>> round(test.statistic, 4), test.observations
    (1.7143, 3)
    """
    models, n, both = len(question.models), together.rows, together.both
    if not together.unlike:
        reason = "all models are correct on the same rows"
        return question.record("cochran_groups", undefined=reason)
    reason = "the models differ in the same way in all rows, or there are too few rows"
    if together.rows <= models:
        return question.record("cochran_groups", undefined=reason)
    contrast = np.column_stack([np.eye(models - 1), -np.ones(models - 1)])
    effect = contrast @ both.diagonal() / n
    covariance = (contrast @ both @ contrast.T - n * np.outer(effect, effect)) / (n * (n - 1))
    test = hotelling(effect, covariance, n - 1)
    if test is None:
        return question.record("cochran_groups", undefined=reason)
    return question.record(
        "cochran_groups",
        observations=round(together.unlike),
        assumptions=(f"{models} models on the same {plural(round(n), 'row')}",),
        **test.test(),
    )
