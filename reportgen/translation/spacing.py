"""Blanks between Chinese characters and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence

ATOM = re.compile("[\U000f0000-\U000fffff]")
"""A private character that stands for an inline element."""

HAN = "\u3400-\u9fff"
_BESIDE = "A-Za-z0-9²³Α-ω+−±√χ"
WIDE = "，。；：？！（）、“”《》"
_AFTER_HAN = rf"(?<=[{HAN}])(?=[{_BESIDE}])|(?<=[{_BESIDE}%])(?=[{HAN}])"
_NEEDLESS = (
    rf"(?<=[{HAN}{WIDE}])[ \u00a0]+(?=[{HAN}{WIDE}])"
    rf"|(?<=[，。；：？！（、《])[ \u00a0]+|[ \u00a0]+(?=[，。；：？！）、》（])|(?<=）)[ \u00a0]+"
)
_PERCENT = re.compile(r"(?<=\d)[ \u00a0]%")
_OPEN, _CLOSE = "\u0002", "\u0003"
_STEPS = (  # texts, which are compiled as they are used: of so wide ranges that takes long
    (_NEEDLESS, ""),
    (_AFTER_HAN, " "),
    (rf"(?<=[{HAN}])(?={_OPEN}.[{_BESIDE}])", " "),
    (rf"(?<=[{_BESIDE}%]{_CLOSE})(?=[{HAN}])", " "),
    (rf"(?<=[{HAN}{WIDE}]) (?={_OPEN}.[{HAN}])", ""),
    (rf"(?<=[{HAN}]{_CLOSE}) (?=[{HAN}{WIDE}])", ""),
)


def spaced(text: str, atoms: Sequence[str] = ()) -> str:
    """Return a text with one blank between Chinese and Latin letters or digits, and no other.

    ``atoms`` are the texts of the inline elements inside. A text without Chinese or a wide
    bracket stays.

    >>> spaced("共569行，占95 %"), spaced("表 \U000f0000 中", ["模型"])
    ('共 569 行，占 95%', '表\U000f0000中')
    >>> spaced("模型的R²显著")
    '模型的 R² 显著'
    """
    text = _PERCENT.sub("%", text)
    if not re.search(f"[{HAN}（]", text + "".join(atoms)):
        return text
    shown = ATOM.sub(lambda mark: _edges(mark[0], atoms), text)
    for pattern, join in _STEPS:
        shown = re.sub(pattern, join, shown)
    return re.sub(f"{_OPEN}(.)[^{_CLOSE}]*{_CLOSE}", r"\1", shown, flags=re.DOTALL)


def _edges(mark: str, atoms: Sequence[str]) -> str:
    """An element as its neighbours see it: its mark, its first and its last character."""
    place = ord(mark) - 0xF0000
    inner = atoms[place].strip() if place < len(atoms) else ""
    return f"{_OPEN}{mark}{inner[:1]}{inner[-1:]}{_CLOSE}"


_BEFORE = rf"(?:^|(?<![=/·×+−<>≤≥∫Σ√])\s|[{HAN}{WIDE}])$"
_AFTER = rf"$|\s(?![/·×≤≥])|[{HAN}{WIDE}.,;:]|{ATOM.pattern}"
_TUPLE = rf"[^{HAN}]+, [^{HAN}]+"


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
    before, after = text[max(start - 2, 0) : start], text[end + 1 :]
    around = re.search(_BEFORE, before) and re.match(_AFTER, after)
    return bool(around) and not re.fullmatch(_TUPLE, text[start + 1 : end])
