"""Sources: short in a table, whole in a list of references."""

from __future__ import annotations

import re
from collections.abc import Iterable

BOOK = "Zhou (2016), Machine Learning, chapter 2"

_SHORT = re.compile(r"^[^()]+\(\d{4}\)")


_SUBSCRIPTS = re.compile("[ₖᵢⱼ]*[ᵢⱼ][ₖᵢⱼ]*")


def formula(text: str) -> str:
    """A formula in letters that every typeface has: subscripts i and j stand in brackets.

    >>> formula("Σ nᵢⱼ·costᵢⱼ / n"), formula("Σ TPₖ / n")
    ('Σ n[i,j]·cost[i,j] / n', 'Σ TPₖ / n')
    """
    plain = str.maketrans("ₖᵢⱼ", "kij")
    return _SUBSCRIPTS.sub(lambda match: f"[{','.join(match[0].translate(plain))}]", text)


def short(source: str) -> str:
    """Authors and years alone.

    >>> short("Davis & Goadrich (2006), doi:10.1145/1143844.1143874; Good (1952), doi:10.1111/x")
    'Davis & Goadrich (2006); Good (1952)'
    >>> short("a manual without a year")
    'a manual without a year'
    """
    matches = (_SHORT.match(part) for part in source.split("; "))
    return "; ".join(
        match[0] if match else part for match, part in zip(matches, source.split("; "), strict=True)
    )


def references(sources: Iterable[str]) -> tuple[str, ...]:
    """Every source once, in alphabetical order, without the emphasis of Markdown.

    >>> references(["Zhou (2016), *Machine Learning*, eq. 2.4", "Good (1952), doi:10.1111/x", ""])
    ('Good (1952), doi:10.1111/x', 'Zhou (2016), Machine Learning, chapter 2')
    """
    parts = (part.strip().replace("*", "") for source in sources for part in source.split("; "))
    whole = {BOOK if part.startswith("Zhou (2016)") else part for part in parts if part}
    return tuple(sorted(whole, key=str.casefold))
