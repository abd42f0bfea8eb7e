"""The word of a spec for the rows of a comparison, in place of "data set", in any language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reportgen.translation.phrases import Catalogue
from reportgen.translation.translator import Translator, alternatives, is_cited

ENGLISH_CATALOGUE = Catalogue("en", {}, {}, frozenset(), {}, {}, {})

_UNIT = r"(?P<article>\b[Aa] )?(?<!simulated )\b(?P<first>[Dd])ata set(?P<many>s)?\b"
_CHINESE = r"(?P<chinese>数据集)"


_IRREGULAR = {
    "series": "series",
    "species": "species",
    "child": "children",
    "person": "people",
    "man": "men",
    "woman": "women",
    "mouse": "mice",
    "corpus": "corpora",
    "analysis": "analyses",
    "leaf": "leaves",
}
"""Plurals that no rule of spelling gives."""


def plural(word: str) -> str:
    """More than one of what a word names.

    >>> [plural(word) for word in ("item", "query", "class", "day", "time series", "child")]
    ['items', 'queries', 'classes', 'days', 'time series', 'children']
    """
    head, last = word[: word.rfind(" ") + 1], word[word.rfind(" ") + 1 :]
    if last.lower() in _IRREGULAR:
        return head + _IRREGULAR[last.lower()]
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", word) else f"{word}s"


@dataclass
class UnitWords(Translator):
    """Names the rows of a comparison by ``words``, one and many; the rest as ``within`` does.

    Names of the user's data and references stay as they are.
    """

    words: tuple[str, str] = ("item", "items")
    within: Translator | None = None
    _pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        """Prepare what finds the words, but no name that holds them."""
        super().__post_init__()
        names = alternatives(name for name in self.names if "data set" in name.lower()).pattern
        self._pattern = re.compile(rf"(?P<name>{names})|{_UNIT}|{_CHINESE}")

    def begin(self) -> None:
        """Begin a page."""
        if self.within is not None:
            self.within.begin()

    def text(self, segment: str, block: str = "title") -> str:
        """A segment with the spec's word."""
        return self._named(segment if self.within is None else self.within.text(segment, block))

    def label(self, text: str) -> str:
        """A text of a drawing with the spec's word."""
        return self._named(text if self.within is None else self.within.label(text))

    def _named(self, text: str) -> str:
        return text if is_cited(text) else self._pattern.sub(self._word, text)

    def _word(self, match: re.Match[str]) -> str:
        if match["name"]:
            return match[0]
        one, many = self.words
        if match["chinese"]:
            return one
        word = many if match["many"] else one
        if match["article"]:
            article = "an" if word[0].lower() in "aeiou" else "a"
            return f"{article if match['article'][0] == 'a' else article.capitalize()} {word}"
        return word[0].upper() + word[1:] if match["first"] == "D" else word


def with_unit(within: Translator | None, unit: Sequence[str], names: Iterable[str]) -> UnitWords:
    """What names the rows of a comparison as ``unit`` does: one of them, and many where it says."""
    one, many = unit[0], unit[1] if len(unit) > 1 else plural(unit[0])
    catalogue = ENGLISH_CATALOGUE if within is None else within.catalogue
    return UnitWords(catalogue, frozenset(names), words=(one, many), within=within)
