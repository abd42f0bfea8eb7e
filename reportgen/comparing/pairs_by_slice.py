"""Differences between two models slice by slice: where one is better, and whether that varies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Flags, Floats
from reportgen.clusters import Groups, t_quantile
from reportgen.comparing.gap_influences import (
    DIFFERENCE,
    SliceInfluence,
    error_of_moments,
    error_of_part,
    moments_of,
    p_of_moments,
    p_of_parts,
)
from reportgen.comparing.heavy_errors import HEAVY_IN_GROUPS, UNSEEN, most_kurtosis
from reportgen.comparing.slice_against_others import of_groups, of_rows
from reportgen.comparisons import LEAST_P, holm
from reportgen.comparisons.area_covariances import placement_shares
from reportgen.comparisons.simultaneous import possible_ends
from reportgen.measuring.context import EvaluationContext, Losses
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.records.slice_tests import DifferenceInSlice, PairsBySlice, PairVaries

MOST_PAIRS = 6
"""With more pairs of models only those with the baseline are compared by slice."""

OVERLAPPING = "the folds share training rows, so that rows of one slice depend on each other"

NEARLY_PERFECT, ENOUGH = 0.95, 50
"""With an AUC above the first the rarer class is to be worth so many rows, for limits to hold.

Of two models with AUCs of 0.98 and 0.9 simultaneous 95 % limits in six slices, of 30 positives
each, left one true difference out in 0.10 (``tests.simulations.pairs_by_slice``); of 60 in 0.07.
"""

SAME_EVERYWHERE = "the difference is the same for every row of the slice"
FEW_OF_THE_RARER_CLASS = (
    f"their coverage is too low for an AUC above {NEARLY_PERFECT} with so few rows of the rarer "
    "class"
)
RARE_ERRORS = (
    "rare large errors may decide a mean of squared errors in a slice of few rows, or with a few "
    "errors that outweigh the others"
)

ComparedPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairInSlice:
    """The difference of a pair in a slice, its standard error and degrees of freedom.

    These are NaN where no limits hold, for the reason of ``no_limits``.
    """

    slice: str
    rows: int
    part: SliceInfluence
    groups: Groups
    error: float
    freedom: float
    no_limits: str | None = None

    @property
    def varies(self) -> bool:
        """Whether the difference is not the same for all rows."""
        return self.no_limits != SAME_EVERYWHERE


@dataclass(frozen=True, slots=True)
class PairInSlicing:
    """The differences of a pair in the slices of a slicing, and the p that they are alike."""

    pair: ComparedPair
    columns: tuple[str, ...]
    slices: Sequence[PairInSlice]
    p_value: float | None


def pairs_by_slice(
    context: EvaluationContext,
    losses: Losses,
    shares: GroupedShares,
    slices: pl.DataFrame,
    untested: str | None,
) -> list[PairsBySlice]:
    """The differences of every pair by slice in accuracy or squared error, and in AUC.

    Null hypothesis: the difference between two models is the same in all slices of a slicing
    Formula: Welch's t on the differences of a pair of slices, with the groups of the rows where
        they are in groups; of more than two slices as of gaps (``gaps``): lowest against highest
        times the number of pairs of slices, and each against the others times the number of
        slices, twice the smaller one; of errors of estimates the first alone. Holm over pairs of
        models and slicings. Limits of a slice: Student's t, Bonferroni over all slices and pairs;
        none of squared errors that rare errors may decide
    Assumes: independent rows, or independent groups of them, which may have rows in all slices
    Undefined: ``untested`` says why; small slices are left out; no limits where nothing varies
    Reference: Gail & Simon (1985), doi:10.2307/2530862; DeLong et al. (1988), doi:10.2307/2531595
    """
    pairs = _pairs(context, losses)
    if not pairs or not context.slicings:
        return []
    overlap = context.predictions.evaluation
    if overlap.pooled_fits and overlap.training_overlap != "zero":
        untested = untested or OVERLAPPING
    metrics = [losses.measure]
    if len(losses.scores) > 1:
        metrics.append("auc")
    large = slices.filter(~pl.col("small"))
    result = []
    for metric in metrics:
        if untested or large.is_empty():
            result.append(_record(metric, untested, [], context.spec.comparisons.alpha))
            continue
        differences = PairDifferences(shares, losses, metric)
        compared = [
            one
            for columns in context.slicings
            for one in of_slicing(differences, pairs, columns, large)
        ]
        result.append(_record(metric, None, compared, context.spec.comparisons.alpha))
    return result


def _pairs(context: EvaluationContext, losses: Losses) -> list[ComparedPair]:
    """Pairs with the baseline where one is declared; else all, unless they are many."""
    names = sorted(losses.models, key=lambda name: name == context.baseline)
    pairs = list(combinations(names, 2))
    if context.spec.baseline is None and len(pairs) <= MOST_PAIRS:
        return pairs
    return [pair for pair in pairs if context.baseline in pair]


@dataclass(frozen=True)
class PairDifferences:
    """What each row adds to the difference of two models, in one measure."""

    shares: GroupedShares
    losses: Losses
    metric: str

    @cached_property
    def _values(self) -> dict[str, npt.NDArray[Any]]:
        """The scores or losses of each model that has them."""
        rows, losses = self.shares.rows, self.losses
        if self.metric == "auc":
            return {name: rows[score].to_numpy() for name, score in losses.scores.items()}
        return {name: rows.select(of).to_series().to_numpy() for name, of in losses.of.items()}

    def of_slice(
        self, pairs: Sequence[ComparedPair], rows: Flags
    ) -> Iterator[tuple[ComparedPair, SliceInfluence, bool]]:
        """The differences on the rows of a slice, and whether their limits would be too narrow.

        Without those of which a model has none there.
        """
        positive = self.shares.rows["truth"].to_numpy()[rows] if self.metric == "auc" else None
        weights = self.weights_of(rows)
        known = {
            name: values
            for name in self._values.keys() & {name for pair in pairs for name in pair}
            if (values := self._of_model(name, rows, positive, weights)) is not None
        }
        as_they_are = self.metric in (self.losses.error, "auc")
        rough = set() if positive is None else _nearly_perfect(known, positive, weights)
        for pair in pairs:
            if set(pair) <= known.keys():
                first, second = (known[name] for name in pair)
                apart = first - second if as_they_are else second - first
                yield pair, _influence(apart, positive, weights), not rough.isdisjoint(pair)

    def weights_of(self, rows: Flags) -> Floats | None:
        """The weights of the rows of a slice, if rows have any."""
        column = self.shares.weight
        return None if column is None else self.shares.rows[column].to_numpy()[rows].astype(float)

    def inside(self, rows: Flags) -> Flags:
        """The rows of a slice that count: those of weight 0 do not."""
        column = self.shares.weight
        return rows if column is None else rows & (self.shares.rows[column].to_numpy() > 0)

    def _of_model(
        self, name: str, rows: Flags, positive: Flags | None, weights: Floats | None
    ) -> Floats | None:
        """The loss of each row, or of AUC its placement; null where a row has none."""
        values = self._values[name][rows].astype(np.float64)
        if not np.isfinite(values).all():
            return None
        return values if positive is None else placement_shares(values, positive, weights)


def _influence(apart: Floats, positive: Flags | None, weights: Floats | None) -> SliceInfluence:
    """The mean difference, of AUC that of the placements of positives, and what each row adds.

    A row of weight w in a class of total W adds w/W, over 1 − w/W as it pulls the mean (HC3).
    """
    cell = np.zeros(len(apart), np.int64) if positive is None else positive.astype(np.int64)
    counted = np.ones(len(apart), np.bool_) if positive is None else positive
    value = float(np.average(apart[counted], weights=None if weights is None else weights[counted]))
    if weights is None:
        size = np.bincount(cell, minlength=2)[cell]
        return SliceInfluence(value, (apart - value) / size, cell)
    share = weights / np.bincount(cell, weights, 2)[cell]
    pull = np.maximum(1 - share, 1e-9)
    return SliceInfluence(value, share * (apart - value) / pull, cell)


def _nearly_perfect(
    placed: Mapping[str, Floats], positive: Flags, weights: Floats | None
) -> set[str]:
    """The models with so high an AUC that few rows of the rarer class do not tell its limits."""
    if not placed:
        return set()
    of_rows = np.ones(len(positive)) if weights is None else weights
    sides = of_rows[positive], of_rows[~positive]
    if min(float(one.sum()) ** 2 / float(np.square(one).sum()) for one in sides) >= ENOUGH:
        return set()
    areas = {n: np.average(one[positive], weights=sides[0]) for n, one in placed.items()}
    return {name for name, area in areas.items() if area > NEARLY_PERFECT}


def of_slicing(
    differences: PairDifferences,
    pairs: Sequence[ComparedPair],
    columns: tuple[str, ...],
    large: pl.DataFrame,
) -> list[PairInSlicing]:
    """The differences of pairs in the slices of a slicing; without pairs that have none."""
    compared: dict[ComparedPair, list[PairInSlice]] = {pair: [] for pair in pairs}
    for row in large.iter_rows(named=True):
        if tuple(row["slicing"]) != columns:
            continue
        rows = differences.inside(differences.shares.slice(columns, row["slice"]))
        for pair, part, rough in differences.of_slice(pairs, rows):
            one = _in_slice(differences, row["slice"], rows, part)
            if one is not None:
                if rough and one.varies:
                    one = replace(one, freedom=math.nan, no_limits=FEW_OF_THE_RARER_CLASS)
                compared[pair].append(one)
    return [
        PairInSlicing(
            pair, columns, slices, _p_value(differences, [one for one in slices if one.varies])
        )
        for pair, slices in compared.items()
        if slices
    ]


def _in_slice(
    differences: PairDifferences, label: str, rows: Flags, part: SliceInfluence
) -> PairInSlice | None:
    """The difference with what its limits are of; null where these are undefined."""
    groups, count = differences.shares.groups, len(part.influence)
    if not part.influence.any():
        none = Groups(np.arange(count), count)
        return PairInSlice(label, count, part, none, math.nan, math.nan, SAME_EVERYWHERE)
    if groups.single:
        of_slice = within = Groups(np.arange(count), count)
        spread = error_of_moments(moments_of(part))
    else:
        of_slice, within = groups.among(rows), Groups(groups.code[rows], groups.number)
        spread = error_of_part(part, of_slice)
    if spread is None:
        return None
    error, freedom = spread
    if differences.metric != "auc" and differences.losses.kind == "zero_one":
        error *= _wider(part, differences.weights_of(rows))
    why = None
    if differences.losses.kind == "squared" and _may_lack_errors(part, of_slice):
        freedom, why = math.nan, RARE_ERRORS
    return PairInSlice(label, count, part, within, error, freedom, why)


def _may_lack_errors(part: SliceInfluence, groups: Groups) -> bool:
    """Whether a mean of squared errors may rest on few rows, seen or not: it then has no limits."""
    most = most_kurtosis(groups.number) if groups.single else HEAVY_IN_GROUPS
    kurtosis = pl.Series(part.influence).kurtosis(fisher=False)
    return groups.number < UNSEEN or kurtosis is None or kurtosis > most


def _wider(part: SliceInfluence, weights: Floats | None) -> float:
    """By how much half a row more in each cell of the paired table widens limits.

    Agresti & Min (2005), doi:10.1002/sim.1781. Of weighted rows the table is that of their
    effective number (Kish).
    """
    rows = float(len(part.influence))
    share = np.full(len(part.influence), 1 / rows)
    pull: float | Floats = 1.0
    if weights is not None:
        share = weights / weights.sum()
        rows, pull = 1 / float((share**2).sum()), np.maximum(1 - share, 1e-9)
    apart = np.rint(part.influence * pull / share + part.value)
    first, second = (rows * float(share[side].sum()) for side in (apart > 0, apart < 0))

    def variance(more: float) -> float:
        n = rows + 4 * more
        return (first + second + 2 * more - (first - second) ** 2 / n) / n**2

    return math.sqrt(max(1.0, variance(0.5) / variance(0.0)))


def _p_value(differences: PairDifferences, slices: Sequence[PairInSlice]) -> float | None:
    """The p that the difference is the same in all slices; null of a single one."""
    if len(slices) < 2:
        return None
    ends = [pick(slices, key=lambda one: one.part.value) for pick in (min, max)]
    single = differences.shares.groups.single
    if single:
        first, second = (moments_of(one.part) for one in ends)
        of_ends = p_of_moments(DIFFERENCE, first, second)
    else:
        parts = ends[0].part, ends[1].part
        of_ends = p_of_parts(DIFFERENCE, parts, [one.groups for one in ends])
    if of_ends is not None:
        of_ends = min(1.0, max(LEAST_P, of_ends) * comb(len(slices), 2))
    if len(slices) == 2 or differences.losses.kind == "squared":
        return of_ends
    if single:
        others = of_rows({one.slice: moments_of(one.part) for one in slices}, metric=DIFFERENCE)
    else:
        others = of_groups({one.slice: (one.part, one.groups) for one in slices}, metric=DIFFERENCE)
    least = min((one.p_value for one in others), default=None)
    tested = [of_ends] if of_ends is not None else []
    if least is not None:
        tested.append(min(1.0, max(LEAST_P, least) * len(slices)))
    return min(1.0, 2 * min(tested)) if tested else None


def _record(
    metric: str, untested: str | None, compared: Sequence[PairInSlicing], alpha: float
) -> PairsBySlice:
    tested = [one for one in compared if one.p_value is not None]
    p_values = [one.p_value for one in tested if one.p_value is not None]
    adjusted = holm(p_values) if p_values else []
    count = sum(one.varies for of_pair in compared for one in of_pair.slices)
    confidence = 1 - alpha / max(count, 1)
    return {
        "metric": metric,
        "untested": untested,
        "confidence": 1 - alpha,
        "varies": [
            _varies(one, *values) for one, *values in zip(tested, p_values, adjusted, strict=True)
        ],
        "slices": [
            _line(metric, of_pair, one, t_quantile(confidence, one.freedom) * one.error)
            for of_pair in compared
            for one in of_pair.slices
        ],
    }


def _varies(one: PairInSlicing, p_value: float, adjusted: float) -> PairVaries:
    return {
        "models": list(one.pair),
        "slicing": list(one.columns),
        "p_value": p_value,
        "p_adjusted": adjusted,
        "p_report": None,
    }


def _line(metric: str, of_pair: PairInSlicing, one: PairInSlice, half: float) -> DifferenceInSlice:
    limits = one.part.value - half, one.part.value + half
    low, high = (value if math.isfinite(value) else None for value in limits)
    low, high = possible_ends(metric, one.part.value, low, high)
    return {
        "models": list(of_pair.pair),
        "slicing": list(of_pair.columns),
        "slice": one.slice,
        "rows": one.rows,
        "value": one.part.value,
        "low": low,
        "high": high,
        "no_limits": one.no_limits,
    }
