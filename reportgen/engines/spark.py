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
from reportgen.engines.plan import Leaf, Plan
from reportgen.errors import DataError, Problem, SpecError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

SCHEMA = "leaf long, answer binary"

WINDOW = 64
"""Leaves that are counted in one job; the counts of so many are in memory at once."""


@contextmanager
def executor(address: str | None) -> Iterator[Executor]:
    """An executor on a Spark cluster: ``sc://`` is Spark Connect, anything else a master URL.

    Raises:
        SpecError: PySpark is not installed, or the cluster does not answer.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        told = "PySpark is not installed"
        cure = "pip install 'reportgen-eval[spark]'"
        raise SpecError(Problem("engine", told, help=cure)) from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    name = str(address)
    if name.startswith("sc://"):
        builder = builder.remote(name)
    else:
        builder = builder.master(name).config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
    try:
        session = builder.appName("reportgen").getOrCreate()
    except Exception as fault:  # py4j, gRPC and Java each have their own
        told = f"Spark at {name.split(';', maxsplit=1)[0]} cannot be used: {type(fault).__name__}"
        cure = "check address, network and Java"
        raise SpecError(Problem("engine", told, help=cure)) from None
    try:
        yield _on(session)
    finally:
        session.stop()


def _on(session: SparkSession) -> Executor:
    def execute(plan: Plan, leaves: Sequence[Leaf]) -> Iterator[tuple[int, Answer]]:
        waiting = iter(enumerate(leaves))
        while window := list(islice(waiting, WINDOW)):
            rows = [(index, pickle.dumps((plan, leaf, versions(plan)))) for index, leaf in window]
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


def _given_up(fault: Exception, window: Sequence[tuple[int, Leaf]]) -> Problem:
    """What Spark says where it stopped trying, and the files that it was at."""
    said = [line.strip() for line in str(fault).splitlines()]
    names = list(dict.fromkeys(leaf.file.name for _, leaf in window))
    files = names[0] if len(names) == 1 else f"one of {len(names)} files, {names[0]} to {names[-1]}"
    return Problem(
        "not-counted",
        f"Spark gave up counting: {type(fault).__name__}",
        files,
        "see the logs of the executors",
        value=next((line for line in said if line), "")[:200],
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
