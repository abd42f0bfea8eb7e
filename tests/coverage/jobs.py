"""Every interval over every design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np

from tests.coverage.area_means import OF_AREAS, of_area_means
from tests.coverage.average_precision import (
    DEPENDENCE,
    of_average_precision,
    of_grouped_precision,
    of_weighted_precision,
)
from tests.coverage.average_precision import SHAPES as OF_SCORES
from tests.coverage.averages import OF_CLASSES, of_averages
from tests.coverage.bands import of_bands
from tests.coverage.binary_slices import of_binary_slices
from tests.coverage.class_tables import QUALITIES, SHARES, of_class_tables
from tests.coverage.designs import (
    AREAS,
    PREVALENCES,
    RATES,
    SHAPES,
    SIZES,
    Forecasts,
    Scores,
    class_sizes,
)
from tests.coverage.estimates import KINDS, Estimates, of_estimates
from tests.coverage.f_measures import OF_SIZES, SPECIFICITIES, of_f_measures
from tests.coverage.f_measures import RATES as OF_RATES
from tests.coverage.first_ranks import of_first_ranks
from tests.coverage.measured import (
    Coverage,
    of_area,
    of_counts,
    of_difference,
    of_forecasts,
    of_losses,
    of_regions,
)
from tests.coverage.optima import of_optima
from tests.coverage.predictive import of_predictive_values
from tests.coverage.row_means import CLASS_ROWS, LABEL_ROWS, of_row_means
from tests.coverage.savings import of_savings, of_savings_in_groups
from tests.coverage.slice_tables import of_slice_tables
from tests.coverage.weighted import WEIGHTS, of_weighted_counts
from tests.report_data import Rows

OF_OPTIMA = (
    (3, 27),
    (5, 5),
    (10, 20),
    (15, 15),
    (10, 90),
    (30, 70),
    (50, 50),
    (100, 900),
    (500, 500),
)
"""Sizes of the classes."""


SLICES = (20, 50, 100, 200, 500)
"""Rows of slices of two classes."""

Job = partial[list[Coverage]]


def jobs(samples: int) -> Iterator[Job]:
    """Every interval over every design, each with random numbers of its own."""
    tenth = samples // 10
    for shape, area, sizes in product(SHAPES, AREAS, list(class_sizes())):
        number = samples if sum(sizes) < 1000 else samples // 2
        yield partial(_one, of_area, Scores(shape, area, *sizes), number, seed=1)
    for areas, sizes, shared in product(
        ((0.7, 0.7), (0.9, 0.8), (0.95, 0.95), (0.99, 0.9), (0.999, 0.9)),
        ((3, 27), (10, 20), (10, 90), (50, 50), (100, 900)),
        (0.0, 0.5, 0.9, 0.99),
    ):
        yield partial(_one, of_difference, areas, sizes, shared, tenth, seed=2)
    for rows, prevalence, rates in product(SIZES, PREVALENCES, RATES):
        yield partial(_all, of_counts, rows, prevalence, rates, samples)
    for sizes, rates, fixed in product(OF_SIZES, product(OF_RATES, SPECIFICITIES), (True, False)):
        yield partial(_all, of_f_measures, *sizes, rates, samples, fixed=fixed)
    for rows, prevalence, rates in product(SIZES, PREVALENCES, (*RATES, (0.5, 0.99))):
        yield partial(_all, of_predictive_values, rows, prevalence, rates, samples)
    for rows, prevalence, rates in product(SIZES[:2], PREVALENCES, RATES):
        yield partial(_all, of_regions, rows, prevalence, rates, tenth)
    for sizes, shape, area in product(
        OF_OPTIMA, (*SHAPES, "two labels"), (0.5, 0.6, 0.7, 0.9, 0.95)
    ):
        number = tenth if sum(sizes) < 1000 else tenth // 3
        random = np.random.default_rng(4)
        yield partial(_all, of_optima, Scores(shape, area, *sizes), number, random)
    for rows, prevalence, (area, steepness) in product(SIZES, (0.1, 0.5), ((0.9, 1.0), (0.8, 2.5))):
        yield partial(_all, of_forecasts, Forecasts(rows, prevalence, area, steepness), tenth, 3)
    for rows, prevalence, area, steepness in product(
        SIZES, (0.1, 0.5), (0.99, 0.999), (0.4, 1.0, 2.5)
    ):
        yield partial(_all, of_losses, Forecasts(rows, prevalence, area, steepness), tenth, 3)
    yield from _of_savings(tenth)
    yield from _of_bands(tenth)
    yield from _of_first_ranks(tenth // 2)
    yield from _of_estimates(tenth // 4)
    yield from _of_class_tables(tenth // 4)
    yield from _of_row_means(tenth)
    yield from _of_slice_tables(tenth)
    yield from _of_means(tenth)
    yield from _of_weighted(tenth)
    yield from _of_average_precision(samples // 4)


def _of_average_precision(samples: int) -> Iterator[Job]:
    for rows, prevalence, area, shape in product(
        SIZES, (0.1, 0.5, 0.9), (0.6, 0.76, 0.92, 0.98), OF_SCORES
    ):
        yield partial(_all, of_average_precision, rows, prevalence, area, shape, samples)
    for rows, prevalence in ((500, 0.02), (1000, 0.01), (5000, 0.01), (20_000, 0.001)):
        for area in (0.6, 0.76, 0.92, 0.98):
            yield partial(_all, of_average_precision, rows, prevalence, area, OF_SCORES[0], samples)
    for (groups, size), prevalence, shift, dependence in product(
        ((12, 30), (40, 15), (200, 5)), (0.05, 0.3), (1.0, 2.0, 3.0), DEPENDENCE
    ):
        design = groups, size, prevalence, shift, dependence
        yield partial(_all, of_grouped_precision, *design, samples)


def _of_weighted(samples: int) -> Iterator[Job]:
    for rows, rates, weights, spread in product(
        (60, 200, 1000), ((0.3, 0.8, 0.9), (0.1, 0.7, 0.95)), WEIGHTS, (0.5, 1.0)
    ):
        yield partial(_all, of_weighted_counts, rows, rates, weights, spread, 5 * samples)
    for rows, prevalence, area, heavier in product(
        (100, 300, 1000), (0.1, 0.3), (0.6, 0.85, 0.95), (0.2, 1.0, 5.0)
    ):
        design = rows, prevalence, area, heavier
        yield partial(_all, of_weighted_precision, *design, samples)


def _of_means(samples: int) -> Iterator[Job]:
    for rows, shares, recalls in OF_CLASSES:
        yield partial(_all, of_averages, rows, shares, recalls, samples)
    for rows, shares, signal in OF_AREAS:
        yield partial(_all, of_area_means, rows, shares, signal, samples)


def _of_bands(samples: int) -> Iterator[Job]:
    for sizes, shape, area in product(OF_OPTIMA, SHAPES, (0.5, 0.7, 0.9, 0.99)):
        random = np.random.default_rng(4)
        yield partial(_all, of_bands, Scores(shape, area, *sizes), samples, random)


def _of_first_ranks(samples: int) -> Iterator[Job]:
    for rows, prevalence, area, tied in product(
        SIZES, PREVALENCES, (0.6, 0.8, 0.95, 0.99), (False, True)
    ):
        design = Forecasts(rows, prevalence, area)
        yield partial(_all, of_first_ranks, design, samples, 3, tied=tied)


def _of_class_tables(samples: int) -> Iterator[Job]:
    for rows, shares, quality in product((60, 200, 1000), SHARES, QUALITIES):
        if rows * min(shares) >= 5:
            yield partial(_all, of_class_tables, rows, shares, quality, samples)


def _of_slice_tables(samples: int) -> Iterator[Job]:
    for rows, shares, quality in product((10, 30, 100, 300), SHARES, QUALITIES):
        if rows * min(shares) >= 3:
            yield partial(_all, of_slice_tables, rows, shares, quality, samples)
    for rows, prevalence, grouped in product(SLICES, (0.1, 0.3, 0.5), (False, True)):
        yield partial(_all, of_binary_slices, rows, prevalence, 1.5, samples, grouped=grouped)


def _of_row_means(samples: int) -> Iterator[Job]:
    for design in (*CLASS_ROWS, *LABEL_ROWS):
        yield partial(_all, of_row_means, design, samples, 3)


def _of_estimates(samples: int) -> Iterator[Job]:
    for rows, kind in product(SIZES, KINDS):
        yield partial(_all, of_estimates, Estimates(rows, kind), samples, 3)


def _of_savings(samples: int) -> Iterator[Job]:
    for rows, prevalence, area, ratio in product(
        SIZES, PREVALENCES, (0.6, 0.8, 0.99), (1.0, 5.0, 20.0)
    ):
        design = Forecasts(rows, prevalence, area)
        yield partial(_all, of_savings, design, ratio, samples, 3)
    for groups, separation, ratio in product((10, 40), (0.5, 1.2, 3.0), (1.0, 5.0)):
        grouped = Rows(groups, 15, 0.6, separation, models="a")
        yield partial(_all, of_savings_in_groups, grouped, ratio, samples, 3)


def _one(of_design: Callable[..., Coverage], *design: Any, seed: int) -> list[Coverage]:
    return [of_design(*design, np.random.default_rng(seed))]


def _all(of_design: Callable[..., Iterable[Coverage]], *design: Any, **more: Any) -> list[Coverage]:
    return list(of_design(*design, **more))


def name_of(job: Job) -> str:
    """The function that simulates: ``of_counts``."""
    function: Callable[..., Any] = job.args[0]
    return function.__name__


def done(job: Job) -> list[Coverage]:
    """What a process of a pool is given to do."""
    return list(job())


def measured(samples: int) -> Iterator[Coverage]:
    """Every interval over every design."""
    return chain.from_iterable(job() for job in jobs(samples))
