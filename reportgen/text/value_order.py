"""Names in the order that a reader expects: numbers by their size, open ranges at their ends."""

from __future__ import annotations

import re

_RANGE = re.compile(
    r"(?P<below><=?|≤|under |below |less than |up to |at most |younger than )?"
    r"(?P<above>>=?|≥|over |above |more than |at least |older than )?"
    r"\s*[$€£¥]?(?P<number>-?\d[\d,]*(?:\.\d+)?)(?P<rest>.*)",
    re.DOTALL,
)
_OPEN_ABOVE = re.compile(r"\s*(\+|(and|or) (over|above|more|older|higher))", re.IGNORECASE)
_OPEN_BELOW = re.compile(r"\s*(and|or) (under|below|less|fewer|younger|lower)", re.IGNORECASE)

ByWords = tuple[tuple[str | int, ...], str]
BySize = tuple[bool, float, int, ByWords]


def by_words(name: str) -> ByWords:
    """Return what sorts names by their words and whole numbers, in either case.

    >>> sorted(["m10", "B", "m2", "a"], key=by_words)
    ['a', 'B', 'm2', 'm10']
    """
    parts = re.split(r"(\d+)", name.casefold())
    return tuple(int(part) if i % 2 else part for i, part in enumerate(parts)), name


def by_size(name: str) -> BySize:
    """Return what sorts numbers and ranges by their size, and behind them other names by words.

    >>> sorted(["65+", "100–120", "under 55", "55–64", "unknown"], key=by_size)
    ['under 55', '55–64', '65+', '100–120', 'unknown']
    >>> sorted(["≥ 20", "<10", "9", "20", "b", "A"], key=by_size)
    ['9', '<10', '20', '≥ 20', 'A', 'b']
    """
    match = _RANGE.fullmatch(name.strip().lower())
    if match is None:
        return True, 0.0, 0, by_words(name)
    below = match["below"] or _OPEN_BELOW.match(match["rest"])
    above = match["above"] or _OPEN_ABOVE.match(match["rest"])
    end = -1 if below else 1 if above else 0
    return False, float(match["number"].replace(",", "")), end, by_words(name)
