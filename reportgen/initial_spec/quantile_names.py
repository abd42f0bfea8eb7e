"""Columns that are quantiles by their names: q_0.9, p90, and acme_p90 beside acme_p10."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reportgen.initial_spec.profile import ColumnProfile


def with_quantiles(
    estimates: Sequence[tuple[ColumnProfile, str]],
    columns: Sequence[ColumnProfile],
    others: Sequence[ColumnProfile],
) -> list[tuple[ColumnProfile, str]]:
    """The estimates, and the other quantiles of a model of which one is among them."""
    reasons = {c.name: why for c, why in estimates}
    models = {stem(name) for name in reasons} - {None}
    why = "a quantile by its name, of a model whose others are close to the truth"
    free = (c for c in columns if all(c is not other for other in others))
    kept = [c for c in free if c.name in reasons or stem(c.name) in models]
    return [(c, reasons.get(c.name, why)) for c in kept]


def stem(name: str) -> str | None:
    """What stands before the quantile that a name ends in.

    >>> stem("acme_p05"), stem("acme")
    ('acme', None)
    """
    match = re.fullmatch(r"(?i)(.+?)[_\W][a-z]+_?(?:0[._])?\d+", name)
    return match[1] if match and quantile_named(name) else None


def quantile_named(name: str) -> float | None:
    """The quantile that a name is, or ends in behind the name of a model.

    >>> [quantile_named(name) for name in ("q_0.9", "p90", "acme_p05", "acme_q90")]
    [0.9, 0.9, 0.05, 0.9]
    >>> [quantile_named(name) for name in ("acme_2", "map10", "acme_p00")]
    [None, None, None]
    """
    match = re.fullmatch(r"(?i)(?:q(?:uantile)?_?0?[._]?|p_?(?=\d\d))(\d{1,2})", name)
    match = match or re.fullmatch(
        r"(?i).+[_\W](?:p|q(?:uantile)?)_?(?:0[._](?=\d)|(?=\d\d))(\d{1,2})", name
    )
    return float(f"0.{match[1]}") if match and int(match[1]) else None


def is_quantile(column: ColumnProfile) -> bool:
    """Whether a column is named for a quantile, such as q_0.9, which may be an interval's end."""
    return re.fullmatch(r"(?i)(.*_)?(p|q|quantile)_?0?[._]?\d{1,2}", column.name) is not None


def is_percentile(column: ColumnProfile) -> bool:
    """Whether a column is named for a percentile, such as p90, which estimates no mean."""
    return re.fullmatch(r"(?i)p_?\d{2}", column.name) is not None
