"""Columns that are quantiles: q_0.9, p90, acme_p90 beside acme_p10, and acme_90% above acme_10%."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from reportgen.column_statistics import as_float
from reportgen.initial_spec.profile import ColumnProfile


def with_quantiles(
    estimates: Sequence[tuple[ColumnProfile, str]],
    columns: Sequence[ColumnProfile],
    others: Sequence[ColumnProfile],
    numbers: Sequence[ColumnProfile],
) -> list[tuple[ColumnProfile, str]]:
    """The estimates, and the other quantiles of a model of which one is among them.

    Or of a model beside it that has the same ones, which may be constants: ``numbers`` hold these.
    """
    reasons = {c.name: why for c, why in estimates}
    models = {stem(name) for name in reasons} - {None}
    why = "a quantile by its name, of a model whose others are close to the truth"
    free = [c for c in numbers if all(c is not other for other in others)]
    alike = shared_quantiles(free)
    alike = alike if alike.keys() & reasons.keys() else {}
    usable = {c.name for c in columns} | alike.keys()
    free = [c for c in free if c.name in usable]
    used = [c for c in free if c.name in reasons or stem(c.name) in models or c.name in alike]
    return [(c, reasons.get(c.name, why)) for c in used]


_LEVEL = (
    r"(?:0?\.(?P<share>\d{1,3})|0_(?P<other>\d{1,3})"
    r"|(?P<cent>\d{1,2}(?:\.\d{1,2}|_5))|(?P<digits>\d{2,3}))"
)
"""0.05, 0_05, the per cent 2.5 or 2_5, and 05 or 025."""

_OWN = re.compile(rf"(?i)(?:p|q(?:uantile)?)_?{_LEVEL}")
"""A name that is a quantile, such as q_0.9 or p90."""

_FIRST = re.compile(rf"{_OWN.pattern}[_\W]+(?P<stem>[^\W\d].*)")
"""A name that begins with the quantile, such as q0.10_acme."""

_LAST = re.compile(rf"(?i)(?P<stem>.+?)[_\W]{_OWN.pattern[4:]}")
"""A name that ends in it, such as acme_p90."""

_BARE = re.compile(
    r"(?:(.*?[^\W_])[_\W]+)??(?:0?\.(\d{1,3})|(\d{1,2}(?:\.\d{1,3})?)\s?%|(?<=[_\W])(\d\d))"
)
"""A name that ends in a number alone, such as acme_0.10, acme_2.5% or acme_10, or is 2.5%."""


def stem(name: str) -> str | None:
    """What stands before the quantile that a name ends in, or behind the one that it begins with.

    >>> stem("acme_p05"), stem("q0.10_acme"), stem("acme_q2.5"), stem("acme")
    ('acme', 'acme', 'acme', None)
    """
    match = _FIRST.fullmatch(name) or _LAST.fullmatch(name)
    return match["stem"] if match and quantile_named(name) else None


def ordered_quantiles(columns: Sequence[ColumnProfile]) -> dict[str, float]:
    """The quantiles of columns whose names end in a number alone: in order in each row.

    Versions and settings of a model, such as lasso_0.1 and lasso_0.5, cross each other.
    """
    by_stem: dict[str, dict[float, ColumnProfile]] = defaultdict(dict)
    for column in columns:
        match = _BARE.fullmatch(column.name)
        if match is None:
            continue
        start, share, cent, digits = match.groups()
        level = round(float(cent) / 100, 6) if cent else float(f"0.{share or digits}")
        if level:
            by_stem[start or ""][level] = column
    result: dict[str, float] = {}
    for by_level in by_stem.values():
        levels = sorted(by_level)
        pairs = pairwise(by_level[level] for level in levels)
        if len(levels) > 1 and all(_below(low, high) for low, high in pairs):
            result |= {by_level[level].name: level for level in levels}
    return result


def shared_quantiles(columns: Sequence[ColumnProfile]) -> dict[str, float]:
    """The quantiles of two models or more whose names end in the same per cent, as a_5 and b_5.

    Three or more of each model, on both sides of 50 or with it, that cross in few rows.
    """
    by_stem: dict[str, dict[float, ColumnProfile]] = defaultdict(dict)
    for column in columns:
        if match := _PER_CENT.fullmatch(column.name):
            by_stem[match["stem"]][int(match["cent"]) / 100] = column
    families: dict[tuple[float, ...], list[dict[float, ColumnProfile]]] = defaultdict(list)
    for by_level in by_stem.values():
        levels = sorted(by_level)
        pairs = pairwise(by_level[level] for level in levels)
        if levels[0] <= 0.5 <= levels[-1] and all(_mostly_below(*pair) for pair in pairs):
            families[tuple(levels)].append(by_level)
    return {
        column.name: level
        for levels, models in families.items()
        for by_level in models
        for level, column in by_level.items()
        if len(levels) > 2 and len(models) > 1
    }


_PER_CENT = re.compile(r"(?i)(?P<stem>.*[^\W_])[_\W]+[pq]?_?0?(?P<cent>[1-9]\d?)")
"""A name that ends in a whole number behind a model's, such as acme_5 or acme_p5."""

_CROSSING = 0.1
"""Quantiles that are fitted each by itself cross in fewer of the rows."""


def _mostly_below(low: ColumnProfile, high: ColumnProfile) -> bool:
    if low.numbers is None or high.numbers is None or len(low.numbers) < _FEWEST:
        return False
    steps = high.numbers - low.numbers
    return as_float((steps < 0).mean()) < _CROSSING and as_float(steps.median()) > 0


def _below(low: ColumnProfile, high: ColumnProfile) -> bool:
    """Whether one column is below another in most rows, and above it in none."""
    if low.numbers is None or high.numbers is None or len(low.numbers) < _FEWEST:
        return False
    steps = high.numbers - low.numbers
    return as_float(steps.min()) >= 0 and as_float(steps.median()) > 0


_FEWEST = 10
"""Rows from which an order in each is none by chance."""


def quantile_named(name: str) -> float | None:
    """The quantile that a name is, or ends in behind the name of a model.

    >>> [quantile_named(name) for name in ("q_0.9", "p90", "acme_p05", "q05", "q025")]
    [0.9, 0.9, 0.05, 0.05, 0.025]
    >>> [quantile_named(name) for name in ("Q97.5", "acme_q0.025", "q2_5", "q0.1_acme")]
    [0.975, 0.025, 0.025, 0.1]
    >>> [quantile_named(name) for name in ("acme_2", "map10", "acme_p00", "q5", "p100")]
    [None, None, None, None, None]
    """
    match = _OWN.fullmatch(name) or _FIRST.fullmatch(name) or _LAST.fullmatch(name)
    if match is None or match["digits"] == "100":
        return None
    if cent := match["cent"]:
        return round(float(cent.replace("_", ".")) / 100, 6) or None
    return float(f"0.{match['share'] or match['other'] or match['digits']}") or None


def is_quantile(column: ColumnProfile) -> bool:
    """Whether a column is named for a quantile, such as q_0.9, which may be an interval's end."""
    return (
        quantile_named(column.name) is not None
        or re.fullmatch(r"(?i)(.*_)?(p|q|quantile)_?0?[._]?\d{1,2}", column.name) is not None
    )


def is_percentile(column: ColumnProfile) -> bool:
    """Whether a column is named for a percentile, such as p90, which estimates no mean."""
    return re.fullmatch(r"(?i)p_?[\d.]+", column.name) is not None and is_quantile(column)
