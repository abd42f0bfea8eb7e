"""Roots are those of SciPy's ``brentq``, to the last digit."""

import math
from functools import partial

import numpy as np
import pytest
from scipy.optimize import brentq

from reportgen.roots import root

CURVES = {
    "cubic": lambda x, a: x**3 - a,
    "steep": lambda x, a: math.expm1(40 * (x - a)),
    "bent": lambda x, a: math.atan(x - a) + (x - a) ** 3,
    "falling": lambda x, a: a - x - math.sin(9 * x) / 20,
    "pole": lambda x, a: 1 / (x + 3) - 1 / (a + 3),
}


def asked_of(function, find):
    """The root, and all points that the function was evaluated at."""
    points = []

    def noted(x):
        points.append(x)
        return function(x)

    return find(noted), points


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("tolerance", [1e-15, 2e-12, 1e-3])
def test_a_root_is_that_of_scipy_bit_for_bit(curve, tolerance):
    random = np.random.default_rng(5)

    for a in random.random(100):
        low, high = -random.random(), 1 + random.random()
        ends = (low, high) if random.random() < 0.5 else (high, low)
        function = partial(CURVES[curve], a=a)

        ours = asked_of(function, partial(root, low=ends[0], high=ends[1], tolerance=tolerance))

        assert ours == asked_of(function, partial(brentq, a=ends[0], b=ends[1], xtol=tolerance))


def test_an_end_that_is_a_root_is_taken():
    assert root(lambda x: x, 0.0, 1.0, 1e-9) == 0
    assert root(lambda x: x, -1.0, 0.0, 1e-9) == 0


def test_a_function_of_one_sign_is_refused():
    with pytest.raises(ValueError, match="no change of sign"):
        root(lambda x: x + 2, 0.0, 1.0, 1e-9)
