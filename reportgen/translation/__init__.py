"""Reports in other languages: what is rendered in English, by catalogue.

Pages are composed in English and translated when they are complete: each segment of text is
looked up whole, then as a pattern with places for numbers, names and phrases. What the
catalogue lacks stays English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from reportgen.translation.markup import translated, translated_markdown
from reportgen.translation.phrases import catalogue
from reportgen.translation.translator import Translator

ENGLISH = "en"

_LANGUAGE = re.compile(r'(<html lang=")[^"]*(")')

__all__ = ["ENGLISH", "Translator", "markdown_in", "page_in", "scripts_in", "translator"]


def translator(language: str, names: Iterable[str]) -> Translator:
    """Return what translates one page into a language; ``names`` stay as they are."""
    return Translator(catalogue(language), frozenset(names))


def page_in(text: str, into: Translator | None) -> str:
    """Return a page in another language; as it is where there is no translator."""
    if into is None:
        return text
    into.begin()
    text = _LANGUAGE.sub(rf"\g<1>{into.catalogue.html_language}\2", text, count=1)
    text = translated(text, into.text)
    return _replaced(text, into.catalogue.style)


def markdown_in(text: str, into: Translator | None) -> str:
    """Return a Markdown text in another language; as it is where there is no translator."""
    if into is None:
        return text
    into.begin()
    return translated_markdown(text, into.text)


def scripts_in(sources: Sequence[str], into: Translator | None) -> Sequence[str]:
    """Return the scripts of a page with their texts translated; the first one is a library."""
    if into is None:
        return sources
    return (*sources[:1], *(_replaced(source, into.catalogue.script) for source in sources[1:]))


def _replaced(text: str, texts: Mapping[str, str]) -> str:
    for source, target in texts.items():
        text = text.replace(source, target)
    return text
