"""Segments of a Markdown text: its lines and the cells of its tables."""

from __future__ import annotations

import re

from reportgen.translation import markup
from reportgen.translation.markup import Translate

_LINE = re.compile(r"((?:#+|-) )?(.*?)(\s*)", re.DOTALL)
_CELLS = re.compile(r"(?<!\\)(\|)")
_EMPHASIS = re.compile(r"(\s*)(\*{0,2})(.*?)(\2)(\s*)", re.DOTALL)


def translated(text: str, translate: Translate) -> str:
    r"""Return a Markdown text with its lines and the cells of its tables translated.

    >>> print(translated("## recall\n\n| **a** | b<sup>c</sup> |", lambda text, _: text.upper()))
    ## RECALL
    <BLANKLINE>
    | **A** | B<sup>C</sup> |
    """
    return "\n".join(_line(line, translate) for line in text.split("\n"))


def _line(line: str, translate: Translate) -> str:
    if line.startswith("|"):
        cells = _CELLS.split(line)
        return "".join(cell if cell == "|" else _emphasised(cell, translate) for cell in cells)
    parts = _LINE.fullmatch(line)
    if parts is None:
        return line
    return f"{parts[1] or ''}{_emphasised(parts[2], translate)}{parts[3]}"


def _emphasised(text: str, translate: Translate) -> str:
    parts = _EMPHASIS.fullmatch(text)
    if parts is None or not parts[3]:
        return text
    inner = markup.translated(parts[3], lambda segment, _: translate(segment, "p"))
    return f"{parts[1]}{parts[2]}{inner}{parts[4]}{parts[5]}"
