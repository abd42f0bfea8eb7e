"""The counts that results would tell of a model, and the slices that are withheld for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.measuring.context import EvaluationContext, Losses
from reportgen.measuring.slices import label
from reportgen.metric_names import CELLS
from reportgen.predictions.column_names import slice_column
from reportgen.records.model import Results

_PREDICTED = "predicted:"
_OF_ALL_CLASSES = pl.col("class").is_null() & pl.col("average").is_null()


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


@dataclass(frozen=True, slots=True)
class Cells:
    """How many rows stand behind the numbers of each model.

    ``whole`` has every cell of its confusion tables over all rows, None where that is not known;
    ``tables`` its four cells of two classes, by slice (None: all rows); ``errors`` its errors
    where there are several classes.
    """

    whole: Mapping[str, Sequence[float | None]]
    tables: Mapping[tuple[str | None, str], Sequence[float | None]]
    errors: Mapping[str, int]

    def table(self, name: str | None, model: str) -> Sequence[float | None]:
        """True and false positives, false and true negatives; None where they are not known."""
        return self.tables.get((name, model), (None,) * len(CELLS))


def of_results(results: Results) -> Cells:
    """The counts that the numbers of unweighted rows are."""
    names = results.models
    counts = results.metrics.filter(pl.col("metric").is_in(CELLS))
    tables: dict[tuple[str | None, str], dict[str, float | None]] = {}
    for row in counts.filter(_OF_ALL_CLASSES).iter_rows(named=True):
        tables.setdefault((row["slice"], row["model"]), {})[row["metric"]] = row["value"]
    return Cells(
        {name: _whole(results, counts, name) for name in names},
        {key: [cells.get(count) for count in CELLS] for key, cells in tables.items()},
        _errors(results) if results.task.several_classes else {},
    )


def _whole(results: Results, counts: pl.DataFrame, model: str) -> list[float | None]:
    if results.task.of_numbers:
        return []
    of_all = pl.col("slice").is_null() & (pl.col("model") == model)
    table = results.curves.get("confusion")
    cells = [] if table is None else table.filter(of_all)["count"].to_list()
    return [*cells, *counts.filter(of_all)["value"].to_list()] or [None]


def _errors(results: Results) -> dict[str, int]:
    rows = results.data["rows_evaluated"]
    of_all = (pl.col("metric") == "error_rate") & pl.col("slice").is_null() & _OF_ALL_CLASSES
    rates = results.metrics.filter(of_all, pl.col("value").is_not_null())
    return {model: round(rate * rows) for model, rate in rates.select("model", "value").rows()}


def of_rows(context: EvaluationContext, losses: Losses) -> Cells:
    """The counts behind sums of weights, from the decisions on the rows."""
    task, rows = context.task, context.rows
    names = [model.name for model in context.predictions.models]
    if task.of_numbers or not losses.predicted:
        published: list[float | None] = [] if task.of_numbers else [None]
        return Cells(dict.fromkeys(names, published), {}, {})
    tables: dict[tuple[str | None, str], Sequence[float | None]] = {}
    whole: dict[str, Sequence[float | None]] = {}
    errors: dict[str, int] = {}
    for name in names:
        predicted = losses.predicted[name]
        decided = rows.filter(predicted.is_not_null()).with_columns(predicted.alias(_PREDICTED))
        whole[name] = decided.group_by("truth", _PREDICTED).len()["len"].to_list()
        if task.two_classes:
            tables |= _of_two_classes(decided, name, context.slicings)
        else:
            errors[name] = decided.filter(pl.col("truth") != pl.col(_PREDICTED)).height
    return Cells(whole, tables, errors)


def _of_two_classes(
    rows: pl.DataFrame, model: str, slicings: Iterable[Sequence[str]]
) -> Iterator[tuple[tuple[str | None, str], list[float | None]]]:
    truth, positive = pl.col("truth"), pl.col(_PREDICTED)
    cells = (positive & truth, positive & ~truth, ~positive & truth, ~positive & ~truth)
    sums = [cell.sum().cast(pl.Float64).alias(c) for c, cell in zip(CELLS, cells, strict=True)]
    yield (None, model), list(rows.select(sums).row(0))
    for columns in slicings:
        for part in rows.group_by(slice_column(name) for name in columns).agg(sums).iter_rows():
            values = part[: len(columns)]
            yield (label(columns, values), model), list(part[len(columns) :])


def of_slice(
    results: Results, cells: Cells, name: str, models: Sequence[str]
) -> list[Sequence[float | None]]:
    """Return the counts of a slice: its rows and classes, then four cells of each model."""
    row = results.slices.filter(pl.col("slice") == name).row(0, named=True)
    sizes: list[float | None] = [row["rows"]]
    if row["positives"] is not None:
        sizes += [row["positives"], row["rows"] - row["positives"]]
    if results.task.of_numbers:
        return [sizes]
    return [sizes, *(cells.table(name, model) for model in models)]


SliceCounts = list[Sequence[float | None]]


def withheld(results: Results, cells: Cells, models: Sequence[str], least: Least) -> set[str]:
    """Return the slices that stay unpublished.

    The only slicing of a report loses the slices with a small count and, so that
    these do not follow as the difference from all rows, the next smallest ones,
    until what is left out has no small count together. Of several slicings one with
    a small count is left out as a whole: its sums may stand in the others, as where
    every site lies in one country.
    """
    by_slicing: dict[tuple[str, ...], list[str]] = {}
    for row in results.slices.iter_rows(named=True):
        by_slicing.setdefault(tuple(row["slicing"]), []).append(row["slice"])
    if results.task.by_class:
        return {name for names in by_slicing.values() for name in names}
    gone: set[str] = set()
    for names in by_slicing.values():
        counts = {name: of_slice(results, cells, name, models) for name in names}
        gone |= _withheld(counts, least, several=len(by_slicing) > 1)
    return gone


def _withheld(counts: dict[str, SliceCounts], least: Least, *, several: bool) -> set[str]:
    small = [name for name in counts if not all(least.allows(table) for table in counts[name])]
    if not small:
        return set()
    others = sorted((n for n in counts if n not in small), key=lambda n: counts[n][0][0] or 0)
    while others and not several and not _hidden([counts[name] for name in small], least):
        small.append(others.pop(0))
    return set(counts) if several or not others else set(small)


def _hidden(left_out: Sequence[SliceCounts], least: Least) -> bool:
    """Whether slices hide each other: two or more, and none of their sums is small."""
    if len(left_out) < 2:
        return False
    for tables in zip(*left_out, strict=True):
        for cells in zip(*tables, strict=True):
            sizes = [n for n in cells if n is not None]
            if len(sizes) < len(cells) or not least.allows([sum(sizes)]):
                return False
    return True
