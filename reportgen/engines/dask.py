"""Leaves counted by the workers of Dask: processes of this machine, or a cluster.

Dask schedules, retries and replaces lost workers. A leaf and its counts are
all that goes over the wire, a window of them at a time.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import polars as pl

import reportgen
from reportgen.engines.executors import Answer, Executor, work
from reportgen.engines.plan import Leaf, Plan
from reportgen.errors import Problem, SpecError

if TYPE_CHECKING:
    from distributed import Client

WINDOW = 64
"""Leaves that are handed out at once, at least; two for each thread of the workers."""

PATIENCE = 20
"""Seconds in which a scheduler must answer."""

RETRIES = 2
"""How often a leaf is counted again after an error that is no fault of the data."""


@contextmanager
def executor(address: str | None) -> Iterator[Executor]:
    """An executor on the workers of a scheduler; of a cluster of local processes without address.

    Raises:
        SpecError: Dask is not installed, the scheduler does not answer, or a
            worker has other versions than this machine.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise _unusable("Dask is not installed", "pip install 'reportgen-eval[dask]'") from None
    if address is not None:
        with _connected(Client, address) as client:
            _same_versions(client)
            yield _on(client)
        return
    cores = os.cpu_count() or 1
    # Spawned by Dask itself, never forked; a thread each, and Polars' threads shared out.
    with (
        _threads(1),
        LocalCluster(
            n_workers=cores,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield _on(client)


def _on(client: Client) -> Executor:
    def execute(plan: Plan, leaves: Sequence[Leaf]) -> Iterator[tuple[int, Answer]]:
        from distributed import as_completed

        waiting = iter(enumerate(leaves))
        window = max(WINDOW, 2 * sum(client.nthreads().values()))
        of: dict[Any, int] = {}
        running = as_completed()

        def start() -> None:
            for index, leaf in waiting:
                future = client.submit(
                    work, plan, leaf, key=f"count-{leaf.name(plan)}-{index}", retries=RETRIES
                )
                of[future] = index
                running.add(future)
                return

        for _ in range(window):
            start()
        while of:
            future = next(running)
            index = of.pop(future)
            yield index, _answer(future, leaves[index])
            future.release()
            start()

    return execute


def _answer(future: Any, leaf: Leaf) -> Answer:
    """The counts of a leaf; a fault that names it where all tries ended without any."""
    if future.status == "finished":
        found: Answer = future.result()
        return found
    fault = future.exception()
    return (
        Problem(
            "not-counted",
            f"no worker could count rows from {leaf.first + 1:,} on: {type(fault).__name__}",
            leaf.file.name,
            "see the workers' logs; a worker that dies may need more memory",
            value=str(fault)[:200],
        ),
    )


@contextmanager
def _connected(client: type[Client], address: str) -> Iterator[Client]:
    try:
        found = client(address, timeout=PATIENCE)
    except (OSError, ValueError) as fault:
        told = f"the Dask scheduler at {address} does not answer: {type(fault).__name__}"
        raise _unusable(told, "check address, network and, for tls://, certificates") from None
    with found:
        yield found


def _same_versions(client: Client) -> None:
    """Refuse workers whose versions differ: their counts would not be those of this machine."""
    here = versions()
    for worker, there in client.run(versions).items():
        if there != here:
            told = f"worker {worker} has {there}, this machine has {here}"
            raise _unusable(told, "install the same versions on the workers")


def versions() -> dict[str, str]:
    """The versions that counts depend on."""
    return {"reportgen": reportgen.__version__, "polars": pl.__version__}


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


def _unusable(message: str, cure: str) -> SpecError:
    return SpecError(Problem("engine", message, help=cure))
