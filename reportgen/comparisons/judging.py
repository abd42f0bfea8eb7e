"""Correct the p-values of a family of tests, and say what each record shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from reportgen.comparisons.corrections import CORRECTIONS, MOST_BERGMANN
from reportgen.comparisons.records import Comparison
from reportgen.comparisons.verdicts import EQUIVALENCE, NON_INFERIORITY, sentence

LOGICAL = ("shaffer", "bergmann_hommel")
"""Corrections that use that the pairs of a set of models cannot all be alike or not at will."""


def judged(
    records: Sequence[Comparison], correction: str = "holm", confidence: float = 0.95
) -> list[Comparison]:
    """Correct the p-values within each kind of test of a measure, then say what each record shows.

    A record that brings its adjusted p (Nemenyi's test controls the family by
    itself) keeps it. The corrections of Shaffer and of Bergmann and Hommel need
    all pairs of a set of models; a family that is not that is corrected after
    Holm, who does without the logic between the pairs, and one of more than
    nine models after Shaffer.
    """
    adjusted: dict[int, tuple[float, str]] = {}
    for kind in sorted({_kind(record) for record in records}):
        family = [i for i, r in enumerate(records) if _kind(r) == kind and _open(r)]
        family, name = _applicable(correction, family, records)
        p_values = [float(records[i].p_value or 0.0) for i in family]
        corrected = CORRECTIONS[name](p_values) if p_values else []
        adjusted |= {i: (p, name) for i, p in zip(family, corrected, strict=True)}
    return [_judge(record, adjusted.get(i), confidence) for i, record in enumerate(records)]


def _kind(record: Comparison) -> tuple[str, str]:
    return record.comparison, record.metric


def _open(record: Comparison) -> bool:
    """Whether the record waits for a correction."""
    return record.p_value is not None and record.p_adjusted is None


def _applicable(
    correction: str, family: list[int], records: Sequence[Comparison]
) -> tuple[list[int], str]:
    """The family in the order that a correction needs, and the correction that it allows."""
    if correction not in LOGICAL:
        return family, correction
    pairs = {frozenset(records[i].models): i for i in family}
    names = list(dict.fromkeys(name for i in family for name in records[i].models))
    every = [frozenset(pair) for pair in combinations(names, 2)]
    if len(every) != len(family) or not set(every) <= pairs.keys():
        return family, "holm"
    many = len(names) > MOST_BERGMANN
    return [pairs[p] for p in every], "shaffer" if many else correction


def _judge(
    record: Comparison, corrected: tuple[float, str] | None, confidence: float
) -> Comparison:
    if corrected is not None:
        record = replace(record, p_adjusted=corrected[0], correction=corrected[1])
    if record.p_adjusted is not None:
        record = replace(record, reject=record.p_adjusted < record.alpha)
        record = replace(record, better=_better(record))
    return replace(record, verdict=sentence(record, confidence))


def _better(record: Comparison) -> str | None:
    shows_less = record.comparison.startswith((EQUIVALENCE, NON_INFERIORITY))
    if not record.reject or len(record.models) != 2 or not record.estimate or shows_less:
        return None
    first = (record.estimate > 0) != record.less_is_better
    return record.models[0 if first else 1]
