"""Make the names of models and classes safe to draw, and still distinguish them.

The chart compiler aborts the whole process on control characters and on
noncharacters, so no label reaches a chart, a page or a summary uncleaned.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Sequence

import numpy as np

from reportgen.text.name_starts import shared_start
from reportgen.text.scripts import JOINERS, bare, is_part, is_picture, isolated, legible

LONGEST = 80
"""Most characters that a label keeps; the last one is then an ellipsis."""

HEADING = 11.5
"""Size of a panel's heading, in px, with what its bold letters take more."""

BLANK = "(empty)"
"""What stands for a label without a visible character."""

MUCH = 10_000
"""More characters than any label has that is shown whole."""

HOLE = "□"
"""What stands for a character that has no picture: controls, lone surrogates, noncharacters."""

_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


def clean(text: str, longest: int = LONGEST) -> str:
    """Return the label as it may be drawn: NFC, no invisible character, not too long.

    What no font can draw is named by its number; words that run from right to
    left are isolated.

    >>> clean("好瓜"), clean("a" + chr(7)), clean("  "), clean("abcdef", longest=4)
    ('好瓜', 'a□', '(empty)', 'abc…')
    """
    seen = "".join(HOLE if _is_unseen(mark) else mark for mark in bare(text))
    trimmed = " ".join(unicodedata.normalize("NFC", legible(seen)).split())
    return isolated(shorten(trimmed, longest)) or BLANK


def shorten(text: str, longest: int) -> str:
    """Cut a text to ``longest`` characters with an ellipsis, never inside what is drawn as one."""
    if len(text) <= longest:
        return text
    end = longest - 1
    while end > 1 and is_part(text, end):
        end -= 1
    return text[:end].rstrip() + "…"


def middle_cut(text: str, longest: int) -> str:
    """Cut a text to ``longest`` characters, of which a third are its end.

    >>> middle_cut("gradient_boosting_v12", 12)
    'gradien…_v12'
    """
    return text if len(text) <= longest else _gapped(text, longest - 1, longest // 3)


def squeeze(text: str, width: float, *, tail: float = 1 / 3) -> str:
    """Cut a text to about ``width`` px, so that ``tail`` of what is left is its end.

    >>> squeeze("gradient_boosting_v12", 90), squeeze("gradient_boosting_v12", 90, tail=0)
    ('gradient_b…_v12', 'gradient_boost…')
    """
    if text_width(text) <= width:
        return text
    sizes = range(len(text) - 1, 2, -1)
    cuts = (_gapped(text, size, int(size * tail)) for size in sizes)
    return next((cut for cut in cuts if text_width(cut) <= width), _gapped(text, 2, 0))


def heading(text: str, width: float) -> str:
    """Cut the heading of a panel in its middle, so that names with one beginning stay apart.

    >>> heading("gradient_boosting_v12", 110), heading("forest", 110)
    ('gradient_b…g_v12', 'forest')
    """
    return squeeze(text, width * 10 / HEADING)


def fitted(names: Sequence[str], rooms: Sequence[float]) -> list[str]:
    """Return the names cut in their middles, or at their ends where the beginnings tell them apart.

    >>> fitted(["gradient_boosting_v1", "gradient_boosting_v2"], [90, 90])
    ['gradient_b…g_v1', 'gradient_b…g_v2']
    >>> fitted(["model_1_of_the_year_2026", "model_2_of_the_year_2026"], [55, 55])
    ['model_1_…', 'model_2_…']
    """
    pairs = list(zip(names, rooms, strict=True))
    middles = [squeeze(name, room) for name, room in pairs]
    if len(set(middles)) == len(middles):
        return middles
    ends = [squeeze(name, room, tail=0) for name, room in pairs]
    return ends if len(set(ends)) == len(ends) else middles


def _gapped(text: str, size: int, end: int) -> str:
    """``size`` characters of the text, the last ``end`` of them from its end."""
    plain = bare(text)
    left, right = size - end, len(plain) - end
    while left > 0 and is_part(plain, left):
        left -= 1
    while is_part(plain, right):
        right += 1
    return isolated(f"{plain[:left]}…{plain[right:]}")


def text_width(text: str, size: float = 10) -> float:
    """Return about how many px a text takes; ideographs are square, emoji a little wider.

    >>> text_width("ab"), text_width("好瓜"), text_width("👩‍🔬")
    (11.6, 20.0, 13.0)
    """
    text = bare(text)
    if text.isascii():
        return size * 0.58 * len(text)
    return size * sum(_width_in_em(mark) for k, mark in enumerate(text) if not is_part(text, k))


def _width_in_em(mark: str) -> float:
    if is_picture(mark):
        return 1.3
    return 1.0 if unicodedata.east_asian_width(mark) in "WF" else 0.58


def is_wide(text: str) -> bool:
    """Whether more than half of a text's characters are wide ones.

    >>> is_wide("好瓜 v2"), is_wide("forest")
    (False, False)
    >>> is_wide("梯度提升树 v2")
    True
    """
    wide = sum(unicodedata.east_asian_width(mark) in "WF" for mark in text)
    return 2 * wide > len(text)


def unique(texts: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    r"""Return a label for each text, in order: clean, and never the same one twice.

    Long ones are cut in their middles. Those that begin alike lose the words that all of them
    begin with, and are cut where that is not enough.

    >>> unique(["a" + chr(7), "a" + chr(8)])
    {'a\x07': 'a□', 'a\x08': 'a□ (2)'}
    >>> list(unique(["model_of_spring", "model_of_autumn", "other_of_autumn"], longest=9).values())
    ['…spring', '…autumn', 'othe…tumn']
    >>> list(unique(["runs/large-lr0.1-seed1", "runs/large-lr0.01-seed1"], longest=16).values())
    ['…lr0.1-seed1', '…lr0.01-seed1']
    """
    originals = dict.fromkeys(texts)
    cut = [clean(text, longest) for text in originals]
    alike = [
        bare(clean(text, MUCH))
        for text, short in zip(originals, cut, strict=True)
        if cut.count(short) > 1
    ]
    start = shared_start(alike, longest) if longest < LONGEST else 0
    labels = [
        _middle(text, longest, start if cut.count(short) > 1 else 0)
        for text, short in zip(originals, cut, strict=True)
    ]
    return dict(zip(originals, distinct(labels, longest), strict=True))


def _middle(text: str, longest: int, start: int) -> str:
    whole = bare(clean(text, MUCH))
    if start:
        whole = f"…{whole[start:]}"
    alone = isolated(whole)
    if len(alone) <= longest:
        return alone
    marks = len(alone) - len(whole)  # which keep the direction of what stands beside it
    return _gapped(whole, longest - 1 - marks, longest // 2)


def distinct(labels: Iterable[str], longest: int = LONGEST) -> list[str]:
    """Return the labels with a number behind each one that was there before.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    taken: dict[str, None] = {}
    for label in labels:
        taken[_untaken(label, taken, longest)] = None
    return list(taken)


def _is_unseen(mark: str) -> bool:
    return unicodedata.category(mark) in _UNSEEN and mark not in JOINERS


def _untaken(label: str, taken: Container[str], longest: int) -> str:
    candidate, number = label, 1
    while candidate in taken:
        number += 1
        tail = f" ({number})"
        candidate = shorten(label, longest - len(tail)) + tail
    return candidate


LinePoints = tuple[Sequence[float], Sequence[float]]
"""Places across and up."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in parts of the axes."""

STEP = 1 / 200
"""Distance of the points that stand for a line."""


class OccupiedArea:
    """What is drawn in a square from 0 to 1: words that are placed take their place too.

    Words never stand on ``lines``, and on ``quiet`` ones only where there is no other place.
    """

    def __init__(self, lines: Iterable[LinePoints], quiet: Iterable[LinePoints] = ()) -> None:
        self._lines, self._quiet = _joined(lines), _joined(quiet)
        self._boxes: list[Box] = []

    def place(self, boxes: Sequence[Box]) -> int | None:
        """Take the first of the boxes that is free; return which one, or nothing."""
        free = [
            number
            for number, box in enumerate(boxes)
            if min(box) >= 0 and max(box) <= 1
            if not _crosses(self._lines, box) and not any(_meet(box, b) for b in self._boxes)
        ]
        best = next((n for n in free if not _crosses(self._quiet, boxes[n])), None)
        index = best if best is not None else next(iter(free), None)
        if index is not None:
            self._boxes.append(boxes[index])
        return index


def _crosses(points: np.ndarray, box: Box) -> bool:
    left, bottom, right, top = box
    x, y = points
    return bool(((x > left) & (x < right) & (y > bottom) & (y < top)).any())


def _meet(one: Box, other: Box) -> bool:
    across = one[0] < other[2] and one[2] > other[0]
    return across and one[1] < other[3] and one[3] > other[1]


def _joined(lines: Iterable[LinePoints]) -> np.ndarray:
    curves = [_points(x, y) for x, y in lines]
    return np.concatenate(curves, axis=1) if curves else np.empty((2, 0))


def _points(x: Sequence[float], y: Sequence[float]) -> np.ndarray:
    """Return points along a line, near enough to each other that none of a word is between."""
    ends = np.array([x, y], dtype=float)
    if ends.shape[1] < 2:
        return ends
    steps = np.abs(np.diff(ends)).max(axis=0)
    along = np.concatenate([[0.0], np.cumsum(np.ceil(steps / STEP))])
    at = np.arange(along[-1] + 1)
    return np.array([np.interp(at, along, part) for part in ends])
