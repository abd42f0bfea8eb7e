"""Round brackets as Chinese has them: wide round words and numbers, narrow in formulas."""

from __future__ import annotations

import re

from reportgen.translation.spacing import ATOM, HAN, WIDE

_BEFORE = re.compile(rf"(?:^|(?<![=/·×+−<>≤≥∫Σ√])\s|[{HAN}{WIDE}])$")
_AFTER = re.compile(rf"$|\s(?![/·×≤≥])|[{HAN}{WIDE}.,;:]|{ATOM.pattern}")
_TUPLE = re.compile(rf"[^{HAN}]+, [^{HAN}]+")


def widened(text: str, names: re.Pattern[str]) -> str:
    """Return a text with every bracket wide that stands by itself (GB/T 15834-2011, 4.9).

    One that a letter or an operator precedes or follows is part of a formula and stays narrow,
    and so do those of pairs of numbers, those inside a name, and one that nothing closes.

    >>> never = re.compile("(?!)")
    >>> widened("t(9) = 1.52 (2.26)；由 (0, FPR) 算得 t = (a − b) / s", never)
    't(9) = 1.52 （2.26）；由 (0, FPR) 算得 t = (a − b) / s'
    """
    held = {place for match in names.finditer(text) for place in range(*match.span())}
    letters = list(text)
    open_at: list[int] = []
    for place, letter in enumerate(text):
        if place in held:
            continue
        if letter in "(（":
            open_at.append(place)
        elif letter in ")）" and open_at:
            start = open_at.pop()
            if text[start] == "（" or _stands_alone(text, start, place):
                letters[start], letters[place] = "（", "）"
    return "".join(letters)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether what a pair of brackets holds is a remark and not a part of a formula."""
    around = _BEFORE.search(text[max(start - 2, 0) : start]) and _AFTER.match(text, end + 1)
    return bool(around) and not _TUPLE.fullmatch(text, start + 1, end)
