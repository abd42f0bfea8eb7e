"""The exchange of estimates does not depend on the scale that they are on."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.comparing.permutation_tests import on_one_scale
from tests.simulations.exchanged_correlations import NAMES, models, rejects, shares


@pytest.mark.parametrize("metric", NAMES)
def test_a_scale_and_an_offset_change_nothing(metric):
    y, a, b = models(np.random.default_rng(1), 30, "alike", 2.0)
    alone, moved = (list(rejects(metric, (y, a, f)))[1] for f in (b, 30 + 10 * b))

    assert alone == moved


def test_a_worse_model_on_another_scale_is_found():
    before, now = shares("pearson_r", "10 times the scale", 80, 1.6, 12)

    assert now >= before + 0.3


@pytest.mark.parametrize("values", [[3.0, 3.0], [1e300, -1e300], [1e-300, 2e-300]])
def test_constant_and_extreme_estimates_stay_finite(values):
    scaled = on_one_scale(pl.DataFrame({"estimate": values}), "pearson_r")["estimate"]

    assert scaled.is_finite().all()


def test_other_measures_keep_their_estimates():
    frame = pl.DataFrame({"estimate": [1.0, 4.0]})

    assert on_one_scale(frame, "concordance_correlation").equals(frame)
