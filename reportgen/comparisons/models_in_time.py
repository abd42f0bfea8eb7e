"""Several models at once on rows in order of time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparisons.diebold_mariano import (
    FEW,
    TOO_SHORT,
    autocorrelation,
    cosine_transforms,
    rough_below,
    spectrum,
    spectrum_falls,
    worth_little,
)
from reportgen.comparisons.hotelling import hotelling
from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.metric_names import CORRECT_ROWS, MEAN_ERRORS

NAME = "diebold_mariano_several"


@comparison(
    "several",
    "rows",
    forms=(
        Form(
            NAME,
            "The Diebold–Mariano test of several models",
            "Diebold–Mariano (several)",
            "F",
        ),
    ),
    allows=("time",),
    measures=(*CORRECT_ROWS, *MEAN_ERRORS),
    needs=Needs(least=200),
)
def diebold_mariano_several(losses: pl.DataFrame, question: Question) -> Comparison:
    """Do several models have the same mean loss on rows in order of time?

    The multivariate form of Diebold and Mariano's test, with Hotelling's distribution in place of
    χ², which rejects too often in samples of moderate size. Each principal component of the
    losses, less their mean over the models, has an autocorrelation of its own, estimated as in
    ``diebold_mariano``, so that the order of the models does not matter. Which pairs differ,
    ``diebold_mariano`` says. With 200 time points or more, up to five models and an
    autocorrelation of up to 0.9 it rejects up to 7 % of true nulls; of eight up to 8 %.

    Args:
        losses: a column per model, one line per time point, oldest first.
        question: the models, their measure, and the level of the test.

    Returns:
        One record: statistic, p-value, Hotelling's T², and what was assumed.

    Null hypothesis: all models have the same mean loss over time
    Formula: F = (B − L + 2)/(B(L − 1))·T², T² = n·d̄′Ω⁻¹d̄ of the means d̄ of the L − 1 principal
        components of the losses, less their mean over the models, at n time points. Ω is the mean
        of y y′ over their B first cosine transforms y, each over the spectrum of the component's
        estimated autocorrelation. It has L − 1 and B − L + 2 df
    Assumes: differences that are stationary
    Undefined: fewer than three time points, losses that do not differ or differ by constants,
        or fewer cosine transforms than models
    Reference: Mariano & Preve (2012), doi:10.1016/j.jeconom.2012.01.014; Lazarus, Lewis, Stock &
        Watson (2018), doi:10.1080/07350015.2018.1506926; Hotelling (1931),
        doi:10.1214/aoms/1177732979

    >>> point = np.arange(120)
    >>> sines = {m: np.sin(point * step) ** 2 for m, step in zip("abc", (0.7, 1.3, 2.9))}
    >>> question = Question(("a", "b", "c"), "mean_absolute_error")
    >>> test = diebold_mariano_several(pl.DataFrame(sines), question)
    >>> test.df, test.df_denominator, test.p_value > 0.05
    (2.0, 8.0, True)
    """
    table = losses.select(question.models).cast(pl.Float64).drop_nulls().to_numpy()
    points, models = table.shape
    if points < 3:
        return question.record(NAME, undefined=TOO_SHORT)
    components = _Components.of(table)
    if not components.number:
        return question.record(NAME, undefined="the differences of the losses do not vary")
    mean, most = components.typical, max(components.autocorrelations)
    number = len(spectrum_falls(points, mean))
    if number < models:
        few = f"{number} cosine transforms, and the test needs one per model"
        return question.record(NAME, undefined=few)
    covariance = components.covariance(number)
    test = hotelling(components.means, covariance, float(number))
    if test is None:
        return question.record(NAME, undefined="a difference of the losses does not vary")
    few_points = (rough_below(points),) if points < FEW else ()
    how = f"autocorrelation of up to {most:.2f}, {number} cosine weights"
    return question.record(
        NAME,
        **test.test(),
        observations=points,
        assumptions=(f"{points} time points; {how}",),
        caveats=(*few_points, *worth_little(points, most)),
    )


@dataclass(frozen=True, slots=True)
class _Components:
    """Principal components of losses less their mean over the models, of those that vary."""

    means: Floats
    centred: Floats
    autocorrelations: tuple[float, ...]

    @classmethod
    def of(cls, losses: Floats) -> _Components:
        apart = losses - losses.mean(axis=1, keepdims=True)
        means = apart.mean(axis=0)
        places, sizes, directions = np.linalg.svd(apart - means, full_matrices=False)
        varied = sizes > NOISE * np.abs(losses).max() * math.sqrt(len(losses))
        centred = (places * sizes)[:, varied]
        return cls(directions[varied] @ means, centred, tuple(map(autocorrelation, centred.T)))

    @property
    def number(self) -> int:
        return len(self.means)

    @property
    def typical(self) -> float:
        """The mean of the autocorrelations."""
        return float(np.mean(self.autocorrelations))

    def covariance(self, number: int) -> Floats:
        """That of the means, from so many cosine transforms."""
        falls = np.array([spectrum(len(self.centred), r, number) for r in self.autocorrelations])
        transforms = cosine_transforms(self.centred, number) * np.sqrt(falls.T)
        covariance: Floats = transforms.T @ transforms / number / len(self.centred)
        return covariance
