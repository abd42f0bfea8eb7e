"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from itertools import islice

MOST_COMPARED = 20_000
"""Names that are compared with wrong ones within one ``bounded`` block."""

LONGEST_COMPARED = 200
"""Characters of a name up to which it is compared with others."""

SHORTEST_START = 3
"""Characters from which the beginning of a name stands for it."""

SHOWN = 20
"""How many names a message lists at most."""

LONGEST = 60
"""How many characters of a name it lists."""


_left: ContextVar[list[int] | None] = ContextVar("left", default=None)
"""How many names may still be compared, where that is bounded."""


@contextmanager
def bounded() -> Iterator[None]:
    """Bound the search for names that were meant: each takes time, and there may be thousands."""
    token = _left.set([MOST_COMPARED])
    try:
        yield
    finally:
        _left.reset(token)


def nearest(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the name closest to ``word``, ignoring case, or None when none is close.

    A name that begins with the word is closest. Of many names only the first are
    compared, see ``bounded``.

    >>> nearest("postive", ["positive", "truth"]), nearest("dir", ["dim", "directory"])
    ('positive', 'directory')
    """
    if len(word) > LONGEST_COMPARED:
        return None
    left = _left.get() or [MOST_COMPARED]
    folded: dict[str, str] = {}
    for name in islice(names, left[0]):
        if len(name) <= LONGEST_COMPARED:
            folded.setdefault(name.casefold(), name)
    left[0] -= len(folded)
    start = word.casefold()
    longer = [name for name in folded if len(start) >= SHORTEST_START and name.startswith(start)]
    close = sorted(longer, key=len) or get_close_matches(start, folded, n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


def listing(names: Iterable[str]) -> str:
    """Return the names as a person would list them, cut at ``SHOWN``, each at ``LONGEST``.

    >>> listing(["a", "b"])
    'a, b'
    """
    every = list(names)
    shown = ", ".join(map(cut, every[:SHOWN]))
    return f"{shown} and {len(every) - SHOWN} more" if len(every) > SHOWN else shown


def cut(name: str) -> str:
    """Return a name with no more of it than a message has room for."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def suggestion(word: str, names: Iterable[str]) -> str:
    """Return "did you mean 'x'?" or, when nothing is close, the names there are."""
    if _left.get() == [0]:
        return ""
    every = list(names)
    return did_you_mean(word, every) or (f"there is: {listing(every)}" if every else "")


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return "did you mean 'x'?", or nothing when no name is close."""
    close = nearest(word, names)
    return "" if close is None else f"did you mean {close!r}?"
