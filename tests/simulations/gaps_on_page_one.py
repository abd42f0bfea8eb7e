"""Gaps between slices that page one names where nothing differs: slices say nothing of the rows.

``python -m tests.simulations.gaps_on_page_one RUNS`` prints by the number of slicings
the share of reports whose page one names such a gap, in which any is significant after Holm's
correction of the whole report, and in which page one names one of two slices of which a model does
worse in the first.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import product

import numpy as np
import polars as pl
from scipy.special import expit

import reportgen
from tests.quick import QUICK

SHARES = {"equal": (0.25, 0.25, 0.25, 0.25), "unequal": (0.7, 0.15, 0.1, 0.05)}
"""Of the rows in each slice of a slicing."""

ALPHA, ROWS = 0.05, 400


def rows(
    random: np.random.Generator, number: int, slicings: int, shares: str, worse: float = 0.0
) -> pl.DataFrame:
    """Two models of an AUC of 0.8, and slices; the signal of some in the first is ``worse``."""
    truth = random.random(number) < 0.4
    slices = {
        f"s{k}": random.choice(list("wxyz"), number, p=SHARES[shares]) for k in range(slicings)
    }
    less = worse * (slices["s0"] == "x")
    signal = np.where(truth, 1.2, 0.0) * (1 - less)
    scores = {model: expit(1.2 * (signal + random.standard_normal(number)) - 1.1) for model in "ab"}
    return pl.DataFrame({"y": truth, **scores, **slices})


def named(frame: pl.DataFrame) -> set[str]:
    """Whether a gap is significant in the whole report, and whether page one names one."""
    slices = [name for name in frame.columns if name.startswith("s")]
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "slices": slices, "threshold": 0.5, **QUICK}
    results = reportgen.evaluate(spec, frame)
    codes = {caveat.code for caveat in results.decision.caveats}
    significant = bool((results.gaps["p_report"] < ALPHA).any())
    return ({"significant"} if significant else set()) | (codes & {"gap_between_slices"})


def rates(
    runs: int, number: int, slicings: int, shares: str, worse: float = 0.0
) -> tuple[float, float]:
    """The share of reports in which page one names a gap, and in which one is significant."""
    random, counts = np.random.default_rng([number, slicings, round(10 * worse)]), Counter[str]()
    for _ in range(runs):
        counts.update(named(rows(random, number, slicings, shares, worse)))
    return counts["gap_between_slices"] / runs, counts["significant"] / runs


def main(runs: int) -> None:
    """Print a line per design."""
    for slicings, shares in product((1, 5, 20), SHARES):
        page, report = rates(runs, ROWS, slicings, shares)
        power, _ = rates(max(runs // 4, 1), ROWS, slicings, shares, 1.0)
        print(
            f"- {slicings} slicings, {shares}: page one {page:.3f}, significant "
            f"{report:.3f}, one that differs {power:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]))
