"""Measures of whole tables of truth and prediction, of many tables at once.

Each is the metric of the same name, from sums over the occupied cells and over the margins:
its expression reads every cell for every sum, 20 million of them in 2,000 tables of 100
classes. Tests hold both forms against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from reportgen.array_types import Flags, Floats
from reportgen.metrics.settings import CostMatrix
from reportgen.resampling.cell_tables import CellTables


@dataclass(frozen=True)
class TableSums:
    """What several measures read of tables that have rows; the costs of the cells if declared."""

    tables: CellTables
    costs: CostMatrix | None = None

    @cached_property
    def both_vary(self) -> Flags:
        """Whether neither truth nor prediction is a single class."""
        return _several(self.tables.of_truth) & _several(self.tables.of_predicted)

    @cached_property
    def truth_bits(self) -> Floats:
        """Entropy of the truth."""
        return self._bits(self.tables.of_truth)

    @cached_property
    def predicted_bits(self) -> Floats:
        """Entropy of the predictions."""
        return self._bits(self.tables.of_predicted)

    @cached_property
    def joint_bits(self) -> Floats:
        """Entropy of both together."""
        return self._bits(self.tables.count)

    @property
    def mutual_bits(self) -> Floats:
        """Mutual information."""
        bits = self.truth_bits + self.predicted_bits - self.joint_bits
        return np.where(self.both_vary, bits.clip(0), 0.0)

    @property
    def divergence(self) -> Floats:
        """Divergence of the shares of the classes; NaN where one is never predicted."""
        truth, predicted = self.tables.of_truth, self.tables.of_predicted
        occurs = (truth > 0) & (predicted > 0)
        odds = np.divide(truth, predicted, where=occurs, out=np.ones_like(truth))
        bits = _sum(truth, np.log2(odds)) / self.tables.rows
        return np.where(((truth > 0) & ~occurs).any(axis=0), np.nan, bits.clip(0))

    @cached_property
    def phi_squared(self) -> Floats:
        """χ² / n."""
        tables = self.tables
        expected = tables.of_truth[tables.truth] * tables.of_predicted[tables.predicted]
        parts = np.divide(tables.count, expected, where=expected > 0, out=np.zeros_like(expected))
        return np.where(self.both_vary, (_sum(tables.count, parts) - 1).clip(0), np.nan)

    @property
    def total_cost(self) -> Floats:
        """Sum of the costs of all rows; NaN when none are declared."""
        if self.costs is None:
            return np.full(self.tables.rows.shape, np.nan)
        of_cell = np.array(self.costs, dtype=np.float64)[self.tables.truth, self.tables.predicted]
        total: Floats = np.einsum("c,ct->t", of_cell, self.tables.count)
        return total

    def _bits(self, count: Floats) -> Floats:
        bits = np.log2(self.tables.rows) - _sum(count, _logarithms(count)) / self.tables.rows
        return np.where(_several(count), bits.clip(0), 0.0)


def _several(margin: Floats) -> Flags:
    several: Flags = (margin > 0).sum(axis=0) > 1
    return several


def _sum(count: Floats, each: Floats) -> Floats:
    """Σ count · each of every table."""
    total: Floats = np.einsum("ct,ct->t", count, each)
    return total


def _logarithms(count: Floats) -> Floats:
    logarithms: Floats = np.log2(count, where=count > 0, out=np.zeros_like(count))
    return logarithms


def _ratio(part: Floats, whole: Floats) -> Floats:
    quotient: Floats = np.divide(part, whole, where=whole > 0, out=np.full(whole.shape, np.nan))
    return quotient


def _saved(margin: Floats, largest: Floats) -> Floats:
    """Goodman and Kruskal's λ of a margin, given the largest counts by class of the other one."""
    commonest = margin.max(axis=0)
    return _ratio(largest.sum(axis=0) - commonest, margin.sum(axis=0) - commonest)


def _adjusted_rand(sums: TableSums) -> Floats:
    """From twice the pairs of rows together in both, in one of them, in neither."""
    tables, rows = sums.tables, sums.tables.rows
    cells, truth, predicted = (
        _sum(n, n) for n in (tables.count, tables.of_truth, tables.of_predicted)
    )
    both, of_truth, of_predicted = cells - rows, truth - cells, predicted - cells
    neither = (rows**2 - truth - predicted + cells).clip(0)
    whole = (both + of_truth) * (of_truth + neither) + (both + of_predicted) * (
        of_predicted + neither
    )
    value = _ratio(2 * (both * neither - of_truth * of_predicted), whole).clip(-1, 1)
    varies = _several(tables.of_truth) | _several(tables.of_predicted)
    return np.where(varies & (rows > 1), value, np.nan)


def _confusion(sums: TableSums, margin: Floats, counted: Floats) -> Floats:
    """Entropy of the errors, each against the margins of its two classes."""
    tables = sums.tables
    errors = tables.count[tables.errors]
    of_classes = _sum(tables.false_negatives + tables.false_positives, _logarithms(margin))
    bits = of_classes - 2 * _sum(errors, _logarithms(errors))
    return _ratio(bits / np.log2(2 * (tables.size - 1)), counted).clip(0)


def _confusion_entropy(sums: TableSums) -> Floats:
    tables = sums.tables
    return _confusion(sums, tables.of_truth + tables.of_predicted, 2 * tables.rows)


def _modified_confusion_entropy(sums: TableSums) -> Floats:
    tables = sums.tables
    correct = tables.correct.sum(axis=0) * (tables.size > 2)
    return _confusion(sums, tables.of_truth + tables.false_positives, 2 * tables.rows - correct)


def _kappa(sums: TableSums, distance: Floats, expected: Floats) -> Floats:
    """1 less the mean distance over that of independent margins, ``expected`` for n² pairs."""
    tables = sums.tables
    observed = np.einsum("c,ct->t", distance, tables.count)
    return 1 - _ratio(observed, expected / tables.rows)


def _linear_kappa(sums: TableSums) -> Floats:
    tables = sums.tables
    truth, predicted = (m.cumsum(axis=0)[:-1] for m in (tables.of_truth, tables.of_predicted))
    apart = truth * (tables.rows - predicted) + predicted * (tables.rows - truth)
    distance = np.abs(tables.truth - tables.predicted).astype(np.float64)
    return _kappa(sums, distance, apart.sum(axis=0))


def _quadratic_kappa(sums: TableSums) -> Floats:
    tables = sums.tables
    place = np.arange(tables.size) - (tables.size - 1) / 2
    margins = (tables.of_truth, tables.of_predicted)
    first, second = (np.einsum("k,kt->t", place, m) for m in margins)
    squares = np.einsum("k,kt->t", place**2, margins[0] + margins[1])
    distance = (tables.truth - tables.predicted).astype(np.float64) ** 2
    return _kappa(sums, distance, tables.rows * squares - 2 * first * second)


MEASURES: dict[str, Callable[[TableSums], Floats]] = {
    "adjusted_rand": _adjusted_rand,
    "chi_squared": lambda s: s.tables.rows * s.phi_squared,
    "completeness": lambda s: _ratio(s.mutual_bits, s.predicted_bits).clip(0, 1),
    "conditional_entropy": lambda s: (s.joint_bits - s.truth_bits).clip(0),
    "confusion_entropy": _confusion_entropy,
    "cost_sensitive_error_rate": lambda s: s.total_cost / s.tables.rows,
    "cramer_v": lambda s: np.sqrt(s.phi_squared / (s.tables.size - 1)).clip(0, 1),
    "cross_entropy": lambda s: s.truth_bits + s.divergence,
    "joint_entropy": lambda s: s.joint_bits,
    "kl_divergence": lambda s: s.divergence,
    "lambda_prediction": lambda s: _saved(s.tables.of_predicted, s.tables.largest(s.tables.truth)),
    "lambda_truth": lambda s: _saved(s.tables.of_truth, s.tables.largest(s.tables.predicted)),
    "linear_kappa": _linear_kappa,
    "modified_confusion_entropy": _modified_confusion_entropy,
    "mutual_information": lambda s: s.mutual_bits,
    "normalised_mutual_information": lambda s: _ratio(
        2 * s.mutual_bits, s.truth_bits + s.predicted_bits
    ).clip(0, 1),
    "normalised_mutual_information_geometric": lambda s: _ratio(
        s.mutual_bits, np.sqrt(s.truth_bits * s.predicted_bits)
    ).clip(0, 1),
    "pearson_c": lambda s: np.sqrt(s.phi_squared / (1 + s.phi_squared)),
    "phi_squared": lambda s: s.phi_squared,
    "quadratic_kappa": _quadratic_kappa,
    "reference_entropy": lambda s: s.truth_bits,
    "relative_classifier_information": lambda s: _ratio(s.mutual_bits, s.truth_bits).clip(0, 1),
    "response_entropy": lambda s: s.predicted_bits,
    "total_cost": lambda s: s.total_cost,
}
"""The measures that need no expression, by name."""


def table_measures(names: Sequence[str], tables: CellTables, settings: Any) -> Floats:
    """Value of each measure (columns) in each table (rows), NaN where it is undefined."""
    sums = TableSums(tables, (settings or {}).get("costs"))
    values = np.full((tables.count.shape[1], len(names)), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        for k, name in enumerate(names):
            values[:, k] = MEASURES[name](sums)
    return np.where((tables.rows > 0)[:, None] & np.isfinite(values), values, np.nan)
