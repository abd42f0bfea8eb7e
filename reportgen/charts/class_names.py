"""The classes of a report: their names and their order in charts."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.charts import labels, texts
from reportgen.records.model import Results

IN_TITLE = 165.0
"""Room of a class in a title."""


def of(results: Results) -> list[str]:
    """Return the classes in the order of the spec."""
    return [entry["class"] for entry in results.data["classes"]]


def names(results: Results) -> dict[str, str]:
    """Return the name of each class as it may be drawn."""
    return labels.unique(of(results))


PLAIN = {"true", "false", "yes", "no", "y", "n", "t", "f", "positive", "negative", "pos", "neg"}
"""Labels of two classes that name neither."""


def of_two(positive: str, negative: str) -> tuple[str, str]:
    """Return what a sentence calls two classes: their names, where both are words that name them.

    >>> of_two("malignant", "benign"), of_two("1", "0")
    (('malignant', 'benign'), ('the positives', 'the negatives'))
    """
    pair = positive, negative
    if any(name.lower() in PLAIN or not any(map(str.isalpha, name)) for name in pair):
        return "the positives", "the negatives"
    first, second = labels.unique(pair).values()
    return first, second


def sizes(results: Results) -> dict[str, int]:
    """Return how many rows have each class as their truth."""
    return {entry["class"]: entry["rows"] for entry in results.data["classes"]}


def word(results: Results, number: int = 1) -> str:
    """Return what this task names a class."""
    return results.task.noun if number == 1 else results.task.nouns


def fitted(drawn: Sequence[str], room: float) -> list[str]:
    """Return names cut to the room, and still different: without a beginning that all share.

    >>> fitted(["the class of kind 1 as it is here", "the class of kind 2 as it is here"], 80)
    ['…kind 1 …here', '…kind 2 …here']
    """
    rooms = [room] * len(drawn)
    cut = labels.fitted(drawn, rooms)
    if len(set(cut)) < len(cut):
        start = _shared_words(drawn)
        cut = labels.fitted([f"…{name[start:]}" if start else name for name in drawn], rooms)
    return labels.distinct(cut)


def _shared_words(drawn: Sequence[str]) -> int:
    """Return where the names begin to differ, one word before."""
    shared = next(
        (place for place, marks in enumerate(zip(*drawn, strict=False)) if len(set(marks)) > 1),
        min(map(len, drawn)),
    )
    word = drawn[0].rfind(" ", 0, shared)
    return max(0, drawn[0].rfind(" ", 0, max(word, 0)) + 1)


def short(results: Results) -> dict[str, str]:
    """Return the name of each class at a length that fits a title."""
    full_names = names(results)
    return dict(zip(full_names, fitted(list(full_names.values()), IN_TITLE), strict=True))


def some(drawn: Sequence[str], most: int = 4) -> str:
    """Return the names as a list for a sentence, only the first of many.

    >>> some(["a", "b"]), some(["a", "b", "c"], most=2)
    ('a and b', 'a, b and 1 more')
    """
    if len(drawn) <= most:
        return texts.listed(drawn)
    return f"{', '.join(drawn[:most])} and {len(drawn) - most} more"
