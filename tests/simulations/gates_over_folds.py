"""Gates on differences of like learners: ``python -m tests.simulations.gates_over_folds RUNS``.

Both models are the same learner on other halves of eight features that say equally much, so that
neither is better. Prints, by rows, share of positives, folds, repeats and learner, in what share of
the cross-validations a gate passes that asks for a difference above 0, either way round, and in
what share page one names a winner.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.array_types import Flags, Floats

MEASURES = ("auc", "accuracy", "brier_score")
NEIGHBOURS = 7


class Design(NamedTuple):
    """Rows, the share of positives, folds, repeats of these, and by how much features differ."""

    rows: int
    positive: float
    folds: int
    repeats: int
    apart: float = 0.2


DESIGNS = (
    Design(150, 0.5, 5, 1),
    Design(100, 0.5, 5, 4),
    Design(400, 0.025, 5, 4, 0.6),
    Design(60, 0.5, 2, 1),
)


def predicted(train: Floats, truth: Flags, test: Floats) -> Floats:
    """The share of positives among the nearest training rows of each test row."""
    distances = ((test[:, None, :] - train[None, :, :]) ** 2).sum(axis=2)
    nearest = np.argpartition(distances, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    share: Floats = truth[nearest].mean(axis=1)
    return share


def drawn(design: Design, random: np.random.Generator) -> pl.DataFrame:
    """Predictions of both models for every row of every repeat."""
    truth = np.arange(design.rows) < design.rows * design.positive
    features = random.normal(size=(design.rows, 8)) + design.apart * truth[:, None]
    parts = []
    for repeat in range(design.repeats):
        fold = np.empty(design.rows, dtype=int)
        for label in (True, False):  # stratified
            places = random.permutation(np.flatnonzero(truth == label))
            fold[places] = np.arange(len(places)) % design.folds
        scores = np.empty((design.rows, 2))
        for k in range(design.folds):
            test = fold == k
            for model in range(2):
                own = features[:, 4 * model : 4 * model + 4]
                scores[test, model] = predicted(own[~test], truth[~test], own[test])
        columns = {"id": np.arange(design.rows), "repeat": repeat, "fold": fold, "y": truth}
        parts.append(pl.DataFrame({**columns, "a": scores[:, 0], "b": scores[:, 1]}))
    return pl.concat(parts)


def passed(design: Design, runs: int) -> dict[str, float]:
    """In what share of the data sets a gate passes, by measure; and a winner is named."""
    random = np.random.default_rng(1)
    gates = [f"{m}.{n} - {o}.{n} > 0" for n in MEASURES for m, o in ("ab", "ba")]
    columns = {"id": "id", "fold": "fold", **({"repeat": "repeat"} if design.repeats > 1 else {})}
    spec = {"truth": "y", "models": {name: {"score": name} for name in "ab"}, "columns": columns}
    count = dict.fromkeys((*MEASURES, "winner"), 0)
    for _ in range(runs):
        results = evaluate(
            {**spec, "gates": gates, "bootstrap": {"replicates": 0}}, drawn(design, random)
        )
        count["winner"] += results.decision.relation == "ahead"
        states = results.gates["state"].to_list()
        for place, name in enumerate(MEASURES):
            count[name] += "pass" in states[2 * place : 2 * place + 2]
    return {name: of / runs for name, of in count.items()}


if __name__ == "__main__":
    for each in DESIGNS:
        print(*each, passed(each, int(sys.argv[1])), flush=True)
