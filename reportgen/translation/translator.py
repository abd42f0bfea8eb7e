"""Phrases and sentences of one report in another language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from reportgen.translation.phrases import NUMBER, WORD, Catalogue, Pattern
from reportgen.translation.spacing import spaced, widened

_WITH_DIGIT = re.compile(r"\b(?=[A-Za-z_]*\d)\w+")
_CITED = re.compile(
    r"(?!See )(?:(?:de |van )?[A-Z][\w'’.-]+(?:,| &| et al\.)? )+\(\d{4}[a-z]?\)(?:[,;] .*)?",
    re.DOTALL,
)
_SENTENCES = re.compile(r"(?<!\b(?:al|eq)\.)(?<=\S[.?!]) +")
MARKED = re.compile(
    r"([\U000f0000-\U000fffff✓✗\s,]*)(.*?)([\U000f0000-\U000fffff✓✗↑↓\s,]*)", re.DOTALL
)
_MEASURED = re.compile(rf"(.*[^\d\W]) ({NUMBER}(?: ?%)?)")
_BRACKETED = re.compile(r"(.+?) \(([^()]+(?:\([^()]*\)[^()]*)*)\)")
_HEADED = re.compile(r"(\d+) (.+)")
_BOUND = re.compile(r"(?<=\b[pα]) ([=<]) (?=\d)")
_HELD = "\u0004"
_ENDS = {".": "。", "?": "？", ":": "："}
_JOINS = (
    (" · ", " · "),
    ("; ", "；"),
    (": ", "："),
    (" − ", " − "),
    (" / ", " / "),
    (" → ", " → "),
)
_DEEPEST = 12


@dataclass
class Translator:
    """Translates the texts of one page; ``missing`` collects what the catalogue lacks."""

    catalogue: Catalogue
    names: frozenset[str] = frozenset()
    missing: dict[str, None] = field(default_factory=dict)
    _results: dict[str, str | None] = field(default_factory=dict)
    _introduced: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Prepare what finds the names and the terms."""
        whole = alternatives(self.names).pattern
        self._names = re.compile(rf"(?<![^\W_])(?:{whole})(?![^\W_])")
        self._terms = alternatives(self.catalogue.terms)
        phrases = self.catalogue.phrases
        self._held = HeldNames(name for name in self.names if name.lower() not in phrases)
        self._sentence_names = [name for name in self.names if _SENTENCES.search(f"{name} ")]

    def begin(self) -> None:
        """Begin a page, on which no term was used yet."""
        self._introduced.clear()

    def text(self, segment: str, block: str = "title") -> str:
        """Return a segment in the other language; what is missing stays English."""
        result = self._set(self._held.back_in(self._whole(self._held.out_of(segment))))
        return self._with_terms(result) if block in {"p", "li", "td", "row"} else result

    def label(self, text: str) -> str:
        """Return a text of a drawing; one that the catalogue lacks whole stays English."""
        result = self._phrase(self._held.out_of(text.replace("\xa0", " ")), 0)
        return text if result is None else self._set(self._held.back_in(result))

    def _set(self, text: str) -> str:
        """Set brackets and blanks; references and shortened names stay as they are."""
        if is_cited(text) or ("…" in text and self._is_shortened(text)):
            return text
        return spaced(widened(text, self._names))

    def is_neutral(self, text: str) -> bool:
        """Whether a text holds no word that has to be translated: names, numbers, symbols."""
        if is_cited(text):
            return True
        bare = _WITH_DIGIT.sub(" ", self._names.sub(" ", text))
        return all(word in self.catalogue.unchanged for word in WORD.findall(bare))

    def _whole(self, segment: str) -> str:
        text = segment.replace("\xa0", " ")
        result = self._phrase(text, 0)
        if result is not None:
            bound = _BOUND.sub("\xa0\\1\xa0", result) if text != segment else result
            return segment if result == text else bound
        parts = self._sentences(text)
        if len(parts) == 1:
            self.missing[self._held.back_in(text)] = None
            return segment
        whole = [self._whole(part) for part in parts]
        return "".join(part + " " * part.endswith((".", "?", "!")) for part in whole).rstrip()

    def _sentences(self, text: str) -> list[str]:
        """Split a text into sentences, but no name."""
        for name in self._sentence_names:
            text = text.replace(f"{name} ", f"{name} ".replace(" ", _HELD))
            text = text.replace(name, name.replace(" ", _HELD))
        return [part.replace(_HELD, " ") for part in _SENTENCES.split(text)]

    def _phrase(self, text: str, depth: int) -> str | None:
        """Return a phrase in the other language, or None where the catalogue lacks it."""
        if text not in self._results:
            self._results[text] = None if depth > _DEEPEST else self._resolved(text, depth)
        return self._results[text]

    def _resolved(self, text: str, depth: int) -> str | None:
        if text in self.names or ("…" in text and self._is_shortened(text)):
            return text
        exact = self.catalogue.phrases.get(" ".join(text.split()).lower())
        if exact is not None:
            return exact
        marked = self._marked(text, depth + 1)
        if marked is not None or self.is_neutral(text):
            return marked or text
        sentences = self._sentences(text)
        if len(sentences) > 1:
            return self._joined(sentences, "", depth + 1)
        for way in (self._ended, self._by_pattern, self._composed, self._by_wide):
            result = way(text, depth + 1)
            if result is not None:
                return result
        return None

    def _is_shortened(self, text: str) -> bool:
        """Whether a text is a name whose middle or end was cut out."""
        start, _, end = text.partition("…")
        return any(name.startswith(start) and name.endswith(end) for name in self.names)

    def _ended(self, text: str, depth: int) -> str | None:
        mark = _ENDS.get(text[-1:])
        inner = self._phrase(text[:-1], depth) if mark else None
        return None if inner is None or mark is None else inner + mark

    def _marked(self, text: str, depth: int) -> str | None:
        """Translate what stands between elements or marks at either end."""
        parts = MARKED.fullmatch(text)
        if parts is None or not (parts[1] or parts[3]) or not parts[2]:
            return None
        inner = self._phrase(parts[2], depth)
        return None if inner is None else f"{parts[1]}{inner}{parts[3]}"

    def _by_wide(self, text: str, depth: int) -> str | None:
        """Let phrases reach beyond a semicolon, where its two sides are no phrases."""
        return self._by_pattern(text, depth, wide=True) if ";" in text else None

    def _by_pattern(self, text: str, depth: int, *, wide: bool = False) -> str | None:
        words = {*WORD.findall(text.lower()), ""}
        index = self.catalogue.patterns
        candidates = [one for word in sorted(words) for one in index.get(word, ())]
        for pattern in sorted(candidates, key=lambda one: -one.literal):
            result = self._filled(
                pattern, (pattern.wide if wide else pattern.expression).fullmatch(text), depth
            )
            if result is not None:
                return result
        return None

    def _filled(self, pattern: Pattern, match: re.Match[str] | None, depth: int) -> str | None:
        if match is None or _repeats_its_joint(match):
            return None
        filled = {}
        for name, value in match.groupdict().items():
            inner = value if name[1:].isdigit() else self._phrase(value, depth)
            if inner is None:
                return None
            filled[name[1:]] = inner
        return re.sub(r"\{(\w+)\}", lambda place: filled[place[1]], pattern.target)

    def _composed(self, text: str, depth: int) -> str | None:
        """Translate the parts of a text that are joined by punctuation, brackets or a list."""
        for mark, join in _JOINS:
            if mark in text:
                joined = self._joined(text.split(mark), join, depth)
                return joined if joined or mark != ": " else self._parted(text, depth)
        bracketed = _BRACKETED.fullmatch(text)
        if bracketed is not None and " and " not in bracketed[1]:
            before, inner = (self._phrase(part, depth) for part in bracketed.groups())
            if before is not None and inner is not None:
                return f"{before}（{inner}）"
        measured = _MEASURED.fullmatch(text)
        inner = measured and self._phrase(measured[1], depth)
        if measured and inner is not None:
            return f"{inner} {measured[2]}"
        headed = _HEADED.fullmatch(text)
        exact = headed and self.catalogue.phrases.get(headed[2].lower())
        return f"{headed[1]} {exact}" if headed and exact else self._listed(text, depth)

    def _parted(self, text: str, depth: int) -> str | None:
        """Translate what stands before one of the colons and all behind it, which may hold more."""
        for mark in re.finditer(": ", text):
            result = self._joined((text[: mark.start()], text[mark.end() :]), "：", depth)
            if result is not None:
                return result
        return None

    def _listed(self, text: str, depth: int) -> str | None:
        for mark in reversed(list(re.finditer(" and ", text))):
            items = self._joined(self._items(text[: mark.start()]), "、", depth)
            last = items and self._phrase(text[mark.end() :], depth)
            if last:
                return f"{items} 和 {last}"
        if ", " in text:
            return self._joined(self._items(text), "，", depth)
        return None

    def _items(self, text: str) -> list[str]:
        """Split a list at its commas, but not those inside a phrase of the catalogue."""
        parts, items = text.split(", "), []
        while parts:
            ends = range(len(parts), 0, -1)
            phrases = self.catalogue.phrases
            end = next((at for at in ends if ", ".join(parts[:at]).lower() in phrases), 1)
            items.append(", ".join(parts[:end]))
            parts = parts[end:]
        return items

    def _joined(self, parts: Iterable[str], join: str, depth: int) -> str | None:
        results = [self._phrase(part, depth) for part in parts]
        whole = [part for part in results if part is not None]
        return join.join(whole) if len(whole) == len(results) else None

    def _with_terms(self, text: str) -> str:
        """Put the English of a term into brackets behind its first use."""

        def introduced(match: re.Match[str]) -> str:
            term = match[0]
            if term in self._introduced:
                return term
            self._introduced.add(term)
            return f"{term}（{self.catalogue.terms[term]}）"

        return self._terms.sub(introduced, text)


LONGEST_JOINT = 5
"""Characters of a word that joins two names, as " on ", with its blanks."""


def _repeats_its_joint(match: re.Match[str]) -> bool:
    """Whether a pattern of two names took a list of such pairs for one: "a on b, c on d".

    >>> pair = re.compile("(?P<a>.+?) on (?P<b>.+)")
    >>> [_repeats_its_joint(pair.fullmatch(t)) for t in ("a on b and c", "a on b and c on d")]
    [False, True]
    """
    if len(match.groups()) != 2 or match.start(1) != 0 or match.end(2) != len(match.string):
        return False
    joint = match.string[match.end(1) : match.start(2)]
    return len(joint) <= LONGEST_JOINT and any(joint in part for part in match.groups())


def is_cited(text: str) -> bool:
    """Whether a text is a reference: names of people with a year, or a DOI."""
    return _CITED.fullmatch(text.strip()) is not None or text.startswith("doi:")


def alternatives(words: Iterable[str]) -> re.Pattern[str]:
    """Any of some words, the longest first."""
    longest = sorted(words, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, longest)) or "(?!)")


_JOINING = re.compile(r"[,;:()→−/]|\band\b")
_FIRST, _LAST = "\U00100000", "\U0010fffd"
_MARKS = re.compile(f"[{_FIRST}-{_LAST}]")

FEWEST = 6
"""Characters of a shortened name by which it is recognised."""


class HeldNames:
    """Takes names out of a text before it is translated, and puts them back."""

    def __init__(self, names: Iterable[str]) -> None:
        joining = (name for name in names if _JOINING.search(name) and len(name) >= FEWEST)
        self._names = sorted(joining, key=lambda name: (-len(name), name))
        self._marks: dict[str, str] = {}
        self._forms: dict[str, str] = {}

    def out_of(self, text: str) -> str:
        """Return a text in which one private character stands for each name.

        >>> held = HeldNames(["logit (l2, scaled) and bagged"])
        >>> text = "logit (l2, scaled) and bagged beats logit (…gged."
        >>> len(held.out_of(text)), held.back_in(held.out_of(text)) == text
        (10, True)
        """
        for name in self._names:
            if name in text:
                text = text.replace(name, self._mark(name))
        for _ in range(text.count("…") if self._names else 0):
            form = self._shortened(text)
            if not form:
                break
            text = text.replace(form, self._mark(form))
        return text

    def back_in(self, text: str) -> str:
        """Return a text with the names that were taken out."""
        return _MARKS.sub(lambda mark: self._forms.get(mark[0], mark[0]), text)

    def _mark(self, form: str) -> str:
        if form not in self._marks:
            mark = chr(ord(_FIRST) + len(self._marks))
            self._marks[form], self._forms[mark] = mark, form
        return self._marks[form]

    def _shortened(self, text: str) -> str:
        """The longest part of a text that is a name whose middle or beginning was cut out."""
        cuts = [cut.start() for cut in re.finditer("…", text)]
        form = max((_around(text, at, n) for at in cuts for n in self._names), key=len, default="")
        return form if len(form) > FEWEST else ""


def _around(text: str, at: int, name: str) -> str:
    """What stands around a cut of both ends of a name.

    >>> _around("the logit (…led) wins", 11, "logit (l2, scaled)")
    'logit (…led)'
    """
    before, after = text[:at], text[at + 1 :]
    sizes = range(len(name) - 1, 0, -1)
    start = next((k for k in sizes if before.endswith(name[:k])), 0)
    end = next((k for k in sizes if after.startswith(name[-k:])), 0)
    return text[at - start : at + 1 + end]
