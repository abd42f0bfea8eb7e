"""Rows whose label is rare, where the truth has more labels than are expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from reportgen.errors import Problem
from reportgen.predictions.source import Source, row_problems

_RARE = 0.05
"""Where two labels have all rows but this share, the others are odd: a slip, not a class."""


def with_rows(
    problem: Problem, truth: pl.Series, label_counts: Mapping[str, int], column: str, source: Source
) -> Problem:
    """The problem with the rows of the odd labels, in the first file that has some.

    ``label_counts`` has the most frequent labels first.
    """
    odd = list(label_counts)[2:]
    if sum(label_counts[label] for label in odd) > _RARE * sum(label_counts.values()):
        return problem
    first, *_ = row_problems(
        problem.code,
        lambda _: problem.message,
        problem.hint,
        column=column,
        wrong=truth.is_in(odd).fill_null(value=False),
        source=source,
    )
    return replace(problem, place=first.place, rows=first.rows)
