"""Two models on the same rows: what paired permutation and bootstrap need of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.resampling.bootstrap_outcomes import DifferenceOutcome
from reportgen.resampling.bootstrap_settings import BootstrapSettings


@dataclass(frozen=True, slots=True)
class Draws:
    """How many permutations are drawn, and the seed that decides which; p is never 0."""

    number: int = 999
    seed: int = 0


DRAWS = Draws()


class ModelPair(Protocol):
    """Two models, the rows that both are evaluated on, and a measure."""

    @property
    def size(self) -> int:
        """The number of rows, of whole groups where they are counted."""
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
