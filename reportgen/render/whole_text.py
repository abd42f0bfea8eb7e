"""Texts of drawings in the PDF, each set as a whole.

The PDF writer sets a text of a drawing letter by letter: without kerning, in an eighth of the
time that a PDF takes, and so that scripts whose letters join, or that run from right to left,
are torn apart. Here it is handed each text as one letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any


class _Whole(str):
    """A text that is not taken apart."""

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        yield str(self)


@cache
def keep_whole() -> None:
    """Have the PDF writer of this process set the texts of drawings as a whole."""
    from weasyprint import svg

    by_letters = svg.text

    def text(drawing: Any, node: Any, font_size: float) -> None:
        element = node._etree_node
        if element.text:
            element.text = _Whole(element.text)
        by_letters(drawing, node, font_size)

    for tag in [tag for tag, draw in svg.TAGS.items() if draw is by_letters]:
        svg.TAGS[tag] = text
    svg.text = text
