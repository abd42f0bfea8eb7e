"""Characters of every script: which can be drawn, what stands for the others, and direction."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from pathlib import Path

from reportgen.resources import TEMPLATES
from reportgen.text.system_fonts import covered

BUNDLED = TEMPLATES / "fonts" / "ReportSans-Regular.ttf"
"""The font whose characters every report has."""

EMOJI = BUNDLED.with_name("ReportEmoji-Regular.ttf")
"""The font of pictures, which a report has where it shows any."""

ISOLATE, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
UNSEEN = frozenset(
    f"\n\r\t\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2060\ufeff{ISOLATE}{END}"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
)
"""Characters that have no picture of their own: they join, divide, turn or vary others."""

JOINERS = "\u200c\u200d"
_JOINER, _FLAGS, _TONES = "\u200d", range(0x1F1E6, 0x1F200), range(0x1F3FB, 0x1F400)
_ON_OTHERS = frozenset({"Mn", "Me"})
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_WORD = rf"[^\s{ISOLATE}{END}]*[{_RIGHT_TO_LEFT}][^\s{ISOLATE}{END}]*"
_RUN = re.compile(rf"{_WORD}(?: {_WORD})*")
_EDGES = re.compile(r"([(\[{\"'“‘«]*)(.*?)([)\]}\"'”’».,;:!?…]*)", re.DOTALL)
_NUMBERS = re.compile(r"‹U\+([0-9A-F]{4,6}(?: [0-9A-F]{4,6})*)›")
_JOINED = re.compile(f"[{_RIGHT_TO_LEFT}\u0300-\u036f\u0900-\u109f\u1780-\u17ff{JOINERS}]")


@cache
def bundled() -> frozenset[int]:
    """Return the code points that the bundled fonts of text have."""
    return _code_points(BUNDLED)


@cache
def pictures() -> frozenset[int]:
    """Return the code points that only the bundled font of emoji has."""
    return _code_points(EMOJI) - bundled() - set(map(ord, UNSEEN))


def _code_points(path: Path) -> frozenset[int]:
    import uharfbuzz

    return frozenset(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path))).unicodes)


def missing(text: str) -> set[str]:
    """Return the characters of a text that the bundled fonts of text lack.

    >>> sorted(missing("好瓜 א"))
    ['א']
    """
    return {mark for mark in set(text) - UNSEEN if ord(mark) not in bundled()}


def unbundled(text: str) -> set[str]:
    """Return the characters of a text that no bundled font has.

    >>> sorted(unbundled("好瓜 א 👩"))
    ['א']
    """
    return {mark for mark in missing(text) if ord(mark) not in pictures()}


def drawable(mark: str) -> bool:
    """Whether a bundled font, or one of this machine, has a picture of a character."""
    known = ord(mark) in bundled() or ord(mark) in pictures()
    return known or mark in UNSEEN or ord(mark) in covered()


def is_part(text: str, at: int) -> bool:
    r"""Whether a character is drawn as one with that before it: accents, joined emoji, flags.

    >>> [is_part("e\u0301👩‍🔬🇩🇪👍🏽", k) for k in range(9)]
    [False, True, False, True, True, False, True, False, True]
    """
    if at <= 0 or at >= len(text):
        return False
    mark, code = text[at], ord(text[at])
    if code in _FLAGS:
        before = len(text[:at]) - len(text[:at].rstrip("".join(map(chr, _FLAGS))))
        return before % 2 == 1
    joined = mark in JOINERS or code in _TONES or text[at - 1] == _JOINER
    return joined or unicodedata.category(mark) in _ON_OTHERS


def is_picture(mark: str) -> bool:
    """Whether a character is drawn as a picture, wider than it is high."""
    return ord(mark) not in bundled() and ord(mark) in pictures()


def legible(text: str) -> str:
    r"""Return a text with the numbers of the characters that no font here can draw.

    >>> legible("melon \U000f1234\U000f1235")
    'melon ‹U+F1234 F1235›'
    """
    absent = {mark for mark in missing(text) if not drawable(mark)}
    if not absent:
        return text
    marks = re.escape("".join(sorted(absent)))
    unseen = re.escape("".join(sorted(UNSEEN - {"\n", "\r", "\t", ISOLATE, END})))
    return re.sub(f"[{marks}](?:[{unseen}]*[{marks}])*", _numbered, text)


def _numbered(run: re.Match[str]) -> str:
    return f"‹U+{' '.join(f'{ord(mark):04X}' for mark in run[0])}›"


def restored(text: str) -> str:
    r"""Return a text with characters where ``legible`` wrote numbers: for a reader's own fonts.

    Only characters that it would have replaced come back, so that nothing hidden
    in a label does.

    >>> restored(legible("melon 𠜎")), restored("‹U+003C› ‹U+0007›")
    ('melon 𠜎', '‹U+003C› ‹U+0007›')
    """
    return _NUMBERS.sub(_restored, text)


def _restored(numbers: re.Match[str]) -> str:
    codes = [int(number, 16) for number in numbers[1].split()]
    if max(codes) > sys.maxunicode:
        return numbers[0]
    run = "".join(map(chr, codes))
    safe = run.translate(dict.fromkeys(map(ord, JOINERS))).isprintable()
    return run if safe and legible(run) == numbers[0] else numbers[0]


def isolated(text: str) -> str:
    """Isolate the words that run from right to left, so that what stands beside them stays there.

    Unicode Standard Annex #9, https://www.unicode.org/reports/tr9/.

    >>> isolated("auc of אב גד: 0.9") == f"auc of {ISOLATE}אב גד{END}: 0.9"
    True
    """
    return _RUN.sub(_isolated, text)


def _isolated(run: re.Match[str]) -> str:
    parts = _EDGES.fullmatch(run[0])
    before, inner, after = ("", run[0], "") if parts is None else parts.groups()
    return f"{before}{ISOLATE}{inner}{END}{after}"


def bare(text: str) -> str:
    """Return a text without the marks that isolate parts of it."""
    return text.replace(ISOLATE, "").replace(END, "")


def is_joined(text: str) -> bool:
    """Whether letters of a text change with their neighbours, or run from right to left."""
    return _JOINED.search(text) is not None
