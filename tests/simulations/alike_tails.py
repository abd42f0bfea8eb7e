"""Squared errors of two models with heavy tails: ``python -m tests.simulations.alike_tails 1000``.

Both have the same mean squared error, or that of the second is 1.3 times as large. How often the
paired t-test rejects, how often it does and nothing speaks against it, and how often nothing does.
"""

from __future__ import annotations

import sys

import numpy as np

from reportgen.array_types import Floats
from tests.simulations.situations import Generator
from tests.simulations.sizes_of_errors import Shape, normal, rates

ROWS = (500, 700, 900, 1500, 3000)


def of_t(df: float) -> Shape:
    """Errors of t, of variance 1."""
    return lambda random, rows: random.standard_t(df, rows) / np.sqrt(df / (df - 2))


def laplace(random: Generator, rows: int) -> Floats:
    """Errors of Laplace's distribution, of variance 1."""
    return random.laplace(size=rows) / np.sqrt(2)


def rare(shape: Shape, share: float, times: float) -> Shape:
    """The same errors, of which a share is so many times as large, of variance 1."""
    scale = np.sqrt(1 - share + share * times**2)

    def errors(random: Generator, rows: int) -> Floats:
        return shape(random, rows) * np.where(random.random(rows) < share, times, 1.0) / scale

    return errors


def larger(shape: Shape) -> Shape:
    """The same errors with 1.3 times the mean square."""
    return lambda random, rows: np.sqrt(1.3) * shape(random, rows)


DESIGNS: dict[str, tuple[Shape, Shape]] = {
    "normal": (normal, normal),
    "Laplace": (laplace, laplace),
    "t, 5 df": (of_t(5), of_t(5)),
    "t, 4 df": (of_t(4), of_t(4)),
    "Laplace and t, 5 df": (laplace, of_t(5)),
    "Laplace and t, 3 df": (laplace, of_t(3)),
    "t, 5 and 3 df": (of_t(5), of_t(3)),
    "normal and Laplace": (normal, laplace),
    "Laplace, 0.5 % 15 times as large": (laplace, rare(laplace, 0.005, 15)),
    "Laplace, 1 % 10 times as large": (laplace, rare(laplace, 0.01, 10)),
    "Laplace, 2 % 6 times as large": (laplace, rare(laplace, 0.02, 6)),
    "Laplace, 1.3 times as large": (laplace, larger(laplace)),
    "t, 5 df, 1.3 times as large": (of_t(5), larger(of_t(5))),
}


def main(sets: str = "1000") -> None:
    """Print a line per design and number of rows."""
    for name, shapes in DESIGNS.items():
        for rows in ROWS:
            written = ", ".join(f"{rate:.3f}" for rate in rates(shapes, rows, int(sets), 0))
            print(f"{name}, {rows} rows: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
