"""Texts of drawings whose letters join, or run from right to left, in the PDF.

The PDF writer sets a text of a drawing letter by letter, which tears such scripts
apart and turns them round. Here it is handed these texts as one letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from reportgen.text.scripts import is_joined


class _Whole(str):
    """A text that is not taken apart."""

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        yield str(self)


@cache
def keep_joined() -> None:
    """Have the PDF writer of this process set joined texts as a whole."""
    from weasyprint import svg

    by_letters = svg.text

    def text(drawing: Any, node: Any, font_size: float) -> None:
        element = node._etree_node
        if element.text and is_joined(element.text):
            element.text = _Whole(element.text)
        by_letters(drawing, node, font_size)

    for tag in [tag for tag, draw in svg.TAGS.items() if draw is by_letters]:
        svg.TAGS[tag] = text
    svg.text = text
