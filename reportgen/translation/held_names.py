"""Names that hold what joins or splits the parts of a sentence: one character stands for each."""

from __future__ import annotations

import re
from collections.abc import Iterable

_JOINING = re.compile(r"[,;:()→−/]|\band\b")
_FIRST, _LAST = "\U00100000", "\U0010fffd"
_HELD = re.compile(f"[{_FIRST}-{_LAST}]")

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
        return _HELD.sub(lambda mark: self._forms.get(mark[0], mark[0]), text)

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
