"""Models on rows of their own, whose true values are not alike: what differs may be the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl
from scipy.special import chdtrc, kolmogorov

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.comparisons import Question
from reportgen.comparisons.grouped_samples import mean_in_groups, two_samples_groups
from reportgen.measuring.context import EvaluationContext
from reportgen.records.row_facts import UnlikeTruths

LEVEL = 0.01
"""So rarely are rows of one population said to be unlike."""

APART = 0.1
"""Numbers are unlike if their distributions are so far apart somewhere, whatever their number."""

MOST_MODELS = 10
"""Of more models the first are looked at."""


def unlike_truths(context: EvaluationContext) -> list[UnlikeTruths]:
    """Pairs of models on rows of their own with other shares of classes, or other numbers.

    By χ² of the classes or by the Kolmogorov–Smirnov distance of the numbers; of rows in groups by
    the means of groups. None of withheld counts, of weighted rows or of several labels.
    """
    predictions = context.predictions
    hidden = context.spec.privacy.small_cells or context.weight is not None
    if not predictions.unpaired or hidden or "truth" not in context.rows.columns:
        return []
    samples = []
    for model in predictions.models[:MOST_MODELS]:
        rows = context.rows_with_output(model)
        samples.append((model.name, rows["truth"], context.groups_of(rows)))
    pairs: list[UnlikeTruths] = []
    for (a, first, of_first), (b, second, of_second) in combinations(samples, 2):
        if not len(first) or not len(second):
            continue
        groups = None if of_first is None or of_second is None else (of_first, of_second)
        if first.dtype == pl.Float64:
            distance = _distance(first.to_numpy(), second.to_numpy())
            if distance >= APART and _p_of_numbers(first, second, distance, groups) < LEVEL:
                pairs.append({"models": [a, b], "rows": None, "distance": distance})
            continue
        counts = [_counts(side, predictions.classes) for side in (first, second)]
        if _p_of_classes(first, second, counts, groups) < LEVEL:
            pairs.append({"models": [a, b], "rows": counts, "distance": None})
    return pairs


def _counts(truth: pl.Series, classes: Sequence[str]) -> dict[str, int]:
    """Rows of each class by its name; of two classes by ``true`` and ``false``."""
    counts = dict(truth.value_counts().rows())
    if truth.dtype == pl.Boolean:
        return {str(value).lower(): count for value, count in counts.items()}
    return {classes[code]: count for code, count in counts.items()}


def _distance(first: Floats, second: Floats) -> float:
    """Greatest distance of the two distribution functions."""
    values = np.concatenate([first, second])
    sides = (np.searchsorted(np.sort(s), values, "right") / len(s) for s in (first, second))
    return float(np.abs(np.subtract(*sides)).max())


def _p_of_numbers(
    first: pl.Series, second: pl.Series, distance: float, groups: tuple[Groups, Groups] | None
) -> float:
    if groups is not None:
        return _p_of_means(first, second, groups)
    number = len(first) * len(second) / (len(first) + len(second))
    return float(kolmogorov(math.sqrt(number) * distance))


def _p_of_classes(
    first: pl.Series,
    second: pl.Series,
    counts: Sequence[dict[str, int]],
    groups: tuple[Groups, Groups] | None,
) -> float:
    classes = sorted(counts[0].keys() | counts[1].keys())
    if groups is not None:
        values = first.unique().append(second.unique()).unique()
        of_each = (_p_of_means(first == v, second == v, groups) for v in values)
        return min(of_each, default=1.0) * max(len(classes) - 1, 1)
    table = np.array([[side.get(c, 0) for c in classes] for side in counts], float)
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    return float(chdtrc(len(classes) - 1, (np.square(table - expected) / expected).sum()))


def _p_of_means(first: pl.Series, second: pl.Series, groups: tuple[Groups, Groups]) -> float:
    one, other = (
        mean_in_groups(side.cast(pl.Float64).to_numpy(), of)
        for side, of in zip((first, second), groups, strict=True)
    )
    test = two_samples_groups(one, other, Question(("", ""), "accuracy"))
    return 1.0 if test.p_value is None else test.p_value
