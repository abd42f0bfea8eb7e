"""Square-and-add: limits of a function of counts from the limits of the shares in it.

A table of counts is three shares: of a class (or of what is predicted) among
all rows, and of the correct rows on either side. Each has a score interval
that holds at 0 and 1 too, and so has what is made of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats
from reportgen.intervals.delta import SQUARES
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.intervals.shapes import (
    ArrayInterval,
    ArrayLimits,
    Estimate,
    EstimateArrays,
    Interval,
    effective_trials,
)
from reportgen.metric_names import CELLS
from reportgen.small_queries import selected

Given = Literal["truth", "prediction"]

_SIDES: dict[Given, tuple[tuple[int, int], tuple[int, int]]] = {
    "truth": ((0, 2), (3, 1)),
    "prediction": ((0, 1), (3, 2)),
}
"""The positive and the negative side, each with its correct cell first; cells as in ``CELLS``."""


UNLIKE = 1.25
"""Mean weights of two classes that differ by this factor are of a sample taken by class."""


@dataclass(frozen=True, slots=True)
class SquareAndAdd(ArrayInterval):
    """Value ∓ √Σ(distance)², over the shares that the value is made of.

    ``given`` says which those are: recall, specificity and the prevalence, or
    precision, negative predictive value and the share of predicted positives.
    A distance is how far the value moves where one share goes to its lower or
    upper modified Wilson limit and the others stay; those in one direction are squared
    and added. For balanced accuracy that is Newcombe's method for a difference
    of two independent shares, with these limits of each. Weighted rows
    count by their effective size, side by side. ``scale="log"`` does the same for
    the logarithm of a positive value. ``even`` is for the least of several values, which falls
    whichever way a share goes where they are alike: the larger distance holds on both sides.
    ``classical`` is the interval that ``ratios: delta`` names; None: the bootstrap.

    A side without rows has any share from 0 to 1, and ½ where another share moves: the
    limits and the centre of an interval of no trials. Where all predictions are the same the
    shares are those of the truth, though those of the predictions are ``given``: of a single
    predicted class nothing says how far kappa may lie below 0. So they are where rows of one true
    class weigh ``UNLIKE`` times as much as the others, as where cases were sampled more often: the
    rows of a prediction then do not tell what a missing one weighs. Null where the value is null.
    Newcombe (1998), method 10,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I;
    Zou & Donner (2008), doi:10.1002/sim.3095.
    """

    items: ClassVar[int] = 2
    given: Given
    classical: Interval | None
    bounds: tuple[float, float] = (0, 1)
    scale: Literal["plain", "log"] = "plain"
    even: bool = False
    name: str = "square-and-add"

    @property
    def kind(self) -> Hashable:
        """Those with the same bounds are alike."""
        return SquareAndAdd, self.bounds

    @property
    def spread_type(self) -> pl.DataType:
        """The values at the ends of each share."""
        return pl.List(pl.Float64)

    @property
    def groups_in_spread(self) -> bool:
        """Its shares are of as many rows as those in groups are worth."""
        return True

    def estimate(self, value: pl.Expr, confidence: float) -> Estimate:
        """The value, and how far it may lie below and above."""

        def distances(rows: pl.Series) -> pl.Series:
            return added_distances(rows.struct.unnest(), {"value": (value, self)}, confidence)[
                "value"
            ]

        spread = pl.struct(*CELLS, *SQUARES).map_batches(
            distances, return_dtype=self.spread_type, is_elementwise=True
        )
        return Estimate(value, spread, confidence)

    def ends(self, estimates: EstimateArrays) -> ArrayLimits:
        """Lower and upper limit around the value, from its distances at this confidence."""
        values, (below, above) = estimates.values, estimates.spread
        return np.clip(values - below, *self.bounds), np.clip(values + above, *self.bounds)


def added_distances(
    frame: pl.DataFrame, values: Mapping[str, tuple[pl.Expr, SquareAndAdd]], confidence: float
) -> pl.DataFrame:
    """For each row of counts and each value its distances below and above, null where undefined."""
    columns = distances_of_rows(frame, values, confidence)
    return pl.DataFrame(
        {name: as_lists(both) for name, both in columns.items()},
        dict.fromkeys(columns, pl.List(pl.Float64)),
    )


def as_lists(distances: Floats) -> list[list[float] | None]:
    """Distances below and above of each row, None where they are undefined."""
    undefined = np.isnan(distances[:, 0]).tolist()
    return [None if no else both for both, no in zip(distances.tolist(), undefined, strict=True)]


def distances_of_rows(
    frame: pl.DataFrame, values: Mapping[str, tuple[pl.Expr, SquareAndAdd]], confidence: float
) -> dict[str, Floats]:
    """The same as arrays of row × side, NaN where undefined.

    All values are evaluated in one frame: every row, then the row at both limits of each share.
    """
    counts, squares = (frame.select(n).cast(pl.Float64).to_numpy() for n in (CELLS, SQUARES))
    tables = [counts]
    for given in _SIDES:
        shares, trials = _shares(counts, squares, given)
        limits = [modified_wilson(*of, confidence) for of in zip(shares, trials, strict=True)]
        tables += _at_limits(counts, given, shares, limits)
    cells = pl.DataFrame(np.concatenate(tables), schema=CELLS, orient="row")
    estimates = selected(cells, {name: value for name, (value, _) in values.items()})
    shape = (len(tables), len(counts))
    columns = dict[str, Floats]()
    for name, (_, interval) in values.items():
        every = estimates[name].cast(pl.Float64).to_numpy().reshape(shape)
        ends = {given: every[1 + 6 * k : 7 + 6 * k] for k, given in enumerate(_SIDES)}
        moved = ends[interval.given]
        if interval.given == "prediction":
            known = _one_sided(counts) | _weighted_by_class(counts, squares)
            moved = np.where(known, ends["truth"], moved)
        both = _distances(every[0], moved, interval.scale)
        columns[name] = np.tile(both.max(axis=1, keepdims=True), 2) if interval.even else both
    return columns


def _one_sided(counts: Floats) -> Flags:
    """Whether all predictions of a table are the same, though both classes occur."""
    predicted, actual = (
        [counts[:, list(side)].sum(axis=1) for side in _SIDES[given]]
        for given in ("prediction", "truth")
    )
    alike: Flags = (np.minimum(*predicted) <= 0) & (np.minimum(*actual) > 0)
    return alike


def _weighted_by_class(counts: Floats, squares: Floats) -> Flags:
    """Whether rows of one true class weigh far more than those of the other."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (
            squares[:, list(side)].sum(axis=1) / counts[:, list(side)].sum(axis=1)
            for side in _SIDES["truth"]
        )
        apart: Flags = np.maximum(first, second) > UNLIKE * np.minimum(first, second)
    return apart


def _shares(counts: Floats, squares: Floats, given: Given) -> tuple[list[Floats], list[Floats]]:
    """The three shares of the counts, and of how many trials each is."""
    sides = [list(side) for side in _SIDES[given]]
    totals = np.column_stack([counts[:, side].sum(axis=1) for side in sides])
    parts = [totals, *(counts[:, side] for side in sides)]
    weights = [np.column_stack([squares[:, side].sum(axis=1) for side in sides])]
    weights += [squares[:, side] for side in sides]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [np.nan_to_num(part[:, 0] / part.sum(axis=1), nan=0.5) for part in parts]
        trials = [
            effective_trials(*part.T, *weight.T)
            for part, weight in zip(parts, weights, strict=True)
        ]
    return shares, trials


def _at_limits(
    counts: Floats, given: Given, shares: Sequence[Floats], limits: Sequence[ArrayLimits]
) -> list[Floats]:
    """The counts with one of their shares at its lower or its upper limit."""
    sides, tables = [list(side) for side in _SIDES[given]], []
    for k, ends in enumerate(limits):
        for bound, limit in enumerate(ends):
            end = np.where(np.isnan(limit), float(bound), limit)
            split, first, second = (end if k == j else share for j, share in enumerate(shares))
            table = np.empty_like(counts)
            table[:, sides[0]] = split[:, None] * np.column_stack([first, 1 - first])
            table[:, sides[1]] = (1 - split)[:, None] * np.column_stack([second, 1 - second])
            tables.append(table * counts.sum(axis=1, keepdims=True))
    return tables


def _distances(value: Floats, ends: Floats, scale: str) -> Floats:
    """Distance below and above of each value, from the values at the ends of its shares."""
    logs = (scale == "log") & (value > 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        centre, moved = np.where(logs, np.log(value), value), np.where(logs, np.log(ends), ends)
        moves = np.nan_to_num(moved - centre, nan=0.0).reshape(3, 2, -1)
        below = np.sqrt((np.maximum(-moves, 0).max(axis=1) ** 2).sum(axis=0))
        above = np.sqrt((np.maximum(moves, 0).max(axis=1) ** 2).sum(axis=0))
        below = np.where(logs, value * -np.expm1(np.where(logs, -below, 0)), below)
        above = np.where(logs, value * np.expm1(np.where(logs, above, 0)), above)
    both = np.column_stack([below, above])
    both[np.isnan(value)] = np.nan
    return both
