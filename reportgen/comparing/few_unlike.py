"""Models that differ in so few rows, or groups, that all of these may favour one by chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb

from reportgen.comparisons import Comparison
from reportgen.records.row_facts import UnlikeRows
from reportgen.text.numbers import plural

EXACT = ("mcnemar_midp", "mcnemar_exact", "paired_permutation", "sign", "wilcoxon")
"""Tests whose p knows how few rows differ."""

ROWS_PER_PAIR = 5
"""In so many rows for each pair of models several must differ."""


def unlike_units(pairs: Sequence[UnlikeRows]) -> dict[frozenset[str], tuple[int, bool]]:
    """By pair in how many units the outputs differ, and whether these are groups."""
    return {frozenset(one["models"]): (one["units"], one["units"] < one["rows"]) for one in pairs}


def against_few_unlike(
    record: Comparison, unlike: Mapping[frozenset[str], tuple[int, bool]]
) -> Iterator[str]:
    """The reason against an approximate test of two models that differ in few units.

    Of k that differ all favour the same of two equally good models with probability 2^(1 − k), by
    symmetry: no test at a lower α may rest on them. Four differences of one size are twice their
    standard error (``tests.simulations.few_unlike_rows``).
    """
    of_pair = record.shows == "difference" and record.comparison not in EXACT
    units, grouped = unlike.get(frozenset(record.models), (0, False))
    if not of_pair or not units or 2.0 ** (1 - units) <= record.alpha:
        return
    yield (
        f"the outputs of the models differ in only {plural(units, 'group' if grouped else 'row')} "
        "(where neither is better, all of these favour the same one with probability "
        f"{2.0 ** (1 - units):.3g})"
    )


def against_few_of_several(record: Comparison) -> Iterator[str]:
    """The reason against a test of several models that differ in few rows for so many.

    Of twelve that differ in 40 of 100 rows it rejected 61 % of true null hypotheses
    (``tests.simulations.several_accuracies``).
    """
    least, differ = ROWS_PER_PAIR * comb(len(record.models), 2), record.observations
    if record.comparison == "cochran_groups" and differ is not None and differ < least:
        yield (
            f"the models differ in only {plural(differ, 'row')}, and the test of "
            f"{len(record.models)} models needs at least {least}"
        )
