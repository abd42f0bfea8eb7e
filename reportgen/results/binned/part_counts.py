"""Sizes of the parts that rows were counted by, and the slices among them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from reportgen.engines.partial import ALL, Facts, from_fixed_point
from reportgen.engines.plan import Plan
from reportgen.measuring import slices
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import MOST_SLICE_VALUES
from reportgen.predictions.files import DataFile
from reportgen.predictions.source import Source
from reportgen.records.rows import SkippedRecord
from reportgen.results.binned.group_counts import GroupCounts, Lines
from reportgen.spec import Spec
from reportgen.tables.results import MetricRow, SliceSizeRow


@dataclass(frozen=True)
class PartCounts:
    """Rows and weights of every part; ``decisions`` has ``scope part rows mass``."""

    spec: Spec
    models: tuple[ModelColumns, ...]
    facts: Facts
    decisions: pl.DataFrame
    groups: GroupCounts | None = field(default=None, kw_only=True)

    @property
    def dependent(self) -> GroupCounts | None:
        """The groups, where one has several rows, which depend on each other."""
        return None if self.groups is None or self.groups.single else self.groups

    def lines_of(self, scope: int = ALL, part: str = "[]") -> Lines | None:
        """The rows of a part by group, where rows depend on each other."""
        return None if self.dependent is None else self.dependent.lines_of(scope, part)

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.spec.columns.weight is not None

    @property
    def weight_total(self) -> float | None:
        """The weights of the rows that are evaluated; null without weights."""
        test_rows = self.decisions.filter(scope=ALL)
        return float(test_rows["mass"].sum()) if self.weighted else None

    @property
    def effective_size(self) -> float:
        """How many rows that count once the evaluated rows are worth."""
        test_rows = self.decisions.filter(scope=ALL)
        if not self.weighted:
            return float(test_rows["rows"].sum())
        return float(test_rows["mass"].sum()) ** 2 / float(test_rows["mass2"].sum())

    def rows(self, scope: int = ALL, part: str = "[]") -> int:
        """How many rows there are, whatever they weigh."""
        return int(self.decisions.filter(scope=scope, part=part)["rows"].sum())

    def size(self, scope: int = ALL, part: str = "[]") -> tuple[int, int | None]:
        """How many rows there are, and how many are positive; null without a positive class."""
        return self.rows(scope, part), None

    def parts(self, scope: int) -> Iterator[tuple[str, tuple[str | None, ...]]]:
        """The parts of a slice with their values, in the order in which a report shows them."""
        names = self.decisions.filter(scope=scope)["part"].unique().to_list()
        parts = [(part, tuple(json.loads(part))) for part in names]
        yield from sorted(parts, key=lambda item: slices.in_order(item[1]))


SlicingRows = tuple[int, tuple[str, ...], list[tuple[str, tuple[str | None, ...]]] | None]
"""The place of a slicing, its columns and its parts; no parts where they are too many."""


def slicings(counted: PartCounts) -> Iterator[SlicingRows]:
    """Every slicing that was counted."""
    for scope, columns in enumerate(counted.spec.slicings):
        parts = list(counted.parts(scope))
        left_out = scope in counted.facts["too_many"] or len(parts) > MOST_SLICE_VALUES
        yield scope, columns, None if left_out else parts


def slice_sizes(counted: PartCounts) -> list[SliceSizeRow]:
    """The slices with their sizes; of every model the same rows are counted."""
    records = []
    for scope, columns, parts in slicings(counted):
        for part, values in parts or ():
            rows, positives = counted.size(scope, part)
            of_class = None if positives is None else float(positives)
            records.append(slices.record(columns, values, float(rows), of_class))
    return records


def numbers_of_slices(
    counted: PartCounts, numbers_of: Callable[[int, int, str, str], list[MetricRow]]
) -> tuple[list[MetricRow], list[SkippedRecord]]:
    """The numbers of every model in every slice, and the slicings with too many slices.

    ``numbers_of`` takes the place of a model, the place of a slicing, a part of it and its label.
    """
    numbers: list[MetricRow] = []
    skipped: list[SkippedRecord] = []
    for scope, columns, parts in slicings(counted):
        if parts is None:
            what, reason = f"slice {', '.join(columns)}", f"more than {MOST_SLICE_VALUES} values"
            skipped.append({"what": what, "model": None, "reason": reason})
            continue
        for part, values in parts:
            label = slices.label(columns, values)
            for k in range(len(counted.models)):
                numbers += numbers_of(k, scope, part, label)
    return numbers, skipped


def title_of(files: Sequence[DataFile]) -> str:
    """What names the files together."""
    return Source(tuple(f.name for f in files), ()).title


def masses(plan: Plan, names: tuple[str, str]) -> dict[str, pl.Expr]:
    """Sums of weights and of their squares, or the rows themselves."""
    rows = pl.col("rows").cast(pl.Float64)
    return {
        name: from_fixed_point(pl.col(weight)) if plan.weighted else rows
        for name, weight in zip(names, ("weight", "weight2"), strict=True)
    }
