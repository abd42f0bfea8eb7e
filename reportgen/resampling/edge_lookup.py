"""Where many scores lie among few edges: a table instead of a search for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reportgen.array_types import Floats, Integers, chunks

Placing = Callable[[Floats], Integers]

PART = 2**14
"""So many scores at a time: what is made of them stays in the processor's cache."""

_BITS = 16
_REST = np.int64(2**63 - 1)


def edge_lookup(edges: Floats, rows: int) -> Placing:
    """What tells how many of some finite, ascending ``edges`` are at most each score.

    As ``np.searchsorted(edges, scores, side="right")``; ``rows`` is how many
    scores there will be, as few are searched for sooner than a table is made.
    """
    if rows <= PART:
        return lambda scores: np.searchsorted(edges, scores, side="right")
    return EdgeLookup.among(edges).of


@dataclass(frozen=True, slots=True)
class EdgeLookup:
    """Edges, and a table of where to look for a score among them.

    The leading bits of a float, which order it, name a stretch of scores;
    ``starts`` tells how many edges lie before each stretch. Only the edges
    within it are compared, by halves: ``steps``. ``beyond`` are the edges with
    +∞ behind them, as a half may reach past the last.
    """

    edges: Floats
    beyond: Floats
    starts: Integers
    lowest: np.int64
    shift: np.uint64
    steps: tuple[int, ...]

    @classmethod
    def among(cls, edges: Floats) -> EdgeLookup:
        """The table of some edges, at least one."""
        bits = _ordered(edges + 0.0)
        spread = (bits - bits[0]).view(np.uint64)
        shift = np.uint64(max(int(spread[-1]).bit_length() - _BITS, 0))
        stretch = (spread >> shift).astype(np.intp)
        starts = np.searchsorted(stretch, np.arange(stretch[-1] + 1))
        halves = range(int(np.bincount(stretch).max()).bit_length())
        steps = tuple(2**half for half in reversed(halves))
        beyond = np.append(edges, np.full(steps[0], np.inf))
        return cls(edges, beyond, starts, bits[0], shift, steps)

    def of(self, scores: Floats) -> Integers:
        """How many of the edges are at most each score."""
        counts = np.empty(len(scores), dtype=np.int64)
        for part in chunks(len(scores), PART):
            counts[part] = self._looked_up(scores[part])
        return counts

    def _looked_up(self, scores: Floats) -> Integers:
        within = np.maximum(scores, self.edges[0])
        np.minimum(within, self.edges[-1], out=within)
        within += 0.0
        # Of floats without a sign the bits are in order as they are.
        bits = within.view(np.int64) if self.edges[0] >= 0 else _ordered(within)
        bits -= self.lowest
        stretch = bits.view(np.uint64)
        stretch >>= self.shift
        at = self.starts.take(bits)
        for step in self.steps:
            at += step * (self.beyond.take(at + (step - 1)) <= scores)
        return at


def _ordered(scores: Floats) -> Integers:
    """The bits of floats without -0.0, as integers in the same order."""
    bits = scores.view(np.int64)
    return bits ^ (bits >> 63 & _REST)
