"""The accuracy above the share of each of many classes."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.measuring import gains_over_classes
from reportgen.measuring.cell_slopes import GAIN, TableCells
from reportgen.measuring.table_limits import cell_limits

ONE_BY_ONE = 10**6


def tables(weighted: bool) -> list[TableCells]:
    """Tables of 21 to 40 classes, alike and unlike frequent, decided badly and without an error."""
    random = np.random.default_rng(1)
    result = []
    for rows in (30, 60, 400, 3000):
        for evenness in (0.2, 2.0, 1000.0):
            for right in (0.05, 0.4, 1.0):
                size = int(random.integers(21, 41))
                shares = random.dirichlet(np.full(size, evenness))
                truth, guess = random.choice(size, (2, rows), p=shares)
                predicted = np.where(random.random(rows) < right, truth, guess)
                weight = random.choice([0.5, 2.0], rows) if weighted else np.ones(rows)
                count, squares = np.zeros((2, size, size))
                np.add.at(count, (truth, predicted), weight)
                np.add.at(squares, (truth, predicted), weight**2)
                result.append(TableCells(count, squares))
    return result


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])
def test_the_lowest_limit_is_that_of_each_class_looked_at(monkeypatch, weighted):
    """To the last digit; few of the classes are."""

    def limits(cells: TableCells) -> object:
        gain = (np.trace(cells.count) - cells.truth.max()) / cells.mass
        return cell_limits(cells, {GAIN: float(gain)}, 0.95)

    every = tables(weighted)
    at_once = [limits(cells) for cells in every]
    monkeypatch.setattr(gains_over_classes, "FEW", ONE_BY_ONE)

    assert at_once == [limits(cells) for cells in every]
    assert all(at_once)
