"""Whole ROC curves of two models on the same rows: Venkatraman's permutation test."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.comparisons.exchanged import DRAWS, both_given
from reportgen.comparisons.kinds import comparison
from reportgen.comparisons.records import Comparison, Question

Floats = npt.NDArray[np.float64]

MOST_RANKED = 50_000
"""Of more rows the test is not made."""


@comparison({"venkatraman": "Venkatraman's test"}, "pair", "rows", symbol="E")
def venkatraman(
    frame: pl.DataFrame,
    models: tuple[str, str],
    scores: tuple[str, str],
    *,
    truth: str = "truth",
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """Venkatraman and Begg's test that two ROC curves of the same rows are the same.

    E sums over all ranks k the difference of the numbers of errors when the k
    lowest are called negative, ties in random order; in each permutation the
    ranks of every row change places with chance one half and are ranked again.
    p = (b + 1)/(B + 1). Null hypothesis: both ROC curves are the same
    everywhere; curves that cross may have the same AUC and still differ.
    Assumes independent rows. Undefined unless both classes are there, or where
    both models rank alike; and beyond 50,000 rows, which each permutation sorts twice.
    Venkatraman & Begg (1996), doi:10.1093/biomet/83.4.835.
    """
    null = "the two models have the same ROC curve in the population"
    question = Question(models, "ROC curve", alpha)
    record = question.record("venkatraman", null)
    rows = both_given(frame, truth, scores)
    if rows.height > MOST_RANKED:
        return record.undefined_because(
            f"more than {MOST_RANKED:,} rows would have to be sorted for each permutation"
        )
    positive = rows["truth"].cast(pl.Boolean).to_numpy()
    if positive.all() or not positive.any():
        return record.undefined_because("only one class is present")
    first, second = (rows[c].rank("average").to_numpy() for c in ("a", "b"))
    if (first == second).all():
        return record.undefined_because("both models rank the rows alike")
    weight = np.where(positive, 1.0, -1.0)
    random = np.random.default_rng(seed)
    a, b = (_ranked_again(r, random) for r in (first, second))
    observed = _error_gap(a, b, weight)
    far = 0
    for _ in range(draws):
        swap = random.random(len(weight)) < 0.5
        exchanged = np.where(swap, second, first), np.where(swap, first, second)
        a, b = (_ranked_again(r, random) for r in exchanged)
        far += _error_gap(a, b, weight) >= observed * (1 - 1e-12)
    return question.record(
        "venkatraman",
        null,
        statistic=observed,
        p_value=(far + 1) / (draws + 1),
        assumptions=(f"{draws} permutations of {rows.height} rows",),
        reachable=1 / (draws + 1),
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
