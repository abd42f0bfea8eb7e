"""Limits of R²: ``python -m tests.simulations.explained_variance``.

The share of data sets whose 95 % limits hold the true R², and in which the lower one is above it,
by the errors of the estimates and the number of rows. 1,000 data sets each:

- normal errors: 12 rows 0.963 (0.007), 30 rows 0.982 (0.004), 100 rows 0.969 (0.006), 1000 rows
  0.960 (0.020)
- errors of t with 3 df: 12 rows 0.974 (0.006), 30 rows 0.967 (0.014), 100 rows 0.972 (0.018),
  1000 rows 0.950 (0.048)
- errors as large as the estimates: 12 rows 0.965 (0.022), 30 rows 0.965 (0.029), 100 rows 0.983
  (0.016), 1000 rows 0.979 (0.010)
- lognormal numbers and errors: 12 rows 0.952 (0.005), 30 rows 0.963 (0.004), 100 rows 0.969
  (0.005), 1000 rows 0.959 (0.009)
- 5 % of errors 15 times as large: 12 rows 0.957 (0.032), 30 rows 0.903 (0.078), 100 rows 0.965
  (0.023), 1000 rows 0.982 (0.000)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.intervals import MeanOfRows
from reportgen.measuring.independent_means import closed_form
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import rows_in_groups
from reportgen.metrics import REGISTRY
from tests.coverage.designs import Floats

Numbers = Callable[[np.random.Generator, int], tuple[Floats, Floats]]
"""Estimates and their errors of so many rows."""


def _normal(random: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    return tuple(random.normal(size=(2, rows)))


def _heavy(random: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    return random.normal(size=rows), random.standard_t(3, rows)


def _uneven(random: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    estimate = random.normal(size=rows)
    return estimate, np.abs(estimate) * random.normal(size=rows)


def _lognormal(random: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    estimate, factor = np.exp(random.normal(size=(2, rows)) / 2)
    return estimate, estimate * (factor - np.exp(1 / 8))


def _huge(random: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    estimate, error = random.normal(size=(2, rows))
    return estimate, np.where(random.random(rows) < 0.05, 15, 1) * error


_FACTOR = float(np.exp(1 / 2) - np.exp(1 / 4))
"""Variance of the lognormal factor."""
_LOGNORMAL = 1 - np.exp(0.5) * _FACTOR / (np.exp(0.5) * (1 + _FACTOR) - np.exp(0.25))

DESIGNS: dict[str, tuple[Numbers, float]] = {
    "normal errors": (_normal, 1 / 2),
    "errors of t with 3 df": (_heavy, 1 - 3 / 4),
    "errors as large as the estimates": (_uneven, 1 / 2),
    "lognormal numbers and errors": (_lognormal, float(_LOGNORMAL)),
    "5 % of errors 15 times as large": (_huge, 1 / (1 + 0.95 + 0.05 * 225)),
}
ROWS = (12, 30, 100, 1000)


def main(runs: str = "1000") -> None:
    """Print coverage and the share of lower limits that are too high."""
    metric = REGISTRY["regression"]["r2"]
    named = replace(metric, interval=MeanOfRows(metric.bounds, metric.root, closed_form(metric)))
    for name, (draw, true) in DESIGNS.items():
        texts = []
        for rows in ROWS:
            random, ends = np.random.default_rng(rows), []
            alone = Groups(np.arange(rows), rows)
            for _ in range(int(runs)):
                estimate, error = draw(random, rows)
                columns = {"truth": estimate + error, "estimate": estimate, "weight": 1.0}
                [row] = rows_in_groups(MetricSubject("m"), pl.DataFrame(columns), [named], alone)
                ends.append((row["low"], row["high"]))
            low, high = np.array(ends, dtype=float).T
            held = float(((low <= true) & (true <= high)).mean())
            texts.append(f"{rows} rows {held:.3f} ({float((low > true).mean()):.3f})")
        print(f"- {name}: {', '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
