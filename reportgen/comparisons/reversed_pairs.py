"""A test of two models as that of the same pair in the other order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from reportgen.comparisons.records import Comparison
from reportgen.comparisons.verdicts import texts

PairRow = Mapping[str, Any]

SIGNED = frozenset({"t", "z"})
"""Symbols of statistics that change their sign with the order; all others are sizes."""

DIRECTED = "non_inferiority"
"""What a test shows whose question is another one in the other order."""

LIMITS = (("low", "high"), ("simultaneous_low", "simultaneous_high"))

TEXTS = ("models", "probabilities", "cross_table", "assumptions", "caveats")
"""Columns of lists, which a record has as tuples."""


_FIELDS = tuple(field.name for field in fields(Comparison))


def reversed_pair(row: PairRow, confidence: float) -> dict[str, Any]:
    """The row of ``Comparisons`` for second minus first, with its sentence.

    The difference, its limits and the statistics t and z change their sign, the
    probabilities and the cells of the cross table their places. p-values,
    recommendation and the better model stay. A test of non-inferiority asks about the
    first model and is returned as it is.

    >>> from reportgen.comparisons import Question, table
    >>> test = Question(("a", "b"), "auc").record("delong", statistic=2.0, estimate=0.1, p_value=1)
    >>> turned = reversed_pair(table([test]).row(0, named=True), 0.95)
    >>> turned["models"], turned["statistic"], turned["estimate"]
    (['b', 'a'], -2.0, -0.1)
    """
    if row["shows"] == DIRECTED:
        return dict(row)
    turned = dict(row) | {
        "models": row["models"][::-1],
        "probabilities": row["probabilities"][::-1],
        "estimate": negative(row["estimate"]),
        "statistic": _statistic(row),
    }
    for low, high in LIMITS:
        turned |= {low: negative(row[high]), high: negative(row[low])}
    if len(row["cross_table"]) == 4:
        both, first, second, none = row["cross_table"]
        turned["cross_table"] = [both, second, first, none]
    verdict, evidence = texts(_record(turned), confidence)
    return turned | {"verdict": verdict, "evidence": evidence}


def negative(value: float | None) -> float | None:
    """The number with the other sign; 0 has none."""
    return None if value is None else 0.0 - value


def _statistic(row: PairRow) -> float | None:
    signed = row["symbol"] in SIGNED and row["shows"] != "equivalence"
    return negative(row["statistic"]) if signed else row["statistic"]


def _record(row: PairRow) -> Comparison:
    values = {name: row[name] for name in _FIELDS if name in row}
    values |= {key: tuple(row[key]) for key in TEXTS}
    if row["better"] is not None and row["estimate"]:
        values["less_is_better"] = (row["estimate"] > 0) != (row["better"] == row["models"][0])
    return Comparison(**values)
