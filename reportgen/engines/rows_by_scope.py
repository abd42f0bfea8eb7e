"""The rows of a batch by what they are counted for, and what is known of them beside counts."""

from __future__ import annotations

import json

import polars as pl

from reportgen.engines.partial import ALL, FITS, Facts
from reportgen.engines.plan import MOST_FITS, MOST_VALUES, Plan
from reportgen.engines.scope import Scope
from reportgen.predictions import labels
from reportgen.predictions.column_names import label_column, slice_column

MOST_LISTED = 10_000
"""Values of a slice column that are listed at most."""


def scopes_of(frame: pl.DataFrame, plan: Plan) -> tuple[list[Scope], pl.DataFrame, Facts]:
    """All evaluated rows, those of each slice and those of each fit; the evaluated rows.

    What is left out because it has too many parts is among the facts.
    """
    test_rows = frame.filter(role="test") if "role" in frame.columns else frame
    test_rows = test_rows.filter(pl.col("weight") > 0) if plan.weighted else test_rows
    slices = [
        Scope.of(k, test_rows, [slice_column(c) for c in s]) for k, s in enumerate(plan.slices)
    ]
    fits = [Scope.of(FITS, _not_validation(frame), plan.fits)] if plan.fits else []
    facts: Facts = {
        "too_many": [s.number for s in slices if len(s.parts) > MOST_VALUES],
        "few_fits": all(len(s.parts) <= MOST_FITS for s in fits),
    }
    scopes = [Scope(ALL, test_rows), *(s for s in slices if len(s.parts) <= MOST_VALUES)]
    return [*scopes, *(fits if facts["few_fits"] else [])], test_rows, facts


def _not_validation(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("role") != "validation") if "role" in frame.columns else frame


def facts_of(frame: pl.DataFrame, test_rows: pl.DataFrame, plan: Plan) -> Facts:
    """What is known of the rows beside their counts."""
    facts: Facts = {
        "rows": frame.height,
        "evaluated": test_rows.height,
        "labels": {label_column(k): labels.counts(frame[label_column(k)]) for k in plan.labels},
        "slices": {
            column: _values(test_rows[slice_column(column)])
            for columns in plan.slices
            for column in columns
        },
    }
    if "role" in frame.columns:
        facts["roles"] = dict(frame["role"].value_counts().iter_rows())
    return facts


def _values(texts: pl.Series) -> dict[str, int] | None:
    """How often each value occurs, as JSON; null where there are too many to be listed."""
    counts = texts.value_counts()
    if counts.height > MOST_LISTED:
        return None
    return {json.dumps(value, ensure_ascii=False): n for value, n in counts.iter_rows()}
