"""Leaves counted by Spark: descriptions of leaves go in, their counts come out.

Spark schedules, retries and replaces lost executors; rows are read by Polars
on them, from the same paths, so nothing but leaves and counts is moved.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from reportgen.engines.executors import Answer, Executor, versions, work
from reportgen.engines.plan import Partition, Plan
from reportgen.errors import DataError, Problem, SpecError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

SCHEMA = "leaf long, answer binary"

WINDOW = 64
"""Leaves that are counted in one job; the counts of so many are in memory at once."""

REACHED = 20
"""Seconds in which Spark Connect answers: its own attempts would go on for ten minutes."""


@contextmanager
def executor(address: str | None) -> Iterator[Executor]:
    """An executor on a Spark cluster: ``sc://`` is Spark Connect, anything else a master URL.

    Raises:
        SpecError: PySpark is not installed, or the cluster does not answer.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        message = "PySpark is not installed"
        hint = "pip install 'reportgen-eval[spark]'"
        raise SpecError(Problem("engine", message, hint=hint)) from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    name = str(address)
    remote = name.startswith("sc://")
    if remote:
        builder = builder.remote(name)
    else:
        builder = builder.master(name).config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
    try:
        if remote:
            _reach(name)
        session = builder.appName("reportgen").getOrCreate()
    except Exception as fault:  # py4j, gRPC and Java each have their own
        silent = isinstance(fault, TimeoutError)
        what = "does not answer" if silent else f"cannot be used: {type(fault).__name__}"
        message = f"Spark at {name.split(';', maxsplit=1)[0]} {what}"
        hint = "check address, network and Java"
        raise SpecError(Problem("engine", message, hint=hint)) from None
    try:
        yield _on(session)
    finally:
        if remote:  # else a cluster that is gone keeps the program from its end
            session.client.set_retry_policies([])
        session.stop()


def _reach(address: str) -> None:
    """Raise TimeoutError where nobody answers."""
    import grpc
    from pyspark.sql.connect.client import DefaultChannelBuilder

    channel = DefaultChannelBuilder(address).toChannel()
    try:
        grpc.channel_ready_future(channel).result(timeout=REACHED)
    except grpc.FutureTimeoutError:
        raise TimeoutError from None
    finally:
        channel.close()


def _on(session: SparkSession) -> Executor:
    def execute(plan: Plan, partitions: Sequence[Partition]) -> Iterator[tuple[int, Answer]]:
        waiting = iter(enumerate(partitions))
        while window := list(islice(waiting, WINDOW)):
            rows = [
                (index, pickle.dumps((plan, partition, versions(plan))))
                for index, partition in window
            ]
            table = session.createDataFrame(rows, schema=SCHEMA)
            # A task per leaf: the ranges of distinct numbers, as hashes of them may be the same.
            spread = table.repartitionByRange(len(rows), "leaf")
            try:
                counted = spread.mapInArrow(_counted, SCHEMA).collect()
            except Exception as fault:
                if type(fault).__module__.split(".")[0] not in ("pyspark", "py4j", "grpc"):
                    raise
                raise DataError(_given_up(fault, window)) from None
            for row in counted:
                # What came back was made by our own function on the cluster that the spec names.
                yield row["leaf"], pickle.loads(row["answer"])  # noqa: S301

    return execute


def _given_up(fault: Exception, window: Sequence[tuple[int, Partition]]) -> Problem:
    """What Spark says where it stopped trying, and the files that it was at."""
    lines = [line.strip() for line in str(fault).splitlines()]
    names = list(dict.fromkeys(partition.file.name for _, partition in window))
    files = names[0] if len(names) == 1 else f"one of {len(names)} files, {names[0]} to {names[-1]}"
    return Problem(
        "not-counted",
        f"Spark gave up counting: {type(fault).__name__}",
        files,
        "see the logs of the executors",
        value=next((line for line in lines if line), "")[:200],
    )


def _counted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Count the leaves of a partition; runs on the executors."""
    import pyarrow as pa

    for batch in batches:
        for row in batch.to_pylist():
            order = pickle.loads(row["answer"])  # noqa: S301  # sent by the driver
            answer = pickle.dumps(work(*order))
            yield pa.RecordBatch.from_pydict(
                {"leaf": pa.array([row["leaf"]], pa.int64()), "answer": [answer]}
            )
