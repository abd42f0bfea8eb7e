"""Whole ROC curves of two models on the same rows: Venkatraman's permutation test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.comparisons.binary_pair import both_given
from reportgen.comparisons.model_pair import DRAWS, Draws, from_permutations, units_of
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison

MOST_RANKED = 50_000
"""Of more rows the test is not made."""


@comparison(
    "pair",
    "rows",
    forms=(Form("venkatraman", "Venkatraman's test", "Venkatraman", "E", ("any group sizes",)),),
    tasks=("binary",),
    allows=("groups",),
    measures=("ROC curve",),
)
def venkatraman(
    frame: pl.DataFrame,
    question: Question,
    *,
    scores: tuple[str, str] | None = None,
    truth: str = "truth",
    group: str | None = None,
    draws: Draws = DRAWS,
) -> Comparison:
    """Venkatraman and Begg's test that two ROC curves of the same rows are the same.

    ``scores`` are the columns, by default those of the models' names. Curves
    that cross may have the same AUC and still differ. ``group`` names a column
    whose rows depend on each other: whole groups are then exchanged.

    Args:
        frame: one row per example: the truth, and a score of each model.
        question: the models, their measure, and the levels of the test and of its interval.
        scores: the columns of scores.
        truth: the Boolean column of the truth; true is positive.
        group: the column of groups; None where rows are independent.
        draws: how many permutations are tried, and their seed.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same ROC curve in the population
    Formula: E = Σ over all ranks k of |difference in the number of errors when the k
        lowest are predicted negative|. In each permutation the ranks of every row, or
        group of rows, are exchanged with probability one half and ranked again. p = (b + 1)/(B + 1)
    Assumes: independent rows, or independent groups of rows
    Undefined: a single class, both models rank the rows identically, or more than 50,000
        rows, which each permutation sorts twice
    Reference: Venkatraman & Begg (1996), doi:10.1093/biomet/83.4.835

    >>> frame = pl.DataFrame(
    ...     {
    ...         "truth": [True] * 4 + [False] * 4,
    ...         "a": [0.9, 0.8, 0.7, 0.4, 0.6, 0.3, 0.2, 0.1],
    ...         "b": [0.9, 0.3, 0.6, 0.4, 0.7, 0.5, 0.2, 0.1],
    ...     }
    ... )
    >>> test = venkatraman(frame, Question(("a", "b"), "roc"), draws=Draws(99))
    >>> test.p_value
    0.29
    """
    question = replace(question, metric="ROC curve")
    record = question.record("venkatraman")
    first_score, second_score = scores or question.models
    rows = both_given(frame, truth, (first_score, second_score), group)
    if rows.height > MOST_RANKED:
        return record.with_fields(
            undefined=f"more than {MOST_RANKED:,} rows would have to be sorted for each permutation"
        )
    positive = rows["truth"].cast(pl.Boolean).to_numpy()
    if positive.all() or not positive.any():
        return record.with_fields(undefined="only one class is present")
    first, second = (rows[c].rank("average").to_numpy() for c in ("a", "b"))
    if (first == second).all():
        return record.with_fields(undefined="both models rank the rows identically")
    weight = np.where(positive, 1.0, -1.0)
    groups = None if group is None else Groups.of(rows["group"])
    number = len(weight) if groups is None else groups.number
    random = np.random.default_rng(draws.seed)
    a, b = (_ranked_again(r, random) for r in (first, second))
    observed = _error_gap(a, b, weight)
    far = 0
    for _ in range(draws.number):
        swap = random.random(number) < 0.5
        if groups is not None:
            swap = swap[groups.code]
        exchanged = np.where(swap, second, first), np.where(swap, first, second)
        a, b = (_ranked_again(r, random) for r in exchanged)
        far += _error_gap(a, b, weight) >= observed * (1 - 1e-12)
    p_value = (far + 1) / (draws.number + 1)
    return question.record(
        "venkatraman",
        statistic=observed,
        p_value=p_value,
        **from_permutations(p_value, draws.number, question.alpha),
        assumptions=(f"{draws.number} permutations of {units_of(rows.height, groups)}",),
        reachable=1 / (draws.number + 1),
    )


def _error_gap(first: Floats, second: Floats, weight: Floats) -> float:
    """Σ over ranks k < n of the absolute difference of the two models' errors."""
    n = len(weight)
    counts = [np.bincount(rank.astype(np.int64), weight, n + 1) for rank in (first, second)]
    return float(np.abs(np.cumsum(counts[0] - counts[1])[1:n]).sum())


def _ranked_again(ranks: Floats, random: np.random.Generator) -> Floats:
    order = np.lexsort((random.random(len(ranks)), ranks))
    again = np.empty(len(ranks))
    again[order] = np.arange(1.0, len(ranks) + 1)
    return again
