"""Differences of measures of decisions of few rows: ``… tests.simulations.small_differences``.

Two models with recalls and specificities of their own, whose errors coincide by chance or often.
Of each measure the lowest share of data sets, over 18 designs with classes of fixed sizes, in which
limits by the delta method hold the difference: with normal quantiles, and as reports have them with
those of Student's t of as many degrees of freedom as the smaller class has rows less one.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from scipy.stats import norm

from reportgen.clusters import t_quantile
from reportgen.comparisons import metric_differences as of
from reportgen.comparisons.joint_cells import CELLS
from reportgen.intervals.delta import delta_variances
from reportgen.metrics import METRICS
from tests.coverage.designs import Floats

MEASURES = ("balanced_accuracy", "negative_predictive_value", "precision", "f1", "mcc")
PAIRS = (
    ((0.8, 0.8), (0.8, 0.8)),
    ((0.9, 0.7), (0.7, 0.9)),
    ((0.95, 0.9), (0.7, 0.7)),
    ((0.6, 0.9), (0.8, 0.6)),
    ((0.9, 0.9), (0.9, 0.9)),
    ((0.9, 0.9), (0.95, 0.97)),
)
"""Recall and specificity of both models."""
CLASSES = ((10, 10), (10, 20), (20, 10), (15, 25), (10, 30), (20, 20), (50, 50), (15, 285))
"""Positives and negatives."""


def shares(correct: tuple[float, float], together: float) -> Floats:
    """Of rows of a class: both right, only the first, only the second, none."""
    a, b = correct
    both = together * min(a, b) + (1 - together) * a * b
    return np.array([both, a - both, b - both, 1 - a - b + both])


def tables(positive: Floats, negative: Floats) -> Floats:
    """Counts in the order of ``CELLS``, of the outcomes of both classes, last axis."""
    places = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}
    columns = [
        (positive if truth else negative)[..., places[a == truth, b == truth]]
        for truth, a, b in CELLS
    ]
    return np.stack(columns, axis=-1).astype(float)


def held(
    pair: tuple[tuple[float, float], tuple[float, float]],
    sizes: tuple[int, int],
    together: float,
    sets: int,
) -> Floats:
    """Shares that hold the difference, by quantile and measure; sets without a value left out."""
    random = np.random.default_rng([*sizes, round(10 * together)])
    evaluate = of._evaluation([METRICS[m] for m in MEASURES], {})
    given = [shares((pair[0][k], pair[1][k]), together) for k in (0, 1)]
    true = evaluate(tables(*(n * s[None] for n, s in zip(sizes, given, strict=True))))[0]
    drawn = (random.multinomial(n, s, sets) for n, s in zip(sizes, given, strict=True))
    counts = tables(*drawn)
    gaps = evaluate(counts)
    errors = np.sqrt(delta_variances(evaluate, *of._with_halves(counts, counts)))
    (freedom,) = of._degrees_of_freedom(counts[:1], counts[:1])
    quantiles = norm.ppf(0.975), t_quantile(0.95, freedom)
    differ = np.isfinite(gaps) & np.isfinite(errors) & (errors > 0)
    result = [
        [
            (np.abs(gaps - true)[:, k] <= q * errors[:, k])[differ[:, k]].mean()
            for k in range(len(MEASURES))
        ]
        for q in quantiles
    ]
    return np.array(result)


def main(sets: str = "4000") -> None:
    """Print the lowest shares by sizes of classes."""
    for sizes in CLASSES:
        designs = product(PAIRS, (0.0, 0.5, 0.9))
        every = np.array([held(pair, sizes, together, int(sets)) for pair, together in designs])
        ends = zip(("normal", "t"), every.min(axis=0), every.max(axis=0), strict=True)
        for name, lowest, most in ends:
            text = ", ".join(
                f"{m} {s:.3f} to {x:.3f}" for m, s, x in zip(MEASURES, lowest, most, strict=True)
            )
            print(f"{sizes[0]} positives, {sizes[1]} negatives, {name}: {text}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
