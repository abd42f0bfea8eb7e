"""An order in which classes that are confused stand together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl


def by_confusion(confusion: pl.DataFrame, classes: Sequence[str]) -> list[str]:
    """Return the classes in the order of a tree of their confusions.

    Two classes are as near as their rows are predicted as each other, in shares of
    the row, over all models. Average linkage, its leaves turned so that
    neighbours are as near as the tree allows: Bar-Joseph et al. (2001),
    doi:10.1093/bioinformatics/17.suppl_1.S22. The first class of ``classes``
    stands in the first half.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    distance = 1 - _nearness(confusion, classes)
    np.fill_diagonal(distance, 0.0)
    condensed = squareform(distance, checks=False)
    tree = optimal_leaf_ordering(linkage(condensed, "average"), condensed)
    order = [int(k) for k in leaves_list(tree)]
    if order.index(0) > (len(order) - 1) / 2:
        order.reverse()
    return [classes[k] for k in order]


def _nearness(confusion: pl.DataFrame, classes: Sequence[str]) -> np.ndarray:
    """Return the mutual shares of each pair of classes, scaled to at most 1."""
    place = {name: k for k, name in enumerate(classes)}
    shares = np.zeros((len(classes), len(classes)))
    off_diagonal = confusion.drop_nulls("share").filter(pl.col("truth") != pl.col("predicted"))
    for truth, predicted, share in off_diagonal.select("truth", "predicted", "share").iter_rows():
        shares[place[truth], place[predicted]] += share
    mutual = shares + shares.T
    return np.asarray(mutual / (mutual.max() or 1.0))
