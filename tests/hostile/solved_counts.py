"""What can be worked out of withheld counts by whoever has everything that results print.

The unknown numbers are those of rows by truth, by what each model predicts and by slice. Each
printed number that follows from them by sums and shares is an equation; an integer program gives
the least and the most that a count may be.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import Bounds, LinearConstraint, milp

import reportgen
from tests.small_counts import LABELS, LEAST

CELLS = ("tp", "fp", "fn", "tn")
SHARES: Mapping[str, tuple[Sequence[float], Sequence[float]]] = {
    **{name: (np.eye(4)[k], (0, 0, 0, 0)) for k, name in enumerate(CELLS)},
    "n": ((1, 1, 1, 1), (0, 0, 0, 0)),
    "accuracy": ((1, 0, 0, 1), (1, 1, 1, 1)),
    "error_rate": ((0, 1, 1, 0), (1, 1, 1, 1)),
    "zero_one_loss": ((0, 1, 1, 0), (0, 0, 0, 0)),
    "precision": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "false_discovery_rate": ((0, 1, 0, 0), (1, 1, 0, 0)),
    "recall": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "false_negative_rate": ((0, 0, 1, 0), (1, 0, 1, 0)),
    "specificity": ((0, 0, 0, 1), (0, 1, 0, 1)),
    "false_positive_rate": ((0, 1, 0, 0), (0, 1, 0, 1)),
    "negative_predictive_value": ((0, 0, 0, 1), (0, 0, 1, 1)),
    "false_omission_rate": ((0, 0, 1, 0), (0, 0, 1, 1)),
    "prevalence": ((1, 0, 1, 0), (1, 1, 1, 1)),
    "detection_prevalence": ((1, 1, 0, 0), (1, 1, 1, 1)),
    "f1": ((2, 0, 0, 0), (2, 1, 1, 0)),
    "jaccard": ((1, 0, 0, 0), (1, 1, 1, 0)),
}
"""Measures as sums of cells over sums of cells; over nothing: counts."""

TRUTHS = frozenset({"n", "prevalence", "no_information_rate"})
"""Measures that say nothing of decisions."""


def rows(draw: random.Random) -> pl.DataFrame:
    """Rows at sites in lands, where some models err in few rows of some sites."""
    sites = "NESWC"[: draw.randint(2, 5)]
    wrong = {
        (m, s, y): draw.choice((0.0, 0.02, 0.04, 0.2, 0.4))
        for m in "ab"
        for s in sites
        for y in (0, 1)
    }
    table: dict[str, list[Any]] = {name: [] for name in ("y", "a", "b", "site", "land", "group")}
    for site in sites:
        for _ in range(draw.choice((4, 30, 60, 90, 120))):
            y = int(draw.random() < 0.4)
            table["y"].append(y)
            for model in "ab":
                table[model].append(1 - y if draw.random() < wrong[model, site, y] else y)
            table["site"].append(site)
            table["land"].append(draw.choice("123" if site in "NE" else "12"))
            table["group"].append(len(table["y"]) // 2)
    return pl.DataFrame(table)


class Solver:
    """Equations on the numbers of rows, and the bounds of any sum of them."""

    slack = 1e-5
    """Far below what shares of different whole numbers are apart, above what the solver rounds."""

    def __init__(self, frame: pl.DataFrame) -> None:
        values = [sorted(set(frame[name])) for name in ("site", "land")]
        # truth, what a and b predict, site and land
        self.unknown: list[tuple[Any, ...]] = list(product((0, 1), (0, 1), (0, 1), *values))
        self.left: list[np.ndarray] = []
        self.right: list[float] = []

    def sum(self, **wanted: Any) -> np.ndarray:
        """Which rows have these values."""
        names = ("y", "a", "b", "site", "land")
        return np.array(
            [
                all(one[names.index(name)] == value for name, value in wanted.items())
                for one in self.unknown
            ],
            dtype=float,
        )

    def cells(self, model: str, **of: Any) -> np.ndarray:
        """The four cells of a model."""
        pairs = ((1, 1), (0, 1), (1, 0), (0, 0))
        return np.array([self.sum(y=y, **{model: p}, **of) for y, p in pairs])

    def correct(self, is_a: int, is_b: int, **of: Any) -> np.ndarray:
        """The rows that each model predicts correctly, or wrongly."""
        return sum(
            self.sum(y=y, a=y if is_a else 1 - y, b=y if is_b else 1 - y, **of) for y in (0, 1)
        )

    def state(self, left: np.ndarray, right: float) -> None:
        self.left.append(left)
        self.right.append(right)

    def share(self, name: str, value: float, cells: np.ndarray) -> None:
        """What a measure says of cells."""
        above, below = (np.asarray(part, dtype=float) for part in SHARES[name])
        if below.any():
            self.state((above - value * below) @ cells, 0.0)
        else:
            self.state(above @ cells, value)

    def bounds(self, wanted: np.ndarray, most: int) -> tuple[int, int]:
        """The least and the most that a sum may be."""
        table = np.unique(np.column_stack([self.left, self.right]).round(12), axis=0)
        left, right = table[:, :-1], table[:, -1]
        given = LinearConstraint(left, right - self.slack, right + self.slack)
        ends = []
        for sign in (1, -1):
            result = milp(
                sign * wanted,
                integrality=np.ones(len(self.unknown)),
                bounds=Bounds(0, most),
                constraints=given,
            )
            assert result.success, result.message
            ends.append(round(sign * result.fun))
        return ends[0], ends[1]

    def following(
        self, sums: Iterable[tuple[str, np.ndarray]], truth: np.ndarray, most: int
    ) -> tuple[int, list[str]]:
        """How many of these sums of the true numbers are small counts, and which of them follow."""
        small, texts = 0, []
        for name, wanted in sums:
            count = float(wanted @ truth)
            if not 0 < count < LEAST:
                continue
            small += 1
            low, high = self.bounds(wanted, most)
            if low > 1 or high < LEAST - 1:
                texts.append(f"{name}: {count:.0f}, from {low} to {high}")
        return small, texts


def _place(name: str | None) -> dict[str, str]:
    """The columns and values in the name of a slice."""
    if name is None:
        return {}
    return dict(part.split(" = ") for part in name.split(", "))


def equations(results: reportgen.Results, solver: Solver) -> Iterator[str]:
    """State everything that follows by sums and shares; yield what tells decisions otherwise."""
    data = results.data
    solver.state(solver.sum(), data["rows_evaluated"])
    solver.state(solver.sum(y=1), data["positives"])
    for row in results.slices.iter_rows(named=True):
        solver.state(solver.sum(**_place(row["slice"])), row["rows"])
        solver.state(solver.sum(y=1, **_place(row["slice"])), row["positives"])
    _of_pairs(results, solver)
    _of_gaps(results, solver)
    yield from _of_measures(results, solver)


def _of_measures(results: reportgen.Results, solver: Solver) -> Iterator[str]:
    printed: dict[tuple[Any, Any], set[str]] = {}
    for row in results.metrics.filter(pl.col("value").is_not_null()).iter_rows(named=True):
        printed.setdefault((row["model"], row["slice"]), set()).add(row["metric"])
        if row["metric"] in SHARES:
            cells = solver.cells(row["model"], **_place(row["slice"]))
            solver.share(row["metric"], row["value"], cells)
    for (model, place), names in printed.items():
        if not {*CELLS} <= names and (others := names - {*SHARES} - TRUTHS):
            yield f"{model} {place}: {sorted(others)}"


def _of_pairs(results: reportgen.Results, solver: Solver) -> None:
    """Rows that both, either or none of the models predicts correctly."""
    for row in results.comparisons.iter_rows(named=True):
        if len(row["cross_table"]) != 4:
            continue
        pairs = product((1, 0), (1, 0))
        for correct, count in zip(pairs, row["cross_table"], strict=True):
            of = dict(zip(row["models"], correct, strict=True))
            solver.state(solver.correct(of["a"], of["b"], **_place(row["slice"])), count)


def _of_gaps(results: reportgen.Results, solver: Solver) -> None:
    for row in results.gaps.iter_rows(named=True):
        if row["metric"] not in SHARES or not row["slice"]:
            continue
        here = solver.cells(row["model"], **_place(row["slice"]))
        others = solver.cells(row["model"]) - here
        for place in row["left_out"]:
            others = others - solver.cells(row["model"], **_place(place))
        for value, cells in ((row["slice_value"], here), (row["others_value"], others)):
            if value is not None:
                solver.share(row["metric"], value, cells)


def followed(draw: random.Random, spec: Mapping[str, Any]) -> tuple[int, list[str]]:
    """How many small counts some rows have, and which of them follow from the results."""
    frame = rows(draw)
    whole = {
        "truth": "y",
        **LABELS,
        "privacy": {"small_cells": LEAST},
        "bootstrap": {"replicates": 0},
    }
    results = reportgen.evaluate({**whole, **spec}, frame)
    solver = Solver(frame)
    result = list(equations(results, solver))
    places = [{}, *({n: v} for n in spec.get("slices", ()) for v in sorted(set(frame[n])))]
    counts = frame.group_by("y", "a", "b", "site", "land").len().rows()
    known = {tuple(row[:5]): row[5] for row in counts}
    truth = np.array([known.get(one, 0) for one in solver.unknown], dtype=float)
    sums_by_name: dict[str, np.ndarray] = {}
    for place in places:
        sums = {"rows": solver.sum(**place)}
        sums |= {"only a": solver.correct(1, 0, **place), "only b": solver.correct(0, 1, **place)}
        sums |= {
            f"{name} of {model}": cell
            for model in "ab"
            for name, cell in zip(CELLS, solver.cells(model, **place), strict=True)
        }
        sums_by_name |= {f"{name} {place}": wanted for name, wanted in sums.items()}
    small, texts = solver.following(sums_by_name.items(), truth, frame.height)
    return small, [*result, *texts]
