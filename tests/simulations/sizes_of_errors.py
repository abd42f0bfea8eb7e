"""Absolute errors that are rarely far larger: ``python -m tests.simulations.sizes_of_errors 1000``.

Both models have the same expected absolute error. Those of the first are normal, those of the
second have other tails, or a share of them is so many times as large. How often the paired t-test
rejects, how often it does and nothing speaks against it, and how often nothing does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparing.approximation import rough
from reportgen.comparisons import Comparison, paired_errors
from reportgen.predictions.evaluation_scheme import Evaluation
from tests.simulations.situations import ALPHA, Generator, asked

ROWS = (20, 30, 50, 100, 200, 300, 500, 1000)
Shape = Callable[[Generator, int], Floats]
MEAN = np.sqrt(2 / np.pi)
"""Expected absolute error of a normal error."""


def rare(share: float, times: float) -> Shape:
    """Normal errors of which a share is so many times as large, with the same mean size."""
    scale = 1 - share + share * times

    def errors(random: Generator, rows: int) -> Floats:
        large = np.where(random.random(rows) < share, times, 1.0)
        return random.standard_normal(rows) * large / scale

    return errors


def exact(share: float) -> Shape:
    """Errors of 0 but for this share of the rows, with the same mean size."""
    return lambda random, rows: np.where(
        random.random(rows) < share, random.standard_normal(rows) / share, 0.0
    )


def of_t(random: Generator, rows: int) -> Floats:
    """Errors with the tails of t with three degrees of freedom, and the same mean size."""
    return random.standard_t(3, rows) * MEAN / (2 * np.sqrt(3) / np.pi)


def of_laplace(random: Generator, rows: int) -> Floats:
    """Errors of Laplace's distribution, of the same mean size."""
    return random.laplace(size=rows) * MEAN


def normal(random: Generator, rows: int) -> Floats:
    """Errors of the standard normal distribution."""
    return random.standard_normal(rows)


DESIGNS: dict[str, tuple[Shape, Shape]] = (
    {
        "normal and normal": (normal, normal),
        "normal and Laplace": (normal, of_laplace),
        "normal and t with 3 degrees of freedom": (normal, of_t),
        "both t with 3 degrees of freedom": (of_t, of_t),
    }
    | {f"exact but for {share:.0%}": (normal, exact(share)) for share in (0.05, 0.1, 0.3)}
    | {
        f"{share:.1%} {times} times as large": (normal, rare(share, times))
        for share, times in [
            (0.002, 30),
            (0.005, 10),
            (0.005, 30),
            (0.01, 30),
            (0.02, 30),
            (0.05, 30),
        ]
    }
)


def tests_of(random: Generator, rows: int, shapes: tuple[Shape, Shape]) -> list[Comparison]:
    """The paired t-tests of squared and of absolute errors."""
    first, second = (shape(random, rows) for shape in shapes)
    frame = pl.DataFrame({"truth": np.zeros(rows), "a": first, "b": second})
    return list(paired_errors(frame, asked("mean_squared_error")))[:2]


def rates(shapes: tuple[Shape, Shape], rows: int, sets: int, measure: int = 1) -> Iterator[float]:
    """Rejected; rejected and nothing against it; nothing against it. Measure 0 is of squares."""
    evaluation = Evaluation("single", 1, 1, 1, rows, float(rows), test_rows=rows)
    seen = []
    for run in range(sets):
        test = tests_of(np.random.default_rng([run, rows]), rows, shapes)[measure]
        rejected = test.p_value is not None and test.p_value < ALPHA
        passes = not list(rough(test, evaluation))
        seen.append((rejected, rejected and passes, passes))
    yield from np.mean(seen, axis=0)


def main(sets: str = "1000") -> None:
    """Print a line per design and number of rows."""
    for name, shapes in DESIGNS.items():
        for rows in ROWS:
            written = ", ".join(f"{rate:.3f}" for rate in rates(shapes, rows, int(sets)))
            print(f"{name}, {rows} rows: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
