"""Reports in which costs decide: ``python -m tests.simulations.declared_costs_decide RUNS``.

Two models cost the same on average: how often a report says that one is ahead, in cost, which
decides, or in what would have decided otherwise. And a model that costs what always predicting the
cheaper class costs: how often a report does not say so, as if it were cheaper.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.metric_names import COST
from tests.quick import QUICK
from tests.report_data import Rows

Generator = np.random.Generator
Sample = Callable[[Generator], pl.DataFrame]


def alike(rows: Rows) -> Sample:
    """Two models that do not differ."""
    return lambda random: rows(random, 1).with_columns(fold=pl.int_range(pl.len()) % 5)


def unlike(count: int, prevalence: float = 0.3) -> Sample:
    """Of models of one cost at 5 : 1 one misses fewer, has more false alarms and ranks better."""

    def draw(random: Generator) -> pl.DataFrame:
        truth = random.random(count) < prevalence
        alarms = 0.1 + 0.05 * 5 * prevalence / (1 - prevalence)
        scores = {}
        for name, missed, false in (("a", 0.25, 0.1), ("b", 0.2, alarms)):
            flagged = random.random(count) < np.where(truth, 1 - missed, false)
            within = random.random(count)
            if name == "b":
                within = np.where(truth, within**0.3, within)
            scores[name] = within / 2.001 + flagged / 2
        return pl.DataFrame({"truth": truth, **scores})

    return draw


def no_cheaper(groups: int, size: int, amounts: float = 0.0) -> Sample:
    """A model that flags every fourth row, right in one of six: at 5 : 1 that saves nothing.

    All rows of a group are flagged, or none. ``amounts``: the spread of the costs of rows.
    """

    def draw(random: Generator) -> pl.DataFrame:
        flagged = np.repeat(random.random(groups) < 0.25, size)
        odds = np.where(flagged, 1 / 6, 0.08)
        of_group = np.repeat(random.beta(2, 2, groups) * 2, size) if size > 1 else 1.0
        truth = random.random(groups * size) < odds * of_group
        amount = 5 * np.exp(amounts * random.normal(size=groups * size) - amounts**2 / 2)
        group = np.repeat(np.arange(groups), size)
        score = np.where(flagged, 0.7, 0.3)
        return pl.DataFrame({"truth": truth, "a": score, "amount": amount, "group": group})

    return draw


FIVE: Mapping[str, Any] = {"costs": {"false_negative": 5, "false_positive": 1}}
TWENTY: Mapping[str, Any] = {"costs": {"false_negative": 20, "false_positive": 1}}
AMOUNTS: Mapping[str, Any] = {
    "costs": {"false_negative": {"column": "amount"}, "false_positive": 1}
}
GROUPS: Mapping[str, Any] = {"columns": {"group": "group"}}
FOLDS: Mapping[str, Any] = {"columns": {"fold": "fold"}}

OF_PAIRS: Mapping[str, tuple[Sample, Mapping[str, Any]]] = {
    "200 rows, 5 : 1": (alike(Rows(200)), FIVE),
    "600 rows, 10 % positive, 20 : 1": (alike(Rows(600, prevalence=0.1)), TWENTY),
    "40 groups of 15": (alike(Rows(40, 15, 0.3)), FIVE | GROUPS),
    "300 rows in 5 folds": (alike(Rows(300)), FIVE | FOLDS),
    "400 rows, one ranks better": (unlike(400), FIVE),
}
"""Models of equal cost; but for the last also of equal AUC."""

OF_GUESSES: Mapping[str, tuple[Sample, Mapping[str, Any]]] = {
    "1,000 rows": (no_cheaper(1000, 1), FIVE),
    "100 groups of 10": (no_cheaper(100, 10), FIVE | GROUPS),
    "1,000 rows with costs of their own": (no_cheaper(1000, 1, 0.7), AMOUNTS),
    "100 groups of 10, rows with costs of their own": (no_cheaper(100, 10, 0.7), AMOUNTS | GROUPS),
}
"""A model that is no cheaper than guessing."""


def concludes(sample: Sample, more: Mapping[str, Any], seed: int) -> tuple[bool, str | None]:
    """Whether the report of one data set says that a model is ahead, and in which measure."""
    frame = sample(np.random.default_rng([17, seed]))
    models = {name: {"score": name} for name in "ab"}
    decision = evaluate({"truth": "truth", "models": models, **QUICK, **more}, frame).decision
    return decision.relation == "ahead", decision.measure


def said_cheaper(sample: Sample, more: Mapping[str, Any], seed: int) -> bool:
    """Whether one report leaves out that the model is not significantly cheaper than guessing."""
    frame = sample(np.random.default_rng([18, seed]))
    spec = {"truth": "truth", "models": {"a": {"score": "a"}}, **QUICK, **more}
    return all(row.measure != COST for row in evaluate(spec, frame).decision.at_chance)


def main(runs: int) -> None:
    """Print a line per situation."""
    for name, situation in OF_PAIRS.items():
        states = [concludes(*situation, seed) for seed in range(runs)]
        ahead = np.mean([state for state, _ in states])
        by_cost = np.mean([measure == COST for _, measure in states])
        print(f"{name}: a model ahead in {ahead:.4f}; cost decides in {by_cost:.3f}", flush=True)
    for name, situation in OF_GUESSES.items():
        cheaper = np.mean([said_cheaper(*situation, seed) for seed in range(runs)])
        print(f"{name}: said to be cheaper than guessing in {cheaper:.4f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
