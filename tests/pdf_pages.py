"""What stands where on the pages of a PDF."""

from __future__ import annotations

import re

from pypdf import PageObject

MILLIMETRE = 72 / 25.4
HEADED = re.compile(r"(Table|Figure) \d+")


def texts_of(page: PageObject) -> list[tuple[float, str]]:
    """The texts between head and foot of a page with their heights, as they are written."""
    top, bottom = _body(page)
    texts: list[tuple[float, str]] = []

    def collect(text: str, page_matrix, text_matrix, _font, _size) -> None:
        y = page_matrix[1] * text_matrix[4] + page_matrix[3] * text_matrix[5] + page_matrix[5]
        if text.strip() and bottom < y < top:
            texts.append((y, text.strip()))

    page.extract_text(visitor_text=collect)
    return texts


def body_of(page: PageObject) -> tuple[str, float]:
    """The first text of a page below its head, and what share below the last is empty."""
    texts = texts_of(page)
    top, bottom = _body(page)
    return texts[0][1], (min(y for y, _ in texts) - bottom) / (top - bottom)


def lines_below_last_head(page: PageObject) -> int | None:
    """How many lines follow the last caption of a table; None without one, or behind a figure.

    A line that says where a table is that is not printed is no caption.
    """
    texts = texts_of(page)
    elsewhere = {round(y) for y, text in texts if "(HTML page" in text}
    heads = [
        (y, match[1])
        for y, text in texts
        if (match := HEADED.match(text)) and round(y) not in elsewhere
    ]
    if not heads or min(heads)[1] != "Table":
        return None
    lowest = min(heads)[0]
    return len({round(y) for y, _ in texts if y < lowest - 1})


def _body(page: PageObject) -> tuple[float, float]:
    return float(page.mediabox.height) - 22 * MILLIMETRE, 20 * MILLIMETRE
