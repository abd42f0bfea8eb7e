"""A section in the author's own words, from a Markdown file."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePath
from typing import ClassVar

from markdown_it import MarkdownIt
from markupsafe import Markup

from reportgen.sections import lookup

ALLOWED = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
"""Where a link may lead; any other stays as it was typed."""

LOWER = {"h1": "h3", "h2": "h4"}
"""Headings of the file stand below the section's own."""


@dataclass(frozen=True)
class MarkdownSection:
    """Text of the report's author."""

    template: ClassVar[str] = "sections/text.html.j2"

    id: str
    title: str
    body: Markup


def from_markdown(number: int, path: str, title: str | None, text: str | None) -> MarkdownSection:
    """Make the section; without its text it says that the file is not at hand."""
    heading = lookup.clean(title or PurePath(path).stem.replace("_", " ").capitalize())
    missing = Markup("<p>The text of {} is not available.</p>").format(lookup.clean(path))
    return MarkdownSection(f"text_{number}", heading, missing if text is None else html(text))


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802  # overrides a method of the parser
        """Whether a link may stand on the page."""
        return ALLOWED.match(url) is not None


def html(text: str) -> Markup:
    """Render Markdown: no HTML of its own, no images, links only to http, https and mailto.

    >>> print(html("<b>*a*</b> [x](javascript:1)"))
    <p>&lt;b&gt;<em>a</em>&lt;/b&gt; [x](javascript:1)</p>
    <BLANKLINE>
    """
    parser = _Parser("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable("image")
    tokens = parser.parse("".join(map(_visible, text)))
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = LOWER.get(token.tag, "h5")
    # The parser escapes all text and every attribute; nothing else reaches the page.
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704


def _visible(mark: str) -> str:
    kind = unicodedata.category(mark)
    return "□" if kind in {"Cc", "Cn", "Co", "Cs"} and mark not in "\n\t" else mark
