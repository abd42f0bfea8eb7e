"""Data of models that are alike: calibrated, with one truth, and each with an error of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import expit, logit, ndtri, softmax

Generator = np.random.Generator
Floats = npt.NDArray[np.float64]
Frame = Callable[[Generator], pl.DataFrame]
Values = dict[str, Floats]

SHARED = 0.5
"""Share of the variance of a score that all models have in common."""

CLASSES = "xyz"


@dataclass(frozen=True)
class Alike:
    """Rows of models that see the truth with a normal error, and give its probability.

    ``apart``: how far the means of the classes are apart, in standard deviations; ``better`` is
    added to it for the first model. ``correlation`` is the share of every variance between groups
    of ``size`` rows, ``memory`` the autocorrelation of rows in order of time.
    """

    rows: int = 200
    models: str = "ab"
    prevalence: float = 0.4
    apart: float = 1.2
    better: float = 0.0
    size: int = 1
    correlation: float = 0.0
    memory: float = 0.0
    task: str = "binary"

    def __call__(self, random: Generator) -> pl.DataFrame:
        """One data set, with columns to group, slice, weight and order it."""
        columns = _TASKS[self.task](self, random)
        group = np.arange(self.rows) // self.size
        facts = {
            "group": group,
            "time": np.arange(self.rows),
            "part": random.choice(list("uvw"), self.rows),
            "site": random.choice(list("klmno"), group[-1] + 1)[group],
            "weight": np.exp(0.7 * random.standard_normal(group[-1] + 1))[group],
        }
        return pl.DataFrame(facts | columns)

    def noise(self, random: Generator) -> Floats:
        """Standard normal errors with the dependence that is declared."""
        errors = random.standard_normal(self.rows)
        if self.memory:
            for row in range(1, self.rows):
                errors[row] *= sqrt(1 - self.memory**2)
                errors[row] += self.memory * errors[row - 1]
        if not self.correlation:
            return errors
        of_group = random.standard_normal(-(-self.rows // self.size)).repeat(self.size)[: self.rows]
        return sqrt(self.correlation) * of_group + sqrt(1 - self.correlation) * errors

    def seen(self, random: Generator, shared: Floats) -> Floats:
        """The error of one model, a part of which it shares with the others."""
        return sqrt(SHARED) * shared + sqrt(1 - SHARED) * self.noise(random)

    def distance(self, model: str) -> float:
        """How far the classes are apart for a model."""
        return self.apart + (self.better if model == self.models[0] else 0.0)


def _binary(of: Alike, random: Generator) -> Values:
    truth = of.noise(random) > -float(ndtri(of.prevalence))
    return {"truth": truth.astype(int)} | _scores(of, random, truth)


def _scores(of: Alike, random: Generator, truth: npt.NDArray[np.bool_], name: str = "") -> Values:
    """The probability of the positive class, given what each model sees."""
    shared, prior = of.noise(random), float(logit(of.prevalence))
    scores = {}
    for model in of.models:
        distance = of.distance(model)
        signal = distance * truth + of.seen(random, shared)
        scores[model + name] = expit(distance * (signal - distance / 2) + prior)
    return scores


def _multilabel(of: Alike, random: Generator) -> Values:
    columns: Values = {}
    for label in CLASSES:
        truth = of.noise(random) > -float(ndtri(of.prevalence))
        columns |= {f"is_{label}": truth.astype(int), **_scores(of, random, truth, label)}
    return columns


def _multiclass(of: Alike, random: Generator) -> Values:
    """Two classes share what the last one, the prevalence, leaves."""
    shares = np.array([(1 - of.prevalence) / 2] * 2 + [of.prevalence])
    latent = np.column_stack([of.noise(random) for _ in CLASSES])
    levels = np.log(shares) / (np.pi / sqrt(6))  # nearly those shares, whatever the dependence
    truth = (latent + levels).argmax(axis=1)
    shared = [of.noise(random) for _ in CLASSES]
    columns: Values = {}
    for model in of.models:
        distance = of.distance(model)
        logits = np.column_stack(
            [
                distance * (distance * (truth == k) + of.seen(random, shared[k])) + log(shares[k])
                for k in range(3)
            ]
        )
        probabilities = softmax(logits, axis=1)
        columns |= {model + name: probabilities[:, k] for k, name in enumerate(CLASSES)}
    return {"truth": np.array(list(CLASSES))[truth], **columns}


def _regression(of: Alike, random: Generator) -> Values:
    """The mean of the truth, given what each model sees: unbiased estimates."""
    signal, shared = of.noise(random), of.noise(random)
    columns = {"truth": signal + 0.5 * of.noise(random)}
    for model in of.models:
        error = 1 / of.distance(model)
        seen = signal + error * of.seen(random, shared)
        columns[model] = seen / (1 + error**2)
    return columns


def _graded(of: Alike, random: Generator) -> Values:
    """Whether an answer is right: items are as hard for one model as for the other."""
    hardness = of.noise(random)
    return {
        model: (hardness + of.seen(random, of.noise(random)) + of.distance(model) > 0).astype(int)
        for model in of.models
    }


_TASKS: Mapping[str, Callable[[Alike, Generator], Values]] = {
    "binary": _binary,
    "multiclass": _multiclass,
    "multilabel": _multilabel,
    "regression": _regression,
    "graded": _graded,
}
