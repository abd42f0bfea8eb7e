"""Models that predict classes unlike often: ``python -m tests.simulations.unlike_decisions 1000``.

Two models with the same measure in the population, one of which predicts a class more often: two
thresholds, on either side of the best one, of one score or of two scores; of several classes
another signal for its class. The share of data sets that ``delta_method`` rejects, and in how many
of them it has a value: of two classes, of labels, of several classes, of weights and groups.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparing.delta_tests import DecidedModels, DecidedRows
from reportgen.comparing.permutation_tests import metric_of
from reportgen.comparing.values_of_counts import of_decisions
from reportgen.metrics import METRICS
from tests.simulations.situations import ALPHA, Generator, asked

OF_TWO = ("precision", "negative_predictive_value", "f1", "mcc", "markedness", "lift", "jaccard")
OF_CLASSES = ("macro_f1", "macro_precision", "mcc", "macro_jaccard")
SIZES = ((100, 1), (300, 1), (1_000, 1), (40, 15))
"""How many groups, and rows of each."""

MANY = 120_000

Both = tuple[Integers, Integers, Integers]
"""The truth of each row, and what either model predicts."""


def normal(random: Generator, size: tuple[int, int], number: int) -> Floats:
    """Noise of variance 1, half of it that of the row's group: row × score."""
    groups, each = size
    own = random.normal(size=(groups * each, number))
    if each == 1:
        return own
    return (own + np.repeat(random.normal(size=(groups, number)), each, axis=0)) / np.sqrt(2)


def scores(random: Generator, size: tuple[int, int], number: int, common: float) -> list[Floats]:
    """The noise of two models, which share so much of its variance: row × score."""
    of_both, *own = (normal(random, size, number) for _ in range(3))
    return [np.sqrt(common) * of_both + np.sqrt(1 - common) * one for one in own]


@lru_cache
def thresholds(prevalence: float, signal: float, name: str, rank: float) -> tuple[float, float]:
    """Two thresholds of a normal score with the same measure, on either side of its best one.

    ``rank``: where the lower one lies between the lowest one looked at (0) and the best (1). Where
    no best one lies between, as of precision, both are the same.
    """
    grid = np.linspace(-2.5, 4.5, 1_401)
    hit, alarm = prevalence * ndtr(signal - grid), (1 - prevalence) * ndtr(-grid)
    table = np.column_stack([hit, alarm, prevalence - hit, 1 - prevalence - alarm])
    values = of_decisions(METRICS[name], {})(table)
    best = int(np.nanargmax(values))
    first = int(rank * best)
    second = best + int(np.nanargmin(np.abs(values[best:] - values[first])))
    return float(grid[first]), float(grid[second])


@dataclass(frozen=True)
class Design:
    """How a second model differs from a first one with the same measure.

    ``shares`` are those of the classes, ``signal`` by how much a class raises its score, ``more``
    what the second model adds to that of the last class, ``common`` the share of the variance of
    scores that both have.
    """

    shares: tuple[float, ...]
    signal: float
    more: float
    common: float

    def drawn(self, random: Generator, size: tuple[int, int], own: float) -> Both:
        """The rows; ``own`` is the signal of the second model."""
        number = len(self.shares)
        truth = random.choice(number, size[0] * size[1], p=self.shares)
        base = np.log(np.array(self.shares)) / self.signal
        first, second = scores(random, size, number, self.common)
        first = first + self.signal * np.eye(number)[truth] + base
        second = second + own * np.eye(number)[truth] + base
        second[:, -1] += self.more
        return truth, first.argmax(axis=1), second.argmax(axis=1)


@lru_cache
def as_good(design: Design, name: str) -> float | None:
    """The signal with which the second model has the measure of the first, of many rows."""
    number, low, high = len(design.shares), design.signal / 3, 3 * design.signal + 1

    def value(own: float, side: int) -> float:
        truth, *both = design.drawn(np.random.default_rng(0), (MANY, 1), own)
        metric = METRICS[name] if number == 2 else metric_of("multiclass", name)
        of_rows = DecidedRows(truth, both[side], number).contributions(metric, {})
        return float("nan") if of_rows is None else of_rows.value

    aim = value(design.signal, 0)
    if not value(low, 1) < aim < value(high, 1):
        return None
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (middle, high) if value(middle, 1) < aim else (low, middle)
    return (low + high) / 2


def of_labels(
    random: Generator,
    prevalences: tuple[float, ...],
    limits: list[tuple[float, float]],
    signal: float,
    common: float,
    size: tuple[int, int],
) -> Both:
    """Labels, each with two thresholds: row × label."""
    truth = random.random((size[0] * size[1], len(prevalences))) < np.array(prevalences)
    both = scores(random, size, len(prevalences), common)
    first, second = (
        (one + signal * truth > np.array([pair[k] for pair in limits])).astype(np.int64)
        for k, one in enumerate(both)
    )
    return truth.astype(np.int64), first, second


def p_value(
    rows: Both, name: str, classes: int | None, size: tuple[int, int], weights: Floats | None
) -> float | None:
    """The p of the test, where it has one."""
    truth, *both = rows
    models = {m: DecidedRows(truth, p, classes, weights) for m, p in zip("ab", both, strict=True)}
    groups = Groups(np.repeat(np.arange(size[0]), size[1]), size[0]) if size[1] > 1 else None
    task = "multilabel" if classes is None else "multiclass"
    metric = METRICS[name] if classes == 2 else metric_of(task, name)
    return DecidedModels(models.__getitem__, groups).test(metric, asked(name)).p_value


def weighted(random: Generator, rows: int, spread: float) -> Floats | None:
    """Lognormal weights; none without spread."""
    return random.lognormal(sigma=spread, size=rows) if spread else None


def written(label: str, p_values: list[float | None]) -> str:
    """The share of data sets that are rejected, of all, and in how many there is a p."""
    known = [p for p in p_values if p is not None]
    share = sum(p < ALPHA for p in known) / len(p_values)
    return f"{label}: {share:.3f} ({len(known) / len(p_values):.2f})"


def line(name: str, kind: str, sets: int, spread: float, design: tuple[float, ...]) -> str:
    """One design at every size."""
    parts = []
    for size in SIZES:
        p_values = []
        for run in range(sets):
            random = np.random.default_rng([run, *size])
            p_values.append(one_p(random, name, kind, size, spread, design))
        parts.append(written(f"{size[0]} × {size[1]}", p_values))
    return f"{name}, {kind} {design}, weights {spread:g}: {', '.join(parts)}"


def one_p(
    random: Generator,
    name: str,
    kind: str,
    size: tuple[int, int],
    spread: float,
    design: tuple[float, ...],
) -> float | None:
    """The p of one data set: of thresholds of two classes or of labels, or of signals."""
    weights = weighted(random, size[0] * size[1], spread)
    if kind == "signals":
        signal, more, common, *shares = design
        of_classes = Design(tuple(shares), signal, more, common)
        own = as_good(of_classes, name)
        if own is None:
            return None
        return p_value(of_classes.drawn(random, size, own), name, len(shares), size, weights)
    signal, rank, common, *prevalences = design
    of_one = name.removeprefix("macro_")
    limits = [thresholds(share, signal, of_one, rank) for share in prevalences]
    truth, *both = of_labels(random, tuple(prevalences), limits, signal, common, size)
    if len(prevalences) > 1:
        return p_value((truth, both[0], both[1]), name, None, size, weights)
    columns = truth[:, 0], both[0][:, 0], both[1][:, 0]
    return p_value(columns, name, 2, size, weights)


Job = tuple[str, str, float, tuple[float, ...]]
"""A measure, what the models differ by, the spread of the weights, and the design."""


def of_two() -> Iterator[Job]:
    """Two classes."""
    for name in OF_TWO:
        for prevalence in (0.05, 0.3, 0.5):
            for more in (0.6, 1.5):
                yield name, "signals", 0, (1.5, more, 0.5, 1 - prevalence, prevalence)
            if name in ("f1", "mcc", "jaccard"):
                for common in (0.0, 1.0):
                    yield name, "thresholds", 0, (1.5, 0.8, common, prevalence)
        yield name, "signals", 1, (1.5, 0.6, 0.5, 0.7, 0.3)


def of_several() -> Iterator[Job]:
    """Several classes, and labels."""
    for name in OF_CLASSES:
        for shares in ((0.5, 0.35, 0.15), (0.55, 0.25, 0.15, 0.05), (*[0.09] * 10, *[0.02] * 5)):
            for signal, more in ((1.5, 0.8), (3.0, 1.2)):
                yield name, "signals", 0, (signal, more, 0.5, *shares)
        yield name, "signals", 1, (1.5, 0.8, 0.5, 0.5, 0.35, 0.15)
    for name in ("macro_f1", "macro_jaccard"):
        for common in (0.0, 1.0):
            yield name, "thresholds", 0, (1.5, 0.8, common, 0.5, 0.3, 0.2, 0.1, 0.1)


def main(sets: str = "1000") -> None:
    """Print a line per design."""
    for name, kind, spread, design in (*of_two(), *of_several()):
        print(line(name, kind, int(sets), spread, design), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
