"""Tables of truth and prediction that have the same occupied cells: a row per cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.sparse import csr_array

from reportgen.array_types import Floats, Integers

_LOST = 1e-12
"""What is left of a difference of sums below this share of all is rounding."""


@dataclass(frozen=True)
class CellTables:
    """Counts of cells (rows) in tables (columns); every other cell is empty in all of them.

    ``truth`` and ``predicted`` are the classes of the cells, of ``size`` classes. Margins
    have a row per class. A sum runs over the cells in their order.
    """

    count: Floats
    truth: Integers
    predicted: Integers
    size: int

    @classmethod
    def of(cls, masses: Floats, occupied: Integers, size: int) -> CellTables:
        """From a row per table and a column per occupied cell, numbered through the table."""
        truth, predicted = np.divmod(occupied, size)
        return cls(np.ascontiguousarray(masses.T), truth, predicted, size)

    @cached_property
    def correct(self) -> Floats:
        """The rows of each class that are predicted to be of it."""
        return self._by_class(self.truth, ~self.errors)

    @cached_property
    def false_negatives(self) -> Floats:
        """The rows of each class that are predicted to be of another."""
        return self._by_class(self.truth, self.errors)

    @cached_property
    def false_positives(self) -> Floats:
        """The rows of other classes that are predicted to be of each."""
        return self._by_class(self.predicted, self.errors)

    @cached_property
    def of_truth(self) -> Floats:
        """The rows of each class."""
        return self.correct + self.false_negatives

    @cached_property
    def of_predicted(self) -> Floats:
        """The rows that are predicted to be of each class."""
        return self.correct + self.false_positives

    @cached_property
    def rows(self) -> Floats:
        """All rows of each table."""
        total: Floats = self.of_truth.sum(axis=0)
        return total

    @cached_property
    def errors(self) -> npt.NDArray[np.bool_]:
        """Which cells are errors."""
        errors: npt.NDArray[np.bool_] = self.truth != self.predicted
        return errors

    def largest(self, of: Integers) -> Floats:
        """The largest count of each class of ``truth`` or of ``predicted``, by table."""
        order = np.argsort(of, kind="stable")
        starts = np.flatnonzero(np.diff(of[order], prepend=-1))
        greatest: Floats = np.maximum.reduceat(self.count[order], starts, axis=0)
        return greatest

    def classes(self) -> pl.DataFrame:
        """Counts of each class against the rest, one row per table (``replicate``) and class."""
        tables = self.count.shape[1]
        others = self.rows - self.of_truth - self.false_positives
        true_positives, missed = self.correct.sum(axis=0), self.false_negatives.sum(axis=0)
        columns = {
            "tp": self.correct,
            "fp": self.false_positives,
            "fn": self.false_negatives,
            "tn": np.where(others > _LOST * self.rows, others, 0.0),
            "correct_rows": np.broadcast_to(true_positives, others.shape),
            "error_rows": np.broadcast_to(missed, others.shape),
        }
        replicate = np.repeat(np.arange(tables), self.size)
        return pl.DataFrame(
            {"replicate": replicate, **{k: v.T.ravel() for k, v in columns.items()}}
        )

    def matrix(self) -> pl.DataFrame:
        """Truth, prediction and count of all cells, one row per table (``replicate``) and cell."""
        tables, cells = self.count.shape[1], self.size**2
        count = np.zeros((tables, cells))
        count[:, self.truth * self.size + self.predicted] = self.count.T
        place = np.arange(self.size, dtype=np.uint16)
        return pl.DataFrame(
            {
                "replicate": np.repeat(np.arange(tables), cells),
                "truth": np.tile(np.repeat(place, self.size), tables),
                "predicted": np.tile(place, tables * self.size),
                "count": count.ravel(),
            }
        )

    def _by_class(self, of: Integers, chosen: npt.NDArray[np.bool_]) -> Floats:
        cells = np.flatnonzero(chosen)
        member: Any = csr_array((np.ones(len(cells)), (of[cells], cells)), (self.size, len(of)))
        return np.asarray(member @ self.count)
