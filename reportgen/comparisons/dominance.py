"""Does one curve lie nowhere below another, and if not, who wins where?

Two curves of straight pieces are compared at every bend of either, from both
sides, so a crossing is found exactly. P-R curves are compared through the
false-positive rate at each recall: with the same rows, the lower rate has the
higher precision. ROC dominance and P-R dominance therefore agree
(Davis & Goadrich 2006, doi:10.1145/1143844.1143874).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats, Indices
from reportgen.curves import cost_envelope
from reportgen.sweeping import Ranking
from reportgen.tables import Sweep
from reportgen.text import numbers

NOISE = 1e-12
"""Curves closer than this are taken as touching."""

MANY = 2**13
"""Lines with more bends than this are compared at some of them first."""

COARSE = 2**10
"""Every so many bends."""

MOST = 12
"""More regions than this are merged, the smallest in area first."""

Stretches = tuple[Floats, Floats, npt.NDArray[np.int_], Floats]
"""Where each begins and ends, its winner as in ``Region``, and its area."""

_CURVE_NAMES = {"roc": "ROC", "precision_recall": "P-R", "cost": "cost"}
_AXES = {
    "roc": "false-positive rate",
    "precision_recall": "recall",
    "cost": "P(+)cost",
}


@dataclass(frozen=True)
class Line:
    """A curve as straight pieces ordered by x; an x may repeat where it steps."""

    x: Floats
    y: Floats

    @cached_property
    def monotone(self) -> bool:
        """Whether it only rises, or only falls."""
        steps = np.diff(self.y)
        return bool((steps >= 0).all() or (steps <= 0).all())

    @cached_property
    def _areas(self) -> Floats:
        pieces = np.diff(self.x) * (self.y[1:] + self.y[:-1]) / 2
        return np.append([0.0], np.cumsum(pieces))

    def area_to(self, x: Floats, after: Indices) -> Floats:
        """The area under it from its beginning to each ``x``, which lie before these bends."""
        at = after - 1
        heights = self.y[at] + _heights(self, x, after)
        areas: Floats = self._areas[at] + (x - self.x[at]) * heights / 2
        return areas

    def between(self, lows: Floats, highs: Floats) -> Line:
        """The bends that give its heights from each of ``lows`` to the one of ``highs``."""
        firsts = np.maximum(np.searchsorted(self.x, lows, side="right") - 1, 0)
        stops = np.minimum(np.searchsorted(self.x, highs) + 1, len(self.x))
        firsts[1:] = np.maximum(firsts[1:], stops[:-1])
        parts = [np.arange(*ends) for ends in zip(firsts, stops, strict=True)]
        at = np.concatenate([firsts[:0], *parts])
        return Line(self.x[at], self.y[at])


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of x with one winner: +1 the first curve, −1 the second, 0 tied."""

    low: float
    high: float
    sign: int
    area: float


def dominance(
    curve: str,
    a: tuple[str, DataFrame[Sweep], DataFrame[Sweep]],
    b: tuple[str, DataFrame[Sweep], DataFrame[Sweep]],
    slice: str | None = None,
    survived: Mapping[str, Mapping[str, float]] | None = None,
    replicates: int | None = None,
) -> dict[str, object]:
    """Compare one kind of curve of two models; each is (name, sweep, hull).

    Args:
        curve: the kind of curve: ``roc``, ``precision_recall`` or ``cost``.
        a: name, sweep and hull of the first model.
        b: those of the second one.
        slice: name of the slice; None for all rows.
        survived: what ``dominance_stability`` gives for them; None where it was not computed.
        replicates: from how many bootstrap samples that is.

    Returns:
        The relation of the curves and the stretches in which either is above, as a row of
        ``Dominance``; no stretches where a curve is undefined.

    Raises:
        ValueError: there is no such curve.

    Provost & Fawcett (2001), doi:10.1023/A:1007601015854.

    >>> import polars as pl
    >>> from reportgen import hull, sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False], "a": [0.9, 0.8, 0.1], "b": [0.9, 0.1, 0.8]}
    ... )
    >>> steps = {name: sweep(frame, score=name) for name in "ab"}
    >>> sides = ((name, one, hull(one)) for name, one in steps.items())
    >>> dominance("roc", *sides)["relation"]
    'contains'
    """
    if curve not in _CURVE_NAMES:
        raise ValueError(f"{curve!r} is not one of {', '.join(_CURVE_NAMES)}")
    first, second = (
        _lines(sweep["tp"].to_numpy(), sweep["fp"].to_numpy(), outline)[curve]
        for _, sweep, outline in (a, b)
    )
    return dominance_of(curve, (a[0], b[0]), (first, second), survived, replicates) | {
        "slice": slice
    }


def dominance_of(
    curve: str,
    names: tuple[str, str],
    lines: tuple[Line, Line],
    survived: Mapping[str, Mapping[str, float]] | None,
    replicates: int | None,
) -> dict[str, object]:
    """The same from the two lines, where there are more than two models to draw them for."""
    stretches = compared(*lines)
    relation_name, regions = relation(stretches), _merged(stretches)
    return {
        "curve": curve,
        "models": list(names),
        "slice": None,
        "relation": relation_name,
        "crossings": _crossings(regions),
        "region_low": [r.low for r in regions],
        "region_high": [r.high for r in regions],
        "region_better": [_winner(r, names) for r in regions],
        "stability": survived[curve].get(relation_name, 0.0) if survived else None,
        "replicates": float(replicates) if survived and replicates else None,
        "verdict": _sentence(curve, relation_name, regions, names),
    }


def compared(a: Line, b: Line) -> list[Region]:
    """Regions of x in which ``a`` is above, below or on ``b``."""
    return _joined(_coarse(a, b) if _are_long(a, b) else _stretches(a, b, _knots(a.x, b.x)))


def _are_long(a: Line, b: Line) -> bool:
    """Whether two lines have so many bends that it pays to look at a few of them first."""
    return len(a.x) + len(b.x) > MANY and a.monotone and b.monotone


def _coarse(a: Line, b: Line) -> Stretches:
    """The stretches of long lines: bends are looked at only where some of them do not settle it.

    Between two cuts a monotone line lies within its heights there.
    """
    cuts = _knots(a.x[::COARSE], a.x[-1:], b.x[::COARSE], b.x[-1:])
    past = [np.searchsorted(one.x, cuts, side="right") for one in (a, b)]
    ends = [
        (_heights(one, cuts[:-1], after[:-1]), _at(one, cuts[1:], "left"))
        for one, after in zip((a, b), past, strict=True)
    ]
    lowest, highest = (
        [function(*heights) for heights in ends] for function in (np.minimum, np.maximum)
    )
    above, below = lowest[0] > highest[1] + NOISE, lowest[1] > highest[0] + NOISE
    decided = above | below
    areas = np.abs(np.diff(a.area_to(cuts, past[0]) - b.area_to(cuts, past[1])))
    signs = above.astype(int) - below
    apart = cuts[:-1][decided], cuts[1:][decided], signs[decided], areas[decided]
    turns = np.flatnonzero(np.diff(np.concatenate([[True], decided, [True]])))
    lows, highs = cuts[turns.reshape(-1, 2)].T
    first, second = (one.between(lows, highs) for one in (a, b))
    close = _stretches(first, second, _knots(lows, highs, first.x, second.x))
    window = np.searchsorted(lows, close[0], side="right") - 1
    within = (window >= 0) & (close[1] <= highs[window])
    merged = [np.concatenate([part, more[within]]) for part, more in zip(apart, close, strict=True)]
    return merged[0], merged[1], merged[2], merged[3]


def _knots(*x: npt.ArrayLike) -> Floats:
    """All values in order, each once."""
    values = np.sort(np.concatenate(x), kind="stable")  # which merges what is in order
    apart: Floats = values[np.append([True], np.diff(values) > 0)]
    return apart


def _stretches(a: Line, b: Line, knots: Floats) -> Stretches:
    """Ends, winner and area of each stretch between knots, two where the lines cross within."""
    start_x, end_x = knots[:-1], knots[1:]
    start, end = _above_at_starts(a, b, knots), _above_at_ends(a, b, knots)
    crossing = start * end < 0
    share = np.divide(start, start - end, out=np.ones_like(start), where=crossing)
    middle = start_x + share * (end_x - start_x)
    lows = np.concatenate([start_x, middle[crossing]])
    highs = np.concatenate([np.where(crossing, middle, end_x), end_x[crossing]])
    heights = np.concatenate([np.where(crossing, start, start + end), end[crossing]])
    areas = np.abs(heights) * (highs - lows) / 2
    return lows, highs, np.sign(heights).astype(int), areas


def _above_at_starts(a: Line, b: Line, knots: Floats) -> Floats:
    """How far ``a`` lies above ``b`` where each stretch between knots begins."""
    return _quiet(_at(a, knots[:-1], "right") - _at(b, knots[:-1], "right"))


def _above_at_ends(a: Line, b: Line, knots: Floats) -> Floats:
    """The same where each stretch ends."""
    return _quiet(_at(a, knots[1:], "left") - _at(b, knots[1:], "left"))


def _quiet(values: Floats) -> Floats:
    quiet: Floats = np.where(np.abs(values) <= NOISE, 0.0, values)
    return quiet


def _at(line: Line, x: Floats, side: Literal["left", "right"]) -> Floats:
    """Heights at ``x``, as they are approached from the left or from the right."""
    return _heights(line, x, np.searchsorted(line.x, x, side=side))


def _heights(line: Line, x: Floats, after: Indices) -> Floats:
    """The same where the first bends behind ``x`` are known."""
    i, j = np.maximum(after - 1, 0), np.minimum(after, len(line.x) - 1)
    begins, height = line.x[i], line.y[i]
    run = line.x[j] - begins
    share = np.divide(x - begins, run, out=np.zeros_like(x), where=run > 0)
    heights: Floats = height + share * (line.y[j] - height)
    return heights


def _joined(stretches: Stretches) -> list[Region]:
    """Neighbouring stretches with the same winner as one."""
    order = np.argsort(stretches[0], kind="stable")
    lows, highs, signs, areas = (part[order] for part in stretches)
    if len(lows) == 0:
        return []
    starts = np.flatnonzero(np.r_[True, signs[1:] != signs[:-1]])
    ends = np.r_[starts[1:], len(signs)] - 1
    sums = np.add.reduceat(areas, starts)
    return [
        Region(float(lows[s]), float(highs[e]), int(signs[s]), float(area))
        for s, e, area in zip(starts, ends, sums, strict=True)
    ]


def _merged(regions: list[Region]) -> list[Region]:
    """At most ``MOST`` regions: the smallest in area joins its neighbours."""
    while len(regions) > MOST:
        i = min(range(len(regions)), key=lambda k: regions[k].area)
        span = slice(max(i - 1, 0), i + 2)
        around = regions[span]
        largest = max(around, key=lambda r: r.area)
        area = sum(r.sign * r.area for r in around) * largest.sign
        whole = Region(around[0].low, around[-1].high, largest.sign, max(area, 0.0))
        regions = [*regions[: span.start], whole, *regions[span.stop :]]
    return regions


def relation(regions: Sequence[Region]) -> str:
    """What the winners of all regions come to."""
    signs = {region.sign for region in regions}
    return relation_of_signs(1 in signs, -1 in signs)


def relation_of_signs(above: bool, below: bool) -> str:
    """The relation of curves of which the first is above, below, both or neither somewhere."""
    if above and below:
        return "crosses"
    return "contains" if above else "is contained" if below else "coincides"


def _crossings(regions: Sequence[Region]) -> list[float]:
    """Where the winner changes; over a tied stretch, its middle."""
    strict = [r for r in regions if r.sign]
    return [(p.high + q.low) / 2 for p, q in pairwise(strict) if p.sign != q.sign]


def _winner(region: Region, names: tuple[str, str]) -> str | None:
    return None if region.sign == 0 else names[0] if region.sign > 0 else names[1]


def _sentence(curve: str, relation: str, regions: Sequence[Region], names: tuple[str, str]) -> str:
    kind, (a, b) = _CURVE_NAMES[curve], names
    if relation == "coincides":
        return f"The {kind} curves of {a} and {b} coincide."
    if relation != "crosses":
        better, worse = (a, b) if relation == "contains" else (b, a)
        where = "nowhere above" if curve == "cost" else "nowhere below"
        return f"The {kind} curve of {better} lies {where} that of {worse}."
    shares = {
        name: sum(r.high - r.low for r in regions if _winner(r, names) == name) for name in names
    }
    more = max(shares, key=lambda name: shares[name])
    return (
        f"The {kind} curves of {a} and {b} cross; {more} is better "
        f"over {_share(shares[more])} of the {_AXES[curve]} axis."
    )


def _share(part: float) -> str:
    return f"more than {numbers.level(0.99)}" if 0.99 < part < 1 else numbers.level(round(part, 2))


def lines_of(order: Ranking, outline: DataFrame[Sweep]) -> dict[str, Line]:
    """Each curve of a model as a line, turned so that higher is better."""
    corners = order.corners()
    if order.weighted:
        true_positives, false_positives = order.counts(corners, "tp", "fp")
    else:
        (true_positives,) = order.counts(corners, "tp")
        false_positives = order.predicted_positives(corners) - true_positives
    return _lines(true_positives, false_positives, outline)


def _lines(
    true_positives: Floats, false_positives: Floats, outline: DataFrame[Sweep]
) -> dict[str, Line]:
    """The same from the counts at the thresholds, and the hull."""
    roc = Line(false_positives / false_positives[-1], true_positives / true_positives[-1])
    costs = cost_envelope(outline)
    cost = Line(costs["probability_cost"].to_numpy(), -costs["normalised_cost"].to_numpy())
    return {"roc": roc, "precision_recall": Line(roc.y, -roc.x), "cost": cost}
