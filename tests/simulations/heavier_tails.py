"""Squared errors where one model has heavier tails: ``… tests.simulations.heavier_tails 1000``.

The errors of one model are normal, those of the other have the tails of t, or are rarely far
larger; both have the same mean square. How often the paired t-test rejects, how often it does and
nothing speaks against it, without and with the exception of models that are ``FAR_APART``, and how
often nothing does. Then models of which the better one has somewhat heavier tails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from unittest.mock import patch

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparing import heavy_errors
from reportgen.comparing.approximation import rough
from reportgen.comparisons import Comparison, paired_errors
from reportgen.predictions.evaluation_scheme import Evaluation
from tests.simulations.situations import ALPHA, Generator, asked, normals

ROWS = (300, 350, 400, 600, 900)
Shape = Callable[[Generator, int], Floats]


def of_t(df: float) -> Shape:
    """By what normal errors are multiplied to have tails of t, with a variance of 1."""
    return lambda random, rows: np.sqrt((df - 2) / random.chisquare(df, rows))


def rare(share: float, times: float) -> Shape:
    """The same of errors of which a share is so many times as large as the others."""
    scale = np.sqrt(1 - share + share * times**2)
    return lambda random, rows: np.where(random.random(rows) < share, times, 1.0) / scale


TAILS: dict[str, Shape] = {
    **{f"t with {df:g} degrees of freedom": of_t(df) for df in (2.5, 3, 4, 5)},
    "5 % four times as large": rare(0.05, 4),
    "3 % eight times as large": rare(0.03, 8),
    "2 % six times as large": rare(0.02, 6),
    "1 % ten times as large": rare(0.01, 10),
    "0.5 % fifteen times as large": rare(0.005, 15),
}

BETTER = {"half the mean square": 0.5, "a third of the mean square": 1 / 3}


def test_of(random: Generator, rows: int, shape: Shape, smaller: float) -> Comparison:
    """The paired t-test; the mean square of the first model is so many times that of the second."""
    first, second = normals(random, rows).T
    first = first * np.sqrt(smaller) * shape(random, rows)
    frame = pl.DataFrame({"truth": np.zeros(rows), "a": first, "b": second})
    return next(iter(paired_errors(frame, asked("mean_squared_error"))))


def passes(test: Comparison, rows: int) -> tuple[bool, bool]:
    """Whether nothing speaks against the test, without and with the exception."""
    evaluation = Evaluation("single", 1, 1, 1, rows, float(rows), test_rows=rows)
    with patch.object(heavy_errors, "FAR_APART", np.inf):
        strict = not list(rough(test, evaluation))
    return strict, not list(rough(test, evaluation))


def rates(shape: Shape, rows: int, sets: int, smaller: float = 1.0) -> Iterator[float]:
    """Rejected; rejected and recommended without and with the exception; recommended so."""
    seen = []
    for run in range(sets):
        test = test_of(np.random.default_rng([run, rows]), rows, shape, smaller)
        rejected = test.p_value is not None and test.p_value < ALPHA
        strict, loose = passes(test, rows)
        seen.append((rejected, rejected and strict, rejected and loose, strict, loose))
    yield from np.mean(seen, axis=0)


def main(sets: str = "1000") -> None:
    """Print a line per design and number of rows."""
    for name, shape in TAILS.items():
        for rows in ROWS:
            written = ", ".join(f"{rate:.3f}" for rate in rates(shape, rows, int(sets)))
            print(f"{name}, {rows} rows: {written}", flush=True)
    for name, smaller in BETTER.items():
        for df in (8, 15):
            written = ", ".join(f"{r:.3f}" for r in rates(of_t(df), 350, int(sets), smaller))
            print(f"{name}, t with {df} degrees of freedom, 350 rows: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
