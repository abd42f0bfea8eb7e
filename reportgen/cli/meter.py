"""The time and the memory that a process takes, with everything that it has started."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from reportgen.exhaustion import address_space

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
