"""Every interval over every design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np

from tests.coverage.averages import OF_CLASSES, of_averages
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


Job = Callable[[], Iterable[Coverage]]


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
    for rows, shares, recalls in OF_CLASSES:
        yield partial(_all, of_averages, rows, shares, recalls, tenth)


def _one(of_design: Callable[..., Coverage], *design: Any, seed: int) -> list[Coverage]:
    return [of_design(*design, np.random.default_rng(seed))]


def _all(of_design: Callable[..., Iterable[Coverage]], *design: Any) -> list[Coverage]:
    return list(of_design(*design))


def done(job: Job) -> list[Coverage]:
    """What a process of a pool is given to do."""
    return list(job())


def measured(samples: int) -> Iterator[Coverage]:
    """Every interval over every design."""
    return chain.from_iterable(job() for job in jobs(samples))
