"""Two models on the same rows: what paired permutation and bootstrap need of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypedDict

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.resampling.bootstrap_outcomes import DifferenceOutcome
from reportgen.resampling.bootstrap_settings import BootstrapSettings


@dataclass(frozen=True, slots=True)
class Draws:
    """How many permutations are drawn, and the seed that decides which; p is never 0.

    With ``goes_on`` more are drawn where the first leave open whether p is below the level, or
    put it there.
    """

    number: int = 999
    seed: int = 0
    goes_on: bool = False

    def further(self, p_value: float, alpha: float, width: int) -> int:
        """How many more are drawn once the first gave a p; each takes ``width`` numbers.

        Only where p is less than ``ERRORS`` of its standard errors above the level: then the
        test still rejects only where one of all the draws would.
        """
        if not self.goes_on or p_value > alpha + ERRORS * standard_error(p_value, self.number):
            return 0
        return self.most(width) - self.number

    def most(self, width: int) -> int:
        """How many are drawn at most, each of which takes ``width`` numbers."""
        if not self.goes_on:
            return self.number
        most = min(MOST_DRAWS, MOST_TIMES * self.number, MOST_NUMBERS // max(width, 1))
        return max(most, self.number)


DRAWS = Draws()

MOST_DRAWS, MOST_TIMES, MOST_NUMBERS = 100_000, 100, 10_000_000
"""A test goes on to so many permutations, so many times the first, and random numbers at most."""

ERRORS = 3
"""A p-value so many of its standard errors from the level is surely on one side of it."""


def standard_error(p_value: float, draws: int) -> float:
    """Standard error of a p-value of so many random permutations.

    >>> round(standard_error(0.05, 1_000), 4)
    0.0069
    """
    return math.sqrt(p_value * (1 - p_value) / draws)


class PermutationFields(TypedDict, total=False):
    """Fields of a comparison whose p comes from permutations."""

    p_note: str
    caveats: tuple[str, ...]


def from_permutations(p_value: float, draws: int, alpha: float) -> PermutationFields:
    """How many permutations a p-value comes from: a caveat where they leave the decision open.

    >>> from_permutations(0.008, 50_000, 0.05)
    {'p_note': 'p is from 50,000 random permutations'}
    """
    error = standard_error(p_value, draws)
    text = f"p is from {draws:,} random permutations"
    if abs(p_value - alpha) > ERRORS * error:
        return {"p_note": text}
    side = f"leaves open on which side of {alpha:g} it lies"
    return {"caveats": (f"{text}, and its standard error of {error:.2g} {side}",)}


class ModelPair(Protocol):
    """Two models, the rows that both are evaluated on, and a measure."""

    @property
    def size(self) -> int:
        """The number of rows, of whole groups where they are counted."""
        ...

    @property
    def width(self) -> int:
        """How many numbers each exchange takes."""
        ...

    @property
    def units(self) -> str:
        """What is exchanged, in words."""
        ...

    def fixed(self) -> str | None:
        """Why nothing can be exchanged; None where it can."""
        ...

    def permuted(self, draws: Draws) -> tuple[float, Floats, bool]:
        """The difference, those after each exchange, and whether any row is unlike."""
        ...

    def resampled(self, options: BootstrapSettings) -> DifferenceOutcome | None:
        """The difference with its limits and p-value on rows drawn with replacement."""
        ...


def units_of(rows: int, groups: Groups | None) -> str:
    """What is exchanged, in words.

    >>> units_of(600, None)
    '600 rows'
    """
    return f"{rows} rows" if groups is None else f"{groups.number} groups of {rows} rows"


def batches(draws: int, width: int, at_once: int) -> Iterator[int]:
    """How many draws to make at a time, of so many numbers each."""
    size = max(1, at_once // max(width, 1))
    for begin in range(0, draws, size):
        yield min(size, draws - begin)
