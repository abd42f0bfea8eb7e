"""One model of two classes that has a column of scores for each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, takewhile
from typing import NamedTuple

import polars as pl

from reportgen.column_statistics import as_float
from reportgen.initial_spec.candidates import folded, short
from reportgen.initial_spec.column_roles import Guess
from reportgen.initial_spec.profile import ColumnProfile, separation

ROUNDED = 0.0101
"""Scores of both classes add up to 1 within what rounding to two digits leaves."""

ReasonedColumn = tuple[ColumnProfile, str]


class ClassPair(NamedTuple):
    """Scores of both classes of one model: its name, and the columns in their order."""

    name: str
    first: ColumnProfile
    second: ColumnProfile


def class_pairs(scores: Sequence[ColumnProfile]) -> list[ClassPair]:
    """Return the columns that add up to 1 in every row, two by two.

    Two models never do; the scores of one model for its two classes always do.
    """
    pairs: list[ClassPair] = []
    taken: set[str] = set()
    for first, second in combinations(scores, 2):
        if {first.name, second.name} & taken or not _add_up(first, second):
            continue
        stem = _common_start(first.name, second.name)
        pairs.append(ClassPair(short(re.sub(r"(?i)(class|label)\W*$", "", stem)), first, second))
        taken |= {first.name, second.name}
    return pairs


def _common_start(first: str, second: str) -> str:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return "".join(letter for letter, _ in same)


def _add_up(first: ColumnProfile, second: ColumnProfile) -> bool:
    if first.numbers is None or second.numbers is None or not first.fractional:
        return False
    return as_float(((first.numbers + second.numbers) - 1).abs().max()) <= ROUNDED


def score_of(pair: ClassPair, truth: ColumnProfile, positive: str) -> ReasonedColumn:
    """Return the column of the positive class, with the reason.

    The names decide where they end in a label, else which of them is higher for
    positives.
    """
    other = next(label for label in truth.labels if label != positive)
    for column, opposite in ((pair.first, pair.second), (pair.second, pair.first)):
        if _ends_in(column, positive, other) or _ends_in(opposite, other, positive):
            return column, f"of {positive!r}; 1 − {opposite.name!r}"
    flags: pl.Series = truth.texts == positive
    higher = separation(flags, pair.first.numbers) >= 0.5  # type: ignore[arg-type]  # of scores
    column, opposite = (pair.first, pair.second) if higher else (pair.second, pair.first)
    return column, f"higher for {positive!r}; 1 − {opposite.name!r}"


def _ends_in(column: ColumnProfile, label: str, other: str) -> bool:
    """Whether a column's name ends in a label as it is, and not in the other, longer one."""
    for form in (lambda text: text.rstrip(")"), folded):
        name, mine, others = form(column.name), form(label), form(other)
        longer = len(others) >= len(mine) and name.endswith(others)
        if name.endswith(mine) and not longer:
            return True
    return False


def first_class(pairs: Sequence[ClassPair], truth: ColumnProfile) -> Guess | None:
    """The first class of a table as caret, yardstick and tune write it, which is their event."""
    for pair in pairs:
        names = [re.sub(r"^\.pred_", "", c.name) for c in (pair.first, pair.second)]
        if set(names) == set(truth.labels):
            return Guess(names[0], "the first class, as caret and yardstick take it")
    return None
