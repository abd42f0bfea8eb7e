"""Words put together: sentences and lists."""

from __future__ import annotations

from collections.abc import Sequence


def capitalised(text: str) -> str:
    """A text with a capital first letter; the rest keeps its case.

    >>> capitalised("no AUC"), capitalised("")
    ('No AUC', '')
    """
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """A text as a sentence: a capital first, one full stop last.

    >>> sentence("no predicted positives")
    'No predicted positives.'
    """
    return f"{capitalised(text.rstrip('.'))}."


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a row, as in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "or")
    ('a', 'a and b', 'a, b or c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
