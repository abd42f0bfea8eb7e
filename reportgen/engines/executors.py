"""What counts the leaves: this process, or the workers of a cluster, opened and closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

import polars as pl

from reportgen.engines.choice import EngineChoice
from reportgen.engines.partial import Partial
from reportgen.engines.partition import count_partition
from reportgen.engines.plan import Partition, Plan
from reportgen.errors import DataError, EmptyError, Problem
from reportgen.progress import OnStep
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


@contextmanager
def executor_of(engine: EngineChoice, on_step: OnStep) -> Iterator[Executor]:
    """Return the executor of an engine, as a context that closes it.

    A cluster is reached with the first leaf; where all counts are known, none
    is needed. The executor raises ``SpecError`` where it cannot be reached or used.
    """
    with ExitStack() as stack:
        opened: list[Executor] = []

        def execute(plan: Plan, partitions: Sequence[Partition]) -> Iterator[tuple[int, Answer]]:
            if not partitions:
                return
            if not opened:
                opened.append(stack.enter_context(_opened(engine, on_step)))
            yield from opened[0](plan, partitions)

        yield execute


def _opened(engine: EngineChoice, on_step: OnStep) -> AbstractContextManager[Executor]:
    if engine.kind == "dask":
        from reportgen.engines import dask

        return dask.executor(engine.address, on_step)
    if engine.kind == "spark":
        from reportgen.engines import spark

        return spark.executor(engine.address)
    return nullcontext(serial)
