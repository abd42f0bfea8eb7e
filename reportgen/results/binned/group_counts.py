"""Counts of rows in groups with their meaning: lines of rows that are alike, sums by group."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Self

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clustered_areas import ClassesByGroup
from reportgen.clusters import Effect, Groups, correction, effect_of_sums
from reportgen.comparisons import AreaCovariance
from reportgen.comparisons.grouped import mean_difference_in_groups
from reportgen.comparisons.paired import Mean
from reportgen.engines.group_counting import (
    OF_LOSSES,
    PLACED,
    SIDES,
    SQUARES,
    kind,
    kinds,
    sum_column,
)
from reportgen.engines.partial import ALL, FITS, SCALE
from reportgen.engines.plan import Placements
from reportgen.intervals import LossVariance
from reportgen.measuring.grouped import effect_of_parts
from reportgen.measuring.kernels.loss_variances import foreseen_variance
from reportgen.measuring.slices import label
from reportgen.metrics.row_losses import LOSSES
from reportgen.predictions.column_names import slice_column
from reportgen.results.binned.sweeps import Sweeps
from reportgen.sweeping import as_ranking

ScopeAndPart = tuple[int, str]
"""A slicing (or all rows), and a part of it."""


@dataclass(frozen=True)
class Lines:
    """Rows of a part that are alike in group, truth and decisions: a line for so many."""

    frame: pl.DataFrame
    names: pl.Series

    @cached_property
    def groups(self) -> Groups:
        """The group of each line, and its rows."""
        code = self.frame["group"].to_numpy()
        counts = self.frame["rows"].cast(pl.Float64).to_numpy()
        return Groups(code, len(self.names), counts)


@dataclass(frozen=True)
class GroupCounts:
    """Merged counts by group.

    ``lines`` has ``group rows``, ``positive`` and a column of each decision, in the order of the
    groups, ``sums`` those of what rows lose by the hash of what they are sums of.
    """

    lines: Mapping[ScopeAndPart, pl.DataFrame]
    sums: Mapping[int, pl.DataFrame]
    _known: dict[ScopeAndPart, Lines] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, groups: pl.DataFrame, sums: pl.DataFrame, decisions: pl.DataFrame) -> Self:
        """From the tables of a partial; ``decisions`` has the columns of each ``kind``."""
        lines = _with_kind(groups).join(
            decisions.drop("rows"), on="kind", how="inner", maintain_order="left"
        )
        lines = lines.drop("kind").sort("group", maintain_order=True)
        parts = lines.partition_by("scope", "part", as_dict=True)
        return cls(
            {
                (int(scope), str(part)): rows.drop("scope", "part")
                for (scope, part), rows in parts.items()
            },
            _by_kind(sums),
        )

    def lines_of(self, scope: int = ALL, part: str = "[]") -> Lines:
        """The lines of a part, by group."""
        place = scope, part
        if place not in self._known:
            self._known[place] = _numbered(self.lines[place])
        return self._known[place]

    def lines_of_slices(self, slicing: tuple[int, Sequence[str]], labels: Sequence[str]) -> Lines:
        """The lines of some slices of a slicing, which have their values in its columns."""
        scope, columns = slicing
        chosen = {
            (of_scope, part): rows
            for (of_scope, part), rows in self.lines.items()
            if of_scope == scope and label(columns, json.loads(part)) in labels
        }
        together = _with_values(chosen, scope, list(map(slice_column, columns)))
        return _numbered(together.sort("group", maintain_order=True))

    @cached_property
    def single(self) -> bool:
        """Whether each row that is evaluated is a group of its own."""
        return self.lines_of().groups.single

    def _sums(self, name: str, place: ScopeAndPart) -> pl.DataFrame | None:
        return self.sums.get(kind(*place, name))

    def _by_group(self, name: str, place: ScopeAndPart, columns: Sequence[str]) -> Floats | None:
        """Some sums of each group of a part, in the order of the groups (sum × group)."""
        table = self._sums(name, place)
        if table is None:
            return None
        names = pl.DataFrame({"group": self.lines_of(*place).names})
        chosen = table.select("group", *columns)
        joined = names.join(chosen, on="group", how="left", maintain_order="left")
        sums = joined.select(pl.col(columns).fill_null(0))
        return np.ascontiguousarray(sums.to_numpy().T)

    def lost(self, model: int, place: ScopeAndPart = (ALL, "[]")) -> dict[str, Floats]:
        """What the rows of each group of a part lose, by measure, in the order of the groups."""
        columns = [sum_column(model, name) for name in LOSSES]
        sums = self._by_group(OF_LOSSES, place, columns)
        return {} if sums is None else dict(zip(LOSSES, sums / SCALE, strict=True))

    def losses(self, model: int, place: ScopeAndPart, sweeps: Sweeps) -> dict[str, LossVariance]:
        """Variances of finite mean losses if rows were independent, and the effect of groups."""
        groups, ranking = self.lines_of(*place).groups, as_ranking(sweeps.near())
        rows = groups.rows
        if rows < 2 or not ranking.probabilities:
            return {}
        result: dict[str, LossVariance] = {}
        lost, whole = self.lost(model, place), self._sums(SQUARES, place)
        if whole is None:
            return {}
        squares = {name: whole[sum_column(model, name)].item() for name in LOSSES}
        for name in finite_losses(sweeps):
            by_group = lost[name]
            mean = float(by_group.sum()) / rows
            away = max(squares[name] / SCALE - rows * mean**2, 0.0)
            effect = effect_of_sums(by_group - mean * groups.sizes, away, rows, groups.sizes)
            scale = correction(rows) / rows**2
            foreseen = partial(foreseen_variance, ranking, name, scale)
            result[name] = LossVariance.of(scale * away, foreseen, effect)
        return result

    def mean_difference(self, first: int, second: int, name: str) -> Mean:
        """Mean over the rows of what the first model loses less what the second does."""
        groups = self.as_rows()
        a, b = (self.lost(model)[name] / groups.sizes for model in (first, second))
        return mean_difference_in_groups(a, b, groups)

    def as_rows(self, place: ScopeAndPart = (ALL, "[]")) -> Groups:
        """The groups of a part, with one row for all of its own."""
        sizes = self.lines_of(*place).groups.sizes.astype(np.float64)
        return Groups(np.arange(len(sizes)), len(sizes), sizes)

    def placed(
        self, model: int, sweeps: Sweeps, place: ScopeAndPart = (ALL, "[]")
    ) -> Placed | None:
        """The places of a model's scores; null where no second pass counted them."""
        sums = self._by_group(PLACED, place, [sum_column(model, side) for side in SIDES])
        if sums is None:
            return None
        lines = self.lines_of(*place)
        classes = ClassesByGroup(lines.frame["positive"].to_numpy(), lines.groups)
        return Placed.of(sums, placements_of(sweeps), classes)

    def with_sums(self, more: pl.DataFrame) -> GroupCounts:
        """The same with further sums."""
        return replace(self, sums={**self.sums, **_by_kind(as_floats(more))})

    def parts(self, columns: Sequence[str]) -> pl.DataFrame:
        """The groups of each part of an evaluation, which has its values in ``columns``."""
        return _with_values(self.lines, FITS, columns).select("group", *columns)


def _with_values(
    lines: Mapping[ScopeAndPart, pl.DataFrame], scope: int, columns: Sequence[str]
) -> pl.DataFrame:
    tables = [
        rows.with_columns(
            pl.lit(value, pl.String).alias(name)
            for name, value in zip(columns, json.loads(part), strict=True)
        )
        for (of_scope, part), rows in lines.items()
        if of_scope == scope
    ]
    return pl.concat(tables)


def finite_losses(sweeps: Sweeps) -> list[str]:
    """The mean losses that are finite: a certain forecast that is wrong has no finite log loss."""
    wrong = (pl.col("positive") & (pl.col("low") <= 0)) | (
        ~pl.col("positive") & (pl.col("high") >= 1)
    )
    certain = sweeps.cells.filter(pl.col("rows") > 0).select(wrong.any()).item()
    return [name for name in LOSSES if not (certain and name == "log_loss")]


def _numbered(frame: pl.DataFrame) -> Lines:
    """The lines, which are in the order of their groups, with numbers of these."""
    code = (
        (frame["group"] != frame["group"].shift()).fill_null(value=False).cast(pl.Int64).cum_sum()
    )
    return Lines(frame.with_columns(group=code), frame["group"].unique(maintain_order=True))


@dataclass(frozen=True)
class CellPlaces:
    """The rows of each cell, in ascending order, by class, and twice those of the other below."""

    rows: tuple[Floats, Floats]
    below: tuple[Floats, Floats]


def placements_of(sweeps: Sweeps) -> CellPlaces:
    """The places of the scores in the cells of a model, as if those of a cell were tied."""
    positives, negatives = (
        np.diff(sweeps.at[name].to_numpy())[::-1].copy() for name in ("tp", "fp")
    )
    below = [2 * (rows.cumsum() - rows) + rows for rows in (negatives, positives)]
    return CellPlaces((positives, negatives), (below[0], below[1]))


def counted_places(sweeps: Sweeps, model: int, positive: str, place: ScopeAndPart) -> Placements:
    """The places that a second pass over the rows adds up by group."""
    below = [side.astype(np.int64) for side in placements_of(sweeps).below]
    keys = sweeps.keys.reverse().to_numpy()
    return Placements(model, positive, keys, below[0], below[1], *place)


@dataclass(frozen=True)
class Placed:
    """What the rows of each group add to an AUC, by class (class × group), and their squares."""

    sums: Floats
    squares: Floats
    area: float
    classes: ClassesByGroup

    @classmethod
    def of(cls, sums: Floats, cells: CellPlaces, classes: ClassesByGroup) -> Placed:
        """From sums of places by class and group."""
        totals = np.array([rows.sum() for rows in cells.rows])
        means = np.array(
            [(r * b).sum() / n for r, b, n in zip(cells.rows, cells.below, totals, strict=True)]
        )
        away = [
            float((r * (b - m) ** 2).sum())
            for r, b, m in zip(cells.rows, cells.below, means, strict=True)
        ]
        scale = np.array([0.5, -0.5]) / totals[::-1]
        around = (sums - means[:, None] * classes.sizes) * scale[:, None]
        return cls(around, np.array(away) * scale**2, float(means[0] * scale[0]), classes)

    @property
    def effect(self) -> Effect:
        """Of the groups on the AUC: Obuchowski's variance over DeLong's."""
        return effect_of_parts(self.sums, self.squares, self.classes)


def area_covariance(placed: Sequence[Placed]) -> AreaCovariance:
    """AUCs of models on the same rows in groups, and their covariance after Obuchowski."""
    sizes = placed[0].classes.sizes
    side, group = np.nonzero(sizes)
    counts = sizes[side, group].astype(np.float64)
    deviations = np.column_stack([p.sums[side, group] / counts for p in placed])
    groups = Groups(group.astype(np.int64), sizes.shape[1], counts)
    areas = np.array([p.area for p in placed])
    return AreaCovariance.in_groups(areas, deviations, ClassesByGroup(side == 0, groups))


def _with_kind(lines: pl.DataFrame) -> pl.DataFrame:
    return lines.with_columns(kind=pl.col("line") ^ pl.col("group")).drop("line")


def as_floats(sums: pl.DataFrame) -> pl.DataFrame:
    """Sums that are read as numbers."""
    return sums.cast({pl.Int128: pl.Float64, pl.Int64: pl.Float64})


def _by_kind(sums: pl.DataFrame) -> dict[int, pl.DataFrame]:
    lines = _with_kind(sums)
    if lines["kind"].n_unique() == 1:  # of many measures a second copy is much memory
        return {int(lines["kind"][0]): lines.drop("kind")}
    tables = lines.partition_by("kind", as_dict=True, include_key=False)
    return {int(k): rows for (k,), rows in tables.items()}


def plain_kinds(decisions: pl.DataFrame) -> pl.DataFrame:
    """The parts that rows were counted by, with the hashes of their ``kind``."""
    parts = decisions.select("scope", "part").unique()
    hashed = [
        rows.with_columns(
            pl.Series("kind", kinds(int(scope), rows.select("part", a=pl.lit(""), b=pl.lit("{}"))))
        )
        for (scope,), rows in parts.partition_by("scope", as_dict=True).items()
    ]
    return pl.concat(hashed).with_columns(rows=pl.lit(0))


def kinds_of(raw: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """The decisions with the hashes of their ``kind``, and the parts of an evaluation.

    ``raw`` are the decisions as they were counted.
    """
    parts = [decisions.clear().with_columns(kind=pl.lit(0, pl.UInt64))]
    for (scope,), texts in raw.partition_by("scope", as_dict=True).items():
        if scope == FITS:
            of_scope = texts.select("scope", "part").unique()
            columns = of_scope.select("part", truth=pl.lit(""), decisions=pl.lit("{}"))
        else:
            of_scope = decisions.filter(scope=scope)
            columns = texts.select("part", "truth", "decisions")
        hashes = pl.Series("kind", kinds(int(scope), columns))
        parts.append(of_scope.with_columns(hashes))
    return pl.concat(parts, how="diagonal")
