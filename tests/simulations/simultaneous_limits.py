"""How often the limits of all differences of a family hold together, as they are printed.

``python -m tests.simulations.simultaneous_limits RUNS`` prints a line per situation: the share of
runs in which Bonferroni's limits hold every true difference, in which Holm's test rejects no true
null, and in which both the limits that are printed hold: those of Bonferroni, with an end at 0,
which then is left out, where Holm's test rejects and they would pass 0. Normal differences with
standard error 1, of pairs of their own or of pairs with one baseline (correlation ½).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from reportgen.comparisons import adjust
from reportgen.comparisons.records import Comparison

ALPHA = 0.05


def record(place: int, estimate: float, alpha: float) -> Comparison:
    """The test of a normal difference with standard error 1, and its interval."""
    half_width = float(-ndtri(alpha / 2))
    return Comparison(
        comparison="delong",
        metric="mean_error",
        models=(f"m{place}", "base"),
        alpha=alpha,
        confidence=1 - alpha,
        p_value=float(2 * ndtr(-abs(estimate))),
        estimate=estimate,
        low=estimate - half_width,
        high=estimate + half_width,
        interval="delong",
    )


def held(truth: Sequence[float], estimates: Sequence[float], alpha: float = ALPHA) -> Iterator[str]:
    """What holds of every difference of a family."""
    records = [record(place, float(z), alpha) for place, z in enumerate(estimates)]
    rows = adjust(records, "holm", "base")
    away = float(-ndtri(alpha / (2 * len(truth))))
    bonferroni = decisions = printed = True
    for row, true, estimate in zip(rows, truth, estimates, strict=True):
        low, high = row.simultaneous_low, row.simultaneous_high
        bonferroni &= abs(estimate - true) <= away
        decisions &= not (row.reject and true * estimate <= 0)
        inside = low <= true <= high
        printed &= inside and not (row.reject and true == 0)
    yield from (
        name
        for name, holds in (("limits", bonferroni), ("decisions", decisions), ("both", printed))
        if holds
    )


def rates(
    truth: Sequence[float], runs: int, *, baseline: bool = False, seed: int = 0
) -> dict[str, float]:
    """The share of runs in which each holds."""
    random = np.random.default_rng(seed)
    counts = Counter[str]()
    for _ in range(runs):
        noise = random.standard_normal(len(truth))
        if baseline:
            noise = np.sqrt(0.5) * (noise + random.standard_normal())
        counts.update(held(truth, np.asarray(truth) + noise))
    return {name: counts[name] / runs for name in ("limits", "decisions", "both")}


def main(runs: int) -> None:
    """Print a line per situation, and the lowest rates."""
    lowest: dict[str, float] = {}
    for tests in (2, 3, 6, 10):
        for nulls in sorted({0, 1, tests // 2, tests - 1, tests}):
            for effect in (1.0, 3.0, 6.0) if nulls < tests else (0.0,):
                for baseline in (False, True):
                    truth = [0.0] * nulls + [effect] * (tests - nulls)
                    result = rates(truth, runs, baseline=baseline)
                    lowest = {k: min(v, lowest.get(k, 1.0)) for k, v in result.items()}
                    of = "with one baseline" if baseline else "of their own"
                    shares = ", ".join(f"{k} {v:.3f}" for k, v in result.items())
                    print(f"{tests} pairs {of}, {nulls} alike, others by {effect:g}: {shares}")
    print("lowest:", {k: round(v, 3) for k, v in lowest.items()})


if __name__ == "__main__":
    main(int(sys.argv[1]))
