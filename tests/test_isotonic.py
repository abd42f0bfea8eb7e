"""Isotonic regression is that of SciPy, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression as peer

from reportgen.comparisons.row_costs import isotonic_regression


@pytest.mark.parametrize("distinct", [2, 5, 10**6])
@pytest.mark.parametrize("rows", [1, 2, 3, 40, 1024])
def test_it_gives_what_scipy_gives(rows, distinct):
    random = np.random.default_rng([rows, distinct])
    for trend in (-1, 0, 1):
        noise = random.integers(0, distinct, rows) / distinct
        values = noise + trend * np.linspace(0, 1, rows)
        weights = random.choice([0.1, 1 / 3, 1, 7], rows)
        fitted = isotonic_regression(values, weights)
        assert fitted.tobytes() == peer(values, weights=weights).x.tobytes()
