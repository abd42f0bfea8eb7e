"""Sources: short in a table, whole in a list of references."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache

from reportgen.resources import TEMPLATES
from reportgen.text.words import capitalised

BOOK = "Zhou (2016), Machine Learning, chapter 2"

_SHORT = re.compile(r"^[^()]+\(\d{4}\)")
_CITED = re.compile(
    r"(?P<who>[^()]+\(\d{4}\)), (?:doi:(?P<doi>10\.[^\s,]+)(?:,.*)?|(?P<journal>.+))"
)
"""A paper, and behind its DOI what of it is used."""

_SUBSCRIPTS = re.compile("[ₖᵢⱼ]*[ᵢⱼ][ₖᵢⱼ]*")


def formula(text: str) -> str:
    """A formula in letters that every typeface has: subscripts i and j stand in brackets.

    >>> formula("Σ nᵢⱼ·costᵢⱼ / n"), formula("Σ TPₖ / n")
    ('Σ n[i,j]·cost[i,j] / n', 'Σ TPₖ / n')
    """
    plain = str.maketrans("ₖᵢⱼ", "kij")
    return _SUBSCRIPTS.sub(lambda match: f"[{','.join(match[0].translate(plain))}]", text)


def how(text: str) -> str:
    """How a test works, as a sentence: words begin with a capital, symbols stay as they are.

    >>> how("the exact test"), how("t = mean / s"), how("p twice the smaller of both")
    ('The exact test.', 't = mean / s.', 'p twice the smaller of both.')
    """
    first = text.partition(" ")[0]
    return f"{capitalised(text) if len(first) > 1 and first.isalpha() else text}."


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
    """Every source once, with its title, in alphabetical order, without the emphasis of Markdown.

    >>> references(["Zhou (2016), *Machine Learning*, eq. 2.4", "Good (1952), doi:10.1111/x", ""])
    ('Good (1952), doi:10.1111/x', 'Zhou (2016), Machine Learning, chapter 2')
    >>> references(["Brier (1950), doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2"])[0][:48]
    'Brier (1950), Verification of forecasts expresse'
    """
    parts = (part.strip().replace("*", "") for source in sources for part in source.split("; "))
    whole = {BOOK if part.startswith("Zhou (2016)") else _titled(part) for part in parts if part}
    return tuple(sorted(whole, key=str.casefold))


def _titled(source: str) -> str:
    """A paper with its title, where that is on file.

    >>> _titled("Efron (1979), doi:10.1214/aos/1176344552, for each class")
    'Efron (1979), Bootstrap methods: another look at the jackknife, doi:10.1214/aos/1176344552'
    >>> _titled("Ling & Li (1998), KDD-98, 73-79")
    'Ling & Li (1998), Data mining for direct marketing: problems and solutions, KDD-98, 73-79'
    """
    cited = _CITED.fullmatch(source)
    if cited is None:
        return source
    title = titles().get(cited["doi"] or cited["who"], "")
    return ", ".join(filter(None, (cited["who"], title, cited["journal"] or f"doi:{cited['doi']}")))


@cache
def titles() -> dict[str, str]:
    """The title of each paper, by its DOI, or by authors and year where it has none."""
    text = (TEMPLATES / "titles.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
