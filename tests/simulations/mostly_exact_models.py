"""Models that are exact on most rows: ``python -m tests.simulations.mostly_exact_models 2000``.

The errors of the first model are normal, the second has none but on a share of the rows, where
they are of one size or exponential. Both have the same mean absolute error, or the second a third
of that of the first. How often the paired t-test of absolute errors rejects, how often it does and
nothing speaks against it, and how often nothing does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl

from reportgen.comparing.approximation import rough
from reportgen.comparing.mostly_exact import against_few_inexact, mostly_exact
from reportgen.comparisons import paired_errors
from reportgen.predictions.evaluation_scheme import Evaluation
from tests.simulations.situations import ALPHA, asked

ROWS = (20, 30, 60, 100, 300)
SHARES = (0.05, 0.1, 0.2, 0.45)
MEAN = np.sqrt(2 / np.pi)
"""Expected absolute error of a normal error."""


def rates(
    rows: int, share: float, sets: int, times: float = 1.0, *, alike: bool
) -> Iterator[float]:
    """Rejected; rejected and nothing against it; nothing against it. ``alike``: of one size."""
    evaluation = Evaluation("single", 1, 1, 1, rows, float(rows), test_rows=rows)
    seen = []
    for run in range(sets):
        random = np.random.default_rng([run, rows])
        sizes = np.ones(rows) if alike else random.exponential(size=rows)
        second = np.where(random.random(rows) < share, times * MEAN / share * sizes, 0.0)
        errors = {"a": random.standard_normal(rows), "b": second}
        frame = pl.DataFrame({"truth": np.zeros(rows), **errors})
        test = list(paired_errors(frame, asked("mean_squared_error")))[1]
        means = {name: float(np.abs(of).mean()) for name, of in errors.items()}
        exact = mostly_exact(_medians(errors), means)
        against = [*against_few_inexact(test, exact, means), *rough(test, evaluation)]
        rejected = test.p_value is not None and test.p_value < ALPHA
        seen.append((rejected, rejected and not against, not against))
    yield from np.mean(seen, axis=0)


def _medians(errors: dict[str, np.ndarray]) -> pl.DataFrame:
    """The median absolute errors as a report has them."""
    values = [float(np.median(np.abs(of))) for of in errors.values()]
    of_all = dict.fromkeys(("slice", "class", "average"), pl.lit(None, pl.String))
    table = pl.DataFrame(
        {"model": list(errors), "value": values, "metric": "median_absolute_error"}
    )
    return table.with_columns(**of_all)


def main(sets: str = "2000") -> None:
    """Print a line per design and number of rows."""
    for times, alike, share, rows in product((1.0, 1 / 3), (True, False), SHARES, ROWS):
        written = ", ".join(f"{r:.3f}" for r in rates(rows, share, int(sets), times, alike=alike))
        size = "of one size" if alike else "exponential"
        print(f"{times:.2f} of the MAE, {share:.0%} {size}, {rows} rows: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
