"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

SHOWN = 20
"""How many names a message lists at most."""

LONGEST = 60
"""How many characters of a name it lists."""


def nearest(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the name closest to ``word``, ignoring case, or None when none is close.

    >>> nearest("postive", ["positive", "truth"])
    'positive'
    """
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.casefold(), name)
    close = get_close_matches(word.casefold(), folded, n=1, cutoff=cutoff)
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
    every = list(names)
    close = nearest(word, every)
    if close is not None:
        return f"did you mean {close!r}?"
    return f"there is: {listing(every)}" if every else ""
