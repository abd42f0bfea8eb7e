"""AUC within groups: of a positive and a negative of the same group, which has the higher score."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from reportgen.clusters import correction, degrees_of_freedom, t_quantile
from reportgen.records.rows import AreaWithinGroups

FEWEST = 10
"""Fewer groups with both classes say little."""


def area_within_groups(
    rows: pl.DataFrame, model: str, score: str, confidence: float
) -> AreaWithinGroups | None:
    """The share of pairs of one group that are in order, ties as one half.

    Args:
        rows: A ``group``, a Boolean ``truth`` and the score of each row.
        model: The model's name.
        score: The column of its scores.
        confidence: That of the limits, from the sums by group (t).

    Returns:
        The record, null with fewer than ``FEWEST`` groups that have both classes.

    Reference: Obuchowski (1997), doi:10.2307/2533958, of whose pairs these are those within
    clusters; of a ratio of sums: Cochran (1977), *Sampling Techniques*, 2.11.

    >>> rows = pl.DataFrame({
    ...     "group": [g for g in range(10) for _ in "ab"],
    ...     "truth": [True, False] * 10, "p": [0.9, 0.4] * 9 + [0.1, 0.2],
    ... })
    >>> one = area_within_groups(rows, "m", "p", 0.95)
    >>> one["value"], one["groups"], one["pairs"]
    (0.9, 10, 10)
    """
    known = rows.select("group", "truth", score=pl.col(score)).drop_nulls()
    ranked = known.with_columns(rank=pl.col("score").rank("average").over("group"))
    positives = pl.col("truth").sum().cast(pl.Float64)
    by_group = (
        ranked.group_by("group", maintain_order=True)
        .agg(
            positives=positives,
            pairs=positives * (pl.len() - positives),
            ranks=pl.col("rank").filter("truth").sum(),
        )
        .filter(pl.col("pairs") > 0)
    )
    if by_group.height < FEWEST:
        return None
    count = by_group["positives"].to_numpy()
    pairs = by_group["pairs"].to_numpy()
    ordered = by_group["ranks"].to_numpy() - count * (count + 1) / 2
    whole = float(pairs.sum())
    value = float(ordered.sum() / whole)
    apart = (ordered - value * pairs) / whole
    error = math.sqrt(float(np.square(apart).sum()) * correction(len(apart)))
    half = t_quantile(confidence, degrees_of_freedom(apart)) * error
    return {
        "model": model,
        "value": value,
        "low": max(0.0, value - half),
        "high": min(1.0, value + half),
        "groups": by_group.height,
        "pairs": round(whole),
    }
