"""How a leaf is counted, in this process or by a worker, and what an executor is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl

from reportgen.engines.partial import Partial
from reportgen.engines.partition import count_partition
from reportgen.engines.plan import Partition, Plan
from reportgen.errors import DataError, EmptyError, Problem
from reportgen.version import __version__

VERSIONS = "engine"
"""The code of a worker that has other versions than this machine."""

Answer = bytes | Partial | tuple[Problem, ...]
"""The counts of a leaf, as bytes where another process counted it, or its faults."""

Executor = Callable[[Plan, Sequence[Partition]], Iterator[tuple[int, Answer]]]
"""Counts leaves in any order; yields the position of each with its answer."""


def versions(plan: Plan) -> dict[str, str]:
    """What counts depend on beside the data; it must be the same on all machines."""
    return {"reportgen": __version__, "polars": pl.__version__, "plan": plan.digest[:12]}


def work(plan: Plan, partition: Partition, needed: Mapping[str, str]) -> Answer:
    """Count one leaf; what a worker runs, with the versions that it needs.

    Faults of the data are an answer, so none is tried again.
    """
    if (here := versions(plan)) != needed:
        message = f"a worker has {_versions_text(here)}; this machine has {_versions_text(needed)}"
        return (Problem(VERSIONS, message, hint="install the same versions on the workers"),)
    answer = _counted(plan, partition)
    return answer.to_bytes() if isinstance(answer, Partial) else answer


def _counted(plan: Plan, partition: Partition) -> Partial | tuple[Problem, ...]:
    try:
        return count_partition(partition, plan)
    except (DataError, EmptyError) as fault:
        return tuple(fault.problems)


def serial(plan: Plan, partitions: Sequence[Partition]) -> Iterator[tuple[int, Answer]]:
    """Count one leaf after the other in this process, each on all cores."""
    for index, partition in enumerate(partitions):
        yield index, _counted(plan, partition)


def _versions_text(packages: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in packages.items())
