"""Models that differ in so few rows, or groups, that all of these may favour one by chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import NamedTuple

from reportgen.comparisons import TESTS, Comparison
from reportgen.records.row_facts import UnlikeRows
from reportgen.text.numbers import plural

ROWS_PER_PAIR = 5
"""In so many rows for each pair of models several must differ."""


class FewUnits(NamedTuple):
    """In how few rows, or groups, two models differ, and whether there are no others."""

    number: int
    are_groups: bool
    are_all: bool


def unlike_units(pairs: Sequence[UnlikeRows], groups: int | None) -> dict[frozenset[str], FewUnits]:
    """By pair in how few units the outputs differ, of rows in so many ``groups``."""
    return {
        frozenset(one["models"]): FewUnits(
            one["units"], one["units"] < one["rows"], one["units"] == groups
        )
        for one in pairs
    }


def against_few_unlike(
    record: Comparison, unlike: Mapping[frozenset[str], FewUnits]
) -> Iterator[str]:
    """The reason against an approximate test of two models that differ in few units.

    Of k that differ all favour the same of two equally good models with probability 2^(1 − k), by
    symmetry: no test at a lower α may rest on them. Four differences of one size are twice their
    standard error (``tests.simulations.few_unlike_rows``).
    """
    knows = "few unlike rows" in TESTS[record.comparison].traits
    of_pair = record.shows == "difference" and not knows
    few = unlike.get(frozenset(record.models))
    if not of_pair or few is None or 2.0 ** (1 - few.number) <= record.alpha:
        return
    units = plural(few.number, "group" if few.are_groups else "row")
    where = f"the outputs of the models differ in only {units}"
    if few.are_all:
        where = f"there {'is' if few.number == 1 else 'are'} only {units}"
    if few.number == 1:
        yield f"{where}, which favours one of them by chance"
        return
    chance = f"{2.0 ** (1 - few.number):.3g}"
    yield f"{where}, which all favour the same one with probability {chance} if neither is better"


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
