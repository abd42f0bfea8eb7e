"""What stands where on the pages of a PDF."""

from __future__ import annotations

import re
from collections.abc import Callable

from pypdf import PageObject

MILLIMETRE = 72 / 25.4
HEADED = re.compile(r"(Table|Figure) \d+")


def texts_of(page: PageObject) -> list[tuple[float, str]]:
    """The texts between head and foot of a page with their heights, as they are written."""
    return [(y, text) for _, y, text in _placed(page)]


Placed = list[tuple[float, float, str]]

_READ: dict[int, tuple[PageObject, str, Placed]] = {}
"""The pages that were read: that takes longer than all else that is asked of them."""


def text_of(page: PageObject) -> str:
    """All the text of a page."""
    return _read(page)[1]


def _placed(page: PageObject) -> Placed:
    """The texts of the body with their distances from the left and from below."""
    return _read(page)[2]


def _read(page: PageObject) -> tuple[PageObject, str, Placed]:
    """The page with its text, and the texts of its body and their places."""
    if id(page) not in _READ:  # which is of this page for as long as it is kept
        texts: Placed = []
        _READ[id(page)] = (page, page.extract_text(visitor_text=_collector(page, texts)), texts)
    return _READ[id(page)]


def _collector(page: PageObject, texts: Placed) -> Callable[..., None]:
    top, bottom = _body(page)

    def collect(text: str, page_matrix, text_matrix, _font, _size) -> None:
        x = page_matrix[0] * text_matrix[4] + page_matrix[2] * text_matrix[5] + page_matrix[4]
        y = page_matrix[1] * text_matrix[4] + page_matrix[3] * text_matrix[5] + page_matrix[5]
        if text.strip() and bottom < y < top:
            texts.append((x, y, text.strip()))

    return collect


def body_of(page: PageObject) -> tuple[str, float]:
    """The first text of a page below its head, and what share below the last is empty."""
    texts = texts_of(page)
    top, bottom = _body(page)
    return texts[0][1], (min(y for y, _ in texts) - bottom) / (top - bottom)


def lines_below_last_head(page: PageObject) -> int | None:
    """How many lines follow the last caption of a table; None without one, or behind a figure.

    A line that says where a table is that is not printed is no caption, nor is a reference to a
    table within a sentence: to the right of where lines begin, or at the beginning of one that
    goes on with a small letter, as no title of a table does.
    """
    texts = _placed(page)
    elsewhere = {round(y) for _, y, text in texts if "(HTML page" in text}
    margin = min((x for x, *_ in texts), default=0.0)
    heads = [
        (y, match[1])
        for x, y, text in texts
        if (match := HEADED.match(text)) and round(y) not in elsewhere
        if match[1] == "Figure" or (x < margin + 1 and not _goes_on(texts, x, y))
    ]
    if not heads or min(heads)[1] != "Table":
        return None
    lowest = min(heads)[0]
    return len({round(y) for _, y, _ in texts if y < lowest - 1})


def _goes_on(texts: Placed, x: float, y: float) -> bool:
    """Whether what follows in the line begins with a small letter."""
    behind = [(at, text.strip()) for at, line, text in texts if round(line) == round(y) and at > x]
    return bool(behind) and min(behind)[1][:1].islower()


def _body(page: PageObject) -> tuple[float, float]:
    return float(page.mediabox.height) - 22 * MILLIMETRE, 20 * MILLIMETRE
