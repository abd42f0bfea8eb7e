"""Memory, address space, open files and CPU time that are used up, however we learn of it."""

from __future__ import annotations

import errno
import signal
import sys

from reportgen.errors import LimitError, Problem

SPENT = (
    "memory allocation",
    "Memory allocation",
    "annot allocate memory",
    "out of memory",
    "std::bad_alloc",
    "blas_thread_init",
    "start new thread",
    "Resource temporarily unavailable",  # a thread of Polars that cannot be started
    "failed to map segment",
)
"""What allocators and libraries say where out of memory."""

FILES = ("Too many open files", "No file descriptors available")
MORE_MEMORY = "allow more memory, or evaluate with engine: streaming"
MORE_FILES = "allow more: ulimit -n 1024"
MORE_TIME = "allow more: ulimit -t"

COUNTED = 0.8
"""Share of its limit of CPU time that a process has at least taken when it is killed there.

The system holds it to the limit by ticks of its clock, and counts more finely what it took.
"""

_NUMBERS = {errno.ENOMEM: SPENT[2], errno.EMFILE: FILES[0], errno.ENFILE: FILES[0]}


def address_space() -> int | None:
    """The address space that ``ulimit -v`` leaves a process, in bytes; None without a limit."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def processor_time(code: int) -> LimitError | None:
    """Return what a child of this exit code took more of than ``ulimit -t`` allows; None if not.

    SIGXCPU comes from nothing else. SIGKILL, which comes where no higher limit is allowed, may
    come from anybody: only after children that took so much time it is put down to the limit.
    """
    if sys.platform == "win32" or code not in (-signal.SIGXCPU, -signal.SIGKILL):
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_CPU)
    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    within = limit == resource.RLIM_INFINITY or taken.ru_utime + taken.ru_stime < COUNTED * limit
    if code == -signal.SIGKILL and within:
        return None
    message = "the run was ended at its limit of CPU time (ulimit -t)"
    return LimitError(Problem("limit", message, hint=MORE_TIME))


def spent(text: str) -> LimitError | None:
    """Return what is used up by the words of a library; None where they are about other things."""
    if any(words in text for words in FILES):
        return LimitError(Problem("files", "too many files are open", hint=MORE_FILES))
    if any(words in text for words in SPENT):
        return LimitError(Problem("memory", "out of memory", hint=MORE_MEMORY))
    return None


def exhausted(error: BaseException) -> LimitError | None:
    """Return what an error, or one that it was raised from, says is used up; None if nothing is."""
    link: BaseException | None = error
    while link is not None:
        number = link.errno if isinstance(link, OSError) else None
        text = _NUMBERS.get(number or 0) or str(link)
        limit = spent(SPENT[0] if isinstance(link, MemoryError) else text)
        if limit is not None:
            return limit
        link = link.__cause__ or link.__context__
    return None
