"""Weighted means of several columns and their covariance, from chunks of rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from reportgen.array_types import Floats


class RunningSums:
    """Running sums, from which weighted means and their covariance follow.

    The columns are taken less a middle value, so that one that does not vary has no spread.
    """

    def __init__(self, columns: int) -> None:
        self._middle = np.full(columns, np.nan)
        self._linear = np.zeros(1 + columns)
        self._products = np.zeros((1 + columns, 1 + columns))
        self.furthest = np.full((columns, columns), np.nan)

    def add(self, table: Floats) -> None:
        """Add rows: a line of weights and one of values per column, which are written over."""
        weights, values = table[0], table[1:]
        if not len(weights):
            return
        if not self._linear[0]:
            self._middle = np.sort(values)[:, len(weights) // 2]
        self._note_largest(values)
        values -= self._middle[:, None]
        values *= weights
        self._linear += table.sum(axis=1)
        # Not by BLAS: the same on any number of threads.
        self._products += np.einsum("ik,jk->ij", table, table)

    def _note_largest(self, values: Floats) -> None:
        """Take note of the largest difference of two columns, either way."""
        for i, j in combinations(range(len(values)), 2):
            away = values[i] - values[j]
            self.furthest[i, j] = np.fmax(self.furthest[i, j], away.max())
            self.furthest[j, i] = np.fmax(self.furthest[j, i], -away.min())

    @property
    def effective(self) -> float:
        """Number of rows, or Kish's effective number."""
        squares = self._products[0, 0]
        return float(self._linear[0] ** 2 / squares) if squares else 0.0

    @property
    def means(self) -> Floats:
        """The mean of each column."""
        mean: Floats = self._middle + self._apart
        return mean

    @property
    def _apart(self) -> Floats:
        offsets: Floats = self._linear[1:] / (self._linear[0] or np.nan)
        return offsets

    @property
    def spread(self) -> Floats:
        """The covariance of the means, as ``delong.spread`` has it."""
        total, squares, apart = self._linear[0], self._products[0, 0], self._apart
        effective = self.effective
        if effective <= 1 + 1e-9:
            return np.full((len(apart),) * 2, np.nan)
        crossed = np.outer(apart, self._products[0, 1:])
        around = self._products[1:, 1:] - crossed - crossed.T + squares * np.outer(apart, apart)
        covariance: Floats = around / total**2 * (effective / (effective - 1))
        return covariance
