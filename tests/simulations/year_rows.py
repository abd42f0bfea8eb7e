"""The rows that a night of the simulated year brings each of its specs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

ROWS = 1000
ACCURACY = 0.92
WANDER = 0.01
DRIFT = 0.03
RELABELLED = 20
RETRAINED = 0.15
"""Noise of a retrained model beside its margins, of standard deviation 1: 3 % of rows flip."""


@dataclass(frozen=True)
class Plan:
    """The length of a year, and the size of a sudden drop."""

    nights: int
    drop: float = 0.02

    @property
    def drops(self) -> list[int]:
        """The nights from which a spec that drops is worse once more."""
        if self.nights < 300:
            return [self.nights * 2 // 3]
        return [self.nights * share // 100 for share in (27, 55, 82)]

    @property
    def relabelled(self) -> int:
        """The night from which some truths are others."""
        return self.nights // 2


NAMES = (
    "steady-1",
    "steady-2",
    "wander-1",
    "wander-2",
    "fixed",
    "relabelled",
    "drift",
    "drop-1",
    "drop-2",
)
FIXED = ("fixed", "relabelled")


def rows_of(name: str, night: int, plan: Plan) -> pl.DataFrame:
    """The ids, truths and scores of one night."""
    table = _fixed(name, night, plan) if name in FIXED else _fresh(name, night, plan)
    return table.with_columns(pl.col("y").cast(pl.Int8), pl.col("p").round(6))


def _fresh(name: str, night: int, plan: Plan) -> pl.DataFrame:
    random = np.random.default_rng([NAMES.index(name), night])
    accuracy = ACCURACY
    if name.startswith("wander"):
        accuracy += WANDER * random.normal()
    if name == "drift":
        accuracy -= DRIFT * night / plan.nights
    if name.startswith("drop"):
        accuracy -= plan.drop * sum(night >= since for since in plan.drops)
    return _table([f"{night}-{k}" for k in range(ROWS)], random, random.random(ROWS) < accuracy)


def _fixed(name: str, night: int, plan: Plan) -> pl.DataFrame:
    cases = np.random.default_rng(NAMES.index(name))
    margin = cases.normal(size=ROWS) + 1.405  # positive for 92 % of rows
    noise = np.random.default_rng([NAMES.index(name), night]).normal(size=ROWS)
    table = _table([f"{k}" for k in range(ROWS)], cases, margin + RETRAINED * noise > 0)
    if name == "relabelled" and night >= plan.relabelled:
        other = pl.col("id").cast(pl.Int64) < RELABELLED
        return table.with_columns(y=pl.col("y") ^ other)
    return table


def _table(ids: list[str], random: np.random.Generator, correct: np.ndarray) -> pl.DataFrame:
    truth = random.random(len(ids)) < 0.5
    certainty = 0.5 + 0.5 * random.random(len(ids))
    positive = truth == correct
    return pl.DataFrame({"id": ids, "y": truth, "p": np.where(positive, certainty, 1 - certainty)})
