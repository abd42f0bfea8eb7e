"""The register of situations: data that are resampled in each run, and the tests made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.comparisons import Comparison, Question, cochran_q
from reportgen.comparisons.correct_together import CorrectTogether, accuracies_differ

Generator = np.random.Generator
Draw = Callable[[Generator, float], Iterable[Comparison]]

ALPHA = 0.05

MODELS = ("a", "b")


@dataclass(frozen=True)
class Situation:
    """Data and the tests made of them.

    ``draw`` takes a random generator and an effect; 0 is none. ``power`` is an
    effect that a good test often finds, where its power is measured.
    ``share`` of the runs is enough where one takes long.
    """

    name: str
    draw: Draw
    power: float | None
    share: float


SITUATIONS: dict[str, Situation] = {}
"""Every situation by its name."""


def situation(
    name: str, *, power: float | None = None, share: float = 1.0
) -> Callable[[Draw], Draw]:
    """Record the decorated function as a situation of that name."""

    def record(draw: Draw) -> Draw:
        SITUATIONS[name] = Situation(name, draw, power, share)
        return draw

    return record


@dataclass(frozen=True)
class Rates:
    """Rejections of one test in one situation; ``defined`` is the share of runs with a p."""

    test: str
    situation: str
    runs: int
    level: float
    defined: float
    power: float | None


def measured(name: str, runs: int, *, power: bool = True) -> list[Rates]:
    """The rates of every test of a situation; the power is of a quarter of the runs."""
    scenario = SITUATIONS[name]
    runs = max(round(runs * scenario.share), 1)
    of_power = max(runs // 4, 1)
    level, defined = _rejections(scenario, runs, 0.0)
    finds: Counter[str] | None = None
    if power and scenario.power is not None:
        finds, _ = _rejections(scenario, of_power, scenario.power)
    return [
        Rates(
            test,
            name,
            runs,
            level[test] / runs,
            defined[test] / runs,
            None if finds is None else finds[test] / of_power,
        )
        for test in defined
    ]


def _rejections(scenario: Situation, runs: int, effect: float) -> tuple[Counter[str], Counter[str]]:
    """How often each test rejects, and how often it has a p; no p is no rejection."""
    rejected: Counter[str] = Counter()
    defined: Counter[str] = Counter()
    for run in range(runs):
        random = np.random.default_rng([run, sum(map(ord, scenario.name))])
        p_values: dict[str, list[float]] = {}
        for record in scenario.draw(random, effect):
            defined[record.comparison] += 0
            if record.p_value is not None:
                p = record.p_value if record.p_adjusted is None else record.p_adjusted
                p_values.setdefault(record.comparison, []).append(p)
        for test, values in p_values.items():
            defined[test] += 1
            rejected[test] += min(values) < ALPHA
    return rejected, defined


def asked(metric: str, models: tuple[str, ...] = MODELS) -> Question:
    """The question of a test at the level that is simulated."""
    return Question(models, metric, alpha=ALPHA)


def normals(random: Generator, rows: int, correlation: float = 0.5) -> np.ndarray:
    """Pairs of standard normal numbers with a correlation: two columns."""
    shared, noise = random.standard_normal((2, rows))
    return np.column_stack([shared, correlation * shared + np.sqrt(1 - correlation**2) * noise])


def classes(positives: int, negatives: int) -> np.ndarray:
    """The truth of some positives and negatives."""
    return np.repeat([True, False], [positives, negatives])


def scored(truth: np.ndarray, a: np.ndarray, b: np.ndarray) -> pl.DataFrame:
    """Rows with a truth and two scores."""
    return pl.DataFrame({"truth": truth, "a": a.astype(float), "b": b.astype(float)})


def several_models(frame: pl.DataFrame, question: Question) -> Iterator[Comparison]:
    """The tests of all models at once whose decisions are the columns of a frame."""
    correct = {name: pl.col(name) for name in frame.columns}
    together = CorrectTogether.of(frame, correct)
    yield accuracies_differ(together, question)
    yield from cochran_q(frame, correct, question)
