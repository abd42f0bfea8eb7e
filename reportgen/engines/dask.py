"""Leaves counted by the workers of Dask: processes of this machine, or a cluster.

Dask schedules, retries and replaces lost workers. A leaf and its counts are
all that goes over the wire, a window of them at a time.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from reportgen.engines.executors import Answer, Executor, versions, work
from reportgen.engines.plan import Partition, Plan
from reportgen.errors import Problem, SpecError
from reportgen.progress import OnStep

if TYPE_CHECKING:
    from distributed import Client, Future

WINDOW = 64
"""Leaves that are handed out at once, at least; two for each thread of the workers."""

PATIENCE = 20
"""Seconds in which a scheduler must answer, and after which a lack of workers is reported."""

RETRIES = 2
"""How often a leaf is counted again after an error that is no fault of the data."""


@contextmanager
def executor(address: str | None, on_step: OnStep) -> Iterator[Executor]:
    """An executor on the workers of a scheduler; of a cluster of local processes without address.

    Raises:
        SpecError: Dask is not installed, or the scheduler does not answer (any more).
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise _unusable("Dask is not installed", "pip install 'reportgen-eval[dask]'") from None
    if address is not None:
        with _connected(Client, address) as client:
            yield _on(client, on_step)
        return
    cores = os.cpu_count() or 1
    # Spawned by Dask itself, never forked; a thread each, and Polars' threads shared out.
    with (
        _threads(1),
        LocalCluster(
            n_workers=cores,
            threads_per_worker=1,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # none, but its port is opened
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield _on(client, on_step)


def _on(client: Client, on_step: OnStep) -> Executor:
    def execute(plan: Plan, partitions: Sequence[Partition]) -> Iterator[tuple[int, Answer]]:
        from distributed import CancelledError

        try:
            yield from _counted(client, plan, partitions, on_step)
        except (CancelledError, OSError):
            message = "the connection to the Dask scheduler is lost"
            raise _unusable(message, "start it again; finished counts are reused") from None

    return execute


def _counted(
    client: Client, plan: Plan, partitions: Sequence[Partition], on_step: OnStep
) -> Iterator[tuple[int, Answer]]:
    waiting, needed = iter(enumerate(partitions)), versions(plan)
    running: dict[Future, int] = {}
    while True:
        for index, partition in islice(waiting, _window(client) - len(running)):
            key = f"count-{partition.name(plan)}-{index}"
            future = client.submit(work, plan, partition, needed, key=key, retries=RETRIES)
            running[future] = index
        if not running:
            return
        for future in _done(client, running, on_step):
            index = running.pop(future)
            yield index, _answer(future, partitions[index])
            future.release()


def _window(client: Client) -> int:
    return max(WINDOW, 2 * sum(map(int, client.nthreads().values())))


def _done(client: Client, running: Collection[Future], on_step: OnStep) -> Collection[Future]:
    """The leaves that are done, once there is any."""
    from distributed import wait

    while True:
        try:
            done: Collection[Future] = wait(
                list(running), timeout=PATIENCE, return_when="FIRST_COMPLETED"
            ).done
        except TimeoutError:
            if not client.nthreads():
                on_step("waiting for a Dask worker")
        else:
            return done


def _answer(future: Future, partition: Partition) -> Answer:
    """The counts of a leaf; a fault that names it where all tries ended without any."""
    if future.status == "finished":
        answer: Answer = future.result()
        return answer
    fault = future.exception()
    return (
        Problem(
            "not-counted",
            f"no worker could count rows from {partition.first + 1:,} on: {type(fault).__name__}",
            partition.file.name,
            "see the workers' logs; a worker that dies may need more memory",
            value=str(fault)[:200],
        ),
    )


@contextmanager
def _connected(client: type[Client], address: str) -> Iterator[Client]:
    gc.collect()  # a lost client that is finalised while another one starts waits for its lock
    try:
        connection = client(address, timeout=PATIENCE)
    except (OSError, ValueError, TypeError, RuntimeError) as fault:  # the last two: no certificate
        message = f"the Dask scheduler at {address} does not answer: {type(fault).__name__}"
        raise _unusable(message, "check address, network and, for tls://, certificates") from None
    with connection:
        yield connection


@contextmanager
def _threads(number: int) -> Iterator[None]:
    """Polars' threads in processes that are started meanwhile."""
    before = os.environ.get("POLARS_MAX_THREADS")
    os.environ["POLARS_MAX_THREADS"] = str(number)
    try:
        yield
    finally:
        if before is None:
            del os.environ["POLARS_MAX_THREADS"]
        else:
            os.environ["POLARS_MAX_THREADS"] = before


def _unusable(message: str, hint: str) -> SpecError:
    return SpecError(Problem("engine", message, hint=hint))
