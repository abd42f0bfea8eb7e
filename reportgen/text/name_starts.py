"""The words that long names of models begin with alike, and that say nothing of one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

LONGEST = 28
"""Characters of a model's name that tables and figures have room for."""

_WORD = re.compile(r"(?:[^\W_]|\.)+(?:_|[^\w.])+")
"""A word of a name, or a number with its decimals, and what parts it from the next."""


def shared_start(names: Sequence[str], longest: int = LONGEST) -> int:
    """Return how many characters of whole words the names may lose at their common beginning.

    As few as leave each name, with an ellipsis, ``longest`` characters; all where that is not
    enough, and none where no name is longer.

    >>> shared_start(["runs/large-lr0.1", "runs/large-lr0.01"], longest=13)
    5
    >>> shared_start(["runs/large-lr0.1", "runs/large-lr0.01"], longest=20)
    0
    """
    long = any(len(name) > longest for name in names)
    marks = zip(*names, strict=False) if long and len(names) > 1 else ()
    shared = sum(1 for _ in takewhile(lambda alike: len(set(alike)) == 1, marks))
    ends = [at.end() for at in _WORD.finditer(names[0], 0, shared)] if shared else []
    enough = (at for at in ends if all(len(name) - at < longest for name in names))
    return next(enough, ends[-1] if ends else 0)


def heads(names: Sequence[str], longest: int) -> list[str]:
    """Return names without words that all begin with, where they are long: heads of columns.

    >>> heads(["…rate_configuration_01", "…rate_configuration_02"], 11)
    ['…01', '…02']
    >>> heads(["gradient_boosting", "forest"], 11)
    ['gradient_boosting', 'forest']
    """
    start = shared_start(names, longest)
    return [f"…{name[start:]}" if start else name for name in names]


def start_of_models(models: Sequence[str]) -> int:
    """Return the characters that names lose where every long one would be cut to the same text.

    >>> start_of_models(["runs/large-and-pretrained-model-1", "runs/large-and-pretrained-model-2"])
    11
    """
    long = [name for name in models if len(name) > LONGEST]
    alike = len({name[: LONGEST - 1] for name in long}) == 1 < len(long)
    return shared_start(long) if alike else 0


def without(start: int, name: str) -> str:
    """Return a long name without its first characters.

    >>> without(11, "runs/large-and-pretrained-model-1"), without(11, "forest")
    ('…and-pretrained-model-1', 'forest')
    """
    return f"…{name[start:]}" if start and len(name) > LONGEST else name
