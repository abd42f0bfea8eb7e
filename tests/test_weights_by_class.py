"""Limits of measures of counts where cases were sampled more often than other rows."""

import numpy as np
import polars as pl
import pytest

from reportgen.intervals.delta import SQUARES
from reportgen.intervals.shares import added_distances
from reportgen.metric_names import CELLS
from reportgen.metrics import REGISTRY

SAMPLES = 1_000
LEAST = 0.95 - 3 * (0.95 * 0.05 / SAMPLES) ** 0.5
NAMES = ("mcc", "cohen_kappa", "markedness")


def limits(frame, name):
    metric = REGISTRY["binary"][name]
    value = frame.select(metric.build()).to_series().to_numpy()
    distances = added_distances(frame, {name: (metric.build(), metric.interval)}, 0.95)[name]
    below, above = np.array(distances.to_list()).T
    return value - below, value + above


def sampled(prevalence, recall, specificity, cases, others, unit=1.0):
    """Tables of so many cases and others, weighted to the prevalence."""
    random = np.random.default_rng(4)
    weights = unit * prevalence / cases, unit * (1 - prevalence) / others
    tp = random.binomial(cases, recall, SAMPLES)
    tn = random.binomial(others, specificity, SAMPLES)
    rows = np.array([tp, others - tn, cases - tp, tn], dtype=float).T
    of_cell = np.array([weights[0], weights[1], weights[0], weights[1]])
    columns = np.hstack([rows * of_cell, rows * of_cell**2]).T
    return pl.DataFrame(dict(zip(CELLS + SQUARES, columns, strict=True)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "design", [(0.02, 0.9, 0.3, 170, 430), (0.02, 0.8, 0.95, 100, 300), (0.1, 0.7, 0.9, 100, 100)]
)
def test_limits_of_rows_that_were_sampled_by_class_cover(name, design):
    prevalence, recall, specificity, *_ = design
    shares = (
        prevalence * recall,
        (1 - prevalence) * (1 - specificity),
        prevalence * (1 - recall),
        (1 - prevalence) * specificity,
    )
    population = pl.DataFrame(dict(zip(CELLS, ([share] for share in shares), strict=True)))
    truth = population.select(REGISTRY["binary"][name].build()).item()
    low, high = limits(sampled(*design), name)

    assert ((low <= truth) & (truth <= high)).mean() >= LEAST


@pytest.mark.parametrize("unit", [1.0, 1e-4, 600.0])
def test_limits_agree_in_sign_with_informedness_in_any_unit(unit):
    """A case that no row misses weighs a seventieth of the others: NPV is far nearer to 1."""
    frame = sampled(0.019, 0.999, 0.117, 171, 429, unit).head(50)
    low, _ = limits(frame, "informedness")

    for name in NAMES:
        assert ((limits(frame, name)[0] > 0) == (low > 0)).mean() > 0.9
    assert (low > 0).mean() > 0.9
