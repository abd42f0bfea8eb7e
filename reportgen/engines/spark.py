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
from typing import TYPE_CHECKING, Any

from reportgen.engines.executors import Answer, Executor, work
from reportgen.engines.plan import Leaf, Plan
from reportgen.errors import DataError, Problem, SpecError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

SCHEMA = "leaf long, answer binary"


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
    builder = builder.remote(name) if name.startswith("sc://") else builder.master(name)
    try:
        session = builder.appName("reportgen").config("spark.ui.enabled", "false").getOrCreate()
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
        if not leaves:
            return
        rows = [(index, pickle.dumps((plan, leaf))) for index, leaf in enumerate(leaves)]
        table = session.createDataFrame(rows, schema=SCHEMA).repartition(len(rows), "leaf")
        counted = table.mapInArrow(_counted, SCHEMA)
        try:
            for row in counted.toLocalIterator():
                # What came back was made by our own function on the cluster that the spec names.
                yield row["leaf"], pickle.loads(row["answer"])  # noqa: S301
        except Exception as fault:
            if type(fault).__module__.split(".")[0] not in ("pyspark", "py4j", "grpc"):
                raise
            told = f"Spark gave up counting: {str(fault).splitlines()[0][:200]}"
            cure = "see the logs of the executors"
            raise DataError(Problem("not-counted", told, help=cure)) from None

    return execute


def _counted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Count the leaves of a partition; runs on the executors."""
    import pyarrow as pa

    for batch in batches:
        for row in batch.to_pylist():
            plan, leaf = pickle.loads(row["answer"])  # noqa: S301  # sent by the driver
            answer = pickle.dumps(work(plan, leaf))
            yield pa.RecordBatch.from_pydict(
                {"leaf": pa.array([row["leaf"]], pa.int64()), "answer": [answer]}
            )
