"""Watch the process that works; publish for it, and say how it ended.

This process imports nothing heavy, so that it lives where the other one dies:
of a limit of time or memory, of an allocator that aborts, of the system that
kills what takes too much. It hears Ctrl-C and SIGTERM for both.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import psutil

from reportgen import interrupts
from reportgen.errors import DataError, LimitError, Problem, ReportgenError
from reportgen.exhaustion import MORE_MEMORY, address_space, processor_time, spent
from reportgen.interrupts import STOPPED
from reportgen.own_processes import own_process

if TYPE_CHECKING:
    from reportgen.builds.channel import WorkerAnswer
    from reportgen.cli.outcomes import OutcomeRecord


PATIENCE = 4.0
"""Seconds that the worker has to end once it is asked to, before it is killed."""

LOOK = 0.1
"""Seconds between two looks at the clock and the worker's memory."""


ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""Nothing large is left to BLAS, and its threads take a quarter of the start of a worker."""


class Supervisor:
    """A worker, what it has asked for, and its limits.

    ``only`` is the place of the one spec, of several, that it builds.
    """

    def __init__(self, words: Sequence[str], errors: IO[bytes], only: int | None = None) -> None:
        self.words, self.errors = words, errors
        self.outcome: OutcomeRecord | None = None
        self.reason: str | None = None
        self.published: list[str] = []
        self.exit: int | None = None
        self.stopped: int | None = None
        self.meter = Meter()
        self.folder, self.stage = ExitStack(), ExitStack()
        self.unread = b""
        self.connection, theirs = socket.socketpair()
        number, number_of = theirs.fileno(), errors.fileno()
        path = os.pathsep.join(entry for entry in sys.path if entry)
        place = f"{number}" if only is None else f"{number}:{only}"
        words = own_process("reportgen.cli.worker", place, *self.words)
        with theirs, interrupts.held():
            try:
                self.worker = psutil.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    pass_fds=(number, number_of),
                    process_group=0,  # Ctrl-C reaches this process alone
                    env={
                        **ONE_THREAD,
                        **os.environ,
                        "PYTHONPATH": path,
                        "PYTHONOPTIMIZE": "",  # the chart library needs its docstrings
                        "REPORTGEN_NATIVE_ERRORS": str(number_of),
                    },
                )
            except OSError:
                self.connection.close()
                raise

    def close(self) -> None:
        """Leave nothing behind: neither the worker nor its stage."""
        self.kill()
        self.connection.close()
        with interrupts.held():
            self.stage.close()
            self.folder.close()

    def code(self) -> int:
        """Serve the worker to its end; return the exit code of the command."""
        while self.step():
            pass
        return self.end()

    def step(self) -> bool:
        """Serve the worker for a moment; False once it has ended, or is to end."""
        if not self.listen():
            return False
        self.reason = self.meter.beyond(self.worker.pid)
        return self.reason is None

    def end(self) -> int:
        """End the worker; return the exit code of the command."""
        if self.reason is None:
            self.wait()
        self.kill()
        ending = Ending(self.words, self.last_words(), self.published)
        if self.stopped is not None:
            return ending.stopped(self.stopped)
        if self.reason is not None:
            return ending.over(self.reason)
        return self.exit if self.exit is not None else ending.died(self.worker.returncode)

    def last_words(self) -> str:
        """What native code of the worker wrote to standard error."""
        self.errors.seek(0)
        return self.errors.read(1 << 20).decode(errors="replace")

    def listen(self) -> bool:
        """Take what the worker has to say; False once it has ended."""
        ready, _, _ = select.select([self.connection], [], [], LOOK)
        if not ready:
            return True
        with interrupts.held():  # no request is lost
            try:
                received = self.connection.recv(1 << 16)
            except ConnectionError:
                return False
            *lines, self.unread = (self.unread + received).split(b"\n")
            for line in lines:
                self.serve(json.loads(line))
        return bool(received)

    def serve(self, message: Mapping[str, Any]) -> None:
        """Do what the worker asks for, or note what it tells."""
        if "exit" in message:
            self.exit = message["exit"]
        elif "outcome" in message:
            self.outcome = message["outcome"]
        elif "seconds" in message:
            self.meter = Meter(message["seconds"], message["megabytes"])
        else:
            self.answer(self.result(message))

    def answer(self, answer: WorkerAnswer) -> None:
        """Send an answer; a worker that is no more needs none."""
        try:
            self.connection.sendall(json.dumps(answer).encode() + b"\n")
        except OSError:
            return

    def result(self, message: Mapping[str, Any]) -> WorkerAnswer:
        """Hold or leave a folder, make or remove a stage, publish."""
        from reportgen.builds import channel, publish

        try:
            match message:
                case {"open": [out, source]}:
                    self.folder.enter_context(publish.writing(Path(out), path_of(source)))
                case {"stage": [out, name]}:
                    stage = self.stage.enter_context(publish.staged(Path(out), name))
                    return {"value": str(stage)}
                case {"publish": [stage, target, is_latest, source]}:
                    publish.published(
                        Path(stage), Path(target), is_latest=is_latest, source=path_of(source)
                    )
                    self.published.append(target)
                case {"unstage": _}:
                    self.stage.close()
                case {"close": _}:
                    self.folder.close()
        except ReportgenError as error:
            return channel.answer_of(error)
        return {}

    def stop(self, number: int) -> None:
        """Have the worker end, at once where it was asked before."""
        interrupts.acknowledge()
        if self.stopped is not None:
            self.kill()
        self.stopped = number
        self.meter = Meter(seconds=PATIENCE)
        if self.worker.poll() is None:
            os.kill(self.worker.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End the worker and whatever it has started, if it still runs."""
        with interrupts.held():
            if self.worker.poll() is None:
                os.killpg(self.worker.pid, signal.SIGKILL)
                self.worker.wait()

    def wait(self) -> None:
        """Let a worker that has closed its connection end by itself."""
        with suppress(psutil.TimeoutExpired):
            self.worker.wait(PATIENCE)


def path_of(name: str | None) -> Path | None:
    """A path in a message; null stays null."""
    return None if name is None else Path(name)


@dataclass(frozen=True)
class Ending:
    """The command line, what native code wrote last, and what was published before."""

    words: Sequence[str]
    errors: str
    published: Sequence[str]

    def over(self, limit: str) -> int:
        """Tell that a limit was reached."""
        message = f"the run took more than {limit} and was stopped"
        return self._tell(LimitError.exit_code, Problem("limit", message))

    def stopped(self, number: int) -> int:
        """Tell that a signal asked us to stop."""
        problem = Problem(STOPPED[signal.Signals(number)], "nothing incomplete was published")
        return self._tell(128 + number, problem)

    def died(self, code: int) -> int:
        """Tell why a worker died: of a limit where anything says so, else of a bug."""
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if code == -signal.SIGTERM:
            return self.stopped(signal.SIGTERM)
        if limit := processor_time(code):
            return self._tell(limit.exit_code, *limit.problems)
        if code == -signal.SIGKILL:
            message = "the run was killed, most likely because the system ran out of memory"
            return self._tell(LimitError.exit_code, Problem("memory", message, hint=MORE_MEMORY))
        if code == -signal.SIGBUS:
            message = "a file was truncated while it was read, or its disk failed"
            hint = "something is writing to the data: build again when it has finished"
            return self._tell(DataError.exit_code, Problem("changed", message, hint=hint))
        if address_space() is not None or spent(self.errors):
            message = f"out of memory; the run ended with {how}"
            return self._tell(LimitError.exit_code, Problem("memory", message, hint=MORE_MEMORY))
        lines = [line for line in self.errors.splitlines() if line.strip()]
        last = f": {lines[-1][:200]}" if lines else ""
        problem = Problem("bug", f"native code ended with {how}{last}", hint="please report it")
        return self._tell(ReportgenError.exit_code, problem)

    def _tell(self, code: int, *problems: Problem) -> int:
        from reportgen.cli import faults

        shown = [*problems]
        if self.published:
            before = f"published before: {', '.join(self.published)}"
            shown.append(Problem("published", before))
        return faults.report_faults(code, shown, faults.Style.of(self.words))


MEGABYTE = 1_000_000

MARGIN = 64 * 2**20
"""Bytes of address space left below which a process can hardly allocate more."""

STARVED = 3.0
"""Seconds with less than that after which it will not recover: allocators try again forever."""


class Meter:
    """Limits of seconds, from now, and of megabytes; None: no limit."""

    def __init__(self, seconds: float | None = None, megabytes: float | None = None) -> None:
        self.seconds, self.megabytes = seconds, megabytes
        self.space = address_space()
        self.since = self.ample = time.monotonic()

    def beyond(self, pid: int) -> str | None:
        """Return the limit that a process is beyond, in words; None where it is within all."""
        now = time.monotonic()
        if self.seconds is not None and now - self.since > self.seconds:
            return f"{self.seconds:g} {'second' if self.seconds == 1 else 'seconds'}"
        if self.megabytes is not None and resident(pid) > self.megabytes * MEGABYTE:
            return f"{self.megabytes:,g} megabytes of memory"
        if self.space is None or addressed(pid) < self.space - MARGIN:
            self.ample = now
        if now - self.ample > STARVED:
            return f"{(self.space or 0) / MEGABYTE:,.0f} megabytes of address space (ulimit -v)"
        return None


def addressed(pid: int) -> int:
    """The address space that a process has taken, in bytes; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    import resource

    return pages * resource.getpagesize()


def resident(pid: int) -> int:
    """The memory of a process and of all that it has started, in bytes."""
    import psutil

    try:
        first = psutil.Process(pid)
        processes = [first, *first.children(recursive=True)]
    except psutil.Error:
        return 0
    total = 0
    for process in processes:
        try:
            total += process.memory_info().rss
        except psutil.Error:
            continue
    return total
