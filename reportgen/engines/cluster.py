"""The executor of an engine, opened when there is something to count, and closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from reportgen.engines.choice import EngineChoice
from reportgen.engines.executors import Answer, Executor, serial
from reportgen.engines.plan import Partition, Plan
from reportgen.progress import OnStep


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
