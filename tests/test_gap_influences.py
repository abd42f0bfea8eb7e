"""Gaps in AUC and in errors: their variances are those of the tests of two samples."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind

from reportgen.clusters import degrees_of_freedom
from reportgen.comparisons.area_covariances import area_covariance
from reportgen.results import evaluate
from tests.quick import QUICK
from tests.simulations.slices import contrasted

RANDOM = np.random.default_rng(8)
ROWS = pl.DataFrame(
    {
        "group": np.arange(90),
        "s": np.repeat(["u", "v"], [30, 60]),
        "truth": (RANDOM.random(90) < 0.4).astype(float),
        "a": RANDOM.normal(size=90),
    }
)
PARTS = [ROWS.filter(s=value) for value in ("u", "v")]
SCALES: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "plain": (float, lambda mean: mean**0),
    "log": (log, lambda m: 1 / m),
}


def test_a_gap_in_the_mean_error_has_the_statistic_of_welch():
    errors = [(part["truth"] - part["a"]).to_numpy() for part in PARTS]
    pulled = np.concatenate([(e - e.mean()) / np.sqrt(len(e) * (len(e) - 1)) for e in errors])
    statistic = ttest_ind(*errors, equal_var=False).statistic

    expected = 2 * student.sf(abs(statistic), degrees_of_freedom(pulled))
    assert contrasted(ROWS, "s", "mean_error") == pytest.approx(expected)


def test_a_gap_in_losses_is_as_sure_as_the_less_sure_of_two_scales():
    p_values, losses = [], [((part["truth"] - part["a"]) ** 2).to_numpy() for part in PARTS]
    for scaled, slope in SCALES.values():
        sides = [slope(v.mean()) * (v - v.mean()) / np.sqrt(len(v) * (len(v) - 1)) for v in losses]
        pulled = np.concatenate(sides)
        apart = scaled(losses[0].mean()) - scaled(losses[1].mean())
        error = np.sqrt((pulled**2).sum())
        p_values.append(2 * student.sf(abs(apart) / error, degrees_of_freedom(pulled)))

    assert p_values[0] != pytest.approx(p_values[1])
    assert contrasted(ROWS, "s", "root_mean_squared_error") == pytest.approx(max(p_values))


def test_a_gap_in_auc_has_the_variances_of_delong_on_the_logit_scale():
    frames = [part.with_columns(pl.col("truth").cast(pl.Boolean)) for part in PARTS]
    areas = [area_covariance(frame, ["a"]) for frame in frames]
    values = [float(a.areas[0]) for a in areas]
    slopes = [1 / (v * (1 - v)) for v in values]
    variance = sum(s**2 * float(a.covariance[0, 0]) for s, a in zip(slopes, areas, strict=True))
    apart = log(values[0] / (1 - values[0])) - log(values[1] / (1 - values[1]))

    p = contrasted(ROWS, "s", "auc")
    few, many = (2 * student.sf(abs(apart) / np.sqrt(variance), df) for df in (20, 90))
    assert many <= p <= few


def test_rows_of_a_group_in_both_slices_cancel():
    """A group adds the same to both slices, so that their difference varies little."""
    shared = np.repeat(np.random.default_rng(1).normal(size=20) * 3, 8)
    noise = np.random.default_rng(2).normal(size=160)
    frame = pl.DataFrame(
        {
            "group": np.repeat(np.arange(20), 8),
            "s": np.tile(["u", "v"], 80),
            "truth": np.zeros(160),
            "a": shared + noise + np.tile([0.0, 0.7], 80),
        }
    )

    alone = frame.with_columns(group=pl.int_range(160))
    assert contrasted(frame, "s", "mean_error") < 0.01 < contrasted(alone, "s", "mean_error")


def test_a_perfect_slice_has_no_test():
    perfect = ROWS.with_columns(a=pl.when(s="u").then("truth").otherwise("a"))

    assert contrasted(perfect, "s", "auc") is None
    assert contrasted(perfect, "s", "mean_absolute_error") is None


def test_reports_test_gaps_in_auc_and_errors():
    spec = {"data": "frame", "truth": "truth", "slices": ["s"], **QUICK}
    scored = evaluate({**spec, "models": {"a": {"score": "a"}}}, ROWS.cast({"truth": pl.Int8}))
    estimated = evaluate({**spec, "models": {"a": {"estimate": "a"}}}, ROWS)
    of_scores, of_numbers = (
        dict(r.gaps.select("metric", "p_value").iter_rows()) for r in (scored, estimated)
    )

    assert of_scores["auc"] == pytest.approx(contrasted(ROWS, "s", "auc"))
    for metric in ("root_mean_squared_error", "mean_absolute_error", "mean_error"):
        assert of_numbers[metric] == pytest.approx(contrasted(ROWS, "s", metric))
    assert of_numbers["r2"] is None
