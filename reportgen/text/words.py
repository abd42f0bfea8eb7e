"""Words put together: sentences and lists."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ISO = re.compile(r"(?<=\b\d{4}-\d\d-\d\d)T(?=\d\d:\d\d)")
_WHOLE_SECONDS = re.compile(r"(?<=:\d\d)\.0+(?!\d)")
_MIDNIGHT = re.compile(r"(?<=\d-\d\d) 00:00:00(?!\S)")


PROPER = (
    "Bangdiwala",
    "Bennett",
    "Braun",
    "Bray",
    "Brier",
    "Cohen",
    "Cramér",
    "Fowlkes",
    "Gini",
    "Goodman",
    "Gwet",
    "Hamming",
    "Hosmer",
    "Huber",
    "Jaccard",
    "Kendall",
    "Krippendorff",
    "Kullback",
    "Pearson",
    "Poisson",
    "Scott",
    "Spearman",
    "Spiegelhalter",
    "Tweedie",
    "Winkler",
    "Yule",
)
"""Names that the field's measures begin with: they keep their capital in a sentence."""


def name_words(name: str) -> frozenset[str]:
    """Return the words of a column name, in lower case.

    >>> sorted(name_words("yTrue_2"))
    ['2', 'true', 'y']
    """
    return frozenset(words_in_order(name))


def words_in_order(name: str) -> list[str]:
    """The same words in their order.

    >>> words_in_order("yTrue_2")
    ['y', 'true', '2']
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W_]+", spaced.casefold())


def capitalised(text: str) -> str:
    """A text with a capital first letter; the rest keeps its case.

    >>> capitalised("no AUC"), capitalised("")
    ('No AUC', '')
    """
    return text[:1].upper() + text[1:]


def in_sentence(label: str) -> str:
    """A printed label as it stands inside a sentence.

    >>> in_sentence("Accuracy"), in_sentence("AUC"), in_sentence("Hosmer–Lemeshow χ²")
    ('accuracy', 'AUC', 'Hosmer–Lemeshow χ²')
    """
    keeps = label.startswith(PROPER) or label[1:2].isupper() or not label[1:2].islower()
    return label if keeps else label[:1].lower() + label[1:]


def sentence(text: str) -> str:
    """A text as a sentence: a capital first, one full stop last.

    >>> sentence("no predicted positives")
    'No predicted positives.'
    """
    return f"{capitalised(text.rstrip('.'))}."


def without_article(name: str) -> str:
    """The name of a test without its article, as it stands in brackets.

    >>> without_article("The sign test"), without_article("DeLong's test")
    ('sign test', "DeLong's test")
    """
    return name.removeprefix("The ")


def with_article(name: str) -> str:
    """The name of a test as it stands in a sentence.

    >>> with_article("The sign test"), with_article("DeLong's test")
    ('the sign test', "DeLong's test")
    """
    plain = without_article(name)
    return name if plain == name else f"the {plain}"


def singular(nouns: str) -> str:
    """One of what is counted.

    >>> singular("data sets"), singular("blocks of time")
    ('data set', 'block of time')
    """
    head, of, rest = nouns.partition(" of ")
    return f"{head.removesuffix('s')}{of}{rest}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a row, as in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "or")
    ('a', 'a and b', 'a, b or c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def dated(period: str) -> str:
    """A period of time without fractions of seconds, and times of day, where all are nought.

    >>> dated("2024-01-01 00:00:00 to 2024-06-30 00:00:00"), dated("2024-01-01 00:00:00+00:00")
    ('2024-01-01 to 2024-06-30', '2024-01-01 00:00:00+00:00')
    >>> dated("2024-01-01 00:00:00 to 2024-01-01 06:00:00")
    '2024-01-01 00:00:00 to 2024-01-01 06:00:00'
    >>> dated("2024-01-01T00:00:00.000000 to 2024-01-01T06:30:00.000000")
    '2024-01-01 00:00:00 to 2024-01-01 06:30:00'
    """
    period = _WHOLE_SECONDS.sub("", _ISO.sub(" ", period))
    days = _MIDNIGHT.sub("", period)
    return period if ":" in days else days
