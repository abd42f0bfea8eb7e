"""Blanks between Chinese characters and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence

ATOM = re.compile("[\U000f0000-\U000fffff]")
"""A private character that stands for an inline element."""

HAN = "\u3400-\u9fff"
_BESIDE = "A-Za-z0-9Α-ω+−±√χ"
WIDE = "，。；：？！（）、“”《》"
_AFTER_HAN = re.compile(rf"(?<=[{HAN}])(?=[{_BESIDE}])|(?<=[{_BESIDE}%])(?=[{HAN}])")
_NEEDLESS = re.compile(
    rf"(?<=[{HAN}{WIDE}])[ \u00a0]+(?=[{HAN}{WIDE}])"
    rf"|(?<=[，。；：？！（、《])[ \u00a0]+|[ \u00a0]+(?=[，。；：？！）、》（])|(?<=）)[ \u00a0]+"
)
_PERCENT = re.compile(r"(?<=\d)[ \u00a0]%")
_OPEN, _CLOSE = "\u0002", "\u0003"
_STEPS = (
    (_NEEDLESS, ""),
    (_AFTER_HAN, " "),
    (re.compile(rf"(?<=[{HAN}])(?={_OPEN}.[{_BESIDE}])"), " "),
    (re.compile(rf"(?<=[{_BESIDE}%]{_CLOSE})(?=[{HAN}])"), " "),
    (re.compile(rf"(?<=[{HAN}{WIDE}]) (?={_OPEN}.[{HAN}])"), ""),
    (re.compile(rf"(?<=[{HAN}]{_CLOSE}) (?=[{HAN}{WIDE}])"), ""),
)


def spaced(text: str, atoms: Sequence[str] = ()) -> str:
    """Return a text with one blank between Chinese and Latin letters or digits, and no other.

    ``atoms`` are the texts of the inline elements inside. A text without Chinese or a wide
    bracket stays.

    >>> spaced("共569行，占95 %"), spaced("表 \U000f0000 中", ["模型"])
    ('共 569 行，占 95%', '表\U000f0000中')
    """
    text = _PERCENT.sub("%", text)
    if not re.search(f"[{HAN}（]", text + "".join(atoms)):
        return text
    shown = ATOM.sub(lambda mark: _edges(mark[0], atoms), text)
    for pattern, join in _STEPS:
        shown = pattern.sub(join, shown)
    return re.sub(f"{_OPEN}(.)[^{_CLOSE}]*{_CLOSE}", r"\1", shown, flags=re.DOTALL)


def _edges(mark: str, atoms: Sequence[str]) -> str:
    """An element as its neighbours see it: its mark, its first and its last character."""
    place = ord(mark) - 0xF0000
    inner = atoms[place].strip() if place < len(atoms) else ""
    return f"{_OPEN}{mark}{inner[:1]}{inner[-1:]}{_CLOSE}"
