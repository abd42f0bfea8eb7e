"""Rare large errors behind means over folds: ``python -m tests.simulations.tails_over_folds 200``.

Two models with equal mean squares, of which the second has rare errors that are far larger, or
errors of like tails, in ten folds. How often a whole report says that one is ahead by the measure,
and, where it asks for none, by which one. Then normal errors of which one model's are smaller.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np
import polars as pl

import reportgen
from reportgen.array_types import Floats
from tests.simulations.heavier_tails import Shape, of_t, rare
from tests.simulations.situations import Generator, normals

EQUAL: dict[str, tuple[Shape | None, Shape | None]] = {
    "normal": (None, None),
    "both t with 3 degrees of freedom": (of_t(3), of_t(3)),
    "t with 3 degrees of freedom beside normal": (None, of_t(3)),
    "0.4 % fifteen times as large": (None, rare(0.004, 15)),
    "1 % ten times as large": (None, rare(0.01, 10)),
    "3 % eight times as large": (None, rare(0.03, 8)),
}


def errors(random: Generator, rows: int, shapes: tuple[Shape | None, Shape | None]) -> Floats:
    """Errors of two models, a column each, with a variance of 1 and a correlation of ½."""
    common, own = normals(random, rows)[:, :1], normals(random, rows)
    both = (common + own) / np.sqrt(2)
    factors = [np.ones(rows) if shape is None else shape(random, rows) for shape in shapes]
    return np.asarray(both * np.stack(factors, axis=1))


def decided(of_models: Floats, primary: str | None, folds: int = 10) -> tuple[str, str]:
    """The relation that a report of these errors states, and its measure."""
    rows = len(of_models)
    truth = 10 + 2 * np.random.default_rng(rows).normal(size=rows)
    frame = pl.DataFrame({"y": truth, "fold": np.arange(rows) % folds}).with_columns(
        a=pl.Series(truth + of_models[:, 0]), b=pl.Series(truth + of_models[:, 1])
    )
    spec: dict[str, Any] = {
        "task": "regression",
        "truth": "y",
        "models": {name: {"estimate": name} for name in "ab"},
        "columns": {"fold": "fold"},
        "bootstrap": {"replicates": 50},
    }
    if primary is not None:
        spec["comparisons"] = {"primary": primary}
    decision = reportgen.evaluate(spec, frame).decision
    return decision.relation, str(decision.measure)


def relations(
    shapes: tuple[Shape | None, Shape | None], rows: int, sets: int, *, smaller: float, by: str
) -> Counter[str]:
    """How often a report says what; the errors of ``b`` are so many times as large."""
    seen: Counter[str] = Counter()
    for run in range(sets):
        of_models = errors(np.random.default_rng([run, rows]), rows, shapes)
        of_models[:, 1] *= smaller
        relation, measure = decided(of_models, None if by == "none" else by)
        seen[f"{relation} by {measure}"] += 1
    return seen


def main(sets: str = "100") -> None:
    """Print a line per design, size and measure asked for."""
    for by in ("none", "mean_squared_error", "r2"):
        for rows in (150, 300, 500, 1000):
            for name, shapes in EQUAL.items():
                seen = relations(shapes, rows, int(sets), smaller=1.0, by=by)
                print(f"asked {by}, {rows} rows, {name}: {dict(seen)}", flush=True)
            seen = relations((None, None), rows, int(sets), smaller=0.8, by=by)
            print(f"asked {by}, {rows} rows, errors a fifth smaller: {dict(seen)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
