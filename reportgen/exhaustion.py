"""Memory, address space and open files that are used up, however a library says so."""

from __future__ import annotations

import errno
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

_NUMBERS = {errno.ENOMEM: SPENT[2], errno.EMFILE: FILES[0], errno.ENFILE: FILES[0]}


def address_space() -> int | None:
    """The address space that ``ulimit -v`` leaves a process, in bytes; None without a limit."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


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
