"""What models of several classes and of several labels know of the groups of their rows."""

from __future__ import annotations

from functools import cached_property

import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Groups


class ModelRows:
    """Groups and weights of the rows of a model."""

    rows: pl.DataFrame
    weight: str | None
    grouped: bool

    @cached_property
    def by_group(self) -> Groups | None:
        """The groups of the rows, where the rows of a group depend on each other."""
        return Groups.of(self.rows["group"]) if self.grouped else None

    @property
    def weights(self) -> Floats | None:
        """The weights of the rows, where they have any."""
        return self.rows[self.weight].cast(pl.Float64).to_numpy() if self.weight else None
