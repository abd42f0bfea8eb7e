"""The executor of an engine, opened and closed."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from reportgen.engines.choice import Engine
from reportgen.engines.executors import Executor, serial


def executor_of(engine: Engine) -> AbstractContextManager[Executor]:
    """Return the executor of an engine, as a context that closes it.

    Raises ``SpecError`` where a cluster cannot be reached or used.
    """
    if engine.kind == "dask":
        from reportgen.engines import dask

        return dask.executor(engine.address)
    if engine.kind == "spark":
        from reportgen.engines import spark

        return spark.executor(engine.address)
    return nullcontext(serial)
