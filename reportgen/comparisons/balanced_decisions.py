"""Do the decisions of two models differ in balanced accuracy?

It is read where a class is rare, or positives are not as frequent as in the population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.comparisons.area_covariances import AreaCovariance, area_covariance
from reportgen.comparisons.delong import pair_of_areas
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.frames import FrameLike, polars_frame

RARE = 0.05
"""Share of the rows below which a class is rare; weights count."""


@comparison(
    "pair",
    "rows",
    forms=(
        Form("balanced_decisions", "The test of balanced accuracy", "Paired z (balanced)", "z"),
    ),
    tasks=("binary",),
    allows=("groups", "repeats"),
    measures=("balanced_accuracy",),
    needs=Needs(least_of_class=10, rare_class=True),
)
def balanced_decisions(
    frame: FrameLike,
    question: Question,
    *,
    truth: str = "truth",
    weight: str | None = None,
    groups: Groups | None = None,
) -> Comparison:
    """Two-sided test that two models decide with the same balanced accuracy on the same rows.

    Reports make it where a model gives labels only and one class is rare: always predicting the
    common class is accurate there, and has a balanced accuracy of one half. They also make it where
    positives are not as frequent as the spec states, as balanced accuracy does not depend on that.
    In each class one more disagreement either way is counted in the variance, so that few rows that
    agree by chance do not decide.

    Args:
        frame: one row per example: the truth, and the decision of each model, Boolean columns
            named as the models; true is positive.
        question: the models, their measure, and the levels of the test and of its interval.
        truth: the Boolean column of the truth.
        weight: the column of weights, at least 0; None where every row counts once.
        groups: the group of each row, where rows of one group may depend on each other.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: z = (Δrecall + Δspecificity)/2 / standard error, error² the sum over the classes of (s²
        + 2n/(n + 2)²)/(4n), for n rows of a class and s² the variance of the differences of the
        decisions. With fewer than 30 rows of a class it is t with Satterthwaite's df. For rows in
        groups it is t with Obuchowski's variance
    Assumes: independent rows, or groups
    Undefined: a class has fewer than two rows
    Reference: Bonett & Price (2012), doi:10.3102/1076998611411915, for each class; Obuchowski
        (1997), doi:10.2307/2533958

    >>> frame = pl.DataFrame(
    ...     {
    ...         "truth": [True] * 4 + [False] * 8,
    ...         "a": [True, True, True, False] + [True] + [False] * 7,
    ...         "b": [True, False, False, False] + [False] * 8,
    ...     }
    ... )
    >>> test = balanced_decisions(frame, Question(("a", "b"), "balanced_accuracy"))
    >>> test.estimate, round(test.p_value, 4)
    (0.1875, 0.4182)
    """
    table = polars_frame(frame).with_columns(pl.col(question.models).cast(pl.Float64))
    estimates = area_covariance(table, question.models, truth=truth, weight=weight, groups=groups)
    return balanced_pair(estimates, (0, 1), question)


def areas_of_counts(
    counts: pl.DataFrame, decisions: Sequence[str], truth: str = "truth"
) -> AreaCovariance:
    """Balanced accuracies of decisions and their covariance, from ``rows`` of every combination.

    >>> counts = pl.DataFrame(
    ...     {"truth": [True, True, False], "a": [True, False, False], "rows": [3, 1, 8]}
    ... )
    >>> estimates = areas_of_counts(counts, ["a"])
    >>> estimates.areas.tolist(), estimates.covariance.tolist()
    ([0.875], [[0.015625]])
    """
    positive, rows = counts[truth].to_numpy(), counts["rows"].cast(pl.Float64).to_numpy()
    decided = counts.select(pl.col(decisions).cast(pl.Float64)).to_numpy()
    sizes = float(rows[positive].sum()), float(rows[~positive].sum())
    if min(sizes) < 2:
        nothing = np.full((len(decisions), len(decisions)), np.nan)
        return AreaCovariance(nothing[0], nothing, sizes)
    means, parts = [], []
    for side, size in zip((positive, ~positive), sizes, strict=True):
        mean = np.einsum("r,rm->m", rows[side], decided[side]) / size
        away = decided[side] - mean
        squares = np.einsum("r,rm,rk->mk", rows[side], away, away)
        means.append(mean)
        parts.append(squares / (4 * size * (size - 1)))
    areas = (1 + means[0] - means[1]) / 2
    return AreaCovariance(areas, parts[0] + parts[1], sizes, (parts[0], parts[1]))


def balanced_pair(estimates: AreaCovariance, at: tuple[int, int], question: Question) -> Comparison:
    """The test for two of the models of ``estimates``, the areas of whose decisions these are."""
    covariance = estimates.covariance.copy()
    disagreement = sum(2 / (size + 2) ** 2 for size in estimates.sizes or ()) / 4
    covariance[at, at] += disagreement / 2  # so that their difference varies by all of it
    varied = replace(estimates, covariance=covariance)
    return pair_of_areas("balanced_decisions", varied, at, question).with_fields(interval="t")
