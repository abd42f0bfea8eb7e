"""The limits that decide what page one states: at the level of the tests, if that is stricter."""

from __future__ import annotations

from reportgen.intervals import simultaneous_limit
from reportgen.records.model import Results


def stricter(results: Results) -> float:
    """How many times as strict the tests are as the limits of the report; 1 where they are not."""
    return max(round((1 - results.confidence) / results.declared.comparisons.alpha, 9), 1.0)


def decided_limit(results: Results, value: float, limit: float, count: float = 1) -> float:
    """The limit of one of ``count`` values that hold at once (Bonferroni), from its own limit.

    Where a spec asks for intervals of 80 %, say, what they exclude is not stated as a fact in one
    of five reports: it is stated at the level of the tests.
    """
    return simultaneous_limit(value, limit, count * stricter(results), results.confidence)
