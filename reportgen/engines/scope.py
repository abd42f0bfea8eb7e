"""Rows that are counted together, by the parts that they belong to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from reportgen.engines.partial import ALL, FITS, Facts
from reportgen.engines.plan import MOST_FITS, Plan
from reportgen.engines.tallies import Tally
from reportgen.predictions import binary_labels
from reportgen.predictions.column_names import MOST_SLICE_VALUES, label_column, slice_column


@dataclass(frozen=True)
class Scope:
    """Rows by the values of some columns: ``parts`` has one row for each of them.

    ``place`` says which one a row belongs to.
    """

    number: int
    rows: pl.DataFrame
    parts: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(height=1))
    place: pl.Expr = field(default_factory=lambda: pl.lit(0))

    @classmethod
    def of(cls, number: int, rows: pl.DataFrame, columns: Sequence[str]) -> Scope:
        """The rows by the values of some columns."""
        parts = rows.select(columns).unique()
        place = rows.select(columns).join(
            parts.with_row_index("part"),
            on=columns,
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        return cls(number, rows.with_columns(place["part"]), parts, pl.col("part"))

    @property
    def texts(self) -> list[str]:
        """The values of each part, as JSON."""
        return [json.dumps(row, ensure_ascii=False) for row in self.parts.iter_rows()] or ["[]"]

    def grouped(
        self, by: Mapping[str, str | pl.Expr], tally: Tally, others: Sequence[str] = ()
    ) -> pl.DataFrame:
        """The tally of the rows of each part by ``truth`` and further columns."""
        texts = pl.Series(self.texts, dtype=pl.String)
        part = [self.place.alias("part")] if len(texts) > 1 else []
        counts = tally.by(self.rows, self.rows.select(*part, "truth", *others, **by))
        of_part = texts.gather(counts["part"]) if part else texts.new_from_index(0, counts.height)
        return counts.with_columns(part=of_part, scope=pl.lit(self.number, pl.Int16))


MOST_LISTED = 10_000
"""Values of a slice column that are listed at most."""


def scopes_of(frame: pl.DataFrame, plan: Plan) -> tuple[list[Scope], pl.DataFrame, Facts]:
    """All evaluated rows, those of each slice and those of each fit; the evaluated rows.

    What is left out because it has too many parts is among the facts.
    """
    test_rows = frame.filter(role="test") if "role" in frame.columns else frame
    test_rows = test_rows.filter(pl.col("weight") > 0) if plan.weighted else test_rows
    slices = [
        Scope.of(k, test_rows, [slice_column(c) for c in s])
        for k, s in enumerate(plan.spec.slicings)
    ]
    fits = [Scope.of(FITS, _not_validation(frame), plan.fits)] if plan.fits else []
    facts: Facts = {
        "too_many": [s.number for s in slices if len(s.parts) > MOST_SLICE_VALUES],
        "few_fits": all(len(s.parts) <= MOST_FITS for s in fits),
    }
    scopes = [Scope(ALL, test_rows), *(s for s in slices if len(s.parts) <= MOST_SLICE_VALUES)]
    return [*scopes, *(fits if facts["few_fits"] else [])], test_rows, facts


def _not_validation(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("role") != "validation") if "role" in frame.columns else frame


def facts_of(frame: pl.DataFrame, test_rows: pl.DataFrame, plan: Plan) -> Facts:
    """What is known of the rows beside their counts."""
    facts: Facts = {
        "rows": frame.height,
        "evaluated": test_rows.height,
        "labels": {
            label_column(k): binary_labels.counts(frame[label_column(k)]) for k in plan.labels
        },
        "slices": {
            column: _values(test_rows[slice_column(column)])
            for columns in plan.spec.slicings
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
