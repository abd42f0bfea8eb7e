"""What models of several classes and of several labels know of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.measuring.interval_methods import DEFAULT
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.predictions import ModelColumns
from reportgen.spec.option_groups import Intervals


@dataclass(frozen=True)
class ModelRows:
    """Columns, groups and weights of the rows of a model, and whose its numbers are.

    ``classes`` are those of the truth, or the labels.
    """

    columns: ModelColumns
    rows: pl.DataFrame
    classes: Sequence[str]
    weight: str | None = None
    slice: str | None = None
    repeats: float = 1
    methods: Intervals = DEFAULT
    grouped: bool = False
    confidence: float = 0.95

    @property
    def name(self) -> str:
        """The model's name."""
        return self.columns.name

    @property
    def number(self) -> MetricSubject:
        """Whose the numbers of the model are."""
        return MetricSubject(
            self.name,
            self.slice,
            weighted=self.weight is not None or self.repeats > 1,
            grouped=self.grouped,
            confidence=self.confidence,
        )

    @cached_property
    def by_group(self) -> Groups | None:
        """The groups of the rows, where the rows of a group depend on each other."""
        return Groups.of(self.rows["group"]) if self.grouped else None

    @property
    def weights(self) -> Floats | None:
        """The weights of the rows, where they have any."""
        return self.rows[self.weight].cast(pl.Float64).to_numpy() if self.weight else None
