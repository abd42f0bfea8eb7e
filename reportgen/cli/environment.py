"""What the environment sets for the libraries, checked before they read it."""

from __future__ import annotations

import os

from reportgen.errors import Problem, SpecError

THREADS = "POLARS_MAX_THREADS"

MOST_THREADS = 1024


def check() -> None:
    """Refuse a number of threads that Polars cannot start; an empty one is unset.

    Raises:
        SpecError: it is not a whole number from 1 to ``MOST_THREADS``.
    """
    text = os.environ.get(THREADS)
    if text is None:
        return
    if not text:
        del os.environ[THREADS]
        return
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= MOST_THREADS):
        hint = f"set it to a whole number from 1 to {MOST_THREADS:,}, or unset it"
        raise SpecError(Problem("threads", "it is not a number of threads", THREADS, hint))
