"""A language's catalogue: English phrases and sentence patterns, and what stands for them."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from reportgen.resources import TEMPLATES

FOLDER = TEMPLATES / "languages"

NUMBER = r"(?:[<>≤≥=] ?)?[−+±-]?(?:\d[\d,\u202f]*(?:\.\d+)?(?:e[−-]?\d+| × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|∞)"
"""A printed number, with the sign of a bound where there is one."""

_PLACE = re.compile(r"\{(\w+)\}")
WORD = re.compile(r"[A-Za-z]{2,}")


@dataclass(frozen=True)
class Pattern:
    """A sentence with places: ``{1}`` for a number, ``{a}`` for any other phrase.

    A place may recur in the translation, not in the source. An expression is compiled where a
    text may match it: to compile all of them took longer than all else of a small build.
    """

    source: str
    target: str

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """What it matches, where no phrase reaches beyond a semicolon."""
        return _expression(self.source, "[^;]+?")

    @cached_property
    def wide(self) -> re.Pattern[str]:
        """What it matches, where phrases may reach beyond a semicolon."""
        return _expression(self.source, ".+?")

    @property
    def literal(self) -> int:
        """How many of its characters are fixed."""
        return len(_PLACE.sub("", self.source))

    @property
    def words(self) -> set[str]:
        """Its fixed words."""
        return set(WORD.findall(_PLACE.sub("\n", self.source).lower()))


def _expression(source: str, phrase: str) -> re.Pattern[str]:
    parts = _PLACE.split(source)
    texts = [re.escape(part).replace(r"\ ", " ") for part in parts[::2]]
    groups = [f"(?P<p{name}>{NUMBER if name.isdigit() else phrase})" for name in parts[1::2]]
    whole = "".join(a + b for a, b in zip(texts, [*groups, ""], strict=True))
    return re.compile(whole, re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything that one language's file holds.

    ``phrases`` are by their English in small letters, ``patterns`` by their rarest word, with
    most fixed characters first. ``unchanged`` words stay as they are. ``terms`` have the English
    that is given in brackets at first use, ``style`` and ``script`` the texts
    of style sheets and scripts.
    """

    html_language: str
    phrases: Mapping[str, str]
    patterns: Mapping[str, tuple[Pattern, ...]]
    unchanged: frozenset[str]
    terms: Mapping[str, str]
    style: Mapping[str, str]
    script: Mapping[str, str]


@cache
def catalogue(language: str) -> Catalogue:
    """Read the catalogue of a language."""
    plain = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    texts: dict[str, str] = plain["texts"]
    patterns = [Pattern(*item) for item in texts.items() if _PLACE.search(item[0])]
    return Catalogue(
        plain["html_language"],
        {key.lower(): text for key, text in texts.items() if not _PLACE.search(key)},
        _indexed(patterns),
        frozenset(plain["unchanged"]),
        plain["terms"],
        plain["style"],
        plain["script"],
    )


def _indexed(patterns: list[Pattern]) -> dict[str, tuple[Pattern, ...]]:
    counts = Counter(word for pattern in patterns for word in pattern.words)
    index: dict[str, list[Pattern]] = {}
    for pattern in sorted(patterns, key=lambda one: -one.literal):
        key = min(pattern.words, key=lambda word: (counts[word], word), default="")
        index.setdefault(key, []).append(pattern)
    return {key: tuple(group) for key, group in index.items()}
