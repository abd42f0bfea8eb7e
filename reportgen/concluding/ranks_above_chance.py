"""AUCs that the rank sum test separates from one half, whatever their limits hold.

Limits about an AUC use its variance there, from few rows of a class with few degrees of freedom.
That of an AUC of one half is known.
"""

from __future__ import annotations

import math

from scipy.special import ndtri

from reportgen.records.decision import AtChance
from reportgen.records.rows import DataRecord, evaluation_of

FEWEST = 5
"""Rows of a class, below which the normal distribution is not that of the rank sum."""


def above_chance_by_ranks(row: AtChance, data: DataRecord, level: float) -> bool:
    """Whether the AUC of independent rows is above one half by the two-sided rank sum test.

    With a correction for continuity; scores that are tied have a smaller variance than is taken.
    ``level`` is that of one of several tests. Not of rows in groups or order of time, with weights,
    of several fits, or where models lack rows.
    Mann & Whitney (1947), doi:10.1214/aoms/1177730491.

    >>> rows = {"positives": 15, "negatives": 11}
    >>> row = AtChance("a", "auc", 0.803, 0.498, 0.947, 0.5)
    >>> above_chance_by_ranks(row, rows, 0.025), above_chance_by_ranks(row, rows, 0.005)
    (True, False)
    """
    sizes = _sizes(row, data)
    if row.measure != "auc" or sizes is None or min(sizes) < FEWEST or not _independent(data):
        return False
    positives, negatives = sizes
    pairs = positives * negatives
    error = math.sqrt(pairs * (positives + negatives + 1) / 12)
    return (row.value - 0.5) * pairs - 0.5 > float(ndtri(1 - level / 2)) * error


def _sizes(row: AtChance, data: DataRecord) -> tuple[int, int] | None:
    """The rows of the class, and all others."""
    if row.class_ is None:
        return (data["positives"], data["negatives"]) if "positives" in data else None
    every = data.get("classes") or ()
    own = [one["rows"] for one in every if one["class"] == row.class_]
    total = data["rows_evaluated"]
    return (own[0], total - own[0]) if own and own[0] is not None else None


def _independent(data: DataRecord) -> bool:
    evaluation = evaluation_of(data)
    dependent = data.get("groups") or data.get("timed") or data.get("weighted")
    fits = evaluation.pooled_fits or evaluation.scheme == "data_sets"
    repeated = (data.get("repeats") or 1) > 1
    return not (dependent or fits or repeated or data.get("unpaired"))
