"""Whole reports of simulated folds, against the tests that simulations make directly.

``python -m tests.simulations.whole_folds 20`` compares p and recommendation on so many data sets of
each of four designs, and prints how many are the same.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
from scipy.special import expit

from reportgen.results import evaluate
from tests.simulations import advised_folds, group_folds, rare_folds
from tests.simulations.folds import Tested

OVER_FOLDS = ("corrected_t_repeats", "corrected_resampled_t")
DESIGNS = (
    group_folds.DESIGNS[0],
    group_folds.DESIGNS[6],
    rare_folds.DESIGNS[0],
    rare_folds.DESIGNS[2],
)
"""Nearest neighbours in groups over 4 × 5 and 5 folds; ten positives over 5 and 4 × 5 folds."""

COLUMNS = ("id", "repeat", "fold", "role")


def predictions(result: Tested, truth: np.ndarray, group: np.ndarray | None) -> pl.DataFrame:
    """The rows of every fit, those that it was trained on with a score that says nothing."""
    every = pl.DataFrame({"id": np.arange(len(truth)), "truth": truth.astype(int)})
    if group is not None:
        every = every.with_columns(group=pl.Series(group))
    fits = []
    for place, (repeat, part) in enumerate(zip(result.repeats, result.parts, strict=True)):
        scores = part.select("id", *(pl.Series(m, expit(part[m].to_numpy())) for m in "ab"))
        rows = every.join(scores, on="id", how="left", maintain_order="left")
        role = pl.when(pl.col("a").is_null()).then(pl.lit("train")).otherwise(pl.lit("test"))
        rows = rows.with_columns(role=role, repeat=pl.lit(repeat), fold=pl.lit(place % 5))
        fits.append(rows.with_columns(pl.col("a", "b").fill_null(0.5)))
    return pl.concat(fits)


def of_report(frame: pl.DataFrame) -> dict[str, tuple[float, bool]]:
    """P and whether it is recommended of the test over folds that the report puts first."""
    columns = {c: c for c in (*COLUMNS, "group") if c in frame.columns}
    spec = {
        "data": "frame",
        "truth": "truth",
        "models": {m: {"score": m} for m in "ab"},
        "columns": columns,
        "bootstrap": {"replicates": 0},
    }
    name = OVER_FOLDS[0 if frame["repeat"].n_unique() > 1 else 1]
    rows = evaluate(spec, frame).comparisons.filter(pl.col("slice").is_null(), comparison=name)
    return {
        row["metric"]: (_number(row["p_value"]), row["recommendation"] == "recommended")
        for row in rows.to_dicts()
    }


def _number(p: float | None) -> float:
    return np.nan if p is None else p


def compared(design: rare_folds.Design | group_folds.Design, seed: int) -> list[tuple[bool, bool]]:
    """Of each measure: whether p, and whether the recommendation, is that of the report."""
    result, truth = design.tested(np.random.default_rng([9, seed]))
    group = None
    if isinstance(design, group_folds.Design):
        group = np.repeat(np.arange(design.groups), design.size)
    report = of_report(predictions(result, truth, group))
    direct = advised_folds.advised(design, result, truth)
    return [
        (bool(np.isclose(p, report[metric][0], equal_nan=True)), recommended == report[metric][1])
        for metric, (p, recommended) in direct.items()
    ]


def main(runs: int) -> None:
    """Print how many agree."""
    for design in DESIGNS:
        agrees = np.array([pair for seed in range(runs) for pair in compared(design, seed)])
        print(design, "the same p and recommendation:", agrees.sum(axis=0), "of", len(agrees))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
