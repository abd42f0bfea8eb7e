"""The counts that results would tell of a model: its confusion tables, whole and by slice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.results.model import Results

COUNTS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, slots=True)
class Least:
    """The smallest count that may be published; 0 may be, as it names no one."""

    count: int

    def allows(self, counts: Iterable[float | None]) -> bool:
        """Whether none of the counts lies between 1 and the smallest.

        >>> Least(5).allows([0, 5, 12]), Least(5).allows([4, 12]), Least(5).allows([None])
        (True, False, False)
        """
        return all(n is not None and (n == 0 or n >= self.count) for n in counts)


def least(results: Results, smallest: int) -> Least:
    """Return the smallest count of rows that stands for enough examples.

    Where an example stands for several rows, in repeats or as a group, that many
    rows may be one example.
    """
    evaluation, groups = results.data.get("evaluation"), results.data.get("groups")
    repeats = (evaluation and evaluation["repeats"]) or 1
    largest = (groups and groups["largest"]) or 1
    return Least(smallest * repeats * largest)


def of_model(results: Results, model: str) -> list[float | None]:
    """Return every count of the confusion table of a model over all rows; None if unknown."""
    if results.data["task"] == "regression":
        return []
    table = results.curves.get("confusion")
    of_all = pl.col("slice").is_null() & (pl.col("model") == model)
    cells = [] if table is None else table.filter(of_all)["count"].to_list()
    rows = results.metrics.filter(of_all & pl.col("metric").is_in(COUNTS))
    return [*cells, *rows["value"].to_list()] or [None]


def of_slice(results: Results, name: str, models: Sequence[str]) -> list[list[float | None]]:
    """Return the counts of a slice: its rows and classes, then four cells of each model."""
    row = results.slices.filter(pl.col("slice") == name).row(0, named=True)
    sizes: list[float | None] = [row["rows"]]
    if row["positives"] is not None:
        sizes += [row["positives"], row["rows"] - row["positives"]]
    of_it = results.metrics.filter((pl.col("slice") == name) & pl.col("metric").is_in(COUNTS))
    tables: list[list[float | None]] = []
    for model in models:
        rows = of_it.filter(pl.col("model") == model)
        values = dict(zip(rows["metric"], rows["value"], strict=True))
        tables.append([values.get(count) for count in COUNTS])
    return [sizes, *tables]
