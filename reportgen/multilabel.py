"""Sets of labels: how those that a model gives to each row meet the true ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Integers
from reportgen.small_queries import total

CHUNK = 2**16
"""Numbers held at a time when the labels of the rows are ranked: they fit into a cache."""

RANKED = ("coverage", "precision_of_ranking", "wrong_pairs", "wrong_first")
"""What the ranking of a row's labels gives."""


def label_sets(
    rows: pl.DataFrame,
    truths: Sequence[str],
    predicted: Sequence[pl.Expr],
    scores: Sequence[str],
    weight: str | None,
) -> pl.DataFrame:
    """How each row's set of labels was met: the frame that ``metrics.multilabel`` reads.

    ``truths`` and ``scores`` are columns by label, ``scores`` empty where there are none.
    """
    holds = [pl.col(name) for name in truths]
    both = [t & c for t, c in zip(holds, predicted, strict=True)]
    table = rows.select(
        correct=pl.sum_horizontal(*both),
        predicted=pl.sum_horizontal(*predicted),
        true=pl.sum_horizontal(*holds),
        labels=pl.lit(len(truths)),
        weight=pl.col(weight).cast(pl.Float64) if weight else pl.lit(1.0),
    )
    exact = (pl.col("correct") == pl.col("predicted")) & (pl.col("correct") == pl.col("true"))
    w = pl.col("weight")
    sums = {"correct_rows": (w, exact), "error_rows": (w, ~exact)}
    squares = {"correct_rows2": (w**2, exact), "error_rows2": (w**2, ~exact)}
    added = {n: total(v.filter(c)) for n, (v, c) in {**sums, **squares}.items()}
    if scores:
        return table.with_columns(**added).hstack(_ranked(rows, truths, scores))
    return table.with_columns(**added, **dict.fromkeys(RANKED, pl.lit(None, pl.Float64)))


def _ranked(rows: pl.DataFrame, truths: Sequence[str], scores: Sequence[str]) -> pl.DataFrame:
    step = max(1, CHUNK // len(truths))
    pieces = [
        ranking(t.to_numpy(order="c").astype(bool), s.to_numpy(order="c"))
        for t, s in zip(
            rows.select(truths).iter_slices(step),
            rows.select(scores).iter_slices(step),
            strict=True,
        )
    ]
    whole = np.concatenate(pieces) if pieces else np.empty((0, len(RANKED)))
    return pl.DataFrame(whole, schema=dict.fromkeys(RANKED, pl.Float64)).fill_nan(None)


def ranking(truth: Flags, score: Floats) -> Floats:
    """Coverage, average precision, ranking loss and one-error of each row, as columns.

    A row without a true label, or with true ones only, is fully ranked: coverage
    0 or the number of labels, precision 1, loss 0. Without a true label there is
    no one-error (NaN).
    """
    rank, true_above, is_true = _in_order(truth, score)
    number = truth.sum(axis=1)
    others = truth.shape[1] - number
    coverage = np.where(is_true, rank, 0).max(axis=0, initial=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_row = np.ascontiguousarray(np.where(is_true, true_above / rank, 0.0).T)
        precision = by_row.sum(axis=1) / number
        misordered = np.where(is_true, rank - true_above, 0).sum(axis=0) / (number * others)
    whole = (number == 0) | (others == 0)
    first = (rank[0] - true_above[0]) / rank[0]
    wrong_first = np.where(number > 0, first, np.nan)
    ranked = np.where(whole, 1.0, precision), np.where(whole, 0.0, misordered)
    return np.column_stack([coverage, *ranked, wrong_first])


def _in_order(truth: Flags, score: Floats) -> tuple[Integers, Integers, Flags]:
    """Of each row's labels, highest score first: how many score as high, how many of them are true.

    And whether the label is true. Labels that tie are all as high as each other. Rows are
    columns here, so that sums over the labels run over many rows at once.
    """
    last, is_true = _sorted(truth, score)
    labels = len(is_true)
    place = np.arange(labels)[:, None]
    true_to = is_true.cumsum(axis=0)
    if last.all():
        return np.broadcast_to(place + 1, is_true.shape), true_to, is_true
    end = np.minimum.accumulate(np.where(last, place, labels)[::-1], axis=0)[::-1]
    return end + 1, np.take_along_axis(true_to, end, axis=0), is_true


def _sorted(truth: Flags, score: Floats) -> tuple[Flags, Flags]:
    """Of each row's labels, highest score first: which is the last of those that tie, or is true.

    Scores that are not negative are sorted as integers, their truth in the lowest bit.
    """
    last = np.ones(truth.T.shape, dtype=bool)
    if not (score >= 0).all():
        order = np.argsort(-score, axis=1)
        falling = np.take_along_axis(score, order, axis=1).T
        np.not_equal(falling[1:], falling[:-1], out=last[:-1])
        return last, np.ascontiguousarray(np.take_along_axis(truth, order, axis=1).T)
    keys = score.astype(np.float64).view(np.uint64) << np.uint64(1)  # which has no sign
    keys |= truth
    np.invert(keys, out=keys)
    keys.sort(axis=1)
    keys = np.ascontiguousarray(keys.T)
    np.greater(keys[1:] ^ keys[:-1], 1, out=last[:-1])
    return last, keys & np.uint64(1) == 0
