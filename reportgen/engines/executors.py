"""What counts the leaves: this process, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl

import reportgen
from reportgen.engines.leaf import count
from reportgen.engines.plan import Leaf, Plan
from reportgen.errors import DataError, EmptyError, Problem

VERSIONS = "engine"
"""The code of a worker that has other versions than this machine."""

Answer = bytes | tuple[Problem, ...]
"""The counts of a leaf, or its faults."""

Executor = Callable[[Plan, Sequence[Leaf]], Iterator[tuple[int, Answer]]]
"""Counts leaves in any order; yields the position of each with its answer."""


Say = Callable[[str], None]
"""Told how far the work is."""


def versions(plan: Plan) -> dict[str, str]:
    """What counts depend on beside the data; it must be the same on all machines."""
    return {"reportgen": reportgen.__version__, "polars": pl.__version__, "plan": plan.digest[:12]}


def work(plan: Plan, leaf: Leaf, needed: Mapping[str, str]) -> Answer:
    """Count one leaf; what a worker runs, with the versions that it needs.

    Faults of the data are an answer, so none is tried again.
    """
    if (here := versions(plan)) != needed:
        message = f"a worker has {_told(here)}; this machine has {_told(needed)}"
        return (Problem(VERSIONS, message, help="install the same versions on the workers"),)
    try:
        return count(leaf, plan).to_bytes()
    except (DataError, EmptyError) as fault:
        return tuple(fault.problems)


def serial(plan: Plan, leaves: Sequence[Leaf]) -> Iterator[tuple[int, Answer]]:
    """Count one leaf after the other in this process, each on all cores."""
    for index, leaf in enumerate(leaves):
        yield index, work(plan, leaf, versions(plan))


def _told(packages: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in packages.items())
