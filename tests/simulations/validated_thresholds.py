"""Winners by thresholds of validation rows: ``… tests.simulations.validated_thresholds 300``.

Both models rank alike, and a missed positive costs five false alarms. Each threshold has the least
cost on the validation rows. How often page one names a cheaper model, and how often the one that
it names is the dearer one at these two thresholds.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
from scipy.special import ndtr

from reportgen.results import evaluate
from tests.simulations.report_data_alike import Floats, Generator

SIZES = ((200, 2000), (500, 1000), (500, 5000), (2000, 2000), (5000, 5000))
"""Validation rows, and test rows."""

COSTS = {"false_negative": 5, "false_positive": 1}

SHARE, APART = 0.3, 1.2
"""The share of positives, and by how many standard deviations their scores are higher."""


def expected_cost(threshold: float) -> float:
    """What a row costs on average at a threshold."""
    missed, alarms = ndtr(threshold - APART), 1 - ndtr(threshold)
    return float(5 * SHARE * missed + (1 - SHARE) * alarms)


def named(random: Generator, validation: int, tested: int) -> tuple[bool, bool]:
    """Whether a model is named as cheaper, and whether it is the dearer one."""
    rows = validation + tested
    positive = random.random(rows) < SHARE
    scores: dict[str, Floats] = {
        name: APART * positive + random.normal(size=rows) for name in ("a", "b")
    }
    role = np.where(np.arange(rows) < validation, "validation", "test")
    frame = pl.DataFrame({"y": positive, "role": role, **scores})
    spec = {
        "truth": "y",
        "models": {name: {"score": name} for name in scores},
        "columns": {"role": "role"},
        "costs": COSTS,
        "threshold": {"minimise": "cost"},
        "bootstrap": {"replicates": 0},
    }
    results = evaluate(spec, frame)
    decision = results.decision
    if decision.relation != "ahead" or decision.measure != "cost_sensitive_error_rate":
        return False, False
    at = {m["name"]: float(m["threshold"] or 0) for m in results.data["models"]}
    (other,) = at.keys() - {decision.leader}
    leader = str(decision.leader)
    return True, expected_cost(at[leader]) > expected_cost(at[other])


def main(runs: str = "300") -> None:
    """Print a line for each number of rows."""
    for validation, tested in SIZES:
        random = np.random.default_rng([validation, tested])
        counts = np.array([named(random, validation, tested) for _ in range(int(runs))])
        winners, wrong = counts.mean(axis=0)
        print(
            f"{validation} validation rows, {tested} tested: {winners:.3f}, {wrong:.3f}", flush=True
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
