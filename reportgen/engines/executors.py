"""What counts the leaves: this process, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reportgen.engines.leaf import count
from reportgen.engines.plan import Leaf, Plan
from reportgen.errors import DataError, EmptyError, Problem

Answer = bytes | tuple[Problem, ...]
"""The counts of a leaf, or its faults."""

Executor = Callable[[Plan, Sequence[Leaf]], Iterator[tuple[int, Answer]]]
"""Counts leaves in any order; yields the position of each with its answer."""


def work(plan: Plan, leaf: Leaf) -> Answer:
    """Count one leaf; what a worker runs. Faults of the data are an answer, so none is retried."""
    try:
        return count(leaf, plan).to_bytes()
    except (DataError, EmptyError) as fault:
        return tuple(fault.problems)


def serial(plan: Plan, leaves: Sequence[Leaf]) -> Iterator[tuple[int, Answer]]:
    """Count one leaf after the other in this process, each on all cores."""
    for index, leaf in enumerate(leaves):
        yield index, work(plan, leaf)
