"""Mean differences between models of what each row loses, all pairs in one pass over the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Floats, chunks
from reportgen.clusters import Groups
from reportgen.comparisons.grouped import mean_difference_in_groups
from reportgen.comparisons.paired import Mean, mean_from
from reportgen.metrics.row_losses import LOSSES

Names = tuple[str, str]


def mean_losses(
    rows: pl.DataFrame,
    scores: Mapping[str, str],
    pairs: Sequence[Names],
    metric: str,
    groups: Groups | None = None,
) -> dict[Names, Mean | None]:
    """Mean difference of each pair over the rows that both models score.

    ``scores`` names the column of probabilities of each model; rows in ``groups``
    all have one. None where a loss is infinite, or there are no such rows.
    """
    if groups is not None:
        return _in_groups(rows, scores, pairs, metric, groups)
    positive = rows["truth"].cast(pl.Float64).to_numpy()
    columns = {name: rows[column].cast(pl.Float64).to_numpy() for name, column in scores.items()}
    sums = {pair: _Sums() for pair in pairs}
    for part in chunks(rows.height if pairs else 0):
        with np.errstate(divide="ignore"):
            lost = {name: LOSSES[metric](c[part], positive[part]) for name, c in columns.items()}
        largest = {name: loss.max() for name, loss in lost.items()}
        for (first, second), pair_sums in sums.items():
            pair_sums.add(lost[first], lost[second], np.maximum(largest[first], largest[second]))
    return {pair: pair_sums.mean for pair, pair_sums in sums.items()}


def _in_groups(
    rows: pl.DataFrame,
    scores: Mapping[str, str],
    pairs: Sequence[Names],
    metric: str,
    groups: Groups,
) -> dict[Names, Mean | None]:
    """The same of rows that depend on the others of their group."""
    positive = rows["truth"].cast(pl.Float64).to_numpy()
    losses: dict[str, Floats] = {}
    for name in dict.fromkeys(name for pair in pairs for name in pair):
        column = rows[scores[name]].cast(pl.Float64).to_numpy()
        losses[name] = np.empty(len(column))
        for part in chunks(len(column)):
            with np.errstate(divide="ignore"):
                losses[name][part] = LOSSES[metric](column[part], positive[part])
    finite = {name: bool(np.isfinite(loss).all()) for name, loss in losses.items()}
    return {
        (a, b): mean_difference_in_groups(losses[a], losses[b], groups)
        if rows.height and finite[a] and finite[b]
        else None
        for a, b in pairs
    }


class _Sums:
    """Running sums of differences, less a middle one, so that equal ones have no spread."""

    def __init__(self) -> None:
        self._rows, self._middle, self._largest = 0, 0.0, 0.0
        self._sum = self._squares = 0.0

    def add(self, first: Floats, second: Floats, largest: np.float64) -> None:
        """Add the losses of two models, NaN where a row has none, and the largest of all."""
        if np.isnan(largest):
            defined = ~np.isnan(first + second)
            if not defined.any():
                return
            first, second = first[defined], second[defined]
            largest = np.maximum(first.max(), second.max())
        self._largest = max(self._largest, float(largest))
        if not np.isfinite(self._largest):
            return
        apart = first - second
        if not self._rows:
            self._middle = float(np.sort(apart)[len(apart) // 2])
        self._rows += len(apart)
        apart -= self._middle
        self._sum += float(apart.sum())
        self._squares += float(np.dot(apart, apart))

    @property
    def mean(self) -> Mean | None:
        """The mean difference; None where a loss is infinite or there is no row."""
        if not (self._rows and np.isfinite(self._largest)):
            return None
        apart = self._sum / self._rows
        around = max(self._squares - self._sum * apart, 0.0)
        spread = (around / (self._rows - 1)) ** 0.5 if self._rows > 1 else None
        return mean_from(self._rows, self._middle + apart, spread, self._largest)
