"""English words in a page of another language: names, brackets, code and references aside."""

from __future__ import annotations

import html
import re
from collections.abc import Collection

UNREAD = re.compile(r"<(script|style|code|pre|svg|sup)\b.*?</\1>", re.DOTALL)
INLINE = re.compile(r"</?(span|b|a|em|strong)\b[^>]*>")
TAG = re.compile(r"<[^>]+>")
NO_WORDS = (
    re.compile(r"（[^（）]*）|\([^()]*\)"),  # English at first use; formulas
    re.compile(r"“[^”]*”|\breportgen \w+"),  # keys of the spec, commands
    re.compile(r"\b\w+: \w+|[\w./-]+\.(json|md|html|pdf|csv|parquet|yaml)\b"),  # keys, files
)
CITED = re.compile(r"doi:|et al\.|\(\d{4}\)")
WORD = re.compile(r"(?<![A-Za-z0-9])[a-z]{3,}(?![A-Za-z0-9])")
"""A word in lower case: those with a capital are names of people, or abbreviations."""

KEYS = frozenset(("null", "measures", "train", "validation", "test"))
"""Values and keys as they are written in files."""

FUNCTIONS = frozenset(("log", "logit", "cost", "cosh", "exp", "max", "min", "cov", "var", "delta"))
"""Notation of formulas, P(+)cost among it, and a Greek letter."""


def english_words(page: str, names: Collection[str], unchanged: Collection[str]) -> list[str]:
    """The words in lower case of the text that is read, each with the sentence that it is in."""
    sentences = []
    for part in TAG.split(INLINE.sub("", UNREAD.sub("", page))):
        text = html.unescape(part)
        if CITED.search(text):
            continue
        bare = text
        for name in sorted(names, key=len, reverse=True):
            bare = re.sub(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", " ", bare)
        for pattern in NO_WORDS:
            bare = pattern.sub(" ", bare)
        words = [w for w in WORD.findall(bare) if w not in {*unchanged, *KEYS, *FUNCTIONS}]
        sentences += [f"{' '.join(words)}: {text.strip()}"] if words else []
    return sentences
