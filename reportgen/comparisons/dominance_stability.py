"""How often the relation of two models' curves comes out the same on resampled rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Integers
from reportgen.comparisons.dominance import NOISE, relation_of_signs
from reportgen.freed_memory import give_back
from reportgen.resampling.replicate_frames import hull_vertices
from reportgen.resampling.resampling_units import UNITS, units, units_of
from reportgen.resampling.score_cells import CELLS, crossed, score_cells
from reportgen.sweeping import Swept, ranking_of

CumulativeCounts = tuple[Floats, Floats]
"""False and true positives of each replicate (rows) down to each cell, from 0 to all."""

REPLICATES = 100
"""Enough for a share to a tenth."""

COARSE = 64
"""Cells of each model where there are many rows."""


def dominance_stability(
    frame: pl.DataFrame,
    scores: tuple[str, str],
    *,
    truth: str = "truth",
    group: str | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
    sweeps: Sequence[Swept] | None = None,
) -> dict[str, dict[str, float]]:
    """Share of replicates in which one model's curve contains, meets or crosses the other's.

    By curve (``roc``, ``precision_recall``, ``cost``) and relation ("contains": the
    first model's is nowhere worse, "is contained", "crosses", "coincides"); one
    that never occurs is left out. Stratified bootstrap of independent, unweighted rows, the
    same ones for both models; of more than 32,768 rows neighbouring scores
    share one of 64 cells of each model. ``sweeps`` are those of the rows, where
    they are known. ROC and P-R relations are the same
    (Davis & Goadrich 2006, doi:10.1145/1143844.1143874), and that of cost
    curves is that of the convex hulls. ``group`` names a column whose rows depend
    on each other: whole groups are then drawn, by class where each lies in one.
    Empty with one class only.
    """
    named = {} if group is None else {"group": pl.col(group)}
    rows = frame.select(truth=truth, first=scores[0], second=scores[1], **named)
    rows = rows.drop_nulls(["truth", "first", "second"])
    positive = rows["truth"].to_numpy()
    if not 0 < positive.sum() < len(positive):
        return {}
    number = CELLS if rows.height <= UNITS else COARSE
    names = ("first", "second")
    steps = sweeps or [ranking_of(rows, score=name) for name in names]
    cells = [score_cells(one, number) for one in steps]
    columns = [rows[name].cast(pl.Float64).to_numpy() for name in names]
    if group is None:
        drawn_from = units_of(*crossed(cells, columns, positive), (len(cells[0]), len(cells[1])))
    else:
        slots = [
            (one.slots(rows[name], positive), 2 * len(one))
            for one, name in zip(cells, names, strict=True)
        ]
        drawn_from = units(slots, group=rows["group"])
    give_back(rows)
    whole, least = Counter[str](), Counter[str]()
    for multiplicities in drawn_from.draw_counts(replicates, [seed]):
        first, second = (_running(share.masses(multiplicities)) for share in drawn_from.shares)
        whole.update(relations(first, second, distinct_points))
        least.update(relations(first, second, hull_vertices))
    relation_counts = {"roc": whole, "precision_recall": whole, "cost": least}
    defined = max(whole.total(), 1)
    return {
        curve: {name: times / defined for name, times in sorted(counts.items())}
        for curve, counts in relation_counts.items()
    }


def _running(masses: Floats) -> CumulativeCounts:
    """The counts from the masses, without the replicates whose groups are of one class."""
    counts = np.stack([masses[:, ::2], masses[:, 1::2]]).cumsum(axis=2)
    both_classes = (counts[:, :, -1] > 0).all(axis=0)
    false_positives, true_positives = np.pad(counts[:, both_classes], ((0, 0), (0, 0), (1, 0)))
    return false_positives, true_positives


def distinct_points(false_positives: Floats, true_positives: Floats) -> Flags:
    """Which points are not the one before again."""
    moves = np.ones(false_positives.shape, bool)
    moves[:, 1:] = (np.diff(false_positives) > 0) | (np.diff(true_positives) > 0)
    return moves


def relations(
    first: CumulativeCounts, second: CumulativeCounts, points: Callable[..., Flags]
) -> list[str]:
    """The relation of two models' curves in each replicate, all at once.

    Of the lines through the ``points`` that are chosen, among them the first and the last.
    """
    a, b = (_Curves.of(counts, points(*counts)) for counts in (first, second))
    knots = _merged(a.key, b.key)
    replicate, reached = np.divmod(knots, a.width)
    x = reached / a.negatives[replicate]
    past = [np.searchsorted(one.key, knots, side="right") for one in (a, b)]
    signs = np.zeros((len(a.first), 2), bool)
    # As each stretch between knots begins, and as it ends.
    for after in (past, [np.append(0, one[:-1]) for one in past]):
        of_a, of_b = (one.heights(x, replicate, at) for one, at in zip((a, b), after, strict=True))
        signs[replicate[of_a - of_b > NOISE], 0] = True
        signs[replicate[of_b - of_a > NOISE], 1] = True
    return [relation_of_signs(*both) for both in signs.tolist()]


def _merged(one: Integers, other: Integers) -> Integers:
    """What is in either, once: both are ordered, which a stable sort makes use of."""
    both = np.sort(np.concatenate([one, other]), kind="stable")
    first = np.ones(len(both), bool)
    first[1:] = both[1:] > both[:-1]
    knots: Integers = both[first]
    return knots


@dataclass(frozen=True, slots=True)
class _Curves:
    """ROC curves of replicates, one after the other: their points, and which are of each.

    ``key`` is replicate × (``width``: more than any has negatives) + false positives, ordered.
    """

    key: Integers
    width: int
    negatives: Floats
    x: Floats
    y: Floats
    first: Integers
    last: Integers

    @classmethod
    def of(cls, counts: CumulativeCounts, points: Flags) -> _Curves:
        """The curves through some of the points, among them the first and the last of each."""
        false_positives, true_positives = counts
        replicate, point = np.nonzero(points)
        negatives, positives = false_positives[:, -1], true_positives[:, -1]
        reached = false_positives[replicate, point]
        width = int(negatives.max(initial=0)) + 1
        size = points.sum(axis=1)
        ends = np.cumsum(size)
        return cls(
            width * replicate + reached.astype(np.int64),
            width,
            negatives,
            reached / negatives[replicate],
            true_positives[replicate, point] / positives[replicate],
            ends - size,
            ends - 1,
        )

    def heights(self, x: Floats, replicate: Integers, after: Integers) -> Floats:
        """Heights at ``x`` of the replicates, before these points."""
        i = np.maximum(after - 1, self.first[replicate])
        j = np.minimum(after, self.last[replicate])
        begins, height = self.x[i], self.y[i]
        run = self.x[j] - begins
        share = np.divide(x - begins, run, out=np.zeros_like(x), where=run > 0)
        heights: Floats = height + share * (self.y[j] - height)
        return heights
