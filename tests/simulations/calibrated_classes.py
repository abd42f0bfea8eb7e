"""How often calibrated classes are said to be too sure: ``… tests.simulations.calibrated_classes``.

Reports of two models whose probabilities of the classes are those from which the truth comes: the
share that say of one that it is over- or underconfident, or that its log loss is not below that of
the class shares.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import polars as pl

from reportgen.results import evaluate

NAMES = ("overconfident", "log_loss_of_shares")


def said(classes: int, rows: int, spread: float, sets: int) -> Counter[str]:
    """How many reports say either; probabilities are Dirichlet with this parameter."""
    random, counts = np.random.default_rng([classes, rows, int(100 * spread)]), Counter[str]()
    names = [f"c{k}" for k in range(classes)]
    for _ in range(sets):
        known = random.dirichlet(np.full(classes, spread), rows)
        truth = (known.cumsum(axis=1) < random.random((rows, 1))).sum(axis=1).clip(max=classes - 1)
        less = (known + known.mean(axis=0)) / 2
        columns = {"y": np.array(names)[truth]}
        for model, table in (("a", known), ("b", less)):
            columns |= {f"{model}_{name}": table[:, k] for k, name in enumerate(names)}
        models = {m: {"scores": {name: f"{m}_{name}" for name in names}} for m in "ab"}
        spec = {"truth": "y", "classes": names, "models": models, "bootstrap": {"replicates": 0}}
        decision = evaluate(spec, pl.DataFrame(columns)).decision
        counts.update({c.code for c in decision.caveats if c.text.startswith(("a ", "The log"))})
    return counts


def main(sets: str = "200") -> None:
    """Print the counts of every design."""
    for classes in (3, 10):
        for rows in (60, 300, 1000):
            for spread in (0.3, 1.0):
                counts = said(classes, rows, spread, int(sets))
                shown = ", ".join(f"{name} {counts[name]}" for name in NAMES)
                print(f"{classes} classes, {rows} rows, {spread}: {shown} of {sets}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
